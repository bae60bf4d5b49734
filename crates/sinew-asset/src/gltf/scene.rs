//! Scenes, and meshes on nodes.

use super::json::Cursor;
use super::node::{self, Nodes};
use crate::document::Scene;
use crate::error::{Object, ProblemCode, Problems, Severity};

/// A node that shows a mesh, with indices of the file.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'a> {
    pub(crate) node: Cursor<'a>,
    pub(crate) index: usize,
    pub(crate) mesh: usize,
    pub(crate) skin: Option<usize>,
}

/// Nodes with a mesh, in file order; bad links are named.
pub(crate) fn read_shown<'a>(root: Cursor<'a>, problems: &mut Problems) -> Vec<Shown<'a>> {
    let len = |key: &str| root.get(key).map_or(0, |list| list.elements().count());
    let (meshes, skins) = (len("meshes"), len("skins"));
    let mut shown = Vec::new();
    for (index, node) in root.get("nodes").iter().flat_map(Cursor::elements).enumerate() {
        let mut link = |key: &str, len: usize, what: &str, then: &str| {
            node.index_of(key, len, what).unwrap_or_else(|fault| {
                let text = format!("{}; {then}", fault.text());
                problems.push(Severity::Error, fault.code, node::object(index, node), fault.place, text);
                None
            })
        };
        let mesh = link("mesh", meshes, "meshes", "the node shows no mesh");
        let skin = link("skin", skins, "skins", "no skin moves its mesh").map(|s| s as usize);
        match mesh {
            Some(mesh) => shown.push(Shown { node, index, mesh: mesh as usize, skin }),
            None if skin.is_some() => {
                let text = "expected a mesh for the skin, found none; the skin is not used here";
                let object = node::object(index, node);
                problems.push(Severity::Warning, ProblemCode::Node, object, node.place_of("skin"), text);
            }
            None => {}
        }
    }
    shown
}

/// The scenes and which of them is shown first.
pub(crate) fn read_scenes(
    root: Cursor<'_>,
    nodes: &Nodes,
    problems: &mut Problems,
) -> (Vec<Scene>, Option<usize>) {
    let mut scenes = Vec::new();
    for (index, scene) in root.get("scenes").iter().flat_map(Cursor::elements).enumerate() {
        let object = || Object::Scene { index: index as u32, name: scene.short_name() };
        let mut read = Scene { name: scene.name(), roots: Vec::new() };
        let list = scene.list("nodes").unwrap_or_else(|fault| {
            let text = format!("{}; the scene is empty", fault.text());
            problems.push(Severity::Warning, fault.code, object(), fault.place, text);
            None
        });
        for root_node in list.iter().flat_map(Cursor::elements) {
            match root_node.index(nodes.joint.len(), "nodes") {
                Ok(node) => {
                    let joint = nodes.joint[node as usize];
                    if let Some(parent) = nodes.skeleton.joint(joint).parent {
                        let parent = nodes.skeleton.joint(parent).node;
                        let text =
                            format!("expected root nodes, found node {node}, a child of node {parent}");
                        problems.push(
                            Severity::Warning,
                            ProblemCode::Scene,
                            object(),
                            root_node.place(),
                            text,
                        );
                    }
                    read.roots.push(joint);
                }
                Err(fault) => {
                    let text = format!("{}; left out of the scene", fault.text());
                    problems.push(Severity::Warning, fault.code, object(), fault.place, text);
                }
            }
        }
        scenes.push(read);
    }
    let default = root.index_of("scene", scenes.len(), "scenes").unwrap_or_else(|fault| {
        let text = format!("{}; no scene is the default", fault.text());
        problems.push(Severity::Warning, fault.code, Object::File, fault.place, text);
        None
    });
    (scenes, default.map(|s| s as usize))
}
