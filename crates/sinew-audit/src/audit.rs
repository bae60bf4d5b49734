//! The walk over a file.

use sinew::JointFlags;
use sinew_asset::{Document, Loaded};

use crate::collect::Collector;
use crate::context::Context;
use crate::motion::Motion;
use crate::report::{AuditReport, ClipFacts, FileFacts};
use crate::{Limits, rules};

/// Looks at a file and says what is wrong with it.
///
/// Takes time linear in the size of the file and keeps one clip's poses at a time.
#[must_use]
pub fn audit(loaded: &Loaded, limits: &Limits) -> AuditReport {
    let context = Context::new(loaded, limits);
    let mut out = Collector::new(limits);
    context.shown.note().into_iter().for_each(|note| out.push(note));
    rules::check_file(&context, &mut out);
    let mut clips = Vec::new();
    for (index, clip) in context.document.clips.iter().enumerate() {
        if clip.validate(context.skeleton()).is_err() {
            // A reader never makes such a clip; one made by hand cannot be sampled.
            continue;
        }
        let mut motion = Motion::new(context.skeleton(), &context.model, clip, index);
        motion.seam = rules::Seam::of(&context, &motion);
        let mut facts = ClipFacts {
            name: clip.label(),
            source: clip.source,
            duration_s: motion.duration,
            channels: clip.channels.len(),
            keys: clip.channels.iter().map(|c| c.track.len()).max().unwrap_or(0),
            ..ClipFacts::default()
        };
        rules::check_clip(&context, &motion, &mut facts, &mut out);
        clips.push(facts);
    }
    rules::fold_first_keys(&mut out);
    let file = file_facts(&context);
    let (findings, plots, counts) = out.finish();
    AuditReport { file, clips, findings, counts, plots }
}

fn file_facts(context: &Context<'_>) -> FileFacts {
    let document: &Document = context.document;
    let skeleton = context.skeleton();
    let in_skin = |j: &sinew::Joint| j.flags.contains(JointFlags::SKIN_JOINT);
    FileFacts {
        name: document.name.clone(),
        joints: skeleton.len(),
        skin_joints: skeleton.joints().iter().filter(|j| in_skin(j)).count(),
        clips: document.clips.len(),
        meshes: document.meshes.len(),
        vertices: document.meshes.iter().flat_map(|m| &m.primitives).map(|p| p.positions.len()).sum(),
        skins: document.skins.len(),
        height_m: context.model.height_m,
        size_m: context.model.size_m,
        feet: context.feet.iter().map(|f| skeleton.label(f.joint)).collect(),
    }
}
