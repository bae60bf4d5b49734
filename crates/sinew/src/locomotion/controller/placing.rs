//! Where a character is, as the game has it.

use glam::{DVec2, DVec3};

use super::super::error::{LocomotionError, in_range};
use super::footing::Footing;
use super::phase::LocomotionController;

/// Farthest that physics moves anyone between two frames, metres: what is farther is elsewhere.
const MOST_MOVED: f64 = 1e3;
/// Metres within which a place can be told from another, to a thousandth of a millimetre.
const FARTHEST: f64 = 1e9;

fn place(at: DVec2) -> Result<(), LocomotionError> {
    in_range("the place in x", at.x, -FARTHEST, FARTHEST, "-1e9 to 1e9")?;
    in_range("the place in z", at.y, -FARTHEST, FARTHEST, "-1e9 to 1e9")?;
    Ok(())
}

impl LocomotionController {
    /// Tells where the game's physics has put the capsule (x, z) after a frame, metres, and how fast it is, metres a
    /// second: at a wall, by a shove.
    ///
    /// The pose does not jump, as far as the mesh's offset reaches; what is more is slid, and said. What the capsule
    /// was moved along its way counts as travelled in the next frame, backwards too, and is in its account; what it was
    /// moved across, and all that one is moved who stands, is taken up by the mesh's offset and worked off. Feet that
    /// stand stay where they are until they are too far from the body, then they step. A character that was moved back
    /// by nearly all of its last frame is held up: it stops, and stands as long as that is so.
    ///
    /// # Errors
    /// [`LocomotionError`] names the number, as of a place a kilometre off; nothing is changed then.
    pub fn moved_to(&mut self, position: DVec2, velocity: DVec2) -> Result<(), LocomotionError> {
        place(position)?;
        in_range("the speed", velocity.length(), 0.0, 1e4, "0 to 1e4")?;
        let displaced = self.displaced + (position - self.position);
        in_range("the way it was moved in metres", displaced.length(), 0.0, MOST_MOVED, "0 to 1000")?;
        (self.position, self.velocity, self.displaced) = (position, velocity, displaced);
        Ok(())
    }

    /// The ground under the character has moved by so much (x, z), metres, and the character with it: a lift, a ship.
    /// Feet that stand go along, and nothing of it is travelled. Up and down the ground itself says.
    ///
    /// # Errors
    /// As [`LocomotionController::moved_to`].
    pub fn carried(&mut self, by: DVec2) -> Result<(), LocomotionError> {
        place(self.position + by)?;
        place(self.ground_moved + by)?;
        let by_ws = DVec3::new(by.x, 0.0, by.y);
        self.position += by;
        self.ground_moved += by;
        for footing in &mut self.footings {
            footing.carry(by_ws);
        }
        for points in &mut self.points {
            points.iter_mut().for_each(|at| *at += by_ws);
        }
        for placement in &mut self.placements {
            placement.translation += by_ws;
        }
        if let Some(last) = &mut self.last {
            last.placement.translation += by_ws;
        }
        Ok(())
    }

    /// Puts it somewhere else (x, z), metres, to go on along a direction (x, z) of any length, or the one it has where
    /// that has none: a cut. It goes on with what it does, as fast as before; its feet let go of the ground, and
    /// the next pose is the clip's.
    ///
    /// # Errors
    /// As [`LocomotionController::moved_to`].
    pub fn put_at(&mut self, position: DVec2, direction: DVec2) -> Result<(), LocomotionError> {
        place(position)?;
        let heading = direction.try_normalize().unwrap_or(self.heading);
        // As a rotation from the one heading to the other.
        let turn = DVec2::new(self.heading.dot(heading), self.heading.perp_dot(heading));
        self.velocity = turn.rotate(self.velocity);
        (self.position, self.heading) = (position, heading);
        (self.displaced, self.last_way, self.aside) = (DVec2::ZERO, DVec2::ZERO, DVec2::ZERO);
        self.transition.finish();
        self.planting.reset();
        self.footings.fill(Footing::default());
        // Nowhere near the ground before.
        self.heights.iter_mut().for_each(|heights| heights.fill(f64::INFINITY));
        self.path = Default::default();
        (self.frames, self.last) = (0, None);
        Ok(())
    }
}
