//! What the curves are called that a bake stores in a clip.

use super::split::DistanceKind;

/// What the distance curve of a clip with one marker is called. Of several markers the curves are called
/// `distance/0`, `distance/1` and so on, in order of time.
pub const DISTANCE_CURVE: &str = "distance";
/// What is added to a distance curve's name for the curve of its remainder: metres that the root is ahead.
pub const REMAINDER: &str = ".remainder";
/// What is added, and then the kind, for the curve of the direction of travel: radians about +Y from +Z. Stepped where
/// the way is straight, before the marker and after it; linear where it is a curve.
const HEADING: &str = ".heading.";
/// Where the root is over the ground, metres, model space.
pub(super) const ROOT_X: &str = "distance.root.x";
pub(super) const ROOT_Z: &str = "distance.root.z";
/// What stands before the name of the joint whose way it is; the value is its number in the skeleton.
pub(super) const ROOT_JOINT: &str = "distance.root.joint.";

const KINDS: [DistanceKind; 4] =
    [DistanceKind::Start, DistanceKind::Stop, DistanceKind::Pivot, DistanceKind::Loop];

/// Whether this is the name of a curve of distance: `distance`, or `distance/` and a number.
#[must_use]
pub fn is_distance_curve(name: &str) -> bool {
    let number = |rest: &str| {
        let digits = rest.strip_prefix('/');
        digits.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    name.strip_prefix(DISTANCE_CURVE).is_some_and(|rest| rest.is_empty() || number(rest))
}

/// What the curve of the direction of travel of a distance curve is called.
pub(super) fn heading_curve(name: &str, kind: DistanceKind) -> String {
    format!("{name}{HEADING}{}", kind.name())
}

/// The kind of a distance curve whose direction of travel is stored under this name.
pub(super) fn kind_of_heading(heading: &str, name: &str) -> Option<DistanceKind> {
    let kind = heading.strip_prefix(name)?.strip_prefix(HEADING)?;
    KINDS.into_iter().find(|known| known.name() == kind)
}

/// Whether a bake stores a curve of this name, and so replaces it.
pub(super) fn is_of_bake(name: &str) -> bool {
    let heading = || {
        let (base, _) = name.split_once(HEADING)?;
        kind_of_heading(name, base).filter(|_| is_distance_curve(base))
    };
    is_distance_curve(name)
        || name.strip_suffix(REMAINDER).is_some_and(is_distance_curve)
        || [ROOT_X, ROOT_Z].contains(&name)
        || name.starts_with(ROOT_JOINT)
        || heading().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_curves_of_a_bake_are_replaced() {
        for name in [
            "distance",
            "distance/0",
            "distance/12.remainder",
            "distance.remainder",
            "distance.heading.loop",
            "distance/3.heading.pivot",
            "distance.root.x",
            "distance.root.joint.Hips.001",
        ] {
            assert!(is_of_bake(name), "{name}");
        }
        for name in [
            "distance.mine",
            "distance/",
            "distance/first",
            "distances",
            "distance.heading.home",
            "distance/0.heading",
            "distance.root",
            "distance.remainder.old",
            "speed",
        ] {
            assert!(!is_of_bake(name), "{name}");
        }
    }
}
