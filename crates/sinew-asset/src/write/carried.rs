//! Materials, textures, pictures and the rest that is passed on unread.

use serde_json::{Map, Value, json};

use super::binary::Binary;
use super::{WriteError, WriteOptions, set_list};
use crate::document::{CarriedImage, Document};

const QUANTIZATION: &str = "KHR_mesh_quantization";

/// Adds the carried top-level objects, pictures and names of extensions.
pub(super) fn write_carried(
    document: &Document,
    options: &WriteOptions,
    quantized: bool,
    binary: &mut Binary,
    root: &mut Map<String, Value>,
) -> Result<(), WriteError> {
    let carried = &document.carried;
    if !options.as_stored {
        check_references(document)?;
    }
    for (key, value) in &carried.top {
        let empty = value.as_array().is_some_and(Vec::is_empty);
        if !empty {
            root.entry(key).or_insert_with(|| value.clone());
        }
    }
    let images = carried.images.iter().enumerate().map(|(index, image)| write_image(index, image, binary));
    let images = images.collect::<Result<Vec<Value>, _>>()?;
    set_list(root, "images", images);

    let mut used = carried.extensions_used.clone();
    used.retain(|name| name != QUANTIZATION);
    if quantized {
        used.push(QUANTIZATION.into());
        root.insert("extensionsRequired".into(), json!([QUANTIZATION]));
    }
    used.sort();
    used.dedup();
    set_list(root, "extensionsUsed", used.into_iter().map(Value::from).collect());
    Ok(())
}

/// Numbers in what is carried lead to what is carried with it.
fn check_references(document: &Document) -> Result<(), WriteError> {
    let carried = &document.carried;
    let list = |key: &str| carried.top.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let check = |object: &Value, key: &str, count: usize, what: &dyn Fn() -> String| {
        let Some(value) = object.get(key) else { return Ok(()) };
        let index = value.as_u64().map_or(usize::MAX, |index| index as usize);
        if index < count { Ok(()) } else { Err(WriteError::Index { what: what(), index, count }) }
    };
    for (i, texture) in list("textures").iter().enumerate() {
        check(texture, "source", carried.images.len(), &|| format!("source of texture {i}"))?;
        check(texture, "sampler", list("samplers").len(), &|| format!("sampler of texture {i}"))?;
    }
    for (i, material) in list("materials").iter().enumerate() {
        // Textures of a material and of its extensions are members named `...Texture`.
        let mut below = vec![material];
        while let Some(value) = below.pop() {
            for (key, member) in value.as_object().into_iter().flatten().filter(|(key, _)| *key != "extras") {
                if key.ends_with("Texture") {
                    check(member, "index", list("textures").len(), &|| format!("{key} of material {i}"))?;
                }
                below.push(member);
            }
        }
    }
    for (node, members) in &carried.nodes {
        if let Some(camera) = members.get("camera") {
            let camera = json!({ "camera": camera });
            check(&camera, "camera", list("cameras").len(), &|| format!("camera of node {node}"))?;
        }
    }
    Ok(())
}

/// A picture within the file, or the name of the file that holds it where its bytes were not read.
pub(super) fn write_image(
    index: usize,
    image: &CarriedImage,
    binary: &mut Binary,
) -> Result<Value, WriteError> {
    let mut json = image.json.clone();
    match (image.bytes.as_deref(), &image.uri) {
        (Some(bytes), _) if !bytes.is_empty() => {
            let said = json.get("mimeType").and_then(Value::as_str).map(str::to_owned);
            let kind =
                mime_type(bytes).map(str::to_owned).or(said).ok_or(WriteError::ImageKind { image: index })?;
            json.insert("mimeType".into(), kind.into());
            json.insert("bufferView".into(), json!(binary.blob(bytes)));
        }
        (_, Some(uri)) => {
            json.insert("uri".into(), uri.as_str().into());
        }
        _ => return Err(WriteError::ImageMissing { image: index }),
    }
    Ok(json.into())
}

/// The kind of an encoded picture by its first bytes.
fn mime_type(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some("image/png")
    } else if bytes.starts_with(&[0xff, 0xd8, 0xff]) {
        Some("image/jpeg")
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some("image/webp")
    } else if bytes.starts_with(b"\xabKTX 20\xbb\r\n\x1a\n") {
        Some("image/ktx2")
    } else {
        None
    }
}
