//! Reading glTF 2.0: `.glb`, and `.gltf` with files beside it or `data:` URIs.
//!
//! Written from the glTF 2.0 specification (Khronos, 2021). A file is read in one pass over layers that each
//! check what they take from the one below: container, JSON, buffers, accessors, then nodes, skins, meshes
//! and animations. Every fault names its place; what it costs is decided where it is met.

mod accessor;
mod animation;
mod budget;
mod buffer;
mod carry;
mod extension;
mod extras;
mod fault;
mod glb;
mod influence;
mod json;
mod mesh;
mod meshopt;
mod node;
mod pointer;
mod scene;
mod skin;
mod triangle;

use crate::document::{Document, Format, Loaded, MeshInstance};
use crate::error::{AssetError, Object, Place, ProblemCode, Problems, Severity};
use crate::load::{ReadOptions, Resolver};
use accessor::Accessors;
use budget::Budget;
use buffer::Buffers;
use json::Cursor;
use mesh::Meshes;
use scene::Shown;
use skin::Skins;

/// Reads a glTF or GLB file from its bytes; `resolver` finds the files that it names.
///
/// Takes memory in a small multiple of what it reads ([`ReadOptions::memory_limit`]), whatever the file
/// claims.
///
/// # Errors
/// [`AssetError`] where the container or the JSON is broken, or the file requires an extension that is not
/// read. Anything less is in [`Loaded::problems`].
pub fn read_gltf(bytes: &[u8], resolver: &dyn Resolver, options: &ReadOptions) -> Result<Loaded, AssetError> {
    let mut problems = Problems::default();
    let mut budget = Budget::new(bytes.len() as u64, options.memory_limit);
    let container = glb::split(bytes, &mut problems)?;
    let needed = json::parsed_size(container.json);
    let place = || Place::Byte(container.json_offset);
    if budget.charge(needed, 1, place).is_err() {
        return Err(AssetError::TooLarge { place: place(), needed, limit: budget.limit() });
    }
    let value = json::parse(container.json, container.json_offset)?;
    let root = Cursor::root(&value);
    root.object()?;
    check_version(root)?;
    extension::check_required(root, &mut problems)?;

    check_lists(root, &mut problems);

    let buffers = Buffers::read(root, container.bin, resolver, &mut budget, &mut problems);
    let mut accessors = Accessors::new(root, &buffers, budget);
    let accessors = &mut accessors;
    let mut nodes = node::read_nodes(root, accessors, &mut problems)?;
    let (scenes, default_scene) = scene::read_scenes(root, &nodes, &mut problems);
    let skins = skin::read_skins(root, &mut nodes, accessors, &mut problems);
    let shown = scene::read_shown(root, &mut problems);
    let limits = joint_limits(&shown, &skins);
    let mut meshes = mesh::read_meshes(root, &limits, accessors, &mut problems);
    let instances = instances(&shown, &nodes, &skins, &meshes, &mut problems);
    let clips = animation::read_animations(root, &mut nodes, accessors, &mut problems);
    let images = carry::read_images(root, options.images, resolver, accessors, &mut problems);

    let carried = carry::carry(value, images, &mut meshes, &mut problems);
    let document = Document {
        name: String::new(),
        format: Format::Gltf,
        skeleton: nodes.skeleton,
        clips,
        meshes: meshes.list.into_iter().map(|read| read.mesh).collect(),
        skins: skins.list,
        instances,
        scenes,
        default_scene,
        carried,
    };
    Ok(Loaded { document, problems: problems.finish() })
}

/// Accepts glTF 2.x that a 2.0 reader may read.
fn check_version(root: Cursor<'_>) -> Result<(), AssetError> {
    let asset = root.need("asset", "an object with the version")?;
    let unsupported = |at: Cursor<'_>, version: &str| AssetError::Unsupported {
        feature: format!("glTF version {}", fault::short(version)),
        pointer: at.pointer(),
    };
    let version = asset.need("version", "the version 2.0")?;
    if !version.text()?.starts_with("2.") {
        return Err(unsupported(version, version.text()?));
    }
    match asset.get("minVersion") {
        Some(minimum) if minimum.text()? != "2.0" => Err(unsupported(minimum, minimum.text()?)),
        _ => Ok(()),
    }
}

