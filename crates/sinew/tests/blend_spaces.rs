//! Promise: weights of a blend space sum to 1, change without a step along any path, are exact at samples and
//! linear in between; outside, the nearest point counts and its distance is told.

use proptest::prelude::*;
use sinew::{
    BlendRange, BlendSample1D, BlendSample2D, BlendSpace1D, BlendSpace2D, BlendSpaceError, ClipWeights,
};

fn line(places: &[f32]) -> Result<BlendSpace1D, BlendSpaceError> {
    let samples: Vec<_> = places.iter().enumerate().map(|(clip, &at)| BlendSample1D { clip, at }).collect();
    BlendSpace1D::new(&samples)
}

fn plane(places: &[[f32; 2]]) -> Result<BlendSpace2D, BlendSpaceError> {
    let samples: Vec<_> = places.iter().enumerate().map(|(clip, &at)| BlendSample2D { clip, at }).collect();
    BlendSpace2D::new(&samples)
}

/// `[clip]`.
fn dense(weights: &ClipWeights, clips: usize) -> Vec<f32> {
    let mut all = vec![0.0; clips];
    for entry in weights.iter() {
        assert!(entry.weight > 0.0 && all[entry.clip] == 0.0, "{entry:?}");
        all[entry.clip] = entry.weight;
    }
    let sum: f32 = all.iter().sum();
    assert!((sum - 1.0).abs() < 2e-7, "sum {sum}");
    all
}

fn distance(range: BlendRange) -> f32 {
    match range {
        BlendRange::Inside => 0.0,
        BlendRange::Outside { distance } => distance,
    }
}

/// Places on a coarse grid, so that lines, circles and near repeats are common, or anywhere.
fn places() -> impl Strategy<Value = Vec<[f32; 2]>> {
    let grid = (0_i8..5, 0_i8..5).prop_map(|(x, y)| [f32::from(x), f32::from(y) * 45.0 - 90.0]);
    let free = (0.0_f32..4.0, -90.0_f32..90.0).prop_map(|(x, y)| [x, y]);
    // Each place once: repeats are refused, and a refusal tests nothing.
    prop::collection::vec(prop_oneof![3 => grid, 1 => free], 3..20).prop_map(|places| {
        let mut kept: Vec<[f32; 2]> = Vec::new();
        for place in places {
            if kept
                .iter()
                .all(|other| (other[0] - place[0]).abs() + (other[1] - place[1]).abs() / 45.0 > 1e-3)
            {
                kept.push(place);
            }
        }
        kept
    })
}

/// In shares of the range of each axis.
fn shares(places: &[[f32; 2]], p: [f32; 2]) -> [f64; 2] {
    [0, 1].map(|axis| {
        let values = places.iter().map(|place| f64::from(place[axis]));
        let (low, high) = (values.clone().fold(f64::MAX, f64::min), values.fold(f64::MIN, f64::max));
        (f64::from(p[axis]) - low) / (high - low)
    })
}

