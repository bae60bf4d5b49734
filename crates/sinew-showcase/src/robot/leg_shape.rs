//! Shape of a leg: beams, hinges, armour, pistons and the foot. Bones run along +Z, hinges along X, +Y is outside.

use glam::{DAffine3, DQuat, DVec3};
use sinew::JointId;

use super::bones::{LegBones, Robot};
use super::leg_plan::{ANKLE, COXA, FOOT, LOWER, UPPER};
use super::piston::{HIP_EYES, KNEE_EYES};
use super::sculpt::{On, Paint, Sculptor, Section, along, upright};

pub(super) fn add(robot: &Robot, sculptor: &mut Sculptor<'_>) {
    for leg in &robot.legs {
        coxa(leg, sculptor);
        upper(leg, sculptor);
        lower(leg, sculptor);
        ankle(leg, sculptor);
        foot(leg, sculptor);
        pistons(leg, sculptor);
    }
}

/// A section of a beam: along, half width, half height, shift to the outside.
fn beam(along: f64, w: f64, h: f64, y: f64) -> Section {
    Section::cut(along, w, h, 0.36 * w.min(h)).moved(0.0, y)
}

/// A hinge across the bone at `z`, with its caps.
fn hinge(sculptor: &mut Sculptor<'_>, bone: JointId, z: f64, radius: f64, half: f64) {
    let place = along(DVec3::new(-half, 0.0, z), DVec3::new(half, 0.0, z), DVec3::Y);
    let l = 2.0 * half;
    let profile = [[0.0, radius * 0.86], [0.05, radius], [l - 0.05, radius], [l, radius * 0.86]];
    sculptor.lathe(On { bone, paint: Paint::Steel }, place, 10, &profile);
    let cap =
        [[-0.05, radius * 0.5], [-0.01, radius * 0.62], [l + 0.01, radius * 0.62], [l + 0.05, radius * 0.5]];
    sculptor.lathe(On { bone, paint: Paint::Accent }, place, 8, &cap);
}

fn coxa(leg: &LegBones, sculptor: &mut Sculptor<'_>) {
    let on = |paint| On { bone: leg.coxa, paint };
    let drum = upright(DVec3::ZERO);
    sculptor.lathe(on(Paint::Steel), drum, 12, &[[-0.5, 0.44], [-0.44, 0.5], [0.44, 0.5], [0.5, 0.44]]);
    sculptor.loft(
        on(Paint::Armour),
        DAffine3::IDENTITY,
        &[beam(0.15, 0.40, 0.40, 0.0), beam(0.6, 0.36, 0.36, 0.0), beam(COXA, 0.26, 0.28, 0.0)],
    );
    // The lug that the piston stands on.
    let eye = HIP_EYES[0];
    sculptor.loft(
        on(Paint::Armour),
        along(DVec3::new(0.0, -0.2, 0.25), eye, DVec3::Z),
        &[Section::cut(0.0, 0.2, 0.3, 0.06), Section::cut(0.72, 0.13, 0.16, 0.04)],
    );
    sculptor.bar(on(Paint::Steel), eye - DVec3::X * 0.24, eye + DVec3::X * 0.24, 0.11);
}

