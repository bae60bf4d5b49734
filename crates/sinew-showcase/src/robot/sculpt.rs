//! Shapes of machines: lofts of cornered sections, shaded flat, each bound rigidly to one bone and placed in
//! that bone's own space.

use glam::{DAffine3, DMat4, DVec3};
use sinew::{Influences, Primitive};

/// What a face is made of; also the index of its material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paint {
    Hull,
    Armour,
    Steel,
    Chrome,
    Accent,
    Rubber,
    Core,
    Lens,
}

impl Paint {
    pub(super) const ALL: [Self; 8] = [
        Self::Hull,
        Self::Armour,
        Self::Steel,
        Self::Chrome,
        Self::Accent,
        Self::Rubber,
        Self::Core,
        Self::Lens,
    ];
}

/// A closed outline across a loft, counter-clockwise when the loft comes towards the eye.
#[derive(Clone, Debug)]
pub(super) struct Section {
    along: f64,
    corners: Vec<[f64; 2]>,
}

impl Section {
    /// A rectangle of half extents `w` (x) and `h` (y) without its corners; `cut` is how much of each is missing.
    pub(super) fn cut(along: f64, w: f64, h: f64, cut: f64) -> Self {
        // Thin plates have less to cut.
        let cut = cut.min(0.7 * w.min(h));
        let (a, b) = (w - cut, h - cut);
        let corners = vec![[w, -b], [w, b], [a, h], [-a, h], [-w, b], [-w, -b], [-a, -h], [a, -h]];
        Self { along, corners }
    }

    /// A regular outline of `sides` corners at `radius`.
    pub(super) fn round(along: f64, radius: f64, sides: usize) -> Self {
        let corner = |i: usize| {
            let (sin, cos) = libm::sincos(core::f64::consts::TAU * (i as f64 + 0.5) / sides as f64);
            [radius * cos, radius * sin]
        };
        Self { along, corners: (0..sides).map(corner).collect() }
    }

    pub(super) fn moved(mut self, x: f64, y: f64) -> Self {
        for corner in &mut self.corners {
            corner[0] += x;
            corner[1] += y;
        }
        self
    }
}

/// Places a loft: it runs along +Z from `from` towards `to`, its +Y as near to `up` as can be.
pub(super) fn along(from: DVec3, to: DVec3, up: DVec3) -> DAffine3 {
    let z = (to - from).normalize_or(DVec3::Z);
    let y = (up - z * up.dot(z)).try_normalize().unwrap_or_else(|| z.any_orthonormal_vector());
    DAffine3::from_mat3_translation(glam::DMat3::from_cols(y.cross(z), y, z), from)
}

/// Runs up from `at`.
pub(super) fn upright(at: DVec3) -> DAffine3 {
    along(at, at + DVec3::Y, DVec3::NEG_Z)
}

#[derive(Default)]
struct Part {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    joints: Vec<u16>,
    indices: Vec<u32>,
}

/// Collects faces by what they are made of.
pub(super) struct Sculptor<'a> {
    /// `[joint]`, where bones are when the mesh is bound to them.
    bind_ms: &'a [DMat4],
    parts: [Part; 8],
}

/// Where the next shapes go: a bone, and what they are made of.
#[derive(Clone, Copy)]
pub(super) struct On {
    pub(super) bone: sinew::JointId,
    pub(super) paint: Paint,
}

impl<'a> Sculptor<'a> {
    pub(super) fn new(bind_ms: &'a [DMat4]) -> Self {
        Self { bind_ms, parts: Default::default() }
    }

    /// Joins sections, in order along +Z of `place`, into a closed shape.
    pub(super) fn loft(&mut self, on: On, place: DAffine3, sections: &[Section]) {
        let point = |section: &Section, corner: usize| {
            let [x, y] = section.corners[corner % section.corners.len()];
            place.transform_point3(DVec3::new(x, y, section.along))
        };
        for pair in sections.windows(2) {
            for corner in 0..pair[0].corners.len() {
                let next = corner + 1;
                let [a, b] = [corner, next].map(|c| point(&pair[0], c));
                let [c, d] = [next, corner].map(|c| point(&pair[1], c));
                self.face(on, &[a, b, c, d]);
            }
        }
        if let (Some(first), Some(last)) = (sections.first(), sections.last()) {
            let ring = |section: &Section| -> Vec<DVec3> {
                (0..section.corners.len()).map(|corner| point(section, corner)).collect()
            };
            let mut back = ring(first);
            back.reverse();
            self.face(on, &back);
            self.face(on, &ring(last));
        }
    }

