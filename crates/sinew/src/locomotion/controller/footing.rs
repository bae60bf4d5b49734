//! Feet between two places: where a hand-over, a turn or a warp has left a foot somewhere else than the clip has
//! it, the foot goes there in a step of its own, through the air.

use glam::{DQuat, DVec3};

use super::feet::contact;
use crate::{DTransform, PlantRig};

/// Nearer than this a foot is where the clip has it, metres.
const THERE: f64 = 1e-4;
/// A step of its own that is shorter is not seen, metres.
const SEEN: f64 = 1e-3;
/// A turn by less is none, radians.
const STRAIGHT: f64 = 1e-3;
/// How high a step is, metres a metre over the ground, and at least and at most, as a share of what a lock may give.
const HIGH: f64 = 0.35;
const LEAST_HIGH: f64 = 0.03;
const HIGHEST: f64 = 0.4;
/// A foot that is faster against one that should stand loses the rest at once: so many times a second what a lock may
/// give.
const FASTEST: f64 = 16.0;
/// In the second half of its step a foot that should stand has landed where it is lower than this share of what a lock
/// may give.
const LANDED: f64 = 0.02;
/// A foot in the air that comes down from another clip does not come lower than this share of what a lock may give,
/// unless its clip does.
const FLIES: f64 = 0.1;
/// A foot that is turned against the clip's by more does not stay, radians.
const TWISTED: f64 = 1.0;
/// Seconds in which half of a standing foot's tilt is gone.
const FLATTEN: f64 = 0.04;

/// A foot on its own way.
#[derive(Clone, Copy, Debug)]
struct FootStep {
    /// From the clip's place at the beginning, metres.
    offset: DVec3,
    /// What its speed was more than the clip's, metres a second.
    velocity: DVec3,
    turn: DQuat,
    seconds: f64,
    whole: f64,
    lift: f64,
    /// How high the foot was, and stays at least where the clip has it in the air and it is on its way; metres.
    floor: [f64; 2],
    /// The clip has had the foot on the ground in the meantime.
    is_own: bool,
}

impl FootStep {
    fn share(&self) -> f64 {
        (self.seconds / self.whole).clamp(0.0, 1.0)
    }

    /// What is left of the way: 1 to 0, at rest at both ends.
    fn left(&self) -> f64 {
        let u = self.share();
        1.0 - u * u * u * (10.0 - u * (15.0 - 6.0 * u))
    }

    /// From where the clip has the foot to where it is, metres.
    fn away(&self) -> DVec3 {
        (self.offset + self.velocity * self.seconds) * self.left()
    }

    /// Lowest that it flies, where its clip does.
    fn floor(&self) -> f64 {
        let [from, to] = self.floor;
        from + (to - from) * (2.0 * self.share()).min(1.0)
    }

    /// The ground is left before the foot moves over it, and reached when it does no more.
    fn clearance(&self) -> f64 {
        self.lift * libm::sin(core::f64::consts::PI * self.share())
    }
}

/// The sole of a foot as the clip has it.
#[derive(Clone, Copy)]
pub(super) struct Sole<'a> {
    pub(super) legs: &'a PlantRig,
    pub(super) leg: usize,
    /// `[slot]`
    pub(super) model: &'a [DTransform],
    /// Where the model's origin is in the world.
    pub(super) at: DVec3,
}

impl Sole<'_> {
    /// A point of the foot brought somewhere else, in the world, and its height above where it stands.
    fn carried(&self, point: usize, to: &DTransform) -> (DVec3, f64) {
        let foot = self.model[self.legs.legs()[self.leg].foot.index()];
        let (at, height) = contact(self.legs, self.model, self.leg, point);
        let moved = to.translation + to.rotation * (foot.rotation.conjugate() * (at - foot.translation));
        (self.at + moved, height + moved.y - at.y)
    }
}

/// What leads one foot from frame to frame.
#[derive(Clone, Debug)]
pub(super) struct Footing {
    step: Option<FootStep>,
    /// How a standing foot is turned against the clip's.
    turn: DQuat,
    pub(super) stands: bool,
    /// Where the foot was shown, world space: in the last frame and the one before.
    pub(super) shown: [DTransform; 2],
    /// Where the clip had it in the last frame, world space.
    pub(super) clip: DTransform,
}

