//! Limbs of two bones: `ik` bends one to a target, `ik_path` to many in a row.
//!
//! Both name a limb: `nodes` of the file (root, middle, end; at `time` of `animation`, bent about `hinge`
//! where that is given, else as they are), or `root` with the lengths `upper` and `lower`. Then `pole` or
//! `plane_normal`, and `soft` (0 where missing).
//!
//! `ik`: `target`, and what comes of it: `position` of the end, `mid`, `status` (reached, softened,
//! unreachable) with `by_metres`, or `error`, a part of its message.
//!
//! `ik_path`: `targets`, or `from`, `to` and `steps` along the line between, and what holds over all:
//! `max_residual` from end to target in metres, `max_turn_degrees` of either bone between neighbours,
//! `not_reached`, how many are.

use glam::{DQuat, DVec3};
use serde_json::json;
use sinew::{
    BendPlane, DTransform, IkStatus, RawPose, TwoBoneJob, TwoBoneLimb, TwoBoneSolution, largest_turn,
    model_matrices,
};

use crate::Files;
use crate::values::{Check, near, near3, numbers};

/// A limb and where its root is.
struct Limb {
    limb: TwoBoneLimb,
    root: DVec3,
    /// Ends of the bones in the spaces of their joints.
    offsets_ls: [DVec3; 2],
}

impl Limb {
    fn of(check: &Check<'_>, files: &mut Files) -> Result<Self, String> {
        match numbers(check.value("nodes")) {
            Some(nodes) => Self::of_nodes(check, files, &nodes),
            None => {
                let (upper, lower) = (check.number("upper")?, check.number("lower")?);
                let frames = DQuat::IDENTITY;
                let limb = TwoBoneLimb { upper, lower, upper_frame: frames, lower_frame: frames };
                let offsets_ls = [DVec3::X * upper, DVec3::X * lower];
                Ok(Self { limb, root: check.vec3("root")?, offsets_ls })
            }
        }
    }

    fn of_nodes(check: &Check<'_>, files: &mut Files, nodes: &[f64]) -> Result<Self, String> {
        let [root, mid, end] = nodes else { return Err("'nodes' are root, middle and end".into()) };
        let loaded = files.get(check.file())?;
        let skeleton = &loaded.document.skeleton;
        let pose: RawPose = crate::pose::pose(check, loaded)?;
        let mut model = Vec::new();
        model_matrices(skeleton, &pose, &mut model);
        let rigid = |node: &f64| {
            let id = skeleton.joint_of_node(*node as u32).ok_or_else(|| format!("no node {node}"))?;
            Ok::<_, String>(DTransform::rigid_part(&model[id.index()]))
        };
        let (root, mid, end) = (rigid(root)?, rigid(mid)?, rigid(end)?);
        let (along_upper, along_lower) =
            (mid.translation - root.translation, end.translation - mid.translation);
        let hinge = if check.has("hinge") { check.vec3("hinge")? } else { along_lower.cross(along_upper) };
        let limb = TwoBoneLimb::from_pose(&root, &mid, end.translation, hinge).map_err(|e| e.to_string())?;
        let offsets_ls = [root.rotation.conjugate() * along_upper, mid.rotation.conjugate() * along_lower];
        Ok(Self { limb, root: root.translation, offsets_ls })
    }

    fn solve(&self, check: &Check<'_>, target: DVec3) -> Result<(TwoBoneSolution, IkStatus), String> {
        let plane = if check.has("pole") {
            BendPlane::Pole(check.vec3("pole")?)
        } else {
            BendPlane::Normal(check.vec3("plane_normal")?)
        };
        let soft = check.value("soft").as_f64().unwrap_or(0.0);
        let mut output = TwoBoneSolution::NONE;
        let (limb, root) = (&self.limb, self.root);
        let status = TwoBoneJob { limb, root, target, plane, soft, output: &mut output }.run();
        Ok((output, status.map_err(|e| e.to_string())?))
    }

