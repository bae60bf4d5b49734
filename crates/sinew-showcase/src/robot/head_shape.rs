//! Shape of the head: turret, core and shutters, laser, launcher, sensors.

use glam::{DAffine3, DQuat, DVec3};

use super::bones::Robot;
use super::sculpt::{On, Paint, Sculptor, Section, along, upright};

pub(super) fn add(robot: &Robot, sculptor: &mut Sculptor<'_>) {
    turret(robot, sculptor);
    core(robot, sculptor);
    laser(robot, sculptor);
    launcher(robot, sculptor);
    sensors(robot, sculptor);
}

fn section(z: f64, w: f64, h: f64, y: f64) -> Section {
    Section::cut(z, w, h, 0.4 * w.min(h)).moved(0.0, y)
}

fn turret(robot: &Robot, sculptor: &mut Sculptor<'_>) {
    let on = |paint| On { bone: robot.head, paint };
    let straight = DAffine3::IDENTITY;
    sculptor.lathe(
        on(Paint::Steel),
        upright(DVec3::ZERO),
        16,
        &[[0.0, 1.1], [0.06, 1.2], [0.2, 1.2], [0.3, 1.05]],
    );
    sculptor.loft(
        on(Paint::Hull),
        straight,
        &[
            section(-2.45, 0.75, 0.40, 0.95),
            section(-2.0, 1.15, 0.66, 0.96),
            section(-0.8, 1.42, 0.80, 0.99),
            section(1.4, 1.42, 0.80, 0.99),
            section(2.7, 0.98, 0.58, 1.02),
            section(3.3, 0.60, 0.40, 1.10),
        ],
    );
    // Lower half of the turret, darker.
    sculptor.loft(
        on(Paint::Armour),
        straight,
        &[
            section(-1.9, 0.95, 0.22, 0.36),
            section(-1.2, 1.25, 0.28, 0.36),
            section(1.2, 1.25, 0.28, 0.36),
            section(2.0, 0.8, 0.2, 0.44),
        ],
    );
    // The neck that carries the laser.
    sculptor.loft(
        on(Paint::Armour),
        straight,
        &[section(3.0, 0.50, 0.34, 1.12), section(3.9, 0.40, 0.30, 1.26), section(4.45, 0.34, 0.28, 1.42)],
    );
    for side in [1.0, -1.0] {
        sculptor.bar(
            on(Paint::Chrome),
            DVec3::new(side * 0.5, 0.92, 2.9),
            DVec3::new(side * 0.4, 1.2, 4.4),
            0.08,
        );
        sculptor.bar(
            on(Paint::Armour),
            DVec3::new(side * 0.52, 0.89, 2.75),
            DVec3::new(side * 0.46, 1.03, 3.5),
            0.13,
        );
    }
    // The well of the core.
    let well = upright(DVec3::new(0.0, 1.70, 0.2733));
    sculptor.lathe(on(Paint::Armour), well, 12, &[[0.0, 1.05], [0.1, 1.0], [0.18, 0.86]]);
    sculptor.lathe(on(Paint::Rubber), well, 12, &[[0.17, 0.70], [0.185, 0.70]]);
    // Deck behind it.
    for i in 0..3 {
        let z = -1.02 - 0.001 * f64::from(i);
        sculptor.block(
            on(Paint::Rubber),
            DVec3::new(0.5 * (f64::from(i) - 1.0), 1.78, z),
            DVec3::new(0.17, 0.05, 0.26),
            0.02,
        );
    }
}

