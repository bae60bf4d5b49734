//! Switching from one motion to another without blending two: the new motion plays alone at once, and what is
//! left of the old one fades out.
//!
//! Two methods, one job. [`TransitionMethod::Inertialize`] keeps the difference between the poses and lets it
//! run out along a quintic (Bollo, "Inertialization: High-Performance Animation Transitions in Gears of War",
//! GDC 2018). [`TransitionMethod::DeadBlend`] carries the old motion on with a velocity that dies away and
//! cross-fades from that (Holden, "Dead Blending", 2023); it suits poses that are far apart.
//!
//! Rotation offsets are modified Rodrigues parameters, axis times `tan(angle / 4)` (Schaub and Junkins,
//! "Stereographic Orientation Parameters for Attitude Dynamics", 1996): a rotation vector to third order,
//! smooth up to a full turn, and made and undone without trigonometry, so every backend gives the same bits.

mod dead_blend;
mod inertialize;
pub(crate) mod rotation;

use dead_blend::{Fade, apply as apply_fade, capture as capture_motion};
use inertialize::{Capture, apply as apply_offset, capture as capture_offset};

use crate::wide::dispatch;
use crate::{Backend, LocalPose, Rig, Slot};

/// Longest transition, seconds.
pub const MAX_TRANSITION: f32 = 3600.0;
/// Largest limit of a velocity.
const MAX_LIMIT: f32 = 1e6;
/// Steps below this carry no velocity, seconds.
const MIN_STEP: f32 = 1e-6;

/// Rows of eight lanes that belong to one group of joints.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Rows<const N: usize>(pub(crate) [[f32; 8]; N]);

/// What happens to the rest of the old motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TransitionMethod {
    /// The offset from the new motion runs out along a quintic, each component by itself.
    Inertialize {
        /// Whether an offset may cross to the other side of the new motion.
        overshoot: Overshoot,
    },
    /// The old motion goes on, slower and slower, while the new one is faded in.
    DeadBlend {
        /// Seconds after which the old motion goes on at half its speed; above 0.
        half_life: f32,
    },
}

/// Whether an inertialised offset may cross to the other side of the new motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overshoot {
    /// Never: an offset that shrinks fast ends early, in `5 * offset / velocity` (Bollo). A component whose
    /// offset is next to nothing gives up its velocity for that.
    Clamp,
    /// It may: the velocity is kept in full, and every component takes the whole duration.
    Allow,
}

/// How a transition goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransitionSettings {
    /// The method.
    pub method: TransitionMethod,
    /// Seconds until the new motion plays untouched; 0 is a cut. At most [`MAX_TRANSITION`].
    pub duration: f32,
    /// Fastest rotation that is carried over, radians a second. Faster ones (a pose that was set by hand, a
    /// teleport) are cut down to it; the same goes for the two below.
    pub max_turn: f32,
    /// Fastest translation that is carried over, metres a second.
    pub max_speed: f32,
    /// Fastest change of scale that is carried over, a second.
    pub max_growth: f32,
}

impl Default for TransitionSettings {
    /// Inertialised without overshoot within 0.3 s; limits of 30 are above any motion and below a teleport.
    fn default() -> Self {
        Self {
            method: TransitionMethod::Inertialize { overshoot: Overshoot::Clamp },
            duration: 0.3,
            max_turn: 30.0,
            max_speed: 30.0,
            max_growth: 30.0,
        }
    }
}

/// Both motions at the moment of the switch: the pose then, and the pose `dt` earlier.
#[derive(Clone, Copy, Debug)]
pub struct TransitionStart<'a> {
    /// The pose shown last. While a transition runs, its output: that is how one interrupts another.
    pub source: &'a LocalPose,
    /// The pose shown before that.
    pub source_before: &'a LocalPose,
    /// The new motion at this moment.
    pub target: &'a LocalPose,
    /// The new motion `dt` earlier; the same as `target` where it has no past. Not used by
    /// [`TransitionMethod::DeadBlend`].
    pub target_before: &'a LocalPose,
    /// Seconds between each two; 0 carries no velocity.
    pub dt: f32,
}

/// Why a transition cannot begin or go on. Nothing is changed then.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TransitionError {
    /// A setting or a step is not within its range, or not a number.
    #[error("{what} is {value}, expected {expected}")]
    OutOfRange {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f32,
        /// What it may be.
        expected: &'static str,
    },
    /// A pose is not of the rig.
    #[error("the {what} pose has {found} joints, the transition {expected}")]
    JointCount {
        /// Which pose.
        what: &'static str,
        /// Joints of the pose.
        found: usize,
        /// Joints of the transition.
        expected: usize,
    },
    /// A pose holds NaN or an infinity.
    #[error("the {what} pose is not finite at {slot}")]
    NotFinite {
        /// Which pose.
        what: &'static str,
        /// The first such joint.
        slot: Slot,
    },
}

/// Whether a transition still changes the pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransitionStatus {
    /// It changed the pose.
    Running,
    /// It is over: the pose was left as it is, to the last bit.
    Finished,
}