proptest! {
    #[test]
    fn along_a_line_the_parameter_is_met(places in prop::collection::btree_set(-50_i32..50, 1..12), at in -70.0_f32..70.0) {
        let places: Vec<f32> = places.into_iter().map(|v| v as f32).collect();
        let space = line(&places).unwrap();
        let (weights, range) = space.weights(at).unwrap();
        let all = dense(&weights, places.len());
        let mean: f32 = all.iter().zip(&places).map(|(w, p)| w * p).sum();
        let nearest = at.clamp(places[0], places[places.len() - 1]);
        prop_assert!((mean - nearest).abs() < 2e-5, "{mean} {nearest}");
        prop_assert!((distance(range) - (at - nearest).abs()).abs() < 1e-6);
        prop_assert!(weights.len() <= 2);
    }

    /// Barycentric weights reproduce the place itself where it is inside, and else the nearest point of the
    /// hull, which no other mix of samples comes closer than.
    #[test]
    fn in_a_plane_the_place_is_met(places in places(), at in (-2.0_f32..6.0, -180.0_f32..180.0)) {
        let at = [at.0, at.1];
        let Ok(space) = plane(&places) else { return Ok(()) };
        let (weights, range) = space.weights(at).unwrap();
        let all = dense(&weights, places.len());
        let p = shares(&places, at);
        let mut found = [0.0; 2];
        for (w, place) in all.iter().zip(&places) {
            let place = shares(&places, *place);
            found = [found[0] + f64::from(*w) * place[0], found[1] + f64::from(*w) * place[1]];
        }
        let off = [p[0] - found[0], p[1] - found[1]];
        let away = (off[0] * off[0] + off[1] * off[1]).sqrt();
        // A distance of many ranges is still a number in single precision.
        let told = f64::from(distance(range));
        prop_assert!((away - told).abs() < 2e-6 * away.max(1.0), "{} {:?}", away, range);
        // The hull lies behind the line through the nearest point, across the way to it.
        for place in &places {
            let q = shares(&places, *place);
            let beyond = (q[0] - found[0]) * off[0] + (q[1] - found[1]) * off[1];
            prop_assert!(beyond <= 5e-5 * away.max(0.1), "{:?} is nearer by {}", place, beyond);
        }
    }

    /// Along any straight path, weights of two points a little apart differ a little.
    #[test]
    fn in_a_plane_weights_change_without_a_step(
        places in places(),
        from in (-1.0_f32..5.0, -120.0_f32..120.0),
        to in (-1.0_f32..5.0, -120.0_f32..120.0),
    ) {
        let Ok(space) = plane(&places) else { return Ok(()) };
        // The steepest weight is one over the least height of a triangle.
        let mut steepest: f64 = 1.0;
        for corners in space.triangles() {
            let [a, b, c] = corners.map(|corner| shares(&places, places[corner]));
            let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
            prop_assert!(area > 0.0);
            for [a, b] in [[a, b], [b, c], [c, a]] {
                steepest = steepest.max(f64::hypot(b[0] - a[0], b[1] - a[1]) / area);
            }
        }
        let steps = 400;
        let mut last: Option<(Vec<f32>, [f64; 2])> = None;
        for i in 0..=steps {
            let s = i as f32 / steps as f32;
            let at = [from.0 + (to.0 - from.0) * s, from.1 + (to.1 - from.1) * s];
            let (weights, _) = space.weights(at).unwrap();
            let (all, p) = (dense(&weights, places.len()), shares(&places, at));
            if let Some((before, q)) = last {
                let step = f64::hypot(p[0] - q[0], p[1] - q[1]);
                for (a, b) in all.iter().zip(&before) {
                    prop_assert!(f64::from((a - b).abs()) <= steepest * (1.05 * step + 1e-4), "{a} {b} at {at:?}");
                }
            }
            last = Some((all, p));
        }
    }

    /// No sample lies within the circle round a triangle, and the triangles cover the hull once.
    #[test]
    fn triangles_are_delaunay(places in places()) {
        let Ok(space) = plane(&places) else { return Ok(()) };
        let points: Vec<[f64; 2]> = places.iter().map(|place| shares(&places, *place)).collect();
        let mut covered = 0.0;
        for &[a, b, c] in space.triangles() {
            let [a, b, c] = [points[a], points[b], points[c]];
            covered += 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
            let (ab, ac) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
            let d = 2.0 * (ab[0] * ac[1] - ab[1] * ac[0]);
            let (bb, cc) = (ab[0] * ab[0] + ab[1] * ab[1], ac[0] * ac[0] + ac[1] * ac[1]);
            let centre = [(ac[1] * bb - ab[1] * cc) / d, (ab[0] * cc - ac[0] * bb) / d];
            let radius = f64::hypot(centre[0], centre[1]);
            for p in &points {
                let away = f64::hypot(p[0] - a[0] - centre[0], p[1] - a[1] - centre[1]);
                prop_assert!(away >= radius * (1.0 - 1e-4), "{away} {radius}");
            }
        }
        // The area of the hull, by its support in many directions, is met to the coarseness of that.
        let used: std::collections::BTreeSet<usize> = space.triangles().iter().flatten().copied().collect();
        prop_assert_eq!(used.len(), places.len());
        prop_assert!((covered - hull_area(&points)).abs() < 1e-4, "{} {}", covered, hull_area(&points));
    }

    #[test]
    fn the_order_of_samples_does_not_matter_on_a_line(at in -1.0_f32..5.0) {
        let forward = line(&[0.0, 1.0, 4.0]).unwrap().weights(at).unwrap().0;
        let turned = BlendSpace1D::new(&[
            BlendSample1D { clip: 2, at: 4.0 },
            BlendSample1D { clip: 0, at: 0.0 },
            BlendSample1D { clip: 1, at: 1.0 },
        ]);
        prop_assert_eq!(forward, turned.unwrap().weights(at).unwrap().0);
    }
}

