//! Planted feet stay where they land, come and go without a jump, and follow the ground; legs keep their
//! lengths.

use glam::{DQuat, DVec3};
use sinew::{
    DTransform, FlatGround, FootMotion, Ground, GroundHit, HeightField, HeightFieldError, IkStatus, Joint,
    JointId, LocalPose, PlantContact, PlantError, PlantJob, PlantLeg, PlantRig, PlantSettings, Planting, Rig,
    Skeleton, Slot, StanceRule, StanceTracker, Transform,
};

/// Pelvis at 0.9 m with two legs of 0.45 and 0.42 m that bend ahead a little.
struct Biped {
    rig: Rig,
    legs: PlantRig,
}

const PELVIS: JointId = JointId(1);

fn biped() -> Biped {
    let at =
        |x: f64, y: f64, z: f64| DTransform::from_rotation_translation(DQuat::IDENTITY, DVec3::new(x, y, z));
    let mut joints = vec![Joint::new("root", None, at(0.0, 0.0, 0.0))];
    joints.push(Joint::new("pelvis", Some(JointId(0)), at(0.0, 0.9, 0.0)));
    for side in [0.1, -0.1] {
        let hip = JointId(joints.len() as u32);
        joints.push(Joint::new("hip", Some(PELVIS), at(side, 0.0, 0.0)));
        joints.push(Joint::new("knee", Some(hip), at(0.0, -0.44, 0.06)));
        joints.push(Joint::new("foot", Some(JointId(hip.0 + 1)), at(0.0, -0.40, -0.06)));
        joints.push(Joint::new("toe", Some(JointId(hip.0 + 2)), at(0.0, -0.06, 0.15)));
    }
    let skeleton = Skeleton::numbered(joints, vec![]).expect("a biped");
    let rig = Rig::new(&skeleton).expect("a biped");
    let slot = |joint: u32| rig.slot(JointId(joint));
    let legs = [2, 6].map(|hip| PlantLeg {
        hip: slot(hip),
        knee: slot(hip + 1),
        foot: slot(hip + 2),
        loose_foot: None,
        hinge_ls: DVec3::NEG_X,
        contacts: vec![
            PlantContact { joint: slot(hip + 2), offset_ls: DVec3::new(0.0, -0.06, -0.05), height: 0.0 },
            PlantContact { joint: slot(hip + 3), offset_ls: DVec3::ZERO, height: 0.0 },
        ],
    });
    let legs = PlantRig::new(&rig, slot(1), legs.to_vec()).expect("two legs");
    Biped { rig, legs }
}

fn model(rig: &Rig, pose: &LocalPose, joint: Slot) -> DTransform {
    let (mut walk, mut here) = (Some(joint), DTransform::IDENTITY);
    while let Some(slot) = walk {
        let t = pose.get(slot);
        let local = DTransform {
            translation: t.translation.as_dvec3(),
            rotation: t.rotation.as_dquat().normalize(),
            scale: t.scale.as_dvec3(),
        };
        here = local.mul_transform(&here);
        walk = rig.parents()[slot.index()];
    }
    here
}

impl Biped {
    /// Contact `point` of a leg, model space.
    fn contact(&self, pose: &LocalPose, leg: usize, point: usize) -> DVec3 {
        let contact = &self.legs.legs()[leg].contacts[point];
        let at = model(&self.rig, pose, contact.joint);
        at.translation + at.rotation * contact.offset_ls
    }

    fn plant(
        &self,
        state: &mut Planting,
        pose: &mut LocalPose,
        placement: DTransform,
        ground: &dyn Ground,
        stands: Option<&[bool]>,
    ) -> Result<(), PlantError> {
        let settings = &PlantSettings::for_size(1.8);
        let (rig, legs) = (&self.rig, &self.legs);
        PlantJob { rig, legs, settings, ground, placement, dt: DT, stands, state, pose }.run()
    }
}

const DT: f64 = 1.0 / 60.0;

fn moved(z: f64) -> DTransform {
    DTransform::from_rotation_translation(DQuat::IDENTITY, DVec3::new(0.0, 0.0, z))
}