    /// Middle and end, forward from the rotations.
    fn forward(&self, solution: &TwoBoneSolution) -> (DVec3, DVec3) {
        let mid = self.root + solution.upper * self.offsets_ls[0];
        (mid, mid + solution.lower * self.offsets_ls[1])
    }
}

pub(crate) fn ik(check: &Check<'_>, files: &mut Files) -> Result<(), String> {
    let limb = Limb::of(check, files)?;
    let solved = limb.solve(check, check.vec3("target")?);
    if check.has("error") {
        let part = check.text("error")?;
        return match solved {
            Err(message) if message.contains(part) => Ok(()),
            other => Err(format!("expected an error about '{part}', found {other:?}")),
        };
    }
    let (solution, status) = solved?;
    let (mid, end) = limb.forward(&solution);
    let mut any = false;
    if check.has("position") {
        any = true;
        check.position_is(end)?;
    }
    if check.has("mid") {
        any = true;
        near3("middle joint", check.vec3("mid")?, mid, check.tolerance("position"))?;
    }
    if check.has("status") {
        any = true;
        let (name, by_metres) = named(status);
        if name != check.text("status")? {
            return Err(format!("{name} ({by_metres} m), expected {}", check.text("status")?));
        }
        if check.has("by_metres") {
            near(
                "distance that is missing",
                check.number("by_metres")?,
                by_metres,
                check.tolerance("position"),
            )?;
        }
    }
    if any { Ok(()) } else { Err("the check states no position, mid, status or error".into()) }
}

pub(crate) fn ik_path(check: &Check<'_>, files: &mut Files) -> Result<(), String> {
    let limb = Limb::of(check, files)?;
    let targets = targets(check)?;
    let (mut residual, mut turn, mut not_reached) = (0.0_f64, 0.0_f64, 0_u32);
    let mut before: Option<[DQuat; 2]> = None;
    for (i, &target) in targets.iter().enumerate() {
        let (solution, status) = limb.solve(check, target).map_err(|e| format!("target {i}: {e}"))?;
        not_reached += u32::from(!status.is_reached());
        residual = residual.max((limb.forward(&solution).1 - target).length());
        let now = [solution.upper, solution.lower];
        turn = turn.max(before.and_then(|b| largest_turn(&b, &now)).map_or(0.0, |t| t.radians));
        before = Some(now);
    }
    let mut any = false;
    let turn = turn.to_degrees();
    for (key, found) in
        [("max_residual", residual), ("max_turn_degrees", turn), ("not_reached", f64::from(not_reached))]
    {
        if check.has(key) {
            any = true;
            let most = check.number(key)?;
            let holds = if key == "not_reached" { found == most } else { found <= most };
            if !holds {
                return Err(format!("{key} {found:e}, expected {most:e}"));
            }
        }
    }
    if any { Ok(()) } else { Err("the check states no max_residual, max_turn_degrees or not_reached".into()) }
}

fn targets(check: &Check<'_>) -> Result<Vec<DVec3>, String> {
    if let Some(list) = check.value("targets").as_array() {
        let one = |v| numbers(v).filter(|v| v.len() == 3).map(|v| DVec3::from_slice(&v));
        return list.iter().map(|v| one(v).ok_or_else(|| format!("{v} is no target"))).collect();
    }
    let (from, to, steps) = (check.vec3("from")?, check.vec3("to")?, check.index("steps")?.max(1));
    Ok((0..=steps).map(|i| from.lerp(to, f64::from(i) / f64::from(steps))).collect())
}

fn named(status: IkStatus) -> (&'static str, f64) {
    match status {
        IkStatus::Reached => ("reached", 0.0),
        IkStatus::Softened { by_metres } => ("softened", by_metres),
        IkStatus::Unreachable { by_metres } => ("unreachable", by_metres),
        IkStatus::Collides { by_metres } => ("collides", by_metres),
        IkStatus::LimitHit { .. } => ("limit", 0.0),
    }
}

