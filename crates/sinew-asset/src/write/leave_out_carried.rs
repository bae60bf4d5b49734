//! What is carried unread, without what leads nowhere.

use serde_json::{Map, Value};

use super::binary::Binary;
use super::carried::write_image;
use super::leave_out::Report;
use crate::document::Document;
use crate::error::{Object, ProblemCode, Severity};

/// Leaves out pictures that cannot be written, and every number that leads to nothing.
pub(super) fn repair(document: &mut Document, report: &mut Report) {
    let carried = &mut document.carried;
    let (mut kept, mut images) = (Vec::with_capacity(carried.images.len()), Vec::new());
    for (index, image) in std::mem::take(&mut carried.images).into_iter().enumerate() {
        match write_image(index, &image, &mut Binary::default()) {
            Ok(_) => {
                kept.push(Some(images.len()));
                images.push(image);
            }
            Err(error) => {
                let text = format!("{error}; the picture is left out");
                report.say(Severity::Error, ProblemCode::Resource, Object::Image(index as u32), text);
                kept.push(None);
            }
        }
    }
    carried.images = images;

    let len =
        |top: &Map<String, Value>, key: &str| top.get(key).and_then(Value::as_array).map_or(0, Vec::len);
    let samplers = len(&carried.top, "samplers");
    let (textures, cameras) = (len(&carried.top, "textures"), len(&carried.top, "cameras"));
    let mut lost = 0;
    for texture in list(&mut carried.top, "textures").iter_mut().filter_map(Value::as_object_mut) {
        lost += usize::from(renumber(texture, &kept));
        if texture.get("sampler").is_some_and(|index| beyond(index, samplers)) {
            texture.remove("sampler");
            lost += 1;
        }
        if let Some(Value::Object(extensions)) = texture.get_mut("extensions") {
            // An extension that gives the texture a picture is nothing without it.
            extensions.retain(|_, value| {
                let gone = value.as_object_mut().is_some_and(|extension| renumber(extension, &kept));
                lost += usize::from(gone);
                !gone
            });
        }
    }
    for material in list(&mut carried.top, "materials") {
        lost += drop_textures(material, textures);
    }
    for node in carried.nodes.values_mut() {
        if node.get("camera").is_some_and(|index| beyond(index, cameras)) {
            node.remove("camera");
            lost += 1;
        }
    }
    if lost > 0 {
        let text =
            format!("{lost} textures, samplers, pictures or cameras are named that are not there; left out");
        report.changed(ProblemCode::Index, Object::File, text);
    }
}

fn list<'a>(top: &'a mut Map<String, Value>, key: &str) -> &'a mut [Value] {
    top.get_mut(key).and_then(Value::as_array_mut).map_or(&mut [], Vec::as_mut_slice)
}

fn beyond(index: &Value, count: usize) -> bool {
    index.as_u64().is_none_or(|index| index >= count as u64)
}

/// Gives `source` its new number; returns whether it leads nowhere and was removed.
fn renumber(object: &mut Map<String, Value>, kept: &[Option<usize>]) -> bool {
    let Some(source) = object.get_mut("source") else { return false };
    let index = source.as_u64().and_then(|index| usize::try_from(index).ok());
    match index.and_then(|index| *kept.get(index)?) {
        Some(index) => {
            *source = index.into();
            false
        }
        None => object.remove("source").is_some(),
    }
}

/// Members named `...Texture` that lead nowhere, in a material and its extensions. JSON is not deeper than its parser
/// goes.
fn drop_textures(value: &mut Value, textures: usize) -> usize {
    let Some(object) = value.as_object_mut() else { return 0 };
    let before = object.len();
    object.retain(|key, member| {
        key == "extras"
            || !key.ends_with("Texture")
            || !member.get("index").is_some_and(|index| beyond(index, textures))
    });
    let mut lost = before - object.len();
    for (_, member) in object.iter_mut().filter(|(key, _)| *key != "extras") {
        lost += drop_textures(member, textures);
    }
    lost
}