/// Both legs swung by an angle about the hips, so that the feet stay under it as far as a stiff leg lets
/// them.
fn swung(biped: &Biped, angle: f32) -> LocalPose {
    let mut pose = LocalPose::rest(&biped.rig);
    for leg in biped.legs.legs() {
        let rotation = glam::Quat::from_rotation_x(angle);
        pose.set(leg.hip, &Transform { rotation, ..pose.get(leg.hip) });
    }
    pose
}

#[test]
fn a_foot_that_slides_stays_where_it_landed_while_it_stands_and_is_let_go_without_a_jump() {
    let biped = biped();
    let mut state = Planting::new(&biped.legs);
    let ground = FlatGround::default();
    let (mut anchor, mut before, mut slid) = (None, None, 0.0_f64);
    let mut fastest = 0.0_f64;
    for frame in 0..120 {
        // The body drifts at 0.2 m/s over feet that are said to stand from the 20th to the 60th frame.
        let placement = moved(0.2 * DT * f64::from(frame));
        let stands = (20..60).contains(&frame);
        let mut pose = LocalPose::rest(&biped.rig);
        biped.plant(&mut state, &mut pose, placement, &ground, Some(&[stands, stands])).expect("planted");
        for foot in state.feet() {
            assert_eq!((foot.stands, foot.held), (stands, stands));
        }
        let sole = placement.translation + biped.contact(&pose, 0, 0);
        if stands {
            let anchor = *anchor.get_or_insert(sole);
            slid = slid.max((sole - anchor).length());
        }
        if let Some(before) = before {
            fastest = fastest.max(((sole - before) as DVec3).length() / DT);
        }
        before = Some(sole);
        if frame >= 118 {
            // Half a second and more after: the animation to the bit again.
            assert_eq!(pose, LocalPose::rest(&biped.rig));
        }
    }
    assert!(slid < 2e-7, "slid {slid} m");
    // What was held back, 0.13 m, is made up for at a bounded speed, without a jump.
    // 0.2 m/s, and the spring's 0.13 m * 1.678 / (e * 0.08 s).
    assert!(fastest < 1.25, "{fastest} m/s");
}

#[test]
fn without_being_told_a_slow_foot_on_the_ground_is_held_and_a_fast_one_is_not() {
    let biped = biped();
    let ground = FlatGround::default();
    for (speed, held) in [(0.2, true), (1.5, false)] {
        let mut state = Planting::new(&biped.legs);
        for frame in 0..30 {
            let mut pose = LocalPose::rest(&biped.rig);
            biped
                .plant(&mut state, &mut pose, moved(speed * DT * f64::from(frame)), &ground, None)
                .expect("planted");
            if frame > 1 {
                assert!(state.feet().iter().all(|f| f.held == held), "{speed} m/s, frame {frame}");
            }
            if !held {
                assert_eq!(pose, LocalPose::rest(&biped.rig), "nothing to do");
            }
        }
    }
}

#[test]
fn legs_keep_their_lengths_and_feet_their_rotation() {
    let biped = biped();
    let mut state = Planting::new(&biped.legs);
    for frame in 0..40 {
        let animated = swung(&biped, 0.006 * frame as f32);
        let mut pose = animated.clone();
        let stands = Some(&[true, false][..]);
        biped.plant(&mut state, &mut pose, moved(0.0), &FlatGround::default(), stands).expect("planted");
        for leg in biped.legs.legs() {
            for slot in [leg.knee, leg.foot] {
                assert_eq!(pose.get(slot).translation, animated.get(slot).translation);
            }
            let turn = DTransform::angle_between(
                model(&biped.rig, &pose, leg.foot).rotation,
                model(&biped.rig, &animated, leg.foot).rotation,
            );
            assert!(turn < 1e-6, "{turn}");
        }
    }
    let foot = state.feet()[0];
    assert!(foot.held && foot.offset_ws.length() > 0.1, "{foot:?}");
}

