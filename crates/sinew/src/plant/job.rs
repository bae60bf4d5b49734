//! The step of a frame.

use glam::{DQuat, DVec3};

use super::contact::{FootMotion, StanceRule, StanceTracker};
use super::leg::lead;
use super::spring::Spring;
use super::{Ground, PlantError, PlantRig};
use crate::{DTransform, IkError, IkStatus, LocalPose, Rig, Slot, Transform};

/// How feet are planted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlantSettings {
    /// When a foot stands.
    pub stance: StanceRule,
    /// Seconds in which half of what is left of a lock is let go of once the foot lifts.
    pub release: f64,
    /// Seconds in which feet and pelvis go half of the way to another height of the ground.
    pub settle: f64,
    /// Distance between a planted foot and that of the animation at which the lock gives way, metres.
    pub most_offset: f64,
    /// How far the pelvis is lowered at most, metres.
    pub most_drop: f64,
    /// Share of its length up to which a leg may be stretched by planting; the animation may stretch it
    /// further.
    pub stretch: f64,
    /// How far feet are tilted with the ground at most, radians; 0 leaves them as animated.
    pub most_tilt: f64,
}

impl PlantSettings {
    /// For a character of this size (a person's height), metres.
    #[must_use]
    pub fn for_size(size: f64) -> Self {
        Self {
            stance: StanceRule::for_size(size),
            release: 0.08,
            settle: 0.06,
            most_offset: 0.15 * size,
            most_drop: 0.15 * size,
            stretch: 0.995,
            most_tilt: 30.0_f64.to_radians(),
        }
    }

    fn check(&self) -> Result<(), PlantError> {
        for (what, value) in [
            ("the height of the stance rule", self.stance.height),
            ("the entering speed", self.stance.enter_speed),
            ("the leaving speed", self.stance.leave_speed),
            ("the time of release", self.release),
            ("the time to settle", self.settle),
            ("the largest offset", self.most_offset),
            ("the largest drop", self.most_drop),
        ] {
            in_range(what, value, f64::MAX, "0 or more and finite")?;
        }
        in_range("the stretch", self.stretch, 1.0, "0 to 1")?;
        let quarter = core::f64::consts::FRAC_PI_2;
        in_range("the largest tilt", self.most_tilt, quarter, "0 to a quarter of a turn")
    }
}

/// Moves a joint in model space.
fn shift(rig: &Rig, model: &[DTransform], slot: Slot, by_ms: DVec3, pose: &mut LocalPose) {
    if by_ms == DVec3::ZERO {
        return;
    }
    let parent = rig.parents()[slot.index()].map_or(DTransform::IDENTITY, |p| model[p.index()]);
    let by_ls = (parent.rotation.conjugate() * by_ms) / parent.scale;
    let local = pose.get(slot);
    // Of a parent without size nothing can be moved.
    if by_ls.is_finite() {
        pose.set(slot, &Transform { translation: local.translation + by_ls.as_vec3(), ..local });
    }
}

/// Metres, or radians, that nobody sees: an offset below ends, so that the pose is the animation's again to the bit.
const NOTHING: f64 = 1e-6;

fn in_range(what: &'static str, value: f64, most: f64, expected: &'static str) -> Result<(), PlantError> {
    if (0.0..=most).contains(&value) { Ok(()) } else { Err(PlantError::OutOfRange { what, value, expected }) }
}

/// The rotation from level ground to ground with a normal, as axis times angle, cut to an angle; none where the
/// normal is no direction or points down.
fn tilt_of(normal: DVec3, most: f64) -> DVec3 {
    let axis = DVec3::Y.cross(normal);
    let (size, up) = (axis.length(), normal.y);
    if !(size > 0.0 && size.is_finite() && up > 0.0) {
        return DVec3::ZERO;
    }
    axis * (libm::atan2(size, up).min(most) / size)
}

/// What planting did to a foot in the last frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlantedFoot {
    /// Whether it stands, by the rule or the caller.
    pub stands: bool,
    /// Whether it is held; a foot that stands is not where its lock gave way, until it has lifted.
    pub held: bool,
    /// Whether there is ground under it. Where there is none it is not held, and stays at the height of the last
    /// ground there was.
    pub grounded: bool,
    /// From the animation's place to where it was put, world space, metres.
    pub offset_ws: DVec3,
    /// How far it was tilted with the ground, radians.
    pub tilt: f64,
    /// What came of bending the leg there; on an error it keeps the animation's rotations and goes with the pelvis.
    pub status: Result<IkStatus, IkError>,
}

