//! Eight chains at a time: what one chain in double precision comes to, every limit kept, the same bits on every
//! backend, and no lane that depends on its neighbours.

use glam::{DQuat, DVec3, EulerRot};
use proptest::prelude::*;
use sinew::{
    Backend, ChainGroup, ChainGroupJob, ChainJob, ChainLanes, ChainLink, ChainSolution, DTransform, IkError,
    IkStatus, JointLimit, LimitRange,
};

type Rotations = Vec<[[f32; 8]; 4]>;

/// Distance that is near enough, metres.
const TOLERANCE: f64 = 1e-5;
/// Radians by which single precision may be past a limit.
const PAST: f64 = 1e-5;

#[derive(Clone, Debug)]
struct Chain {
    root: DTransform,
    offsets: Vec<DVec3>,
    limits: Vec<Option<JointLimit>>,
    target: DVec3,
    start: Vec<DQuat>,
}

impl Chain {
    fn exact(&self, sweeps: u32) -> Result<(ChainSolution, Vec<DQuat>), IkError> {
        let mut rotations = self.start.clone();
        let solution = ChainJob {
            root: self.root,
            offsets: &self.offsets,
            limits: &self.limits,
            target: self.target,
            tolerance: TOLERANCE,
            sweeps,
            rotations: &mut rotations,
        }
        .run()?;
        Ok((solution, rotations))
    }

    /// Where the end is with these rotations.
    fn end(&self, rotations: &[DQuat]) -> DVec3 {
        let (mut at, mut turned) = (self.root.translation, self.root.rotation);
        for (q, offset) in rotations.iter().zip(&self.offsets) {
            turned *= *q;
            at += turned * *offset;
        }
        at
    }
}

struct Lanes {
    group: ChainGroup,
    links: Vec<ChainLink>,
    rotations: Rotations,
}

impl Lanes {
    fn new(joints: usize) -> Self {
        let identity = [[0.0; 8], [0.0; 8], [0.0; 8], [1.0; 8]];
        Self {
            group: ChainGroup::EMPTY,
            links: vec![ChainLink::EMPTY; joints],
            rotations: vec![identity; joints],
        }
    }

    fn set(&mut self, lane: usize, chain: &Chain) {
        self.group.set(lane, &chain.root, chain.target, TOLERANCE);
        for (i, link) in self.links.iter_mut().enumerate() {
            link.set_offset(lane, chain.offsets[i]);
            link.limits.set(lane, chain.limits[i].as_ref()).expect("a limit");
            for (row, v) in self.rotations[i].iter_mut().zip(chain.start[i].to_array()) {
                row[lane] = v as f32;
            }
        }
    }

    /// On all backends, which must agree to the last bit.
    fn run(&self, sweeps: u32) -> (ChainLanes, Rotations) {
        let mut results = Vec::new();
        for backend in Backend::ALL {
            let (mut rotations, mut output) = (self.rotations.clone(), ChainLanes::default());
            let (group, links) = (&self.group, &self.links);
            ChainGroupJob { group, links, sweeps, rotations: &mut rotations, output: &mut output }
                .run_on(backend)
                .expect("as many of each");
            let bits: Vec<_> = rotations.iter().map(|q| q.map(|row| row.map(f32::to_bits))).collect();
            results.push((output, rotations, bits));
        }
        for result in &results[1..] {
            assert_eq!((&result.0, &result.2), (&results[0].0, &results[0].2));
        }
        let (output, rotations, _) = results.swap_remove(0);
        (output, rotations)
    }
}

fn of_lane(rotations: &Rotations, lane: usize) -> Vec<DQuat> {
    rotations.iter().map(|q| DQuat::from_array(q.map(|row| f64::from(row[lane]))).normalize()).collect()
}