fn core(robot: &Robot, sculptor: &mut Sculptor<'_>) {
    let on = |paint| On { bone: robot.core, paint };
    let column = upright(DVec3::ZERO);
    sculptor.lathe(on(Paint::Core), column, 12, &[[-0.52, 0.40], [-0.45, 0.46], [0.45, 0.46], [0.52, 0.40]]);
    sculptor.lathe(on(Paint::Armour), column, 12, &[[0.5, 0.54], [0.58, 0.58], [0.68, 0.52], [0.76, 0.34]]);
    sculptor.lathe(on(Paint::Lens), column, 8, &[[0.75, 0.2], [0.79, 0.16]]);
    sculptor.lathe(on(Paint::Armour), column, 12, &[[-0.66, 0.5], [-0.58, 0.58], [-0.5, 0.54]]);
    sculptor.lathe(on(Paint::Chrome), column, 10, &[[-1.75, 0.24], [-0.6, 0.24]]);
    for i in 0..6 {
        let (sin, cos) = libm::sincos(core::f64::consts::TAU * f64::from(i) / 6.0);
        let out = DVec3::new(sin, 0.0, cos);
        let place = along(out * 0.5 - DVec3::Y * 0.5, out * 0.5 + DVec3::Y * 0.5, out);
        let rib = [Section::cut(0.0, 0.07, 0.06, 0.02), Section::cut(1.0, 0.07, 0.06, 0.02)];
        sculptor.loft(on(Paint::Steel), place, &rib);
    }
    if let Some(bone) = robot.bone("Core_Ring_01") {
        let ring = upright(DVec3::ZERO);
        sculptor.lathe(
            On { bone, paint: Paint::Accent },
            ring,
            12,
            &[[-0.1, 0.58], [-0.06, 0.62], [0.06, 0.62], [0.1, 0.58]],
        );
        sculptor.block(On { bone, paint: Paint::Steel }, DVec3::Z * 0.6, DVec3::new(0.1, 0.14, 0.06), 0.02);
    }
    for (name, side) in [("Core_Shutter_L_01", 1.0), ("Core_Shutter_R_01", -1.0)] {
        let Some(bone) = robot.bone(name) else { continue };
        let on = |paint| On { bone, paint };
        sculptor.block(on(Paint::Hull), DVec3::ZERO, DVec3::new(0.36, 0.06, 0.72), 0.05);
        sculptor.block(
            on(Paint::Accent),
            DVec3::new(-side * 0.24, 0.05, 0.0),
            DVec3::new(0.07, 0.03, 0.6),
            0.02,
        );
    }
}

fn laser(robot: &Robot, sculptor: &mut Sculptor<'_>) {
    let on = |paint| On { bone: robot.laser, paint };
    let straight = DAffine3::IDENTITY;
    sculptor.loft(
        on(Paint::Hull),
        straight,
        &[
            section(-1.2, 0.28, 0.26, 0.0),
            section(-0.9, 0.46, 0.44, 0.0),
            section(0.2, 0.46, 0.44, 0.0),
            section(0.5, 0.30, 0.30, 0.0),
        ],
    );
    sculptor.block(on(Paint::Armour), DVec3::new(0.0, 0.46, -0.4), DVec3::new(0.22, 0.08, 0.5), 0.04);
    if let Some(bone) = robot.bone("Weapon_Laser_Barrel_01") {
        let on = |paint| On { bone, paint };
        sculptor.lathe(
            on(Paint::Armour),
            straight,
            12,
            &[[0.0, 0.24], [0.2, 0.26], [1.3, 0.20], [1.34, 0.27], [1.56, 0.27], [1.6, 0.23]],
        );
        for i in 0..4 {
            let z = 0.35 + 0.22 * f64::from(i);
            sculptor.lathe(
                on(Paint::Steel),
                straight,
                12,
                &[[z, 0.32], [z + 0.02, 0.34], [z + 0.08, 0.34], [z + 0.1, 0.32]],
            );
        }
        sculptor.lathe(on(Paint::Lens), straight, 10, &[[1.58, 0.17], [1.63, 0.14]]);
    }
    for (name, side) in [("Weapon_Laser_Shroud_L_01", 1.0), ("Weapon_Laser_Shroud_R_01", -1.0)] {
        let Some(bone) = robot.bone(name) else { continue };
        let on = |paint| On { bone, paint };
        sculptor.loft(
            on(Paint::Armour),
            straight,
            &[
                Section::cut(-0.5, 0.05, 0.2, 0.03),
                Section::cut(-0.2, 0.07, 0.34, 0.04),
                Section::cut(0.7, 0.07, 0.30, 0.04),
                Section::cut(1.15, 0.04, 0.12, 0.02),
            ],
        );
        sculptor.block(
            on(Paint::Accent),
            DVec3::new(side * 0.06, 0.0, 0.2),
            DVec3::new(0.03, 0.08, 0.42),
            0.02,
        );
    }
}

