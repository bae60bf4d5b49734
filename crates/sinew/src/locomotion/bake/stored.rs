//! What a bake stores in its clip, and the same read again: all that a clip needs to be played by distance.

use std::sync::Arc;

use glam::DVec2;

use super::super::curve_names::{
    DISTANCE_CURVE, ROOT_JOINT, ROOT_X, ROOT_Z, heading_curve, is_distance_curve, kind_of_heading,
};
use super::super::distance_curve::DistanceCurve;
use super::super::error::LocomotionError;
use super::super::split::DistanceKind;
use super::way::{WayPoint, curved_way, direction};
use super::{RootPath, SignedPath};
use crate::{Curve, Interpolation, JointId, Skeleton};

/// The joint whose way was baked into a clip with these curves; none where feet told it, or another tool stored the
/// curve.
///
/// # Errors
/// [`LocomotionError::NoJointNamed`] where the skeleton has no joint of that name.
pub fn baked_root(curves: &[Curve], skeleton: &Skeleton) -> Result<Option<JointId>, LocomotionError> {
    let stored = curves.iter().find_map(|c| Some((c.name.strip_prefix(ROOT_JOINT)?, c)));
    let Some((name, curve)) = stored else { return Ok(None) };
    let number = curve.sample(curve.track().start());
    let named = |joint: &crate::Joint| joint.name.as_deref().unwrap_or_default() == name;
    let mut all = skeleton.iter().filter(|(_, joint)| named(joint)).map(|(id, _)| id);
    let Some(first) = all.next() else { return Err(LocomotionError::NoJointNamed { name: name.into() }) };
    // Of several of one name, the one that it was; of one, that one, wherever it is by now.
    Ok(Some(all.find(|id| f64::from(id.0) == number).unwrap_or(first)))
}

/// The curves of a bake in the order in which they are stored.
pub(super) fn stored_curves(
    skeleton: &Skeleton,
    curves: &[DistanceCurve],
    path: &SignedPath,
    root_path: &RootPath,
    straight: f64,
) -> Result<Vec<Curve>, LocomotionError> {
    let mut all = Vec::new();
    for (marker, curve) in curves.iter().enumerate() {
        all.extend(curve.to_curves()?);
        all.push(heading(curve, marker, path, root_path, straight)?);
    }
    if let Some(joint) = root_path.joint {
        let times: Arc<[f64]> = root_path.times.as_slice().into();
        for (name, of) in [(ROOT_X, (|p| p.x) as fn(&DVec2) -> f64), (ROOT_Z, |p| p.y)] {
            let values: Vec<f32> = root_path.points.iter().map(|p| of(p) as f32).collect();
            all.push(Curve::new(name, times.clone(), values, Interpolation::Linear)?);
        }
        let name = skeleton.joint(joint).name.as_deref().unwrap_or_default();
        let (times, number) = (vec![root_path.times[0]], vec![joint.0 as f32]);
        all.push(Curve::new(format!("{ROOT_JOINT}{name}"), times, number, Interpolation::Step)?);
    }
    Ok(all)
}

/// Which way a clip goes over the time of a curve.
fn heading(
    curve: &DistanceCurve,
    marker: usize,
    path: &SignedPath,
    root_path: &RootPath,
    straight: f64,
) -> Result<Curve, LocomotionError> {
    let [start, end] = curve.span();
    let name = heading_curve(curve.name(), curve.kind());
    let new = |times: Vec<f64>, yaws: Vec<f32>, interpolation| Curve::new(&*name, times, yaws, interpolation);
    if curve.kind() != DistanceKind::Pivot {
        let inside = |time: f64| (start - 1e-9..=end + 1e-9).contains(&time);
        let keys = root_path.times.iter().zip(&root_path.points).filter(|(time, _)| inside(**time));
        let way = curved_way(keys.map(|(time, at)| (*time, curve.distance_at(*time), *at)), straight);
        if !way.is_empty() {
            let (times, yaws) = way.iter().map(|p| (p.time, p.yaw as f32)).unzip();
            return Ok(new(times, yaws, Interpolation::Linear)?);
        }
    }
    let last = root_path.points.len() - 1;
    let whole = (root_path.points[last] - root_path.points[0]).try_normalize().unwrap_or(DVec2::Y);
    let yaw = |way: DVec2| libm::atan2(way.x, way.y) as f32;
    let Some(marker) = path.markers.get(marker) else {
        return Ok(new(vec![start], vec![yaw(whole)], Interpolation::Step)?);
    };
    let before = marker.before.or(marker.after).unwrap_or(whole);
    let after = marker.after.unwrap_or(before);
    let (times, yaws) = if marker.kind == DistanceKind::Pivot && marker.time > start {
        (vec![start, marker.time], vec![yaw(before), yaw(after)])
    } else {
        (vec![start], vec![yaw(after)])
    };
    Ok(new(times, yaws, Interpolation::Step)?)
}