fn vector(range: core::ops::Range<f64>) -> impl Strategy<Value = DVec3> {
    (range.clone(), range.clone(), range).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

fn rotation(most: f64) -> impl Strategy<Value = DQuat> {
    (vector(-1.0..1.0), 0.0..most)
        .prop_map(|(axis, angle)| DQuat::from_axis_angle(axis.normalize_or(DVec3::X), angle))
}

const ORDERS: [EulerRot; 12] = [
    EulerRot::XYZ,
    EulerRot::XZY,
    EulerRot::YXZ,
    EulerRot::YZX,
    EulerRot::ZXY,
    EulerRot::ZYX,
    EulerRot::XYZEx,
    EulerRot::XZYEx,
    EulerRot::YXZEx,
    EulerRot::YZXEx,
    EulerRot::ZXYEx,
    EulerRot::ZYXEx,
];

fn limit() -> impl Strategy<Value = JointLimit> {
    let cone = (rotation(1.0), vector(-1.0..1.0), 0.0..1.5, -1.2..0.0, 0.0..1.2).prop_map(
        |(reference, axis, swing, least, greatest)| {
            JointLimit::swing_twist(reference, axis.normalize_or(DVec3::Y), swing, [least, greatest])
        },
    );
    let axes = (rotation(1.0), vector(-1.2..0.0), vector(0.0..1.2), 0..12_usize).prop_map(
        |(reference, min, max, order)| JointLimit {
            reference,
            range: LimitRange::PerAxis { order: ORDERS[order], min, max },
        },
    );
    prop_oneof![cone, axes]
}

const JOINTS: usize = 4;

fn chain() -> impl Strategy<Value = Chain> {
    let offsets = prop::collection::vec((vector(-0.05..0.05), 0.1..0.35), JOINTS);
    let limits = prop::collection::vec(prop::option::of(limit()), JOINTS);
    let start = prop::collection::vec(rotation(1.5), JOINTS);
    (vector(-5.0..5.0), rotation(3.0), offsets, limits, vector(-0.8..0.8), start).prop_map(
        |(root, parent, offsets, limits, target, start)| Chain {
            root: DTransform::from_rotation_translation(parent, root),
            offsets: offsets.into_iter().map(|(aside, length)| aside + DVec3::Y * length).collect(),
            limits,
            target: root + target,
            start,
        },
    )
}

proptest! {
    #[test]
    fn a_limit_in_lanes_moves_a_rotation_to_where_double_precision_does(
        limits in prop::collection::vec(limit(), 8), turns in prop::collection::vec(rotation(3.1), 8),
    ) {
        // A chain of one joint whose end is where it should be already is only moved to within its limit.
        let chains: Vec<Chain> = (0..8).map(|lane| Chain {
            root: DTransform::IDENTITY, offsets: vec![DVec3::Y], limits: vec![Some(limits[lane])],
            target: limits[lane].clamp(turns[lane]) * DVec3::Y, start: vec![turns[lane]],
        }).collect();
        let mut lanes = Lanes::new(1);
        chains.iter().enumerate().for_each(|(lane, chain)| lanes.set(lane, chain));
        for tolerance in &mut lanes.group.tolerance {
            *tolerance = 1e8;
        }
        let (output, rotations) = lanes.run(1);
        prop_assert_eq!(output.status.reached, 0xff);
        for lane in 0..8 {
            let (limit, turn) = (limits[lane], turns[lane]);
            let found = of_lane(&rotations, lane)[0];
            prop_assert!(limit.margin(found).radians > -PAST, "{:?}", limit.margin(found));
            if limit.margin(turn).radians > PAST {
                let bits = turn.to_array().map(|v| v as f32);
                let off = DTransform::angle_between(found, turn);
                prop_assert!(off < 1e-6, "{off} within the limit, {bits:?}");
            }
            // Of two ends that are as near round the circle, either will do; and next to half a turn of swing or a
            // quarter about the middle axis, so will any split.
            let expected = limit.clamp(turn);
            let off = DTransform::angle_between(found, expected);
            let (to_found, to_expected) =
                (DTransform::angle_between(found, turn), DTransform::angle_between(expected, turn));
            prop_assert!(off < 1e-4 || (to_found - to_expected).abs() < 0.05, "{off}: {found} and {expected} for {turn}, {limit:?}");
        }
    }

    #[test]
    fn lanes_keep_every_limit_and_come_to_what_double_precision_does(chains in prop::collection::vec(chain(), 8)) {
        let mut lanes = Lanes::new(JOINTS);
        chains.iter().enumerate().for_each(|(lane, chain)| lanes.set(lane, chain));
        let (output, rotations) = lanes.run(60);
        prop_assert_eq!(output.status.faulty, 0);
        for (lane, chain) in chains.iter().enumerate() {
            let found = output.get(lane).expect("a chain");
            let q = of_lane(&rotations, lane);
            for (q, limit) in q.iter().zip(&chain.limits) {
                if let Some(limit) = limit {
                    prop_assert!(limit.margin(*q).radians > -PAST, "{:?}", limit.margin(*q));
                }
            }
            // The end is where it says, and the status what that means.
            let residual = (chain.end(&q) - chain.target).length();
            prop_assert!((residual - found.residual).abs() < 5e-6, "{residual} and {}", found.residual);
            prop_assert_eq!(found.status.is_reached(), found.residual <= f64::from(TOLERANCE as f32));
            if let IkStatus::Unreachable { by_metres } = found.status {
                prop_assert_eq!(by_metres, found.residual);
            }
            if let IkStatus::LimitHit { joint } = found.status {
                let margin = chain.limits[joint].expect("limited").margin(q[joint]).radians;
                prop_assert!(margin.abs() < 3.0 * PAST, "{margin}");
            }
        }
    }

    #[test]
    fn no_lane_depends_on_its_neighbours(
        one in chain(), others in prop::collection::vec(chain(), 8), bad in any::<[u32; 3]>(),
    ) {
        let solve = |lane: usize, spoil: bool| {
            let mut lanes = Lanes::new(JOINTS);
            others.iter().enumerate().for_each(|(lane, chain)| lanes.set(lane, chain));
            if spoil {
                for other in (0..8).step_by(2) {
                    let wild = bad.map(f32::from_bits);
                    (0..3).for_each(|axis| lanes.group.target[axis][other] = wild[axis]);
                }
            }
            lanes.set(lane, &one);
            let (output, rotations) = lanes.run(30);
            let bits: Vec<[u32; 4]> = rotations.iter().map(|q| q.map(|row| row[lane].to_bits())).collect();
            (output.get(lane), bits)
        };
        prop_assert_eq!(solve(0, false), solve(5, true));
        prop_assert_eq!(solve(0, true), solve(7, false));
    }

    #[test]
    fn every_input_has_an_answer(bits in prop::array::uniform12(any::<u32>()), which in any::<u16>()) {
        let v = |i: usize, sane: f32| if which >> i & 1 == 1 { f32::from_bits(bits[i]) } else { sane };
        let mut lanes = Lanes::new(3);
        let limit = JointLimit::swing_twist(DQuat::IDENTITY, DVec3::Y, 0.5, [-0.1, 0.1]);
        let chain = Chain {
            root: DTransform::IDENTITY, offsets: vec![DVec3::Y * 0.4; 3], limits: vec![None, Some(limit), None],
            target: DVec3::new(0.3, 0.6, 0.2), start: vec![DQuat::from_rotation_x(0.2); 3],
        };
        lanes.set(4, &chain);
        for axis in 0..3 {
            lanes.group.target[axis][4] = v(axis, lanes.group.target[axis][4]);
            lanes.group.root[axis][4] = v(3 + axis, 0.0);
            lanes.links[axis].offset[1][4] = v(6 + axis, 0.4);
        }
        lanes.group.tolerance[4] = v(9, 1e-5);
        lanes.group.parent[3][4] = v(10, 1.0);
        lanes.rotations[1][0][4] = v(11, lanes.rotations[1][0][4]);
        let (output, rotations) = lanes.run(12);
        prop_assert_eq!(output.status.faulty & 0xef, 0xef, "the lanes without a chain");
        let bits = |q: &Rotations| -> Vec<[u32; 4]> { q.iter().map(|q| q.map(|row| row[4].to_bits())).collect() };
        match output.get(4) {
            None => prop_assert_eq!(bits(&rotations), bits(&lanes.rotations)),
            Some(solution) => {
                prop_assert!(solution.residual.is_finite());
                prop_assert!(of_lane(&rotations, 4).iter().all(|q| q.is_finite()));
            }
        }
        prop_assert!(output.residual.iter().chain(&output.status.by_metres).all(|m| m.is_finite() && *m >= 0.0));
    }
}

fn plain(joints: usize, target: DVec3, limits: Option<JointLimit>, start: DQuat) -> Chain {
    Chain {
        root: DTransform::IDENTITY,
        offsets: vec![DVec3::Y * 0.3; joints],
        limits: vec![limits; joints],
        target,
        start: vec![start; joints],
    }
}

/// As often as double precision reaches, and in the same pose nearly always: the same steps are taken.
#[test]
fn free_chains_within_reach_get_there_as_in_double_precision() {
    let (mut same, mut all, mut most) = (0, 0, [0; 2]);
    for run in 0..50 {
        let mut lanes = Lanes::new(4);
        let chains: Vec<Chain> = (0..8)
            .map(|lane| {
                let t = f64::from(run * 8 + lane) * 0.7;
                let way = DVec3::new(libm::sin(t), libm::cos(1.3 * t), libm::sin(2.1 * t)).normalize();
                plain(4, way * (0.2 + 0.002 * f64::from(run * 8 + lane)), None, DQuat::from_rotation_x(0.1))
            })
            .collect();
        chains.iter().enumerate().for_each(|(lane, chain)| lanes.set(lane, chain));
        let (output, rotations) = lanes.run(200);
        for (lane, chain) in chains.iter().enumerate() {
            let (expected, q) = chain.exact(200).expect("a chain");
            assert_eq!(expected.status, IkStatus::Reached);
            assert_eq!(output.get(lane).expect("a chain").status, IkStatus::Reached, "{}", chain.target);
            let apart = q.iter().zip(of_lane(&rotations, lane));
            let off = apart.map(|(a, b)| DTransform::angle_between(*a, b)).fold(0.0, f64::max);
            all += 1;
            same += usize::from(off < 2e-3);
            most = [most[0].max(expected.sweeps), most[1].max(output.sweeps[lane])];
        }
    }
    println!("{same} of {all} chains in the same pose within 2e-3 rad, at most {most:?} sweeps");
    assert!(same * 100 >= all * 98);
}

/// What stops a chain is told as in double precision.
#[test]
fn statuses_are_those_of_one_chain_by_name_and_number() {
    let hinge = JointLimit::swing_twist(DQuat::IDENTITY, DVec3::X, 0.0, [-2.0, 2.0]);
    let bent = DQuat::from_rotation_x(0.2);
    let chains = [
        plain(5, DVec3::new(0.0, 0.4, 0.8), Some(hinge), bent),
        plain(5, DVec3::new(0.5, 0.4, 0.8), Some(hinge), bent),
        plain(5, DVec3::new(2.0, 1.0, 0.0), None, bent),
        plain(5, DVec3::Y * 0.5, None, DQuat::IDENTITY),
        plain(5, DVec3::ZERO, None, bent),
        plain(5, DVec3::NAN, None, bent),
        plain(5, DVec3::X, None, DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0)),
        Chain { offsets: vec![DVec3::ZERO; 5], ..plain(5, DVec3::X, None, bent) },
    ];
    let mut lanes = Lanes::new(5);
    chains.iter().enumerate().for_each(|(lane, chain)| lanes.set(lane, chain));
    let (output, _) = lanes.run(200);
    for (lane, chain) in chains.iter().enumerate() {
        match (output.get(lane).map(|s| s.status), chain.exact(200).map(|s| s.0.status)) {
            (Some(IkStatus::Unreachable { by_metres: a }), Ok(IkStatus::Unreachable { by_metres: b })) => {
                assert!((a - b).abs() < 1e-5, "{a} and {b}");
            }
            (found, expected) => assert_eq!(found, expected.ok(), "lane {lane}"),
        }
    }
    let stuck = output.get(1).expect("hinges");
    assert_eq!(stuck.status, IkStatus::LimitHit { joint: 0 });
    // Hinges about X cannot leave their plane: half a metre is missing.
    assert!((stuck.residual - 0.5).abs() < 1e-3, "{}", stuck.residual);
    assert!(matches!(output.get(2).expect("far").status, IkStatus::Unreachable { by_metres }
        if (by_metres - (5.0_f64.sqrt() - 1.5)).abs() < 1e-3));
    assert_eq!(output.status.faulty, 0xe0);
    // Stopped on its way, a hinge is not to blame.
    let (stopped, _) = lanes.run(1);
    assert!(matches!(stopped.get(0).expect("hinges").status, IkStatus::Unreachable { .. }));
}