impl Default for Footing {
    fn default() -> Self {
        let nowhere = DTransform::IDENTITY;
        Self { step: None, turn: DQuat::IDENTITY, stands: false, shown: [nowhere; 2], clip: nowhere }
    }
}

/// A step that begins.
pub(super) struct Departure {
    /// Velocity more than the clip's foot has, metres a second.
    pub(super) velocity: DVec3,
    /// Seconds that it takes.
    pub(super) whole: f64,
    /// Whether the clip has the foot on the ground.
    pub(super) lands: bool,
    /// The farthest that a lock may be from the clip, metres.
    pub(super) most: f64,
    /// How high the foot is, metres.
    pub(super) height: f64,
}

impl Footing {
    /// Another clip has the foot elsewhere: a foot that stands in both and not too far off stays. Whether it does.
    pub(super) fn stays(&mut self, clip: DTransform, stands: bool, most: f64) -> bool {
        let away = (self.shown[0].translation - clip.translation).with_y(0.0).length();
        let turn = (self.shown[0].rotation * clip.rotation.conjugate()).normalize();
        let twist = DTransform::angle_between(turn, DQuat::IDENTITY);
        let stays = self.stands && stands && away < most && twist < TWISTED;
        if stays {
            (self.step, self.turn) = (None, turn);
        }
        stays
    }

    /// Whether it is in the second half of a step.
    pub(super) fn is_landing(&self) -> bool {
        self.step.is_some_and(|step| step.share() > 0.5)
    }

    /// Whether the body has turned away too far over a foot that stands.
    pub(super) fn is_twisted(&self) -> bool {
        DTransform::angle_between(self.turn, DQuat::IDENTITY) > TWISTED
    }

    /// The foot leaves where it is, for where the clip has it.
    pub(super) fn depart(&mut self, clip: &DTransform, from: &Departure) {
        let offset = self.shown[0].translation - clip.translation;
        let turn = (self.shown[0].rotation * clip.rotation.conjugate()).normalize();
        let most = if from.lands { FASTEST * from.most } else { f64::INFINITY };
        let velocity = from.velocity.clamp_length_max(most);
        self.stands = false;
        self.turn = DQuat::IDENTITY;
        // Near the farthest that the speed takes it.
        let farthest = offset + velocity * (0.3 * from.whole);
        let over = offset.with_y(0.0).length().max(farthest.with_y(0.0).length());
        let lift =
            (HIGH * over).clamp(if over > SEEN { LEAST_HIGH * from.most } else { 0.0 }, HIGHEST * from.most);
        let high = FLIES * from.most;
        let floor = [from.height.clamp(0.0, high), high];
        let (seconds, whole) = (0.0, from.whole);
        let step = FootStep { offset, velocity, turn, seconds, whole, lift, floor, is_own: false };
        let is_there = offset.length() < THERE && DTransform::angle_between(turn, DQuat::IDENTITY) < STRAIGHT;
        self.step = (!is_there).then_some(step);
    }

    /// Goes on by `dt` seconds; `yaw` is how far the body was turned since the last frame, `height` how high the
    /// foot was then, as a share of what a lock may give. A foot that the clip has on the ground, and that is still on its
    /// way there, takes a step of its own: how far that is, metres, where it begins to be one.
    pub(super) fn go_on(&mut self, stands: bool, height: f64, yaw: f64, dt: f64) -> Option<f64> {
        let mut own = None;
        if let Some(step) = &mut self.step {
            if stands && !step.is_own {
                step.is_own = true;
                own = Some(step.away().with_y(0.0).length()).filter(|way| *way > SEEN);
            }
            step.seconds += dt;
            let landed = stands && height < LANDED && step.seconds > 0.5 * step.whole;
            if step.seconds >= step.whole || landed {
                // One that lands early stands as it came down.
                self.turn = DQuat::IDENTITY.slerp(step.turn, step.left());
                (self.step, self.stands) = (None, landed);
            }
        }
        let stood = core::mem::replace(&mut self.stands, stands && self.step.is_none());
        if self.stands && (stood || height < LANDED) {
            // A foot that stands does not turn with the body, but it comes to lie flat.
            let (swing, twist) = tilt_and_yaw(self.turn * DQuat::from_rotation_y(-yaw));
            self.turn = (DQuat::IDENTITY.slerp(swing, libm::exp2(-dt / FLATTEN)) * twist).normalize();
        } else {
            self.turn = DQuat::IDENTITY;
        }
        own
    }

