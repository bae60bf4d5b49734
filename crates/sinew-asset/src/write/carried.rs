//! Materials, textures, pictures and the rest that is passed on unread.

use serde_json::{Map, Value, json};

use super::binary::Binary;
use super::{WriteError, set_list};
use crate::document::{CarriedImage, Document};

const QUANTIZATION: &str = "KHR_mesh_quantization";

/// Adds the carried top-level objects, pictures and names of extensions.
pub(super) fn write_carried(
    document: &Document,
    quantized: bool,
    binary: &mut Binary,
    root: &mut Map<String, Value>,
) -> Result<(), WriteError> {
    let carried = &document.carried;
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

/// A picture within the file, or the name of the file that holds it where its bytes were not read.
fn write_image(index: usize, image: &CarriedImage, binary: &mut Binary) -> Result<Value, WriteError> {
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