fn launcher(robot: &Robot, sculptor: &mut Sculptor<'_>) {
    let on = |paint| On { bone: robot.launcher, paint };
    sculptor.lathe(on(Paint::Steel), upright(DVec3::ZERO), 12, &[[0.0, 0.6], [0.12, 0.6], [0.2, 0.5]]);
    sculptor.block(on(Paint::Armour), DVec3::new(0.0, 0.36, 0.0), DVec3::new(0.3, 0.26, 0.55), 0.07);
    sculptor.bar(on(Paint::Steel), DVec3::new(-0.72, 0.42, 0.0), DVec3::new(0.72, 0.42, 0.0), 0.15);
    for name in ["Weapon_Launcher_Pod_L_01", "Weapon_Launcher_Pod_R_01"] {
        let Some(bone) = robot.bone(name) else { continue };
        let on = |paint| On { bone, paint };
        // The pods look up at a slant.
        let tilt = DAffine3::from_quat(DQuat::from_rotation_x(-0.3));
        sculptor.turned_block(on(Paint::Hull), tilt, DVec3::new(0.38, 0.34, 0.85), 0.08);
        for (x, y) in [(0.17, 0.15), (-0.17, 0.15), (0.17, -0.15), (-0.17, -0.15)] {
            let mut tube = tilt;
            tube.translation = tilt.transform_vector3(DVec3::new(x, y, 0.0));
            sculptor.lathe(on(Paint::Armour), tube, 8, &[[0.8, 0.15], [0.98, 0.15], [1.0, 0.13]]);
            sculptor.lathe(on(Paint::Lens), tube, 8, &[[0.99, 0.09], [1.02, 0.06]]);
        }
        let mut stripe = tilt;
        stripe.translation = tilt.transform_vector3(DVec3::new(0.0, 0.0, -0.35));
        sculptor.turned_block(on(Paint::Accent), stripe, DVec3::new(0.395, 0.355, 0.1), 0.08);
    }
}

fn sensors(robot: &Robot, sculptor: &mut Sculptor<'_>) {
    let straight = DAffine3::IDENTITY;
    if let Some(bone) = robot.bone("Eye_01") {
        let on = |paint| On { bone, paint };
        sculptor.loft(
            on(Paint::Armour),
            straight,
            &[section(-0.4, 0.36, 0.24, 0.0), section(0.2, 0.34, 0.22, 0.0)],
        );
        for x in [0.17, -0.17] {
            let eye = DAffine3::from_translation(DVec3::X * x);
            sculptor.lathe(on(Paint::Steel), eye, 10, &[[0.15, 0.14], [0.26, 0.14]]);
            sculptor.lathe(on(Paint::Lens), eye, 10, &[[0.24, 0.105], [0.29, 0.07]]);
        }
    }
    if let Some(bone) = robot.bone("Jaw_01") {
        let on = |paint| On { bone, paint };
        sculptor.loft(
            on(Paint::Armour),
            straight,
            &[
                section(-0.1, 0.8, 0.12, 0.0),
                section(0.8, 0.72, 0.18, 0.02),
                section(1.7, 0.4, 0.12, 0.14),
                section(2.1, 0.2, 0.06, 0.2),
            ],
        );
        sculptor.loft(
            on(Paint::Accent),
            straight,
            &[section(0.9, 0.73, 0.185, 0.025), section(1.1, 0.655, 0.172, 0.05)],
        );
    }
    for side in ["L", "R"] {
        if let Some(bone) = robot.bone(&format!("Antenna_{side}_01")) {
            let on = |paint| On { bone, paint };
            sculptor.lathe(on(Paint::Steel), straight, 8, &[[-0.1, 0.16], [0.15, 0.14], [0.2, 0.08]]);
            sculptor.lathe(on(Paint::Armour), straight, 6, &[[0.15, 0.06], [1.15, 0.045]]);
        }
        if let Some(bone) = robot.bone(&format!("Antenna_{side}_02")) {
            let on = |paint| On { bone, paint };
            sculptor.lathe(on(Paint::Steel), straight, 6, &[[-0.04, 0.07], [0.04, 0.07]]);
            sculptor.lathe(on(Paint::Armour), straight, 6, &[[0.0, 0.04], [1.0, 0.02]]);
            sculptor.lathe(on(Paint::Lens), straight, 6, &[[1.0, 0.05], [1.1, 0.04]]);
        }
        if let Some(bone) = robot.bone(&format!("Armor_Head_{side}_01")) {
            let on = |paint| On { bone, paint };
            let out = if side == "L" { 1.0 } else { -1.0 };
            sculptor.loft(
                on(Paint::Armour),
                straight,
                &[
                    Section::cut(-1.35, 0.05, 0.28, 0.04),
                    Section::cut(-1.0, 0.09, 0.44, 0.06),
                    Section::cut(0.9, 0.09, 0.44, 0.06),
                    Section::cut(1.45, 0.05, 0.2, 0.04),
                ],
            );
            sculptor.block(
                on(Paint::Accent),
                DVec3::new(out * 0.08, 0.12, -0.3),
                DVec3::new(0.03, 0.1, 0.55),
                0.02,
            );
        }
    }
}