/// Names top-level lists that are no lists of objects; they read as if they were empty.
fn check_lists(root: Cursor<'_>, problems: &mut Problems) {
    const LISTS: [&str; 13] = [
        "accessors",
        "animations",
        "bufferViews",
        "buffers",
        "cameras",
        "images",
        "materials",
        "meshes",
        "nodes",
        "samplers",
        "scenes",
        "skins",
        "textures",
    ];
    let lists = LISTS.into_iter().filter_map(|key| root.get(key));
    let faults = lists.flat_map(|list| {
        let elements = list.elements().filter_map(|element| element.object().err());
        list.array().err().into_iter().chain(elements)
    });
    for fault in faults {
        let text = fault.text();
        problems.push(Severity::Error, fault.code, Object::File, fault.place, text);
    }
}

/// How many skin joints the vertices of each mesh may name: those of the largest skin that moves it.
fn joint_limits(shown: &[Shown<'_>], skins: &Skins) -> Vec<Option<usize>> {
    let meshes = shown.iter().map(|s| s.mesh + 1).max().unwrap_or(0);
    let mut limits: Vec<Option<usize>> = vec![None; meshes];
    for one in shown {
        let skin = one.skin.and_then(|skin| skins.kept[skin]).map(|kept| skins.list[kept].joints.len());
        limits[one.mesh] = limits[one.mesh].max(skin);
    }
    limits
}

/// Meshes on nodes, with the skins that can move them.
fn instances(
    shown: &[Shown<'_>],
    nodes: &node::Nodes,
    skins: &Skins,
    meshes: &Meshes,
    problems: &mut Problems,
) -> Vec<MeshInstance> {
    let mut instances = Vec::with_capacity(shown.len());
    // Largest joint that vertices of a mesh name, asked for once a mesh.
    let mut largest: Vec<Option<u16>> = vec![None; meshes.list.len()];
    for one in shown {
        let mut warn = |severity, code, place, text: String| {
            problems.push(severity, code, node::object(one.index, one.node), place, text);
        };
        let Some(mesh) = meshes.kept[one.mesh] else {
            let text = format!("shows mesh {}, which was left out", one.mesh);
            warn(Severity::Warning, ProblemCode::Mesh, one.node.place_of("mesh"), text);
            continue;
        };
        let mut skin = one.skin.and_then(|skin| skins.kept[skin]);
        let place = || one.node.place_of("skin");
        if let (Some(index), None) = (one.skin, skin) {
            let text = format!("skin {index} was left out; its mesh stands without");
            warn(Severity::Warning, ProblemCode::Skin, place(), text);
        }
        if let Some(kept) = skin {
            let primitives = &meshes.list[mesh].mesh.primitives;
            let joints = skins.list[kept].joints.len();
            let used = primitives.iter().filter_map(|p| p.influences.as_ref());
            let most = *largest[mesh]
                .get_or_insert_with(|| used.clone().flat_map(|i| &i.joints).copied().max().unwrap_or(0));
            if used.count() == 0 {
                let text = format!("mesh {} has a skin but names no joints; it stands without", one.mesh);
                warn(Severity::Warning, ProblemCode::Skin, place(), text);
                skin = None;
            } else if usize::from(most) >= joints {
                let text = format!(
                    "expected a skin with the joint {most} that mesh {} names, found {joints} joints; the mesh \
                     stands without",
                    one.mesh
                );
                warn(Severity::Error, ProblemCode::Skin, place(), text);
                skin = None;
            }
        }
        instances.push(MeshInstance { joint: nodes.joint[one.index], mesh, skin });
    }
    instances
}
