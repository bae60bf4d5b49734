//! Which extensions are read, carried or refused.

use std::collections::BTreeSet;

use super::json::Cursor;
use crate::error::{AssetError, Object, ProblemCode, Problems, Severity};

/// What is done about an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Support {
    /// Its meaning is used.
    Read,
    /// Passed on to the writer; changes neither geometry nor motion.
    Carried,
    /// Known, harmless to skip, neither used nor passed on.
    Skipped,
    /// Not known, or known and not read: a file that requires it is refused.
    Unknown,
}

/// What is done about the extension of this name.
pub(crate) fn support(name: &str) -> Support {
    match name {
        "KHR_mesh_quantization" | "KHR_animation_pointer" => Support::Read,
        "EXT_meshopt_compression" | "KHR_meshopt_compression" => {
            if cfg!(feature = "meshopt") {
                Support::Read
            } else {
                Support::Unknown
            }
        }
        "KHR_lights_punctual"
        | "KHR_xmp_json_ld"
        | "KHR_node_visibility"
        | "KHR_node_selectability"
        | "KHR_node_hoverability"
        | "EXT_texture_webp"
        | "EXT_texture_avif"
        | "MSFT_texture_dds" => Support::Carried,
        _ if name.starts_with("KHR_materials_") || name.starts_with("KHR_texture_") => Support::Carried,
        "EXT_mesh_gpu_instancing" | "MSFT_lod" => Support::Skipped,
        _ => Support::Unknown,
    }
}

/// Refuses a file that requires what is not read, by name.
pub(crate) fn check_required(root: Cursor<'_>, problems: &mut Problems) -> Result<(), AssetError> {
    let Some(list) = root.list("extensionsRequired")? else { return Ok(()) };
    for required in list.elements() {
        let name = required.text()?;
        match support(name) {
            Support::Read | Support::Carried => {}
            Support::Skipped => {
                let text = format!("{name} is required by the file and not interpreted");
                let object = Object::Extension(name.to_owned());
                problems.push(Severity::Warning, ProblemCode::Extension, object, required.place(), text);
            }
            Support::Unknown => {
                let feature = super::fault::short(name);
                return Err(AssetError::Unsupported { feature, pointer: required.pointer() });
            }
        }
    }
    Ok(())
}

/// Names the extensions whose data was dropped, once each.
pub(crate) fn report_dropped(dropped: BTreeSet<String>, problems: &mut Problems) {
    for name in dropped {
        let text = format!("{name} is neither interpreted nor passed on");
        let object = Object::Extension(name);
        problems.push(Severity::Warning, ProblemCode::Extension, object, Default::default(), text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draco_and_the_unknown_are_refused_where_they_are_required() {
        let json = serde_json::json!({"extensionsRequired": ["KHR_texture_transform", "KHR_draco_mesh_compression"]});
        let error = check_required(Cursor::root(&json), &mut Problems::default()).unwrap_err();
        assert!(error.is_unsupported());
        let text = error.to_string();
        assert!(
            text.contains("KHR_draco_mesh_compression") && text.contains("/extensionsRequired/1"),
            "{text}"
        );
    }
}
