//! `SINEW_DUPLICATE_NAME`: names that do not tell things apart.

use std::collections::BTreeMap;

use sinew::JointId;

use super::Rule;
use crate::collect::Collector;
use crate::context::Context;
use crate::model::path;
use crate::wording::{counted, either};
use crate::{Code, Finding, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::DuplicateName,
    severity: Severity::Warning,
    title: "joints or clips of the same name, or of none",
    reason: "Engines that bind tracks, masks and sockets by name take the first joint of that name; the \
             other one stays still. A clip that shares its name with another cannot be asked for.",
    method: "Names exactly as in the file. Warning where two clips share a name, or where two of the joints \
             of one name are moved by a skin or a clip; info for other nodes and for missing names, which \
             are counted.",
    example: "warning SINEW_DUPLICATE_NAME 2 joints are named 'Bone': Armature/Hips/Bone, Armature/Spine/Bone",
    fix: "Rename all but one.",
    section: None,
    check_file: Some(check),
    check_clip: None,
};

fn check(context: &Context<'_>, out: &mut Collector<'_>) {
    check_joints(context, out);
    check_clips(context, out);
}

fn check_joints(context: &Context<'_>, out: &mut Collector<'_>) {
    let skeleton = context.skeleton();
    let mut named: BTreeMap<&str, Vec<JointId>> = BTreeMap::new();
    let mut unnamed: Vec<JointId> = Vec::new();
    for (id, joint) in skeleton.iter() {
        match joint.name.as_deref() {
            Some(name) if !name.is_empty() => named.entry(name).or_default().push(id),
            _ => unnamed.push(id),
        }
    }
    let acts = acting(context);
    for (name, joints) in named.iter().filter(|(_, joints)| joints.len() > 1) {
        let acting_here = joints.iter().filter(|j| acts[j.index()]).count();
        let severity = if acting_here > 1 { Severity::Warning } else { Severity::Info };
        let kind = if acting_here > 1 { "joints" } else { "nodes" };
        let paths: Vec<String> = joints.iter().take(4).map(|&j| path(skeleton, j)).collect();
        let more = if joints.len() > 4 { ", ..." } else { "" };
        let message = format!("{} {kind} are named '{name}': {}{more}", joints.len(), paths.join(", "));
        let finding = Finding::new(Code::DuplicateName, severity, message, RULE.fix);
        let second = joints[1];
        let finding = finding.joint(skeleton, second).pointer(pointer(skeleton.joint(second).node));
        out.push(finding.measured(joints.len() as f64, 1.0, ""));
    }
    let acting_unnamed: Vec<JointId> = unnamed.iter().copied().filter(|j| acts[j.index()]).collect();
    if let Some(&first) = acting_unnamed.first() {
        let message = format!(
            "{} of {} that a skin or a clip uses {} no name, the first is node {}",
            acting_unnamed.len(),
            counted(acts.iter().filter(|a| **a).count(), "joint", "joints"),
            either(acting_unnamed.len(), "has", "have"),
            skeleton.joint(first).node
        );
        let fix = "Name them before the clips are to be used on another character.";
        let finding = Finding::new(Code::DuplicateName, Severity::Info, message, fix);
        let finding = finding.joint(skeleton, first).pointer(pointer(skeleton.joint(first).node));
        out.push(finding.measured(acting_unnamed.len() as f64, 0.0, ""));
    }
}

/// Joints that a skin names or a clip moves, `[joint]`.
fn acting(context: &Context<'_>) -> Vec<bool> {
    let mut acts = vec![false; context.skeleton().len()];
    let skins = context.document.skins.iter().flat_map(|s| s.joints.iter().copied());
    let clips = context.document.clips.iter().flat_map(|c| c.channels.iter().map(|c| c.joint));
    skins.chain(clips).for_each(|j| acts[j.index()] = true);
    acts
}

fn check_clips(context: &Context<'_>, out: &mut Collector<'_>) {
    let mut named: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut unnamed = Vec::new();
    for (index, clip) in context.document.clips.iter().enumerate() {
        match clip.name.as_deref() {
            Some(name) if !name.is_empty() => named.entry(name).or_default().push(index),
            _ => unnamed.push(index),
        }
    }
    let source = |index: usize| context.document.clips[index].source;
    for (name, clips) in named.iter().filter(|(_, clips)| clips.len() > 1) {
        let numbers: Vec<String> = clips.iter().take(8).map(|&c| source(c).to_string()).collect();
        let more = if clips.len() > 8 { ", ..." } else { "" };
        let message =
            format!("{} clips are named '{name}': animations {}{more}", clips.len(), numbers.join(", "));
        let clip = &context.document.clips[clips[1]];
        let finding = Finding::new(Code::DuplicateName, Severity::Warning, message, RULE.fix).clip(clip);
        let finding = finding.pointer(format!("/animations/{}/name", clip.source));
        out.push(finding.measured(clips.len() as f64, 1.0, ""));
    }
    if let Some(&first) = unnamed.first() {
        let (count, all) = (unnamed.len(), context.document.clips.len());
        let message = format!(
            "{count} of {} {} no name, the first is animation {}",
            counted(all, "clip", "clips"),
            either(count, "has", "have"),
            source(first)
        );
        let fix = "Name the clips; players ask for them by name.";
        let finding = Finding::new(Code::DuplicateName, Severity::Info, message, fix);
        let finding = finding.clip(&context.document.clips[first]);
        out.push(finding.pointer(format!("/animations/{}", source(first))).measured(count as f64, 0.0, ""));
    }
}

fn pointer(node: u32) -> String {
    format!("/nodes/{node}/name")
}