/// What a clip carries of its travel.
#[derive(Clone, Debug)]
pub(in super::super) struct StoredTravel {
    pub(in super::super) curve: DistanceCurve,
    /// Directions of travel, model space (x, z), before and after the marker.
    pub(in super::super) before: DVec2,
    pub(in super::super) after: DVec2,
    /// Where the root is at the marker.
    pub(in super::super) origin: DVec2,
    /// Of a clip that goes along a curve, that curve; empty of a straight one.
    pub(in super::super) way: Vec<WayPoint>,
}

impl StoredTravel {
    /// Reads the curve of a marker, and what belongs to it.
    ///
    /// # Errors
    /// [`LocomotionError`] where there is no such marker, or a curve that a bake stores is missing.
    pub(in super::super) fn read(curves: &[Curve], marker: usize) -> Result<Self, LocomotionError> {
        let find = |name: &str| curves.iter().find(|c| c.name == name);
        let found = curves.iter().filter(|c| is_distance_curve(&c.name)).count();
        let name = match find(DISTANCE_CURVE) {
            Some(_) if marker == 0 => DISTANCE_CURVE.to_owned(),
            _ => format!("{DISTANCE_CURVE}/{marker}"),
        };
        if find(&name).is_none() {
            return Err(LocomotionError::Count { what: "distance curves", found, expected: marker + 1 });
        }
        let curve = DistanceCurve::from_clip_curves(curves, &name)?;
        let heading = curves.iter().find_map(|c| Some((kind_of_heading(&c.name, &name)?, c)));
        let Some((kind, heading)) = heading else {
            let name = heading_curve(&name, curve.kind());
            return Err(LocomotionError::NoCurve { name });
        };
        if kind != curve.kind() {
            return Err(LocomotionError::Kind { found: curve.kind().name(), expected: kind.name() });
        }
        // Poses of a clip in place do not travel.
        let travels = curves.iter().any(|c| c.name.starts_with(ROOT_JOINT));
        let along = |name: &str| match find(name) {
            None if travels => Err(LocomotionError::NoCurve { name: name.into() }),
            found => Ok(found),
        };
        let (x, z) = (along(ROOT_X)?, along(ROOT_Z)?);
        let at = |time: f64| DVec2::new(x.map_or(0.0, |x| x.sample(time)), z.map_or(0.0, |z| z.sample(time)));
        let keys = heading.track();
        let [start, end] = curve.span();
        let marker = match kind {
            DistanceKind::Start | DistanceKind::Loop => start,
            DistanceKind::Stop => end,
            DistanceKind::Pivot => keys.end(),
        };
        let [before, after] = [keys.start(), keys.end()].map(|time| direction(heading.sample(time)));
        let (mut way, mut after) = (Vec::new(), after);
        if keys.interpolation() == Interpolation::Linear && keys.len() > 1 {
            let point = |(time, yaw): (&f64, &f32)| WayPoint {
                time: *time,
                distance: curve.distance_at(*time),
                at: at(*time),
                yaw: f64::from(*yaw),
            };
            way = keys.times().iter().zip(keys.values().iter()).map(point).collect();
            // Two moments of one distance have one place.
            way.dedup_by(|next, last| !(next.distance > last.distance));
            // A pose is turned back by as much as its way has turned.
            after = before;
        }
        if way.len() < 2 {
            way.clear();
        }
        Ok(Self { curve, before, after, origin: at(marker), way })
    }
}