fn upper(leg: &LegBones, sculptor: &mut Sculptor<'_>) {
    let on = |paint| On { bone: leg.upper, paint };
    hinge(sculptor, leg.upper, 0.0, 0.36, 0.56);
    // Two cheeks hold the hinge, the beam follows.
    for side in [1.0, -1.0] {
        sculptor.loft(
            on(Paint::Armour),
            DAffine3::from_translation(DVec3::X * (side * 0.41)),
            &[
                Section::cut(-0.34, 0.09, 0.2, 0.04),
                Section::cut(0.0, 0.1, 0.4, 0.04),
                Section::cut(1.0, 0.1, 0.46, 0.04),
                Section::cut(1.5, 0.06, 0.3, 0.03),
            ],
        );
    }
    sculptor.loft(
        on(Paint::Hull),
        DAffine3::IDENTITY,
        &[
            beam(0.42, 0.30, 0.34, 0.0),
            beam(0.95, 0.45, 0.56, 0.03),
            beam(2.3, 0.43, 0.51, 0.02),
            beam(3.5, 0.32, 0.39, 0.0),
            beam(UPPER - 0.25, 0.24, 0.28, 0.0),
        ],
    );
    sculptor.loft(
        on(Paint::Armour),
        DAffine3::IDENTITY,
        &[beam(1.75, 0.47, 0.34, -0.26), beam(2.9, 0.40, 0.28, -0.22)],
    );
    for side in [1.0, -1.0] {
        sculptor.block(
            on(Paint::Accent),
            DVec3::new(side * 0.42, 0.06, 2.55),
            DVec3::new(0.04, 0.1, 0.32),
            0.02,
        );
        // Fork around the knee.
        sculptor.loft(
            on(Paint::Armour),
            DAffine3::from_translation(DVec3::X * (side * 0.34)),
            &[
                Section::cut(3.4, 0.05, 0.2, 0.03),
                Section::cut(3.8, 0.09, 0.33, 0.04),
                Section::cut(UPPER, 0.1, 0.42, 0.04),
                Section::cut(UPPER + 0.36, 0.09, 0.2, 0.04),
            ],
        );
    }
    hinge(sculptor, leg.upper, UPPER, 0.38, 0.5);
    for (eye, root) in [(HIP_EYES[1], -0.2), (KNEE_EYES[0], 0.2)] {
        sculptor.loft(
            on(Paint::Armour),
            along(DVec3::new(0.0, root, eye.z), eye, DVec3::Z),
            &[Section::cut(0.0, 0.2, 0.34, 0.06), Section::cut((eye.y - root).abs(), 0.14, 0.14, 0.04)],
        );
        sculptor.bar(on(Paint::Steel), eye - DVec3::X * 0.24, eye + DVec3::X * 0.24, 0.11);
    }
}

fn lower(leg: &LegBones, sculptor: &mut Sculptor<'_>) {
    let on = |paint| On { bone: leg.lower, paint };
    // The crank above the knee.
    let eye = KNEE_EYES[1];
    for side in [1.0, -1.0] {
        sculptor.loft(
            on(Paint::Steel),
            DAffine3::from_translation(DVec3::X * (side * 0.19)),
            &[
                Section::cut(-0.98, 0.05, 0.12, 0.02).moved(0.0, eye.y),
                Section::cut(-0.8, 0.06, 0.2, 0.02).moved(0.0, eye.y),
                Section::cut(0.0, 0.06, 0.36, 0.02),
                Section::cut(0.6, 0.05, 0.3, 0.02),
            ],
        );
    }
    sculptor.bar(on(Paint::Steel), eye - DVec3::X * 0.3, eye + DVec3::X * 0.3, 0.11);
    sculptor.loft(
        on(Paint::Armour),
        DAffine3::IDENTITY,
        &[
            beam(0.3, 0.17, 0.28, 0.0),
            beam(0.9, 0.32, 0.44, 0.0),
            beam(3.2, 0.30, 0.38, 0.0),
            beam(5.3, 0.22, 0.27, 0.0),
            beam(LOWER - 0.18, 0.18, 0.22, 0.0),
        ],
    );
    // Armour on the outside, its widest point a third down.
    sculptor.loft(
        on(Paint::Hull),
        DAffine3::IDENTITY,
        &[
            beam(0.52, 0.24, 0.14, 0.42),
            beam(0.95, 0.48, 0.28, 0.42),
            beam(1.9, 0.56, 0.34, 0.42),
            beam(3.9, 0.43, 0.27, 0.34),
            beam(5.3, 0.22, 0.14, 0.26),
        ],
    );
    sculptor.loft(
        on(Paint::Accent),
        DAffine3::IDENTITY,
        &[beam(1.45, 0.555, 0.335, 0.425), beam(1.72, 0.575, 0.350, 0.425)],
    );
    for side in [1.0, -1.0] {
        sculptor.block(
            on(Paint::Steel),
            DVec3::new(side * 0.33, -0.12, 2.4),
            DVec3::new(0.05, 0.14, 1.0),
            0.03,
        );
    }
    hinge(sculptor, leg.lower, LOWER, 0.33, 0.44);
}