    /// A box with its edges cut off; `middle` and half extents in the bone's space.
    pub(super) fn block(&mut self, on: On, middle: DVec3, half: DVec3, bevel: f64) {
        self.turned_block(on, DAffine3::from_translation(middle), half, bevel);
    }

    /// The same, turned as well.
    pub(super) fn turned_block(&mut self, on: On, place: DAffine3, half: DVec3, bevel: f64) {
        let (w, h, l) = (half.x, half.y, half.z);
        let section = |along: f64, less: f64| Section::cut(along, w - less, h - less, bevel);
        self.loft(
            on,
            place,
            &[
                section(-l, bevel * 0.7),
                section(bevel - l, 0.0),
                section(l - bevel, 0.0),
                section(l, bevel * 0.7),
            ],
        );
    }

    /// A turned shape: `(along, radius)` in order.
    pub(super) fn lathe(&mut self, on: On, place: DAffine3, sides: usize, profile: &[[f64; 2]]) {
        let sections: Vec<Section> =
            profile.iter().map(|[along, radius]| Section::round(*along, *radius, sides)).collect();
        self.loft(on, place, &sections);
    }

    /// A round bar with its ends broken.
    pub(super) fn bar(&mut self, on: On, from: DVec3, to: DVec3, radius: f64) {
        let (length, cut) = ((to - from).length(), radius * 0.25);
        let profile = [[0.0, radius - cut], [cut, radius], [length - cut, radius], [length, radius - cut]];
        self.lathe(on, along(from, to, DVec3::Y), 8, &profile);
    }

    /// A flat face, its corners counter-clockwise from outside; bent ones are split.
    fn face(&mut self, on: On, corners: &[DVec3]) {
        let normal = |a: DVec3, b: DVec3, c: DVec3| (b - a).cross(c - a);
        let [a, b, c, ..] = corners else { return };
        if let [_, _, _, d] = corners {
            let (n, m) = (normal(*a, *b, *c), normal(*a, *c, *d));
            let flat = n.normalize_or_zero().dot(m.normalize_or_zero()) > 0.9999;
            if !flat {
                for triangle in [[*a, *b, *c], [*a, *c, *d]] {
                    self.fan(on, &triangle, normal(triangle[0], triangle[1], triangle[2]));
                }
                return;
            }
        }
        // Newell: right for any flat outline, whichever corners are in line.
        let whole = corners
            .iter()
            .zip(corners.iter().cycle().skip(1))
            .fold(DVec3::ZERO, |sum, (p, q)| sum + p.cross(*q));
        self.fan(on, corners, whole);
    }

    fn fan(&mut self, on: On, corners: &[DVec3], normal: DVec3) {
        if normal.length() < 1e-9 {
            return;
        }
        let bind = &self.bind_ms[on.bone.index()];
        let normal = bind.transform_vector3(normal).normalize().as_vec3();
        // As stored: rounding must not leave a normal that is not of length one.
        let normal = normal.normalize().to_array();
        let part = &mut self.parts[on.paint as usize];
        let first = part.positions.len() as u32;
        for corner in corners {
            part.positions.push(bind.transform_point3(*corner).as_vec3().to_array());
            part.normals.push(normal);
            part.joints.push(on.bone.0 as u16);
        }
        for i in 1..corners.len() as u32 - 1 {
            part.indices.extend([first, first + i, first + i + 1]);
        }
    }

    /// One part a paint, in the order of [`Paint::ALL`]; those without a face are left out.
    pub(super) fn into_primitives(self) -> Vec<Primitive> {
        let primitive = |(material, part): (usize, Part)| Primitive {
            source: 0,
            indices: part.indices,
            influences: Some(Influences {
                per_vertex: 4,
                joints: part.joints.iter().flat_map(|joint| [*joint, 0, 0, 0]).collect(),
                weights: [1.0, 0.0, 0.0, 0.0].repeat(part.joints.len()),
            }),
            positions: part.positions,
            normals: Some(part.normals),
            targets: Vec::new(),
            material: Some(material as u32),
        };
        self.parts.into_iter().enumerate().filter(|(_, p)| !p.indices.is_empty()).map(primitive).collect()
    }
}