#[test]
fn jobs_and_limits_that_are_none_are_refused_by_name() {
    let (group, links) = (&ChainGroup::EMPTY, &[ChainLink::EMPTY; 2]);
    let mut rotations = [[[0.0; 8]; 4]; 2];
    let mut output = ChainLanes::default();
    let mut run = |links: &[ChainLink], sweeps: u32| {
        ChainGroupJob { group, links, sweeps, rotations: &mut rotations, output: &mut output }.run()
    };
    assert_eq!(run(&links[..1], 9), Err(IkError::Count { what: "rotations", found: 2, expected: 1 }));
    assert!(matches!(run(links, 0), Err(IkError::OutOfRange { what: "the number of sweeps", .. })));
    let mut link = ChainLink::EMPTY;
    let wide = JointLimit::swing_twist(DQuat::IDENTITY, DVec3::ZERO, 1.0, [0.0, 0.0]);
    assert_eq!(link.limits.set(0, Some(&wide)), Err(IkError::ZeroLength { what: "the axis of a limit" }));
    let range = LimitRange::PerAxis { order: EulerRot::ZXZ, min: DVec3::ZERO, max: DVec3::ONE };
    let twice = JointLimit { reference: DQuat::IDENTITY, range };
    assert!(matches!(link.limits.set(0, Some(&twice)), Err(IkError::OutOfRange { expected: "3", .. })));
    assert_eq!(link, ChainLink::EMPTY);
}