    /// Goes along with the ground.
    pub(super) fn carry(&mut self, by_ws: DVec3) {
        for place in self.shown.iter_mut().chain([&mut self.clip]) {
            place.translation += by_ws;
        }
    }

    /// Whether the foot is to be elsewhere than the clip has it.
    pub(super) fn is_led(&self) -> bool {
        self.step.is_some() || self.turn != DQuat::IDENTITY
    }

    /// Where the leg's end goes, from where the clip has it; `model` is of the clip's pose. Both in model space.
    pub(super) fn target(&self, legs: &PlantRig, leg: usize, model: &[DTransform]) -> DTransform {
        let foot = model[legs.legs()[leg].foot.index()];
        let count = legs.legs()[leg].contacts.len();
        let Some(step) = &self.step else {
            // About the middle of the sole: which of its points stands may change from frame to frame.
            let points = (0..count).map(|point| contact(legs, model, leg, point).0);
            let about = points.sum::<DVec3>() / count as f64;
            let at = about + self.turn * (foot.translation - about);
            let mut target = DTransform { translation: at, rotation: self.turn * foot.rotation, ..foot };
            target.translation.y += self.raise(legs, leg, model, &target, 0.0);
            return target;
        };
        let at = foot.translation + step.away();
        let turn = DQuat::IDENTITY.slerp(step.turn, step.left());
        let mut target = DTransform { translation: at, rotation: (turn * foot.rotation).normalize(), ..foot };
        let lowest = (0..count).map(|point| contact(legs, model, leg, point).1).fold(f64::INFINITY, f64::min);
        let clear = step.clearance().max(step.floor().min(lowest));
        target.translation.y += self.raise(legs, leg, model, &target, clear);
        target
    }

    /// A foot that begins a step does not go over the ground before it has left it: while a point of its sole is within
    /// `near` of the ground, as it was in the frame before, the foot stays where the lowest such point is.
    pub(super) fn hold_down(
        &mut self,
        sole: &Sole<'_>,
        before: &[DVec3],
        heights: &[f64],
        near: f64,
        to: &mut DTransform,
    ) {
        let Some(step) = self.step.as_mut().filter(|step| step.share() < 0.5) else { return };
        let (mut lowest, mut by) = (near, None);
        for (point, (before, height)) in before.iter().zip(heights).enumerate() {
            let (at, now) = sole.carried(point, to);
            if *height <= near && now <= lowest {
                (lowest, by) = (now, Some((at - before).with_y(0.0)));
            }
        }
        if let Some(by) = by {
            step.offset -= by / step.left();
            to.translation -= by;
        }
    }

    /// How far a foot has to come up for its lowest point to be as high as this. What the clip itself has below
    /// the ground is left there.
    fn raise(&self, legs: &PlantRig, leg: usize, model: &[DTransform], to: &DTransform, clear: f64) -> f64 {
        let sole = Sole { legs, leg, model, at: DVec3::ZERO };
        let (mut own, mut lowest) = (0.0_f64, f64::INFINITY);
        for point in 0..legs.legs()[leg].contacts.len() {
            own = own.min(contact(legs, model, leg, point).1);
            lowest = lowest.min(sole.carried(point, to).1);
        }
        (clear + own - lowest).max(0.0)
    }
}

/// A rotation as a tilt after one about the vertical.
fn tilt_and_yaw(turn: DQuat) -> (DQuat, DQuat) {
    let yaw = DQuat::from_xyzw(0.0, turn.y, 0.0, turn.w);
    let yaw = if yaw.length() < 1e-9 { DQuat::IDENTITY } else { yaw.normalize() };
    ((turn * yaw.conjugate()).normalize(), yaw)
}