fn ankle(leg: &LegBones, sculptor: &mut Sculptor<'_>) {
    let on = |paint| On { bone: leg.ankle, paint };
    for side in [1.0, -1.0] {
        sculptor.loft(
            on(Paint::Armour),
            DAffine3::from_translation(DVec3::X * (side * 0.31)),
            &[
                Section::cut(-0.30, 0.05, 0.14, 0.02),
                Section::cut(0.0, 0.07, 0.33, 0.03),
                Section::cut(0.6, 0.07, 0.31, 0.03),
                Section::cut(0.8, 0.03, 0.14, 0.02),
            ],
        );
    }
    sculptor.loft(
        on(Paint::Hull),
        DAffine3::IDENTITY,
        &[
            beam(0.36, 0.22, 0.25, 0.0),
            beam(0.66, 0.35, 0.38, 0.0),
            beam(1.15, 0.33, 0.35, 0.0),
            beam(ANKLE - 0.32, 0.20, 0.21, 0.0),
        ],
    );
    sculptor.loft(
        on(Paint::Accent),
        DAffine3::IDENTITY,
        &[beam(1.2, 0.335, 0.355, 0.0), beam(1.36, 0.302, 0.320, 0.0)],
    );
    sculptor.lathe(
        on(Paint::Steel),
        DAffine3::IDENTITY,
        10,
        &[[ANKLE - 0.4, 0.26], [ANKLE - 0.34, 0.33], [ANKLE - 0.18, 0.33], [ANKLE - 0.1, 0.24]],
    );
}

fn foot(leg: &LegBones, sculptor: &mut Sculptor<'_>) {
    let on = |paint| On { bone: leg.foot, paint };
    // The ball.
    let ball: Vec<[f64; 2]> = (0..7)
        .map(|i| {
            let (sin, cos) = libm::sincos(core::f64::consts::PI * (f64::from(i) + 0.5) / 7.0);
            [-0.3 * cos, 0.3 * sin]
        })
        .collect();
    sculptor.lathe(on(Paint::Chrome), upright(DVec3::ZERO), 10, &ball);
    let pad = upright(DVec3::Y * -FOOT);
    sculptor.lathe(
        on(Paint::Armour),
        pad,
        10,
        &[[0.12, 0.80], [0.2, 0.82], [0.36, 0.52], [0.52, 0.40], [0.57, 0.30]],
    );
    sculptor.lathe(on(Paint::Rubber), pad, 10, &[[0.0, 0.70], [0.04, 0.76], [0.14, 0.76]]);
    // Two claws to the rear; the third, in front, has a bone.
    for turn in [2.2, -2.2] {
        let place = DAffine3::from_quat(DQuat::from_rotation_y(turn));
        let root = place.transform_vector3(DVec3::new(0.0, -0.4, 0.62));
        claw(sculptor, leg.foot, DAffine3::from_rotation_translation(DQuat::from_rotation_y(turn), root));
    }
    claw(sculptor, leg.toe, DAffine3::IDENTITY);
}

/// A claw from its hinge, 0.4 m above the sole's level less the pad, down to the ground.
fn claw(sculptor: &mut Sculptor<'_>, bone: JointId, place: DAffine3) {
    let on = |paint| On { bone, paint };
    let section = |z: f64, w: f64, h: f64, y: f64| Section::cut(z, w, h, 0.03).moved(0.0, y);
    sculptor.loft(
        on(Paint::Hull),
        place,
        &[
            section(-0.1, 0.22, 0.13, 0.06),
            section(0.2, 0.28, 0.18, 0.02),
            section(0.66, 0.22, 0.13, -0.05),
            section(0.95, 0.1, 0.05, -0.14),
        ],
    );
    sculptor.loft(
        on(Paint::Rubber),
        place,
        &[section(0.24, 0.2, 0.05, -0.15), section(0.97, 0.1, 0.04, -0.16)],
    );
}

fn pistons(leg: &LegBones, sculptor: &mut Sculptor<'_>) {
    for (cylinder, rod, length, thick) in
        [(leg.hip_cylinder, leg.hip_rod, 1.65, 0.17), (leg.knee_cylinder, leg.knee_rod, 2.1, 0.19)]
    {
        let on = |bone, paint| On { bone, paint };
        let straight = DAffine3::IDENTITY;
        let profile = [
            [-0.16, thick * 0.6],
            [-0.1, thick * 0.9],
            [0.14, thick * 0.9],
            [0.2, thick],
            [length - 0.18, thick],
            [length - 0.16, thick * 1.18],
            [length, thick * 1.18],
        ];
        sculptor.lathe(on(cylinder, Paint::Armour), straight, 8, &profile);
        let band = [[0.4, thick * 1.04], [0.55, thick * 1.04]];
        sculptor.lathe(on(cylinder, Paint::Accent), straight, 8, &band);
        let rod_profile = [[-0.14, thick * 0.5], [-0.1, thick * 0.62], [length, thick * 0.62]];
        sculptor.lathe(on(rod, Paint::Chrome), straight, 6, &rod_profile);
    }
}