/// The state of one character's transition. Allocates when it is made, never after.
#[derive(Clone, Debug)]
pub struct Transition {
    joints: usize,
    settings: TransitionSettings,
    /// Seconds since the start.
    elapsed: f32,
    running: bool,
    scaled: bool,
    /// `[group]`: rotation and translation, as the method lays them out.
    state: Vec<Rows<24>>,
    /// `[group]`: scale.
    scale_state: Vec<Rows<12>>,
}

impl Transition {
    /// Room for the joints of a rig; nothing runs yet.
    #[must_use]
    pub fn new(rig: &Rig) -> Self {
        Self {
            joints: rig.len(),
            settings: TransitionSettings::default(),
            elapsed: 0.0,
            running: false,
            scaled: false,
            state: vec![Rows([[0.0; 8]; 24]); rig.groups()],
            scale_state: vec![Rows([[0.0; 8]; 12]); rig.groups()],
        }
    }

    /// Takes up a transition at this moment, in place of one that may be running.
    ///
    /// A [`TransitionJob`] with a step of 0 would turn `target` into `source`. In the frame loop: begin, then
    /// step both the new motion and the transition by the frame's time.
    ///
    /// # Errors
    /// [`TransitionError`] names a setting, a count or a pose that is not right; what ran goes on then.
    pub fn begin(
        &mut self,
        settings: &TransitionSettings,
        start: &TransitionStart<'_>,
    ) -> Result<(), TransitionError> {
        self.begin_on(Backend::best(), settings, start)
    }

    /// [`Transition::begin`] on a backend of choice; the bits are the same on each.
    ///
    /// # Errors
    /// As [`Transition::begin`].
    pub fn begin_on(
        &mut self,
        backend: Backend,
        settings: &TransitionSettings,
        start: &TransitionStart<'_>,
    ) -> Result<(), TransitionError> {
        check_settings(settings, start.dt)?;
        let poses = [
            ("source", start.source),
            ("earlier source", start.source_before),
            ("target", start.target),
            ("earlier target", start.target_before),
        ];
        for (what, pose) in poses {
            if pose.len() != self.joints {
                return Err(TransitionError::JointCount { what, found: pose.len(), expected: self.joints });
            }
        }
        for (what, pose) in poses {
            check_finite(what, pose)?;
        }
        self.settings = *settings;
        self.elapsed = 0.0;
        self.running = settings.duration > 0.0;
        self.scaled = poses.iter().any(|(_, pose)| pose.is_scaled());
        if !self.running {
            return Ok(());
        }
        let (state, scales) = (&mut *self.state, &mut *self.scale_state);
        match settings.method {
            TransitionMethod::Inertialize { overshoot } => {
                let plan = Capture::new(settings, overshoot, start.dt);
                let plan = &plan;
                dispatch!(
                    backend,
                    capture_offset(
                        plan: &Capture,
                        start: &TransitionStart<'_>,
                        state: &mut [Rows<24>],
                        scales: &mut [Rows<12>],
                    )
                );
            }
            TransitionMethod::DeadBlend { .. } => {
                dispatch!(
                    backend,
                    capture_motion(
                        settings: &TransitionSettings,
                        start: &TransitionStart<'_>,
                        state: &mut [Rows<24>],
                        scales: &mut [Rows<12>],
                    )
                );
            }
        }
        Ok(())
    }

    /// Whether it still changes poses.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.running
    }

    /// Seconds left; 0 where it is over.
    #[must_use]
    pub fn remaining(&self) -> f32 {
        if self.running { self.settings.duration - self.elapsed } else { 0.0 }
    }

    /// Ends it: poses are left alone from now on.
    pub fn finish(&mut self) {
        self.running = false;
    }
}

/// Steps a transition and applies it to the new motion's pose.
///
/// ```
/// # use sinew::{DTransform, Joint, LocalPose, Rig, Skeleton};
/// use sinew::{Transition, TransitionJob, TransitionSettings, TransitionStart, TransitionStatus};
/// # let rig = Rig::new(&Skeleton::new(vec![Joint::new("root", None, DTransform::IDENTITY)], vec![])?)?;
/// # let [shown, shown_before, run, run_before] = [(); 4].map(|()| LocalPose::rest(&rig));
/// # let mut pose = LocalPose::rest(&rig);
/// let dt = 1.0 / 60.0;
/// let mut transition = Transition::new(&rig);
/// // The moment of the switch: the last two poses shown, the new motion now and a frame ago.
/// let start = TransitionStart {
///     source: &shown,
///     source_before: &shown_before,
///     target: &run,
///     target_before: &run_before,
///     dt,
/// };
/// transition.begin(&TransitionSettings { duration: 0.2, ..Default::default() }, &start)?;
/// // Every frame: sample the new motion into `pose`, then
/// let status = TransitionJob { transition: &mut transition, dt, output: &mut pose }.run()?;
/// assert_eq!(status, TransitionStatus::Running);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TransitionJob<'a> {
    /// The transition; one that does not run leaves the pose as it is.
    pub transition: &'a mut Transition,
    /// Seconds since the last step, 0 or more.
    pub dt: f32,
    /// The new motion's pose, changed in place.
    pub output: &'a mut LocalPose,
}

