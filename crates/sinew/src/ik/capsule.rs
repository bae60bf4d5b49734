//! Distances between parts of a body, as capsules: segments with a radius.

use glam::DVec3;

/// A segment with a radius: a bone with its flesh, in any space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// One end, metres.
    pub a: DVec3,
    /// The other end, metres.
    pub b: DVec3,
    /// Metres.
    pub radius: f64,
}

impl Capsule {
    /// Gap between two surfaces, metres; negative by the depth where they are within one another.
    #[must_use]
    pub fn clearance(&self, other: &Self) -> f64 {
        segment_distance([self.a, self.b], [other.a, other.b]) - self.radius - other.radius
    }
}

/// The closest two of a set of capsules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// Their indices.
    pub pair: (u16, u16),
    /// Gap between their surfaces, metres; negative where they collide.
    pub metres: f64,
}

/// The closest of the pairs that may not touch; neighbours on a limb always do, so they are left out of
/// `pairs`.
///
/// `None` without pairs. A gap that is NaN, from a point that is not finite, counts as the closest.
///
/// # Panics
/// Where a pair names a capsule that is not there.
#[must_use]
pub fn closest_pair(capsules: &[Capsule], pairs: &[(u16, u16)]) -> Option<Closest> {
    let mut closest: Option<Closest> = None;
    for &pair in pairs {
        let metres = capsules[usize::from(pair.0)].clearance(&capsules[usize::from(pair.1)]);
        if closest.is_none_or(|c| metres < c.metres || (metres.is_nan() && !c.metres.is_nan())) {
            closest = Some(Closest { pair, metres });
        }
    }
    closest
}

/// Shortest distance between two segments, metres; either may be a point.
///
/// The closest points on the two lines, moved into the segments one after the other (Ericson, Real-Time
/// Collision Detection, section 5.1.9).
#[must_use]
pub fn segment_distance([a0, a1]: [DVec3; 2], [b0, b1]: [DVec3; 2]) -> f64 {
    let (u, v, w) = (a1 - a0, b1 - b0, a0 - b0);
    let (uu, vv, uv) = (u.length_squared(), v.length_squared(), u.dot(v));
    let (uw, vw) = (u.dot(w), v.dot(w));
    let share = |part: f64, whole: f64| if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { 0.0 };
    let spread = uu * vv - uv * uv;
    // On parallel lines any point of the first does; the clamps below then find the right one.
    let mut s = if spread > 1e-14 * uu * vv { ((uv * vw - uw * vv) / spread).clamp(0.0, 1.0) } else { 0.0 };
    let t = if vv > 0.0 { (uv * s + vw) / vv } else { 0.0 };
    let clamped = t.clamp(0.0, 1.0);
    if clamped != t || vv <= 0.0 {
        s = share(uv * clamped - uw, uu);
    }
    (w + u * s - v * clamped).length()
}