/// The state of one character: what is held where. Allocates when it is made, never after.
#[derive(Clone, Debug)]
pub struct Planting {
    feet: Vec<FootState>,
    /// Up is positive; a single number in a spring for vectors.
    pelvis: Spring,
    /// `[slot]`: model space, of the joints that are needed.
    model: Vec<DTransform>,
    points: Vec<DVec3>,
    heights: Vec<f64>,
    /// `[leg]`: where the leg's end goes, model space, and how the foot is turned about its pivot.
    targets: Vec<Target>,
    /// `[leg]`
    report: Vec<PlantedFoot>,
    started: bool,
}

/// Where a foot is led, model space.
#[derive(Clone, Copy, Debug, Default)]
struct Target {
    pivot: DVec3,
    /// Of the pivot.
    offset: DVec3,
    turn: DQuat,
}

impl Target {
    /// Where a point of the foot goes.
    fn carried(&self, at: DVec3) -> DVec3 {
        if self.turn == DQuat::IDENTITY {
            return at + self.offset;
        }
        self.pivot + self.offset + self.turn * (at - self.pivot)
    }
}

#[derive(Clone, Debug)]
struct FootState {
    tracker: StanceTracker,
    /// Offset over the ground, and how it changes.
    slide: Spring,
    /// Height of the ground under the foot.
    lift: Spring,
    /// Tilt of the ground under the foot: axis times angle, world space.
    tilt: Spring,
    /// The point that the tilt goes about.
    pivot: usize,
    /// The lock gave way in this stance.
    given_way: bool,
}

impl Planting {
    /// Nothing is held yet.
    #[must_use]
    pub fn new(rig: &PlantRig) -> Self {
        let most = rig.legs.iter().map(|l| l.contacts.len()).max().unwrap_or(0);
        let foot = |contacts: usize| FootState {
            tracker: StanceTracker::new(contacts),
            slide: Spring::default(),
            lift: Spring::default(),
            tilt: Spring::default(),
            pivot: 0,
            given_way: false,
        };
        let none = PlantedFoot {
            stands: false,
            held: false,
            grounded: true,
            offset_ws: DVec3::ZERO,
            tilt: 0.0,
            status: Ok(IkStatus::Reached),
        };
        Self {
            feet: rig.legs.iter().map(|l| foot(l.contacts.len())).collect(),
            pelvis: Spring::default(),
            model: vec![DTransform::IDENTITY; rig.joints],
            points: vec![DVec3::ZERO; most],
            heights: vec![0.0; most],
            targets: vec![Target::default(); rig.legs.len()],
            report: vec![none; rig.legs.len()],
            started: false,
        }
    }

    /// `[leg]`: what the last frame did.
    #[must_use]
    pub fn feet(&self) -> &[PlantedFoot] {
        &self.report
    }

    /// How far the pelvis was moved up in the last frame (down is negative), metres.
    #[must_use]
    pub fn pelvis(&self) -> f64 {
        self.pelvis.at.y
    }

    /// Lets go of a foot at once, for someone else to lead it on: how far it was held from the animation's place over
    /// the ground, world space, metres.
    ///
    /// # Panics
    /// Where there is no such leg.
    pub fn let_go(&mut self, leg: usize) -> DVec3 {
        std::mem::take(&mut self.feet[leg].slide).at
    }

    /// Lets go of everything at once: after a teleport or a cut.
    pub fn reset(&mut self) {
        for foot in &mut self.feet {
            foot.tracker.reset();
            foot.slide = Spring::default();
            foot.given_way = false;
        }
        self.started = false;
    }
}

/// Plants the feet of a pose: one frame.
///
/// A foot that stands is moved against what its pivot (the point it stands on) slides in the animation, so
/// that the pivot stays to the last bit of the pose. It is taken up where it is and let go of by a spring
/// that starts with the speed it has, so that neither shows. Feet and pelvis follow the height of the ground;
/// the pelvis also comes down where a leg would be stretched further than allowed. Feet keep the rotation of the
/// animation, but for the tilt of the ground under them: standing or not, about their pivot, so that it stays.
#[expect(missing_debug_implementations, reason = "a game's ground need not be shown")]
pub struct PlantJob<'a> {
    /// The hierarchy.
    pub rig: &'a Rig,
    /// Its legs.
    pub legs: &'a PlantRig,
    /// How to plant.
    pub settings: &'a PlantSettings,
    /// What the feet stand on.
    pub ground: &'a dyn Ground,
    /// Where the character is in the world, upright: its model space, after root motion. Its scale is not
    /// looked at.
    pub placement: DTransform,
    /// Seconds since the last frame; above 0 but for the first.
    pub dt: f64,
    /// `[leg]`: which feet stand, where that is known; else the rule of the settings tells.
    pub stands: Option<&'a [bool]>,
    /// What is held.
    pub state: &'a mut Planting,
    /// The animation's pose, changed in place.
    pub pose: &'a mut LocalPose,
}

