//! Low-poly shapes for built-in characters: rings of points joined into a hull, shaded flat, each bound
//! rigidly to one joint.

use glam::DVec3;
use sinew::{Influences, Primitive};

/// Corners of a ring.
const SIDES: usize = 10;

/// A cross-section of a [`Solid::hull`]; metres.
#[derive(Clone, Copy)]
pub(crate) struct Ring {
    /// Place along the hull.
    pub(crate) along: f64,
    /// Half of its extent to the side.
    pub(crate) side: f64,
    /// Half of its extent to the front.
    pub(crate) front: f64,
    /// How far its middle is moved to the front.
    pub(crate) shift: f64,
}

/// Where a hull starts and which way it runs.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) origin: DVec3,
    /// Unit vector along the hull.
    pub(crate) along: DVec3,
    /// Unit vector across it. The front is `along x side`.
    pub(crate) side: DVec3,
}

/// Triangles with a normal each, in bind space.
#[derive(Default)]
pub(crate) struct Solid {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    joints: Vec<u16>,
}

impl Solid {
    /// Joins rings into a closed hull that the skin joint `joint` carries. `square` is 1 for ellipses and
    /// nears 0 for boxes.
    pub(crate) fn hull(&mut self, joint: u16, frame: Frame, square: f64, rings: &[Ring]) {
        let front = frame.along.cross(frame.side);
        let round = |v: f64| v.signum() * libm::pow(v.abs(), square);
        let point = |ring: &Ring, corner: usize| {
            let turn = core::f64::consts::TAU * (corner % SIDES) as f64 / SIDES as f64;
            let (sin, cos) = libm::sincos(turn);
            frame.origin
                + frame.along * ring.along
                + frame.side * (ring.side * round(cos))
                + front * (ring.front * round(sin) + ring.shift)
        };
        for pair in rings.windows(2) {
            for corner in 0..SIDES {
                let [a, b] = [corner, corner + 1].map(|c| point(&pair[0], c));
                let [c, d] = [corner + 1, corner].map(|c| point(&pair[1], c));
                self.triangle(joint, [a, b, c]);
                self.triangle(joint, [a, c, d]);
            }
        }
        if let (Some(first), Some(last)) = (rings.first(), rings.last()) {
            for corner in 1..SIDES - 1 {
                self.triangle(joint, [point(first, 0), point(first, corner + 1), point(first, corner)]);
                self.triangle(joint, [point(last, 0), point(last, corner), point(last, corner + 1)]);
            }
        }
    }

    /// A ball of `radius` metres.
    pub(crate) fn ball(&mut self, joint: u16, frame: Frame, radius: f64) {
        let rings: [Ring; 7] = core::array::from_fn(|i| {
            // From just off one pole to just off the other.
            let (sin, cos) = libm::sincos(core::f64::consts::PI * (i as f64 + 0.5) / 7.0);
            Ring { along: -radius * cos, side: radius * sin, front: radius * sin, shift: 0.0 }
        });
        self.hull(joint, frame, 1.0, &rings);
    }

    /// Corners counter-clockwise seen from outside. A triangle without an area is left out.
    fn triangle(&mut self, joint: u16, corners: [DVec3; 3]) {
        let [a, b, c] = corners;
        let Some(normal) = (b - a).cross(c - a).try_normalize() else { return };
        for corner in corners {
            self.positions.push(corner.as_vec3().to_array());
            self.normals.push(normal.as_vec3().to_array());
            self.joints.push(joint);
        }
    }

    /// The triangles as part of a mesh.
    pub(crate) fn into_primitive(self, material: u32) -> Primitive {
        let joints = self.joints.iter().flat_map(|joint| [*joint, 0, 0, 0]).collect();
        let weights = [1.0, 0.0, 0.0, 0.0].repeat(self.joints.len());
        Primitive {
            source: 0,
            indices: (0..self.positions.len() as u32).collect(),
            positions: self.positions,
            normals: Some(self.normals),
            influences: Some(Influences { per_vertex: 4, joints, weights }),
            targets: Vec::new(),
            material: Some(material),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_is_closed_and_faces_outwards() {
        let mut solid = Solid::default();
        solid.ball(2, Frame { origin: DVec3::ONE, along: DVec3::Y, side: DVec3::X }, 0.5);
        let points: Vec<DVec3> =
            solid.positions.iter().map(|p| DVec3::from_array(p.map(f64::from))).collect();
        let mut volume = 0.0;
        for (triangle, normal) in points.chunks(3).zip(solid.normals.chunks(3)) {
            let [a, b, c] = [0, 1, 2].map(|i| triangle[i] - DVec3::ONE);
            volume += a.cross(b).dot(c) / 6.0;
            let outwards = (a + b + c).dot(DVec3::from_array(normal[0].map(f64::from)));
            assert!(outwards > 0.0);
        }
        // Flat faces hold a little less than the ball itself.
        let ball = 4.0 / 3.0 * core::f64::consts::PI * 0.125;
        assert!(volume > 0.85 * ball && volume < ball, "{volume} of {ball}");
        assert!(solid.joints.iter().all(|j| *j == 2));
    }
}
