//! `SINEW_UNBOUND`: joints, tracks and meshes that do nothing.

use std::collections::BTreeSet;

use sinew::{ChannelTarget, JointFlags, JointId};

use super::Rule;
use crate::collect::Collector;
use crate::context::Context;
use crate::motion::Motion;
use crate::report::ClipFacts;
use crate::wording::{counted, either};
use crate::{Code, Finding, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::Unbound,
    severity: Severity::Info,
    title: "joints, tracks and meshes that do nothing",
    reason: "Joints without vertices cost matrices on every instance, tracks without a target cost memory, and \
             a mesh that lost its skin stands in its bind pose while the rest walks away.",
    method: "Info: joints of a skin that pull no vertex and have none below that do; channels and whole clips \
             that move nothing which is seen; skins and meshes that no node uses. Warning: a mesh whose \
             vertices name joints on a node that has no skin. Sockets and IK helpers are listed too; keep \
             what is meant. A file without meshes is a motion file: its joints are what is seen.",
    example: "info SINEW_UNBOUND 14 of 41 joints of skin 'Rig' pull no vertex and have none below that do: \
              kneeIK.l, heelIK.l, ...",
    fix: "Leave helpers out of the skin when exporting, and bake what only they move.",
    section: None,
    check_file: Some(check_file),
    check_clip: Some(check_clip),
};

/// Names listed in a message.
const LISTED: usize = 8;

fn check_file(context: &Context<'_>, out: &mut Collector<'_>) {
    check_skins(context, out);
    check_meshes(context, out);
}

fn check_skins(context: &Context<'_>, out: &mut Collector<'_>) {
    let (document, skeleton) = (context.document, context.skeleton());
    let used: BTreeSet<usize> = document.instances.iter().filter_map(|i| i.skin).collect();
    let pulled = pulled_below(context);
    for (index, skin) in document.skins.iter().enumerate() {
        let label = skin.name.clone().unwrap_or_else(|| format!("skin {}", skin.source));
        let mut place = Finding::new(Code::Unbound, Severity::Info, "", RULE.fix);
        place.subject.skin = Some(skin.source);
        let place = place.pointer(format!("/skins/{}", skin.source));
        if !used.contains(&index) {
            let message = {
                let joints = counted(skin.joints.len(), "joint", "joints");
                format!("no node uses skin '{label}' with its {joints}")
            };
            out.push(Finding { message, ..place }.measured(skin.joints.len() as f64, 0.0, ""));
            continue;
        }
        let idle: Vec<JointId> = skin.joints.iter().copied().filter(|j| !pulled[j.index()]).collect();
        if let Some(&first) = idle.first() {
            let message = format!(
                "{} of {} of skin '{label}' {}: {}",
                idle.len(),
                counted(skin.joints.len(), "joint", "joints"),
                either(
                    idle.len(),
                    "pulls no vertex and has none below that does",
                    "pull no vertex and have none below that do"
                ),
                names(idle.iter().map(|&j| skeleton.label(j)), idle.len())
            );
            let finding = Finding { message, ..place }.joint(skeleton, first);
            out.push(finding.measured(idle.len() as f64, 0.0, ""));
        }
    }
}

/// Whether a joint or one below it pulls a vertex or carries a mesh, `[joint]`.
fn pulled_below(context: &Context<'_>) -> Vec<bool> {
    let mut pulled = context.model.pulls.clone();
    for instance in &context.document.instances {
        if instance.skin.is_none() {
            pulled[instance.joint.index()] = true;
        }
    }
    for (id, joint) in context.skeleton().iter().collect::<Vec<_>>().into_iter().rev() {
        if let Some(parent) = joint.parent {
            pulled[parent.index()] |= pulled[id.index()];
        }
    }
    pulled
}