#[test]
fn a_leg_that_would_be_too_short_brings_the_pelvis_down_and_the_foot_stays() {
    let biped = biped();
    let mut state = Planting::new(&biped.legs);
    let mut anchor = None;
    for frame in 0..70 {
        let placement = moved(0.2 * DT * f64::from(frame));
        let mut pose = LocalPose::rest(&biped.rig);
        biped
            .plant(&mut state, &mut pose, placement, &FlatGround::default(), Some(&[true, true]))
            .expect("planted");
        let sole = placement.translation + biped.contact(&pose, 0, 0);
        let anchor = *anchor.get_or_insert(sole);
        assert!((sole - anchor).length() < 1e-6, "frame {frame}: {}", (sole - anchor).length());
        assert_eq!(state.feet()[0].status, Ok(IkStatus::Reached));
    }
    // The leg of 0.848 m leans back 0.23 m.
    assert!(state.pelvis() < -0.005, "{}", state.pelvis());
}

#[test]
fn a_lock_gives_way_at_its_limit_and_holds_again_after_the_foot_has_lifted() {
    let biped = biped();
    let mut state = Planting::new(&biped.legs);
    let mut run = |frame: i32, stands: bool| {
        let mut pose = LocalPose::rest(&biped.rig);
        let placement = moved(0.5 * DT * f64::from(frame));
        biped
            .plant(&mut state, &mut pose, placement, &FlatGround::default(), Some(&[stands; 2]))
            .expect("planted");
        (state.feet()[0].held, state.feet()[0].offset_ws.length())
    };
    // 0.15 of 1.8 m at half a metre a second: 0.54 s, 33 frames.
    let given_way = (0..60).find(|frame| !run(*frame, true).0);
    assert_eq!(given_way, Some(33));
    for frame in 34..80 {
        let (held, _) = run(frame, true);
        assert!(!held);
    }
    assert!(!run(80, false).0);
    assert!(run(81, true).0);
}

#[test]
fn feet_follow_a_slope_and_the_pelvis_the_lower_foot() {
    // 1 in 5 along +X.
    let heights: Vec<f32> = (0..9).flat_map(|_| (0..9).map(|c| 0.2 * (c as f32 - 4.0))).collect();
    let ground = HeightField::new([-4.0, -4.0], 1.0, 9, heights).expect("a slope");
    let biped = biped();
    let mut state = Planting::new(&biped.legs);
    let mut pose = LocalPose::rest(&biped.rig);
    biped.plant(&mut state, &mut pose, moved(0.0), &ground, Some(&[true, true])).expect("planted");
    let rest = LocalPose::rest(&biped.rig);
    for (leg, x) in [(0, 0.1), (1, -0.1)] {
        let by = biped.contact(&pose, leg, 0) - biped.contact(&rest, leg, 0);
        assert!((by - DVec3::Y * 0.2 * x).length() < 1e-6, "leg {leg}: {by}");
    }
    assert!((state.pelvis() + 0.02).abs() < 1e-9, "{}", state.pelvis());
}

#[test]
fn a_height_field_is_bilinear_and_ends_at_its_edge() {
    let field = HeightField::new([1.0, 2.0], 2.0, 2, vec![0.0, 1.0, 2.0, 3.0]).expect("a square");
    let at = |x: f64, z: f64| field.cast(DVec3::new(x, 7.0, z));
    let GroundHit { height, normal } = at(2.0, 3.0).expect("in the middle");
    assert!((height - 1.5).abs() < 1e-12);
    assert!((normal - DVec3::new(-0.5, 1.0, -1.0).normalize()).length() < 1e-12);
    assert_eq!(at(3.0, 4.0).expect("the corner").height, 3.0);
    assert!(at(3.1, 3.0).is_none() && at(0.9, 3.0).is_none() && at(f64::NAN, 3.0).is_none());
    let grid = HeightField::new([0.0; 2], 1.0, 2, vec![0.0; 5]);
    assert_eq!(grid, Err(HeightFieldError::Grid { heights: 5, columns: 2 }));
    assert!(HeightField::new([0.0; 2], 0.0, 2, vec![0.0; 4]).is_err());
    assert!(HeightField::new([0.0; 2], 1.0, 2, vec![0.0, f32::NAN, 0.0, 0.0]).is_err());
}

