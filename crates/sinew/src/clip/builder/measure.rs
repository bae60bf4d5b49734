//! What a built clip lost, against the exact evaluator.

use glam::{DMat3, DMat4, DVec3};

use super::ClipBuilder;
use crate::clip::{Clip, SampleJob};
use crate::{DTransform, JointId, LocalPose, RawClip, RawPose, Skeleton, model_matrices};

/// The worst there is.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) error: f64,
    pub(crate) joint: JointId,
    pub(crate) time: f64,
    pub(crate) angle: f64,
    pub(crate) angle_joint: JointId,
    pub(crate) moments: usize,
    /// Moments at which the bound is broken, and the error there.
    pub(crate) over: Vec<(f64, f64)>,
}

impl Default for Measured {
    fn default() -> Self {
        Self {
            error: 0.0,
            joint: JointId(0),
            time: 0.0,
            angle: 0.0,
            angle_joint: JointId(0),
            moments: 0,
            over: Vec::new(),
        }
    }
}

/// Parts of the spacing of single-precision numbers by which a moment may be off: the source's own key times are
/// rounded to them, which between two keys half a turn apart is a visible angle.
pub(crate) const SHIFTS: [f64; 9] = [0.0, -0.25, 0.25, -0.5, 0.5, -0.75, 0.75, -1.0, 1.0];

/// Where between neighbouring moments to compare: splines that turn fast peak close to a key.
const MOMENTS: [f64; 5] = [0.08, 0.29, 0.5, 0.71, 0.92];

/// Compares at the source's keys, at the frames, and between neighbours of both.
pub(crate) fn measure(builder: &ClipBuilder<'_>, raw: &RawClip, clip: &Clip) -> Measured {
    let (skeleton, rig) = (builder.skeleton, builder.rig);
    let mut times = raw.key_times();
    times.extend((0..clip.frames()).map(|f| (f64::from(f) / clip.rate()).min(raw.duration())));
    times.sort_by(f64::total_cmp);
    times.dedup_by(|b, a| *b - *a < 1e-7);
    let between: Vec<f64> =
        times.windows(2).flat_map(|w| MOMENTS.map(|u| w[0] + (w[1] - w[0]) * u)).collect();
    times.extend(between);
    times.push(raw.duration());
    let mut found = Measured { moments: times.len(), ..Measured::default() };
    let mut pose = LocalPose::rest(rig);
    let mut exact = RawPose::default();
    let (mut exact_ms, mut found_ms) = (Vec::new(), Vec::new());
    let radii = shell_radii(skeleton, builder.shell);
    for time in times {
        // Both at the very moment that single precision can name.
        let time = time as f32;
        let sampled = SampleJob::new(rig, clip, time, &mut pose).run();
        debug_assert!(sampled.is_ok(), "{sampled:?}");
        model_matrices(skeleton, &pose.to_raw(rig, skeleton), &mut found_ms);
        let mut least: Option<Measured> = None;
        for shift in SHIFTS {
            let ulp = f64::from(time.next_up()) - f64::from(time);
            raw.sample(skeleton, (f64::from(time) + shift * ulp).max(0.0), &mut exact);
            model_matrices(skeleton, &exact, &mut exact_ms);
            let mut here = Measured { time: time.into(), ..Measured::default() };
            for (joint, (a, b)) in exact_ms.iter().zip(&found_ms).enumerate() {
                let (error, angle) = shell_error(a, b, radii[joint]);
                // NaN is worse than anything.
                if !(error <= here.error) {
                    (here.error, here.joint) = (error, JointId(joint as u32));
                }
                if angle > here.angle {
                    (here.angle, here.angle_joint) = (angle, JointId(joint as u32));
                }
            }
            let fine = here.error <= builder.bound;
            if least.as_ref().is_none_or(|l| here.error < l.error) {
                least = Some(here);
            }
            if fine {
                break;
            }
        }
        let Some(here) = least else { continue };
        if !(here.error <= builder.bound) {
            found.over.push((here.time, here.error));
        }
        if !(here.error <= found.error) {
            (found.error, found.joint, found.time) = (here.error, here.joint, here.time);
        }
        if here.angle > found.angle {
            (found.angle, found.angle_joint) = (here.angle, here.angle_joint);
        }
    }
    found
}

/// `[joint]`: the distance in the joint's own units at which a vertex is `shell` metres away in rest pose.
pub(crate) fn shell_radii(skeleton: &Skeleton, shell: f64) -> Vec<f64> {
    let mut rest_ms = Vec::new();
    model_matrices(skeleton, &RawPose::rest(skeleton), &mut rest_ms);
    rest_ms.iter().map(|m| shell / axis_lengths(&DMat3::from_mat4(*m)).max_element().max(1e-6)).collect()
}

fn axis_lengths(m: &DMat3) -> DVec3 {
    DVec3::new(m.x_axis.length(), m.y_axis.length(), m.z_axis.length())
}

/// Farthest that a point at `shell` (in the joint's own units) is from its place, and the angle between the two
/// in radians. Exact where both matrices are rotations of one uniform scale; else an upper bound.
pub(crate) fn shell_error(exact: &DMat4, found: &DMat4, shell: f64) -> (f64, f64) {
    let offset = (found.w_axis - exact.w_axis).truncate();
    let (a, b) = (DMat3::from_mat4(*exact), DMat3::from_mat4(*found));
    let (la, lb) = (axis_lengths(&a), axis_lengths(&b));
    let scale = la.x;
    let even = |l: DVec3| (l - DVec3::splat(scale)).abs().max_element() <= 1e-6 * scale;
    let skew = |m: &DMat3| {
        let s = scale * scale;
        m.x_axis.dot(m.y_axis).abs() + m.y_axis.dot(m.z_axis).abs() + m.x_axis.dot(m.z_axis).abs() > 1e-5 * s
    };
    let (ra, rb) = (DTransform::rigid_part(exact).rotation, DTransform::rigid_part(found).rotation);
    let turn = rb * ra.conjugate();
    let angle = DTransform::angle_between(ra, rb);
    if even(la) && even(lb) && !skew(&a) && !skew(&b) && a.determinant() * b.determinant() > 0.0 {
        // The shell turns about the axis; the point farthest out lies across it, on the side of the offset.
        let axis = turn.xyz().try_normalize().unwrap_or(DVec3::X);
        let along = offset.dot(axis);
        let across = (offset - axis * along).length();
        let reach = across + shell * scale * 2.0 * libm::sin(0.5 * angle);
        return ((along * along + reach * reach).sqrt(), angle);
    }
    let d = b - a;
    // The largest factor by which the difference stretches: of the three columns' root sum of squares at most.
    let norm = (d.x_axis.length_squared() + d.y_axis.length_squared() + d.z_axis.length_squared()).sqrt();
    (offset.length() + shell * norm, angle)
}
