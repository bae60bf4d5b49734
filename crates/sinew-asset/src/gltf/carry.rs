//! What is passed on to the writer unread: materials, textures, pictures, cameras, lights, extras.
//!
//! The JSON is moved out of the parsed document, not copied.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::accessor::Accessors;
use super::buffer::{data_uri, read_file};
use super::extension::{Support, report_dropped, support};
use super::fault::Fault;
use super::json::Cursor;
use super::mesh::Meshes;
use crate::document::{Carried, CarriedAttribute, CarriedImage};
use crate::error::{Object, Problems, Severity};
use crate::load::Resolver;

/// Largest picture that is read from a file beside the document, bytes.
const LARGEST_IMAGE: u64 = 256 << 20;

/// Encoded pictures, `[image]`, and where they were if they were files.
pub(crate) struct Image {
    bytes: Option<Vec<u8>>,
    uri: Option<String>,
}

/// Reads the bytes of every picture, or none where `wanted` is false. A missing one is named.
pub(crate) fn read_images(
    root: Cursor<'_>,
    wanted: bool,
    resolver: &dyn Resolver,
    accessors: &mut Accessors<'_>,
    problems: &mut Problems,
) -> Vec<Image> {
    let mut images: Vec<Image> = Vec::new();
    // The first picture that holds each file.
    let mut files: BTreeMap<String, usize> = BTreeMap::new();
    for (index, image) in root.get("images").iter().flat_map(Cursor::elements).enumerate() {
        let uri = image.get("uri").and_then(|u| u.value().as_str()).filter(|u| !u.starts_with("data:"));
        let mut read = Image { bytes: None, uri: uri.map(str::to_owned) };
        if wanted {
            let key = uri.map(|uri| resolver.key(uri)).unwrap_or_default();
            let same = files.get(&key).and_then(|index: &usize| images[*index].bytes.as_deref());
            let bytes = match same {
                Some(bytes) => copy(image, bytes, accessors),
                None => read_image(root, image, resolver, &key, accessors),
            };
            if bytes.is_ok() && uri.is_some() {
                files.entry(key).or_insert(index);
            }
            match bytes {
                Ok(bytes) => read.bytes = Some(bytes),
                Err(fault) => {
                    let text = format!("{}; the picture is left out", fault.text());
                    let object = Object::Image(index as u32);
                    problems.push(Severity::Warning, fault.code, object, fault.place, text);
                }
            }
        }
        images.push(read);
    }
    images
}

/// A picture that another has read before.
fn copy(image: Cursor<'_>, bytes: &[u8], accessors: &mut Accessors<'_>) -> Result<Vec<u8>, Fault> {
    accessors.budget.charge(bytes.len() as u64, 1, || image.place_of("uri"))?;
    Ok(bytes.to_vec())
}

fn read_image(
    root: Cursor<'_>,
    image: Cursor<'_>,
    resolver: &dyn Resolver,
    key: &str,
    accessors: &mut Accessors<'_>,
) -> Result<Vec<u8>, Fault> {
    let views = root.get("bufferViews").map_or(0, |list| list.elements().count());
    if let Some(view) = image.index_of("bufferView", views, "buffer views")? {
        let bytes = accessors.view_bytes(view)?;
        accessors.budget.charge(bytes.len() as u64, 1, || image.place())?;
        return Ok(bytes.to_vec());
    }
    let uri = image.need("uri", "a buffer view or a uri")?;
    if let Some(bytes) = data_uri(uri, &mut accessors.budget)? {
        return Ok(bytes);
    }
    read_file(resolver, uri, key, LARGEST_IMAGE, &mut accessors.budget)
}

/// Moves out of the document what is passed on.
pub(crate) fn carry(
    mut json: Value,
    images: Vec<Image>,
    meshes: &mut Meshes,
    problems: &mut Problems,
) -> Carried {
    let mut carried = Carried::default();
    let mut dropped = BTreeSet::new();
    let Some(root) = json.as_object_mut() else { return carried };

    for key in ["materials", "textures", "samplers", "cameras", "extras"] {
        carried.top.extend(root.remove_entry(key));
    }
    keep_extensions(root, &mut carried.top, &mut dropped);
    let mut descriptions = take_list(root, "images").into_iter();
    for Image { bytes, uri } in images {
        let mut json = take_object(descriptions.next());
        json.remove("bufferView");
        json.remove("uri");
        carried.images.push(CarriedImage { json, bytes, uri });
    }
    for (node, json) in take_list(root, "nodes").into_iter().enumerate() {
        let kept = keep(&mut take_object(Some(json)), &["camera", "extras"], &mut dropped);
        if !kept.is_empty() {
            carried.nodes.insert(node as u32, kept);
        }
    }
    carry_meshes(take_list(root, "meshes"), meshes, &mut carried, &mut dropped);
    if let Some(Value::String(copyright)) = root.get_mut("asset").and_then(|a| a.get_mut("copyright")) {
        carried.copyright = Some(std::mem::take(copyright));
    }
    carried.extensions_used = extensions_in(&carried);
    report_dropped(dropped, problems);
    carried
}

