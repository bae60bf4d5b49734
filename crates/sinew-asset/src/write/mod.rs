//! Writing GLB: one self-contained glTF 2.0 file of a document.
//!
//! Written from the glTF 2.0 specification (Khronos, 2021). What is written passes the Khronos validator without
//! errors (values of what is carried unread, such as colours and tangents, are as they were) and reads back to the same poses; what a valid file cannot hold is a [`WriteError`] with its name and
//! numbers. The same document gives the same bytes.
//!
//! - Nodes are in the order of [`Joint::node`](sinew::Joint::node), so that node indices survive a round trip.
//! - Key times are stored in single precision, as glTF has them; times that tracks share are written once.
//! - A one-key CUBICSPLINE, which the format does not allow, is written as LINEAR: it holds the same value.
//! - Rotation keys that are not of unit length are written at unit length, as they are evaluated.
//! - Vertex weights are written so that they add up to one and name each joint once, and normals at unit length;
//!   [`WriteOptions::as_stored`] leaves both as they are.
//! - A document without scenes gets one that shows everything.
//! - Curves and events go to `animations[i].extras.sinew` ([`extras_schema`](crate::extras_schema)).

mod animation;
mod binary;
mod carried;
mod error;
mod influence;
mod leave_out;
mod leave_out_carried;
mod leave_out_mesh;
mod mesh;
mod node;
mod skin;

pub use error::WriteError;
pub use leave_out::leave_out_unwritable;

use serde_json::{Map, Value, json};

use crate::document::Document;
use binary::Binary;

/// How a document is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// Vertex weights, normals, the last rows of inverse bind matrices, and what is carried unread go to the file as
    /// they are, even where the Khronos validator then finds errors.
    pub as_stored: bool,
}

/// Writes a GLB file.
///
/// # Errors
/// [`WriteError`] names what a valid file cannot hold.
pub fn write_glb(document: &Document, options: &WriteOptions) -> Result<Vec<u8>, WriteError> {
    let mut root = Map::new();
    let mut binary = Binary::default();

    let order = node::Order::new(&document.skeleton);
    node::write_scenes(document, &order, &mut root)?;
    node::write_nodes(document, &order, &mut root)?;
    skin::write_skins(document, options, &order, &mut binary, &mut root)?;
    let quantized = mesh::write_meshes(document, options, &mut binary, &mut root)?;
    animation::write_animations(document, &order, &mut binary, &mut root)?;
    carried::write_carried(document, options, quantized, &mut binary, &mut root)?;

    let mut asset = json!({ "version": "2.0", "generator": concat!("sinew ", env!("CARGO_PKG_VERSION")) });
    if let Some(copyright) = &document.carried.copyright {
        asset["copyright"] = copyright.as_str().into();
    }
    root.insert("asset".into(), asset);
    binary.align();
    if !binary.bytes.is_empty() {
        root.insert("buffers".into(), json!([{ "byteLength": binary.bytes.len() }]));
    }
    set_list(&mut root, "bufferViews", std::mem::take(&mut binary.views));
    set_list(&mut root, "accessors", std::mem::take(&mut binary.accessors));

    let json = Value::Object(root).to_string();
    let bytes = json.len() as u64 + binary.bytes.len() as u64;
    binary::container(json.as_bytes(), &binary.bytes).ok_or(WriteError::TooLarge { bytes })
}

/// glTF allows no empty lists.
fn set_list(object: &mut Map<String, Value>, key: &str, list: Vec<Value>) {
    if !list.is_empty() {
        object.insert(key.into(), list.into());
    }
}

/// Names are optional.
fn set_name(object: &mut Map<String, Value>, name: Option<&String>) {
    object.extend(name.map(|name| ("name".into(), name.as_str().into())));
}

/// Extras and extensions that were carried from another file; what was set already stays.
fn add_carried(object: &mut Map<String, Value>, carried: Option<&Map<String, Value>>) {
    for (key, value) in carried.into_iter().flatten() {
        object.entry(key).or_insert_with(|| value.clone());
    }
}

/// A number that single precision holds.
fn single(value: f64, what: impl Fn() -> String) -> Result<f32, WriteError> {
    let single = value as f32;
    if single.is_finite() { Ok(single) } else { Err(WriteError::NotFinite { what: what(), value }) }
}