#[test]
fn a_foot_that_rolls_stands_on_what_is_still() {
    // Heel and toe; the heel rises about the toe.
    let rule = StanceRule::for_size(1.8);
    let mut tracker = StanceTracker::new(2);
    for frame in 0..20 {
        let lift = (0.01 * f64::from(frame - 5)).clamp(0.0, 0.12);
        let points = [DVec3::new(0.0, lift, 0.1 * lift), DVec3::Z * 0.2];
        let motion = FootMotion { points_ws: &points, heights: &[lift, 0.0], dt: DT };
        let slid = tracker.step(&motion, &rule, None);
        if frame > 0 {
            assert!(tracker.stands());
            assert!(slid.length() < 1e-3);
        }
        if lift > 0.04 {
            assert_eq!((tracker.pivot(), slid), (1, DVec3::ZERO));
        }
    }
}

#[test]
fn what_cannot_be_planted_is_refused_by_name_and_nothing_changed() {
    let biped = biped();
    let slot = |joint: u32| biped.rig.slot(JointId(joint));
    let leg = biped.legs.legs()[0].clone();
    let new = |pelvis: Slot, leg: PlantLeg| PlantRig::new(&biped.rig, pelvis, vec![leg]).unwrap_err();
    assert_eq!(PlantRig::new(&biped.rig, slot(1), vec![]), Err(PlantError::NoLegs));
    let joints = biped.rig.len();
    assert_eq!(
        new(Slot(99), leg.clone()),
        PlantError::NoJoint { what: "the pelvis", slot: Slot(99), joints }
    );
    let other = PlantLeg { knee: slot(7), ..leg.clone() };
    let above = leg.hip;
    assert_eq!(new(slot(1), other), PlantError::NotBelow { what: "the knee", leg: 0, slot: slot(7), above });
    assert_eq!(new(slot(1), PlantLeg { contacts: vec![], ..leg.clone() }), PlantError::NoContacts { leg: 0 });
    let loose = PlantLeg { loose_foot: Some(slot(7)), ..leg.clone() };
    assert!(matches!(new(slot(1), loose), PlantError::NotLoose { leg: 0, .. }));
    let flat = PlantLeg { hinge_ls: DVec3::ZERO, ..leg };
    assert!(matches!(new(slot(1), flat), PlantError::NotFinite { .. }));

    let mut state = Planting::new(&biped.legs);
    let mut pose = LocalPose::rest(&biped.rig);
    let broken = Transform { translation: glam::Vec3::NAN, ..pose.get(slot(1)) };
    pose.set(slot(1), &broken);
    let ground = FlatGround::default();
    let error = biped.plant(&mut state, &mut pose, moved(0.0), &ground, None).unwrap_err();
    assert_eq!(error, PlantError::NotFinite { what: "the pose of a leg" });
    let mut pose = LocalPose::rest(&biped.rig);
    let error = biped.plant(&mut state, &mut pose, moved(f64::NAN), &ground, None).unwrap_err();
    assert_eq!(error, PlantError::NotFinite { what: "the placement" });
    let error = biped.plant(&mut state, &mut pose, moved(0.0), &ground, Some(&[true])).unwrap_err();
    assert_eq!(error, PlantError::Count { what: "feet that stand or not", found: 1, expected: 2 });
    assert_eq!(pose, LocalPose::rest(&biped.rig));
}

/// A field that ends: past its edge nothing holds a foot up, and nobody is told that it stands.
#[test]
fn over_the_edge_of_the_ground_no_foot_is_held_and_its_report_says_so() {
    let biped = biped();
    let field = sinew::HeightField::new([-2.0, -2.0], 2.5, 2, vec![0.2; 4]).unwrap();
    let mut state = Planting::new(&biped.legs);
    let mut last = [0.0; 2];
    for frame in 0..120 {
        let placement = moved(0.02 * f64::from(frame));
        let mut pose = LocalPose::rest(&biped.rig);
        biped.plant(&mut state, &mut pose, placement, &field, Some(&[true, true])).unwrap();
        for (leg, foot) in state.feet().iter().enumerate() {
            let at = placement.translation + placement.rotation * biped.contact(&pose, leg, 0);
            let there = field.cast(at).is_some();
            assert!(foot.grounded || !foot.held, "frame {frame}: held over nothing");
            if there && frame > 0 && foot.held {
                assert!((at.y - last[leg]).abs() < 0.02, "frame {frame}: {} after {}", at.y, last[leg]);
            }
            assert!(at.is_finite());
            last[leg] = at.y;
        }
    }
    assert!(state.feet().iter().all(|f| !f.grounded && !f.held), "{:?}", state.feet());
    // It stays at the height of the last ground instead of dropping to the model's.
    assert!(last.iter().all(|y| *y > 0.1), "{last:?}");
}