fn carry_meshes(
    mut list: Vec<Value>,
    meshes: &mut Meshes,
    carried: &mut Carried,
    dropped: &mut BTreeSet<String>,
) {
    for (index, read) in meshes.list.iter_mut().enumerate() {
        let source = read.mesh.source as usize;
        let mut json = take_object(list.get_mut(source).map(Value::take));
        let kept = keep(&mut json, &["extras"], dropped);
        if !kept.is_empty() {
            carried.meshes.insert(index, kept);
        }
        let mut primitives = take_list(&mut json, "primitives");
        for (at, (source, attributes)) in read.parts.iter_mut().enumerate() {
            let mut json = take_object(primitives.get_mut(*source).map(Value::take));
            let kept = keep(&mut json, &["extras"], dropped);
            if !kept.is_empty() {
                carried.primitives.insert((index, at), kept);
            }
            let attributes: Vec<CarriedAttribute> = std::mem::take(attributes);
            if !attributes.is_empty() {
                carried.attributes.insert((index, at), attributes);
            }
        }
    }
}

fn take_list(object: &mut Map<String, Value>, key: &str) -> Vec<Value> {
    match object.remove(key) {
        Some(Value::Array(list)) => list,
        _ => Vec::new(),
    }
}

fn take_object(value: Option<Value>) -> Map<String, Value> {
    match value {
        Some(Value::Object(object)) => object,
        _ => Map::new(),
    }
}

/// The named members and the extensions that are carried.
fn keep(
    object: &mut Map<String, Value>,
    keys: &[&str],
    dropped: &mut BTreeSet<String>,
) -> Map<String, Value> {
    let mut kept = Map::new();
    for key in keys {
        kept.extend(object.remove_entry(*key));
    }
    keep_extensions(object, &mut kept, dropped);
    kept
}

/// Moves the extensions that are carried; the others may name things by numbers that no longer hold.
fn keep_extensions(
    object: &mut Map<String, Value>,
    kept: &mut Map<String, Value>,
    dropped: &mut BTreeSet<String>,
) {
    let mut extensions = Map::new();
    for (name, value) in take_object(object.remove("extensions")) {
        match support(&name) {
            Support::Carried => {
                extensions.insert(name, value);
            }
            Support::Read => {}
            Support::Skipped | Support::Unknown => {
                dropped.insert(super::fault::short(&name));
            }
        }
    }
    if !extensions.is_empty() {
        kept.insert("extensions".into(), extensions.into());
    }
}

/// Names of the extensions that the carried JSON uses, in order.
fn extensions_in(carried: &Carried) -> Vec<String> {
    let mut names = BTreeMap::new();
    let mut stack: Vec<&Value> = carried.top.iter().filter(|(k, _)| *k != "extras").map(|(_, v)| v).collect();
    let mut note = |object: &Map<String, Value>| {
        if let Some(Value::Object(extensions)) = object.get("extensions") {
            names.extend(extensions.keys().map(|name| (name.clone(), ())));
        }
    };
    note(&carried.top);
    let maps = carried.nodes.values().chain(carried.meshes.values()).chain(carried.primitives.values());
    for map in maps.chain(carried.images.iter().map(|image| &image.json)) {
        note(map);
        stack.extend(map.iter().filter(|(k, _)| *k != "extras").map(|(_, v)| v));
    }
    while let Some(value) = stack.pop() {
        match value {
            Value::Array(list) => stack.extend(list),
            Value::Object(object) => {
                note(object);
                stack.extend(object.iter().filter(|(k, _)| *k != "extras").map(|(_, v)| v));
            }
            _ => {}
        }
    }
    names.into_keys().collect()
}