fn check_meshes(context: &Context<'_>, out: &mut Collector<'_>) {
    let document = context.document;
    let mut instances_of = vec![Vec::new(); document.meshes.len()];
    for instance in &document.instances {
        if let Some(list) = instances_of.get_mut(instance.mesh) {
            list.push(instance);
        }
    }
    for (index, mesh) in document.meshes.iter().enumerate() {
        let label = mesh.name.clone().unwrap_or_else(|| format!("mesh {}", mesh.source));
        let mut place = Finding::new(Code::Unbound, Severity::Info, "", "");
        (place.subject.mesh, place.subject.mesh_index) = (Some(label.clone()), Some(mesh.source));
        let place = place.pointer(format!("/meshes/{}", mesh.source));
        let vertices: usize = mesh.primitives.iter().map(|p| p.positions.len()).sum();
        let instances = &instances_of[index];
        if instances.is_empty() {
            let message =
                format!("no node shows mesh '{label}' with its {}", counted(vertices, "vertex", "vertices"));
            let fix = "Remove the mesh, or give it a node.".to_owned();
            out.push(Finding { message, fix, ..place }.measured(vertices as f64, 0.0, ""));
            continue;
        }
        let bound = mesh.primitives.iter().any(|p| p.influences.is_some());
        if let Some(instance) = instances.iter().find(|i| bound && i.skin.is_none()) {
            let message = format!(
                "the vertices of mesh '{label}' name joints, but its node '{}' has no skin: it stays in its \
                 bind pose",
                context.skeleton().label(instance.joint)
            );
            let fix = "Give the node the skin, or remove the joints and weights.".to_owned();
            let finding = Finding { message, fix, severity: Severity::Warning, ..place };
            out.push(finding.joint(context.skeleton(), instance.joint).measured(vertices as f64, 0.0, ""));
        }
    }
}

fn check_clip(context: &Context<'_>, motion: &Motion<'_>, _: &mut ClipFacts, out: &mut Collector<'_>) {
    if !out.wants(Code::Unbound) || !context.model.has_meshes {
        return;
    }
    let (skeleton, clip) = (context.skeleton(), motion.clip);
    let views = views_below(context);
    // Helpers that sit in a skin are told once, with the skin; a camera that moves is seen through.
    let idle: Vec<_> = clip
        .channels
        .iter()
        .filter(|c| c.target != ChannelTarget::Weights && !context.model.visible[c.joint.index()])
        .filter(|c| !skeleton.joint(c.joint).flags.contains(JointFlags::SKIN_JOINT))
        .filter(|c| !views[c.joint.index()])
        .collect();
    let Some(first) = idle.first() else { return };
    let whole = idle.len() == clip.channels.len();
    let mut joints: Vec<JointId> = idle.iter().map(|c| c.joint).collect();
    joints.dedup();
    let list = names(joints.iter().map(|&j| skeleton.label(j)), joints.len());
    let message = if whole {
        format!(
            "the clip moves nothing that is seen: {} on {list}",
            counted(idle.len(), "channel", "channels")
        )
    } else {
        let verb = either(idle.len(), "moves", "move");
        format!("{} of {} channels {verb} nothing that is seen: {list}", idle.len(), clip.channels.len())
    };
    let fix = if whole { "Remove the clip." } else { "Remove the channels." };
    let finding = Finding::new(Code::Unbound, Severity::Info, message, fix).clip(clip);
    let mut finding = finding.joint(skeleton, first.joint);
    finding.subject.channel = Some(first.source);
    out.push(finding.measured(idle.len() as f64, 0.0, ""));
}

/// Whether a camera or a light moves with a joint, `[joint]`.
fn views_below(context: &Context<'_>) -> Vec<bool> {
    let skeleton = context.skeleton();
    let mut views: Vec<bool> = skeleton.joints().iter().map(|j| j.flags.contains(JointFlags::VIEW)).collect();
    for (id, joint) in skeleton.iter().collect::<Vec<_>>().into_iter().rev() {
        if let Some(parent) = joint.parent {
            views[parent.index()] |= views[id.index()];
        }
    }
    views
}

fn names(labels: impl Iterator<Item = String>, count: usize) -> String {
    let mut list = labels.take(LISTED).collect::<Vec<_>>().join(", ");
    if count > LISTED {
        list.push_str(", ...");
    }
    list
}