/// Half-lives and steps at the ends of their ranges: whatever passes the checks leaves numbers behind.
#[test]
fn the_shortest_times_and_the_longest_steps_leave_the_state_finite() {
    let biped = biped();
    let extremes = [5e-324, 1e-309, 1e-12, 1.0, f64::MAX];
    for time in extremes {
        for dt in extremes {
            let times = PlantSettings { release: time, settle: time, ..PlantSettings::for_size(1.8) };
            let (rig, legs, settings, stands) = (&biped.rig, &biped.legs, &times, None);
            let mut state = Planting::new(legs);
            for frame in 0..4 {
                let mut pose = swung(&biped, 0.1 * frame as f32);
                let (placement, ground) =
                    (moved(0.03 * f64::from(frame)), &sinew::FlatGround { height: 0.1 });
                PlantJob {
                    rig,
                    legs,
                    settings,
                    ground,
                    placement,
                    dt,
                    stands,
                    state: &mut state,
                    pose: &mut pose,
                }
                .run()
                .unwrap();
                assert!(state.pelvis().is_finite(), "{time} and {dt}");
                assert!(state.feet().iter().all(|f| f.offset_ws.is_finite()), "{time} and {dt}");
            }
        }
    }
}

/// Rotation of a leg's foot in model space against the animation's, as axis times angle.
fn tilted(biped: &Biped, pose: &LocalPose, animated: &LocalPose, leg: usize) -> DVec3 {
    let foot = biped.legs.legs()[leg].foot;
    let of = |pose: &LocalPose| model(&biped.rig, pose, foot).rotation;
    (of(pose) * of(animated).conjugate()).to_scaled_axis()
}

/// A plane that rises along +X and +Z.
fn slope(x: f64, z: f64) -> HeightField {
    let height = |i: usize| x * ((i % 9) as f64 - 4.0) + z * ((i / 9) as f64 - 4.0);
    HeightField::new([-4.0, -4.0], 1.0, 9, (0..81).map(|i| height(i) as f32).collect()).expect("a slope")
}

/// A blend may leave a knee bent backwards by a little: planting bends the leg to its hinge's side all the same,
/// and the knee does not flip while the animation goes through the straight leg.
#[test]
fn a_leg_that_is_bent_backwards_by_a_little_does_not_flip() {
    let biped = biped();
    let leg = biped.legs.legs()[0].clone();
    let (mut before, mut most): (Option<DVec3>, f64) = (None, 0.0);
    for step in 0..=60 {
        // From bent the right way by 0.1 radians, through straight, to as much backwards.
        let angle = step as f32 / 300.0 - 0.1;
        let mut pose = LocalPose::rest(&biped.rig);
        let (thigh, shank) = (pose.get(leg.knee).translation, pose.get(leg.foot).translation);
        let straight = glam::Quat::from_rotation_arc(shank.normalize(), thigh.normalize());
        let rotation = glam::Quat::from_rotation_x(-angle) * straight;
        pose.set(leg.knee, &Transform { rotation, ..pose.get(leg.knee) });
        // Of two feet 0.2 m apart the upper one comes 0.2 m nearer to its hip.
        let mut state = Planting::new(&biped.legs);
        let stands = Some(&[true, true][..]);
        biped.plant(&mut state, &mut pose, moved(0.0), &slope(1.0, 0.0), stands).expect("planted");
        let knee = model(&biped.rig, &pose, leg.knee).translation;
        most = most.max(before.map_or(0.0, |before| (knee - before).length()));
        assert!(knee.z > model(&biped.rig, &pose, leg.hip).translation.z, "step {step}: {knee}");
        before = Some(knee);
    }
    assert!(most < 0.02, "the knee jumps {most} m");
}

