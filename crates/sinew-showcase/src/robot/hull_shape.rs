//! Shape of the body: hull, hip sockets, turret collar, plates and exhausts.

use glam::{DAffine3, DQuat, DVec3};

use super::bones::Robot;
use super::leg_plan::PLANS;
use super::sculpt::{On, Paint, Sculptor, Section, along, upright};

pub(super) fn add(robot: &Robot, sculptor: &mut Sculptor<'_>) {
    hull(robot, sculptor);
    sockets(robot, sculptor);
    plates(robot, sculptor);
}

fn hull(robot: &Robot, sculptor: &mut Sculptor<'_>) {
    let on = |paint| On { bone: robot.body, paint };
    let identity = DAffine3::IDENTITY;
    let section = |z: f64, w: f64, h: f64, cut: f64, y: f64| Section::cut(z, w, h, cut).moved(0.0, y);
    sculptor.loft(
        on(Paint::Hull),
        identity,
        &[
            section(-3.9, 0.85, 0.38, 0.16, -0.10),
            section(-3.2, 1.6, 0.74, 0.32, -0.05),
            section(-1.3, 2.05, 0.95, 0.42, -0.15),
            section(1.0, 2.05, 0.88, 0.40, -0.20),
            section(3.1, 1.45, 0.56, 0.26, -0.32),
            section(3.75, 0.75, 0.30, 0.14, -0.36),
        ],
    );
    // Belly and keel.
    sculptor.loft(
        on(Paint::Armour),
        identity,
        &[
            section(-2.7, 0.7, 0.25, 0.12, -0.90),
            section(-2.2, 1.15, 0.42, 0.2, -1.06),
            section(2.0, 1.15, 0.42, 0.2, -1.06),
            section(2.6, 0.7, 0.25, 0.12, -0.90),
        ],
    );
    sculptor.block(on(Paint::Steel), DVec3::new(0.0, -1.5, -0.3), DVec3::new(0.55, 0.14, 1.3), 0.06);
    // A seam around the hull, in the accent colour at its ends.
    for side in [1.0, -1.0] {
        sculptor.block(
            on(Paint::Armour),
            DVec3::new(side * 2.03, -0.2, -0.15),
            DVec3::new(0.09, 0.10, 1.15),
            0.04,
        );
        sculptor.block(
            on(Paint::Accent),
            DVec3::new(side * 0.62, -0.42, 3.66),
            DVec3::new(0.2, 0.07, 0.1),
            0.03,
        );
        sculptor.block(
            on(Paint::Lens),
            DVec3::new(side * 0.34, -0.3, 3.7),
            DVec3::new(0.09, 0.06, 0.1),
            0.03,
        );
    }
    // The collar that the head turns on.
    let collar = upright(DVec3::new(0.0, 0.5, 0.0));
    sculptor.lathe(
        on(Paint::Armour),
        collar,
        16,
        &[[0.0, 1.78], [0.14, 1.75], [0.3, 1.46], [0.62, 1.16], [0.86, 1.02], [1.02, 0.94]],
    );
    sculptor.lathe(on(Paint::Steel), collar, 16, &[[0.56, 1.25], [0.6, 1.28], [0.68, 1.25], [0.72, 1.15]]);
    for i in 0..8 {
        let (sin, cos) = libm::sincos(core::f64::consts::TAU * (f64::from(i) + 0.5) / 8.0);
        let middle = DVec3::new(1.6 * sin, 0.68, 1.6 * cos);
        sculptor.lathe(on(Paint::Steel), upright(middle), 6, &[[0.0, 0.1], [0.07, 0.1], [0.09, 0.08]]);
    }
    // Grilles of the engine deck.
    for i in 0..5 {
        let z = -1.95 - 0.2 * f64::from(i);
        sculptor.block(
            on(Paint::Rubber),
            DVec3::new(0.0, 0.77 - 0.012 * f64::from(i), z),
            DVec3::new(0.62, 0.07, 0.06),
            0.02,
        );
    }
}

fn sockets(robot: &Robot, sculptor: &mut Sculptor<'_>) {
    for plan in &PLANS {
        let on = |paint| On { bone: robot.body, paint };
        let hip = plan.hip;
        let drum = upright(hip);
        sculptor.lathe(on(Paint::Armour), drum, 12, &[[0.42, 0.50], [0.46, 0.74], [0.72, 0.74], [0.80, 0.6]]);
        sculptor.lathe(
            on(Paint::Armour),
            drum,
            12,
            &[[-0.82, 0.52], [-0.74, 0.70], [-0.50, 0.74], [-0.46, 0.50]],
        );
        sculptor.lathe(on(Paint::Steel), drum, 8, &[[0.8, 0.26], [0.88, 0.26], [0.92, 0.2]]);
        // From the hull to the drum.
        let inwards = DVec3::new(-hip.x, 0.0, -hip.z * 0.5).normalize();
        for y in [0.59, -0.64] {
            let place = along(hip + DVec3::Y * y, hip + DVec3::Y * y + inwards, DVec3::Y);
            sculptor.loft(
                on(Paint::Armour),
                place,
                &[Section::cut(0.1, 0.62, 0.11, 0.03), Section::cut(1.2, 0.7, 0.11, 0.03)],
            );
        }
    }
}

fn plates(robot: &Robot, sculptor: &mut Sculptor<'_>) {
    let bone = |name: &str| robot.bone(name);
    let tilted = |about_x: f64, about_z: f64| {
        DAffine3::from_quat(DQuat::from_rotation_z(about_z) * DQuat::from_rotation_x(about_x))
    };
    for (name, turn, half, paint) in [
        ("Armor_Front_01", tilted(0.21, 0.0), DVec3::new(1.0, 0.09, 0.72), Paint::Armour),
        ("Armor_Rear_01", tilted(-0.38, 0.0), DVec3::new(0.62, 0.09, 0.75), Paint::Armour),
        ("Armor_L_01", tilted(0.0, -0.75), DVec3::new(0.42, 0.08, 1.1), Paint::Armour),
        ("Armor_R_01", tilted(0.0, 0.75), DVec3::new(0.42, 0.08, 1.1), Paint::Armour),
    ] {
        let Some(bone) = bone(name) else { continue };
        let mut place = turn;
        place.translation = DVec3::Y * 0.16;
        sculptor.turned_block(On { bone, paint }, place, half, 0.07);
        // A stripe across each plate.
        let mut stripe = place;
        stripe.translation += turn.transform_vector3(DVec3::new(0.0, 0.06, half.z * 0.45));
        let half = DVec3::new(half.x * 0.82, 0.05, 0.09);
        sculptor.turned_block(On { bone, paint: Paint::Accent }, stripe, half, 0.03);
    }
    for name in ["Exhaust_L_01", "Exhaust_R_01"] {
        let Some(bone) = bone(name) else { continue };
        let place = along(DVec3::new(0.0, -0.35, 0.1), DVec3::new(0.0, 0.6, -0.45), DVec3::Y);
        let profile = [[0.0, 0.26], [0.55, 0.26], [0.6, 0.3], [1.15, 0.3], [1.22, 0.27]];
        sculptor.lathe(On { bone, paint: Paint::Steel }, place, 10, &profile);
        sculptor.lathe(On { bone, paint: Paint::Rubber }, place, 10, &[[1.2, 0.2], [1.24, 0.2]]);
    }
}
