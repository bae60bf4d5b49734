//! Delaunay triangulation of a handful of points.
//!
//! A sweep joins each point to the edges of the hull that it sees, then edges are flipped until no corner
//! lies in the circle round a neighbour (Lawson, "Software for C1 Surface Interpolation", 1977). Points are
//! put on a grid of 2^24 steps first: all decisions are then exact in integers, for any input.

use super::BlendSpaceError;

/// Steps of the grid over the range of an axis.
const GRID: f64 = 16_777_216.0;
/// Shares of the range below which two points are one, and a triangle on the rim is a line.
const FLAT: f64 = 1e-5;

/// Triangles that cover the points, and their rim.
pub(super) struct Triangulation {
    /// Corners, counter-clockwise.
    pub(super) triangles: Vec<[usize; 3]>,
    /// Edges that belong to one triangle only.
    pub(super) rim: Vec<[usize; 2]>,
}

type Point = [i128; 2];

/// Twice the area, positive where counter-clockwise.
pub(super) fn cross(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn orient(a: Point, b: Point, c: Point) -> i128 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Positive where `d` lies within the circle round `a`, `b`, `c` (counter-clockwise).
fn in_circle(a: Point, b: Point, c: Point, d: Point) -> i128 {
    let [a, b, c] = [a, b, c].map(|p| [p[0] - d[0], p[1] - d[1]]);
    let [la, lb, lc] = [a, b, c].map(|p| p[0] * p[0] + p[1] * p[1]);
    la * (b[0] * c[1] - b[1] * c[0]) - lb * (a[0] * c[1] - a[1] * c[0]) + lc * (a[0] * b[1] - a[1] * b[0])
}

impl Triangulation {
    /// Of points in shares of the range of each axis.
    pub(super) fn new(places: &[[f64; 2]]) -> Result<Self, BlendSpaceError> {
        for second in 1..places.len() {
            let near = |p: &[f64; 2]| (0..2).all(|axis| (p[axis] - places[second][axis]).abs() <= FLAT);
            if let Some(first) = places[..second].iter().position(near) {
                return Err(BlendSpaceError::SamePlace { first, second });
            }
        }
        if on_one_line(places) {
            return Err(BlendSpaceError::Collinear { samples: places.len() });
        }
        let points: Vec<Point> =
            places.iter().map(|place| place.map(|share| (share * GRID).round() as i128)).collect();
        let mut triangles = sweep(&points);
        while flip(&points, &mut triangles) {}
        strip(places, &mut triangles);
        triangles.sort_unstable();
        let rim = rim(&triangles);
        Ok(Self { triangles, rim })
    }
}

/// Whether all points lie within a hair of the line through the two that are farthest apart.
fn on_one_line(places: &[[f64; 2]]) -> bool {
    let mut far = (0.0, places[0], places[0]);
    for (i, &a) in places.iter().enumerate() {
        for &b in &places[..i] {
            let squared = (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]);
            if squared > far.0 {
                far = (squared, a, b);
            }
        }
    }
    let (squared, a, b) = far;
    places.iter().all(|&p| cross(a, b, p).abs() <= FLAT * squared.sqrt())
}

/// Some triangulation, the corners of each triangle counter-clockwise.
fn sweep(points: &[Point]) -> Vec<[usize; 3]> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by_key(|&i| points[i]);
    let mut triangles: Vec<[usize; 3]> = Vec::new();
    // The first points may be on one line; the first that is not makes a fan with them.
    let apex = (2..order.len())
        .find(|&i| orient(points[order[0]], points[order[1]], points[order[i]]) != 0)
        .unwrap_or(order.len() - 1);
    for pair in order[..apex].windows(2) {
        let (a, b, c) = (pair[0], pair[1], order[apex]);
        let left = orient(points[a], points[b], points[c]) > 0;
        triangles.push(if left { [a, b, c] } else { [b, a, c] });
    }
    for &point in &order[apex + 1..] {
        // All points so far come earlier in the sweep: the point is outside and sees at least one edge.
        for [a, b] in rim(&triangles) {
            if orient(points[a], points[b], points[point]) < 0 {
                triangles.push([b, a, point]);
            }
        }
    }
    triangles
}

/// Edges without a neighbour, in the direction of their triangle.
fn rim(triangles: &[[usize; 3]]) -> Vec<[usize; 2]> {
    let edges = || triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let all: std::collections::BTreeSet<[usize; 2]> = edges().collect();
    edges().filter(|&[a, b]| !all.contains(&[b, a])).collect()
}

/// The corner of a triangle across an edge.
fn across(triangle: [usize; 3], edge: [usize; 2]) -> Option<usize> {
    let [a, b, c] = triangle;
    [[a, b, c], [b, c, a], [c, a, b]].into_iter().find(|t| [t[0], t[1]] == edge).map(|t| t[2])
}

/// Flips every edge that is not Delaunay once; whether there was one. Points on one circle are left alone, so
/// this comes to an end.
fn flip(points: &[Point], triangles: &mut [[usize; 3]]) -> bool {
    let mut any = false;
    for i in 0..triangles.len() {
        for j in 0..triangles.len() {
            let [a, b, c] = triangles[i];
            for [a, b, c] in [[a, b, c], [b, c, a], [c, a, b]] {
                let Some(d) = (i != j).then(|| across(triangles[j], [b, a])).flatten() else { continue };
                if in_circle(points[a], points[b], points[c], points[d]) > 0 {
                    // The quadrilateral a d b c gets its other diagonal.
                    (triangles[i], triangles[j]) = ([a, d, c], [d, b, c]);
                    any = true;
                    break;
                }
            }
        }
    }
    any
}

/// Takes away triangles on the rim that are flat there: rounding makes them out of points on one line, and
/// weights would rush through them.
fn strip(places: &[[f64; 2]], triangles: &mut Vec<[usize; 3]>) {
    loop {
        let rim = rim(triangles);
        let flat = triangles.iter().position(|&[a, b, c]| {
            let edges = [[a, b], [b, c], [c, a]];
            let mut outer = edges.into_iter().filter(|edge| rim.contains(edge));
            // With two edges on the rim, the corner between them would be lost.
            let (Some([p, q]), None) = (outer.next(), outer.next()) else { return false };
            let along = [places[q][0] - places[p][0], places[q][1] - places[p][1]];
            let length = (along[0] * along[0] + along[1] * along[1]).sqrt();
            cross(places[a], places[b], places[c]).abs() <= FLAT * length
        });
        match flat {
            Some(flat) => drop(triangles.swap_remove(flat)),
            None => return,
        }
    }
}