impl TransitionJob<'_> {
    /// Runs it on the fastest backend.
    ///
    /// # Errors
    /// [`TransitionError`] where the step is negative or not finite, or the pose is of another rig.
    pub fn run(&mut self) -> Result<TransitionStatus, TransitionError> {
        self.run_on(Backend::best())
    }

    /// Runs it on a backend of choice; the bits are the same on each.
    ///
    /// # Errors
    /// As [`TransitionJob::run`].
    pub fn run_on(&mut self, backend: Backend) -> Result<TransitionStatus, TransitionError> {
        let this = &mut *self.transition;
        in_range("the step in seconds", self.dt, 0.0, f32::MAX, "0 or more and finite")?;
        if self.output.len() != this.joints {
            let (found, expected) = (self.output.len(), this.joints);
            return Err(TransitionError::JointCount { what: "output", found, expected });
        }
        if !this.running {
            return Ok(TransitionStatus::Finished);
        }
        this.elapsed = (this.elapsed + self.dt).min(f32::MAX);
        if this.elapsed >= this.settings.duration {
            this.running = false;
            return Ok(TransitionStatus::Finished);
        }
        let scaled = this.scaled || self.output.is_scaled();
        let (groups, scales) = self.output.parts_mut(scaled);
        let scales = if scaled { scales } else { &mut [] };
        let (state, scale_state) = (&mut *this.state, &mut *this.scale_state);
        match this.settings.method {
            TransitionMethod::Inertialize { .. } => {
                let t = this.elapsed;
                let (state, scale_state) = (&*state, &*scale_state);
                dispatch!(
                    backend,
                    apply_offset(
                        t: f32,
                        state: &[Rows<24>],
                        scale_state: &[Rows<12>],
                        groups: &mut [crate::PoseGroup],
                        scales: &mut [crate::ScaleGroup],
                    )
                );
            }
            TransitionMethod::DeadBlend { half_life } => {
                let fade = &Fade::at(this.elapsed, this.settings.duration, half_life);
                dispatch!(
                    backend,
                    apply_fade(
                        fade: &Fade,
                        state: &mut [Rows<24>],
                        scale_state: &[Rows<12>],
                        groups: &mut [crate::PoseGroup],
                        scales: &mut [crate::ScaleGroup],
                    )
                );
            }
        }
        Ok(TransitionStatus::Running)
    }
}

fn in_range(
    what: &'static str,
    value: f32,
    low: f32,
    high: f32,
    expected: &'static str,
) -> Result<(), TransitionError> {
    if (low..=high).contains(&value) {
        Ok(())
    } else {
        Err(TransitionError::OutOfRange { what, value, expected })
    }
}

fn check_settings(settings: &TransitionSettings, dt: f32) -> Result<(), TransitionError> {
    in_range("the duration in seconds", settings.duration, 0.0, MAX_TRANSITION, "0 to 3600")?;
    if let TransitionMethod::DeadBlend { half_life } = settings.method {
        in_range("the half-life in seconds", half_life, f32::from_bits(1), f32::MAX, "above 0 and finite")?;
    }
    for (what, limit) in [
        ("the limit of rotation in radians a second", settings.max_turn),
        ("the limit of translation in metres a second", settings.max_speed),
        ("the limit of scale a second", settings.max_growth),
    ] {
        in_range(what, limit, 0.0, MAX_LIMIT, "0 to 1000000")?;
    }
    in_range("the step in seconds", dt, 0.0, f32::MAX, "0 or more and finite")
}

/// One over a step; 0 where it is too short to tell a velocity.
fn per_second(dt: f32) -> f32 {
    if dt < MIN_STEP { 0.0 } else { 1.0 / dt }
}

fn check_finite(what: &'static str, pose: &LocalPose) -> Result<(), TransitionError> {
    // A number times 0 is 0, or NaN where it is not finite: no branch a number.
    let mut sum = [0.0_f32; 8];
    for group in pose.groups() {
        for row in group.rotation.iter().chain(&group.translation) {
            for (sum, v) in sum.iter_mut().zip(row) {
                *sum += v * 0.0;
            }
        }
    }
    if pose.is_scaled() {
        for row in pose.scales().iter().flat_map(|group| &group.scale) {
            for (sum, v) in sum.iter_mut().zip(row) {
                *sum += v * 0.0;
            }
        }
    }
    if sum.iter().all(|v| *v == 0.0) {
        return Ok(());
    }
    let slots = (0..pose.len()).map(|slot| Slot(slot as u16));
    match slots.into_iter().find(|slot| !pose.get(*slot).is_finite()) {
        Some(slot) => Err(TransitionError::NotFinite { what, slot }),
        // Only a lane past the last joint, which nobody sees.
        None => Ok(()),
    }
}