/// Ground 1 in 5 along +X: feet turn by atan(1/5) about +Z, no further than the limit, and their points lie on it.
#[test]
fn feet_turn_with_the_ground_as_far_as_they_may() {
    let biped = biped();
    let rest = LocalPose::rest(&biped.rig);
    let full = libm::atan2(0.2, 1.0);
    for (limit, expected) in [(0.6, full), (0.1, 0.1), (0.0, 0.0)] {
        for (ground, axis) in [(slope(0.2, 0.0), DVec3::Z), (slope(0.0, 0.2), DVec3::NEG_X)] {
            let mut pose = rest.clone();
            let settings = &PlantSettings { most_tilt: limit, ..PlantSettings::for_size(1.8) };
            let (rig, legs, ground, stands) = (&biped.rig, &biped.legs, &ground, Some(&[true, true][..]));
            let (mut state, placement) = (Planting::new(legs), moved(0.0));
            PlantJob {
                rig,
                legs,
                settings,
                ground,
                placement,
                dt: DT,
                stands,
                state: &mut state,
                pose: &mut pose,
            }
            .run()
            .expect("planted");
            for leg in 0..2 {
                let turn = tilted(&biped, &pose, &rest, leg);
                assert!((turn - axis * expected).length() < 1e-6, "{turn} at most {limit}");
                assert!((state.feet()[leg].tilt - expected).abs() < 1e-7);
                for point in 0..2 {
                    // Along the ground, both heel and toe touch it; else only the pivot does.
                    let at = biped.contact(&pose, leg, point);
                    let above = at.y - ground.cast(at).expect("ground").height;
                    let touches = limit > full || point == 0 || axis == DVec3::Z;
                    assert!(!touches || above.abs() < 2e-6, "point {point}: {above}");
                }
            }
        }
    }
}

/// Over hills that feet walk across: what stands stays, and nothing jumps as feet land, roll from heel to toe, tilt
/// and lift again.
#[test]
fn a_tilted_foot_stays_while_it_stands_and_neither_lock_nor_release_shows() {
    let biped = biped();
    let hills: Vec<f32> = (0..21 * 21)
        .map(|i| 0.12 * libm::sinf(0.9 * (i % 21) as f32) * libm::cosf(0.7 * (i / 21) as f32))
        .collect();
    let ground = HeightField::new([-3.0, -3.0], 0.5, 21, hills).expect("hills");
    let mut state = Planting::new(&biped.legs);
    let mut before: Option<([DVec3; 2], DVec3)> = None;
    let (mut anchor, mut way) = (None, [0.0_f64; 2]);
    let (mut slid, mut fastest, mut turned, mut most) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    let rest = LocalPose::rest(&biped.rig);
    for frame in 0..360 {
        let placement = moved(0.2 * DT * f64::from(frame));
        let stands = frame % 60 < 30;
        let mut pose = rest.clone();
        biped.plant(&mut state, &mut pose, placement, &ground, Some(&[stands, stands])).expect("planted");
        let points = [0, 1].map(|point| placement.translation + biped.contact(&pose, 0, point));
        let turn = tilted(&biped, &pose, &rest, 0);
        most = most.max(turn.length());
        if !stands {
            // One of heel and toe was stood on; the other may turn about it.
            slid = slid.max(way[0].min(way[1]));
            (anchor, way) = (None, [0.0; 2]);
        } else {
            let anchor = *anchor.get_or_insert(points);
            for (way, (at, anchor)) in way.iter_mut().zip(points.into_iter().zip(anchor as [DVec3; 2])) {
                let by = at - anchor;
                *way = way.max(DVec3::new(by.x, 0.0, by.z).length());
            }
        }
        if let Some((at, turn_before)) = before {
            fastest = fastest.max((points[0] - at[0]).length().max((points[1] - at[1]).length()) / DT);
            turned = turned.max((turn - turn_before).length() / DT);
        }
        before = Some((points, turn));
    }
    println!("slid {slid:e} m, at most {fastest:.2} m/s, tilt up to {most:.3} rad at {turned:.2} rad/s");
    assert!(most > 0.1 && slid < 3e-7, "{most} {slid}");
    // The spring's release of 0.1 m, as on level ground, and hills of 0.12 m.
    assert!(fastest < 1.25 && turned < 3.0, "{fastest} {turned}");
}