/// Triangles of 3, 4 and 5, whose corners are known without a solver.
#[test]
fn limbs_of_known_triangles_are_told_from_wrong_ones() {
    let mut files = Files::new(std::path::Path::new("."));
    let limb = json!({ "root": [0, 0, 0], "upper": 4.0, "lower": 3.0, "pole": [0, 0, 9] });
    let with = |more: serde_json::Value| {
        let mut all = limb.clone();
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    let tolerance = json!({ "position": 1e-12 });
    let mut run = |kind: fn(&Check<'_>, &mut Files) -> Result<(), String>, more: serde_json::Value| {
        kind(&Check::new(&with(more), &tolerance), &mut files)
    };
    // The middle joint is at the right angle of a 3-4-5 triangle: 3.2 along and 2.4 beside.
    run(ik, json!({ "target": [5, 0, 0], "position": [5, 0, 0], "mid": [3.2, 0, 2.4], "status": "reached" }))
        .unwrap();
    run(ik, json!({ "target": [5, 0, 0], "mid": [3.2, 0, -2.4] })).unwrap_err();
    run(ik, json!({ "target": [9, 0, 0], "position": [7, 0, 0], "status": "unreachable", "by_metres": 2.0 }))
        .unwrap();
    run(ik, json!({ "target": [9, 0, 0], "status": "reached" })).unwrap_err();
    run(ik, json!({ "target": [0, 0.5, 0], "status": "unreachable", "by_metres": 0.5 })).unwrap();
    // Within the last tenth, 0.7 m, softness halves the rest of the way twice: at 7 m the end is at 6.3 + 0.7
    // * 0.75.
    run(ik, json!({ "target": [7, 0, 0], "soft": 0.1, "status": "softened", "by_metres": 0.175 })).unwrap();
    run(ik, json!({ "target": [0, 0, 0], "error": "on the root" })).unwrap();
    run(ik, json!({ "target": [0, 0, 5], "error": "on the line" })).unwrap();
    run(ik, json!({ "target": [5, 0, 0], "error": "on the line" })).unwrap_err();
    run(ik, json!({ "target": [5, 0, 0] })).unwrap_err();
    let path = json!({ "from": [3, 2, 0], "to": [3, -2, 0], "steps": 80, "max_residual": 1e-12,
        "max_turn_degrees": 3.0, "not_reached": 0 });
    run(ik_path, path).unwrap();
    let far = json!({ "targets": [[6, 0, 0], [8, 0, 0]], "max_residual": 0.5 });
    run(ik_path, far).unwrap_err();
    run(ik_path, json!({ "targets": [[6, 0, 0], [0, 6, 0]], "max_turn_degrees": 89.0 })).unwrap_err();
}

/// The fox bends its hind leg to where its foot is at another moment of its walk.
#[test]
fn limbs_of_a_file_reach_too() {
    let Some(shared) = std::env::var_os("SINEW_SHARED") else {
        println!("SINEW_SHARED is not set: no character to bend");
        return;
    };
    let folder = std::path::Path::new(&shared).join("data/fox");
    let mut files = Files::new(&folder);
    let loaded = files.get("Fox.glb").unwrap();
    let node = |name: &str| {
        let skeleton = &loaded.document.skeleton;
        let found = skeleton.iter().find(|(_, joint)| joint.name.as_deref() == Some(name));
        found.unwrap_or_else(|| panic!("no joint {name}")).1.node
    };
    let nodes = ["b_RightLeg01_019", "b_RightLeg02_020", "b_RightFoot01_021"].map(node);
    let check = json!({ "file": "Fox.glb", "nodes": nodes, "animation": "Walk", "time": 0.2,
        "from": [-8, 12, -35], "to": [-8, 14, -25], "steps": 40, "plane_normal": [1, 0, 0], "max_residual": 1e-11,
        "max_turn_degrees": 8.0, "not_reached": 0 });
    ik_path(&Check::new(&check, &json!({})), &mut files).unwrap();
}