impl PlantJob<'_> {
    /// Plants the feet. Allocates nothing.
    ///
    /// # Errors
    /// [`PlantError`]; pose and state are untouched.
    pub fn run(&mut self) -> Result<(), PlantError> {
        self.check()?;
        let up_ms = self.placement.rotation.conjugate() * DVec3::Y;
        self.model_transforms()?;
        let mut lowest = f64::INFINITY;
        for leg in 0..self.legs.legs.len() {
            self.track(leg);
            lowest = lowest.min(self.state.feet[leg].lift.at.y);
        }
        self.lower(lowest, up_ms);
        let drop = up_ms * self.state.pelvis.at.y;
        for (number, leg) in self.legs.legs.iter().enumerate() {
            let target = self.state.targets[number];
            let model = &self.state.model;
            let report = &mut self.state.report[number];
            // An untouched leg keeps its bits.
            if (target.offset - drop).length() < 1e-9 && target.turn == DQuat::IDENTITY {
                report.status = Ok(IkStatus::Reached);
            } else {
                let (hip, foot) = (model[leg.hip.index()], model[leg.foot.index()]);
                let (hip_at, at) = (hip.translation + drop, target.carried(foot.translation));
                let rotation = target.turn * foot.rotation;
                report.status = lead(self.rig, leg, model, hip_at, at, rotation, self.pose);
                if report.status.is_ok() {
                    continue;
                }
            }
            // A foot that is no child of its leg goes where the hip does.
            if let Some(slot) = leg.loose_foot {
                shift(self.rig, model, slot, drop, self.pose);
            }
        }
        shift(self.rig, &self.state.model, self.legs.pelvis, drop, self.pose);
        Ok(())
    }

    /// Where the joints are that matter, in the scratch of the state.
    fn model_transforms(&mut self) -> Result<(), PlantError> {
        let model = &mut self.state.model;
        for &slot in &self.legs.needed {
            let local = self.pose.get(slot).to_f64();
            let parent = self.rig.parents()[slot.index()].map_or(DTransform::IDENTITY, |p| model[p.index()]);
            let here = parent.mul_transform(&local);
            if !(here.translation.is_finite() && here.rotation.is_finite() && here.scale.is_finite()) {
                return Err(PlantError::NotFinite { what: "the pose of a leg" });
            }
            model[slot.index()] = here;
        }
        Ok(())
    }

    /// Whether a foot stands, and its offset.
    fn track(&mut self, number: usize) {
        let leg = &self.legs.legs[number];
        let Planting { feet, model, points, heights, report, targets, started, .. } = &mut *self.state;
        let (foot, count) = (&mut feet[number], leg.contacts.len());
        for (i, contact) in leg.contacts.iter().enumerate() {
            let joint = &model[contact.joint.index()];
            let at = joint.translation + joint.rotation * (joint.scale * contact.offset_ls);
            points[i] = self.placement.translation + self.placement.rotation * at;
            heights[i] = at.y - contact.height;
        }
        let motion = FootMotion { points_ws: &points[..count], heights: &heights[..count], dt: self.dt };
        let moved = foot.tracker.step(&motion, &self.settings.stance, self.stands.map(|s| s[number]));
        let stands = foot.tracker.stands();
        foot.given_way &= stands;
        let slide = &mut foot.slide;
        if stands && !foot.given_way {
            let velocity = if self.dt > 0.0 { moved / self.dt } else { DVec3::ZERO };
            *slide = Spring { at: slide.at - moved, velocity: -velocity };
            foot.given_way = slide.at.length() > self.settings.most_offset;
        } else {
            slide.step(DVec3::ZERO, self.settings.release, self.dt);
            if slide.at.length() < NOTHING {
                *slide = Spring::default();
            }
        }
        let pivot = foot.tracker.pivot();
        let level = self.placement.translation.y;
        let hit = self.ground.cast(points[pivot] + slide.at).filter(|h| (h.height - level).is_finite());
        let goal = hit.map_or(foot.lift.at, |hit| DVec3::Y * (hit.height - level));
        let tilted = hit.map_or(foot.tilt.at, |hit| tilt_of(hit.normal, self.settings.most_tilt));
        // Over nothing, no foot is held.
        foot.given_way |= hit.is_none();
        if *started {
            // A tilted foot that goes on about another point would jump: that is taken up, and let go of later.
            let between = points[pivot] - points[foot.pivot];
            let jump = between - DQuat::from_scaled_axis(foot.tilt.at) * between;
            foot.slide.at -= DVec3::new(jump.x, 0.0, jump.z);
            foot.lift.at.y -= jump.y;
            foot.lift.step(goal, self.settings.settle, self.dt);
            foot.tilt.step(tilted, self.settings.settle, self.dt);
        } else {
            foot.lift = Spring { at: goal, velocity: DVec3::ZERO };
            foot.tilt = Spring { at: tilted, velocity: DVec3::ZERO };
        }
        foot.pivot = pivot;
        if foot.tilt.at.length() < NOTHING && tilted == DVec3::ZERO {
            foot.tilt = Spring::default();
        }
        let to_model = self.placement.rotation.conjugate();
        let offset_ws = foot.slide.at + foot.lift.at;
        targets[number] = Target {
            pivot: to_model * (points[pivot] - self.placement.translation),
            offset: to_model * offset_ws,
            turn: DQuat::from_scaled_axis(to_model * foot.tilt.at),
        };
        report[number].offset_ws = offset_ws;
        report[number].tilt = foot.tilt.at.length();
        report[number].stands = stands;
        report[number].held = stands && !foot.given_way;
        report[number].grounded = hit.is_some();
    }

    /// Moves the pelvis: with the lowest ground under a foot, and as far down as legs need.
    fn lower(&mut self, lowest: f64, up_ms: DVec3) {
        let Planting { targets, model, pelvis, started, .. } = &mut *self.state;
        let mut goal = lowest;
        for (leg, target) in self.legs.legs.iter().zip(&*targets) {
            let at = |slot: Slot| model[slot.index()].translation;
            let (hip, knee, ankle) = (at(leg.hip), at(leg.knee), at(leg.foot));
            let full = (knee - hip).length() + (ankle - knee).length();
            let allowed = (self.settings.stretch * full).max((ankle - hip).length());
            let way = target.carried(ankle) - hip;
            let down = way.dot(up_ms);
            let aside = way.length_squared() - down * down;
            // The highest at which the leg still spans the way; where none does, right above the foot.
            let highest = down + (allowed * allowed - aside).max(0.0).sqrt();
            goal = goal.min(highest);
        }
        let goal = goal.max(lowest - self.settings.most_drop);
        if !*started {
            *pelvis = Spring { at: DVec3::Y * goal, velocity: DVec3::ZERO };
        } else {
            let before = pelvis.at;
            pelvis.step(DVec3::Y * goal, self.settings.settle, self.dt);
            if pelvis.at.y > goal && goal < lowest {
                // A leg cannot wait.
                let velocity = if self.dt > 0.0 { (DVec3::Y * goal - before) / self.dt } else { DVec3::ZERO };
                *pelvis = Spring { at: DVec3::Y * goal, velocity };
            }
        }
        if pelvis.at.length() < NOTHING {
            *pelvis = Spring::default();
        }
        *started = true;
    }

    fn check(&self) -> Result<(), PlantError> {
        self.settings.check()?;
        let expected = self.legs.joints;
        for (what, found) in [("joints of the rig", self.rig.len()), ("joints of the pose", self.pose.len())]
        {
            if found != expected {
                return Err(PlantError::Count { what, found, expected });
            }
        }
        let expected = self.legs.legs.len();
        let known = self.stands.map_or(expected, <[bool]>::len);
        for (what, found) in [("feet of the state", self.state.feet.len()), ("feet that stand or not", known)]
        {
            if found != expected {
                return Err(PlantError::Count { what, found, expected });
            }
        }
        in_range("the step in seconds", self.dt, f64::MAX, "0 or more and finite")?;
        let finite = self.placement.translation.is_finite() && self.placement.rotation.is_normalized();
        if finite { Ok(()) } else { Err(PlantError::NotFinite { what: "the placement" }) }
    }
}