/// Andrew's monotone chain.
fn hull_area(points: &[[f64; 2]]) -> f64 {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let half = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut hull: Vec<[f64; 2]> = Vec::new();
        for p in points {
            while let [.., a, b] = hull[..] {
                if (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0.0 {
                    break;
                }
                hull.pop();
            }
            hull.push(p);
        }
        hull
    };
    let mut hull = half(&mut sorted.iter().copied());
    hull.extend(half(&mut sorted.iter().rev().copied()));
    (0..hull.len())
        .map(|i| (hull[i], hull[(i + 1) % hull.len()]))
        .map(|(a, b)| 0.5 * (a[0] * b[1] - b[0] * a[1]))
        .sum()
}

#[test]
fn samples_are_exact() {
    let places = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.4, 0.7]];
    let space = plane(&places).unwrap();
    for (clip, place) in places.into_iter().enumerate() {
        let (weights, range) = space.weights(place).unwrap();
        assert_eq!((weights.len(), weights[0].clip, weights[0].weight), (1, clip, 1.0));
        assert_eq!(range, BlendRange::Inside);
    }
}

/// A triangle of 2 by 4: its middle is a third of each; 1 beyond the long side's middle is half of two.
#[test]
fn weights_by_hand() {
    let space = plane(&[[0.0, 0.0], [2.0, 0.0], [0.0, 4.0]]).unwrap();
    let (weights, _) = space.weights([0.5, 1.0]).unwrap();
    assert_eq!(dense(&weights, 3), [0.5, 0.25, 0.25]);
    let (weights, range) = space.weights([-1.0, 2.0]).unwrap();
    assert_eq!(dense(&weights, 3), [0.5, 0.0, 0.5]);
    assert_eq!(range, BlendRange::Outside { distance: 0.5 });
}

#[test]
fn a_clip_at_several_places_is_listed_once() {
    let sample = |clip, at| BlendSample2D { clip, at };
    let space =
        BlendSpace2D::new(&[sample(4, [0.0, 0.0]), sample(4, [1.0, 0.0]), sample(1, [0.0, 1.0])]).unwrap();
    let (weights, _) = space.weights([0.25, 0.25]).unwrap();
    assert_eq!(weights.len(), 2);
    assert_eq!(weights.iter().find(|entry| entry.clip == 4).unwrap().weight, 0.75);
}

/// Points on one side of the plane that rounding puts off their line: no weight rushes through a sliver.
#[test]
fn a_rim_that_rounding_bends_is_straight() {
    let places = [[0.0, 0.0], [0.1, 0.3], [0.2, 0.6], [0.3, 0.900_000_1], [1.0, 0.0]];
    let space = plane(&places).unwrap();
    assert_eq!(space.triangles().len(), 3);
    let (weights, _) = space.weights([0.15, 0.45]).unwrap();
    let all = dense(&weights, 5);
    assert!((all[1] - 0.5).abs() < 1e-4 && (all[2] - 0.5).abs() < 1e-4, "{all:?}");
}

#[test]
fn what_is_no_plane_is_refused_by_name() {
    let error = |places: &[[f32; 2]]| plane(places).unwrap_err();
    assert_eq!(error(&[[0.0, 0.0], [0.1, 0.3], [0.2, 0.6]]), BlendSpaceError::Collinear { samples: 3 });
    assert_eq!(error(&[[0.0, 5.0], [1.0, 5.0], [2.0, 5.0]]), BlendSpaceError::Collinear { samples: 3 });
    assert_eq!(error(&[[1.0, 5.0]; 3]), BlendSpaceError::SamePlace { first: 0, second: 1 });
    let twice = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]];
    assert_eq!(error(&twice), BlendSpaceError::SamePlace { first: 1, second: 3 });
    assert_eq!(error(&[[0.0, 0.0], [1.0, 0.0]]), BlendSpaceError::TooFewSamples { found: 2, expected: 3 });
    let nan = error(&[[0.0, 0.0], [1.0, f32::NAN], [0.0, 1.0]]);
    assert_eq!(nan.to_string(), "sample 1 is at NaN, expected a finite number");
}

#[test]
fn what_is_no_line_is_refused_by_name() {
    assert_eq!(line(&[]).unwrap_err(), BlendSpaceError::TooFewSamples { found: 0, expected: 1 });
    assert_eq!(line(&[1.0, 2.0, 1.0]).unwrap_err(), BlendSpaceError::SamePlace { first: 0, second: 2 });
    assert!(matches!(line(&[f32::INFINITY]).unwrap_err(), BlendSpaceError::NotFinite { .. }));
    let space = line(&[f32::MIN, f32::MAX]).unwrap();
    assert_eq!(dense(&space.weights(0.0).unwrap().0, 2), [0.5, 0.5]);
    assert!(space.weights(f32::NAN).is_err());
    assert!(plane(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).unwrap().weights([0.0, f32::NAN]).is_err());
}
