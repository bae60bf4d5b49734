//! Views compressed with `EXT_meshopt_compression` decode to what was compressed, in every mode and with every
//! filter, and broken ones are named.
//!
//! Expected filter outputs are those of meshoptimizer's own tests (`demo/tests.cpp`).

#![cfg(feature = "meshopt")]

mod gltf_builder;

use gltf_builder::{Builder, assert_clean, assert_says};
use serde_json::{Value, json};
use sinew_asset::{Loaded, Severity};

const NAME: &str = "EXT_meshopt_compression";

/// A compressed view over a buffer without bytes of its own; returns the view's index.
fn compressed(b: &mut Builder, name: &str, encoded: &[u8], stride: usize, count: usize, extra: Value) -> u32 {
    let offset = b.bin.len();
    b.bin.extend(encoded);
    while !b.bin.len().is_multiple_of(4) {
        b.bin.push(0);
    }
    let mut extension = json!({"buffer": 0, "byteOffset": offset, "byteLength": encoded.len(),
                               "byteStride": stride, "count": count});
    extension.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    let view = b.push(
        "bufferViews",
        json!({"buffer": 1, "byteLength": stride * count, "byteStride": stride, "extensions": {name: extension}}),
    );
    b.json["buffers"] = json!([
        {"byteLength": b.bin.len()},
        {"byteLength": 1_000_000, "extensions": {name: {"fallback": true}}},
    ]);
    b.json["extensionsRequired"] = json!([name]);
    view
}

/// A mesh whose attribute `_X` and indices are what is given; a missing one is left out.
fn mesh(mut b: Builder, vertices: usize, attribute: Option<Value>, indices: Option<Value>) -> Loaded {
    let position = b.push("accessors", json!({"componentType": 5126, "type": "VEC3", "count": vertices}));
    let mut primitive = json!({"attributes": {"POSITION": position}, "mode": 4});
    if let Some(attribute) = attribute {
        primitive["attributes"]["_X"] = b.push("accessors", attribute).into();
        primitive["mode"] = 0.into();
    }
    if let Some(indices) = indices {
        primitive["indices"] = b.push("accessors", indices).into();
    }
    b.push("meshes", json!({"primitives": [primitive]}));
    b.load()
}

/// The bytes that `count` vertices of `T` decode to.
fn attribute<T>(vertices: &[T], component: u32, shape: &str, filter: Option<&str>) -> Vec<u8> {
    let mut b = Builder::new();
    let encoded = meshopt::encode_vertex_buffer(vertices).unwrap();
    let mut extra = json!({"mode": "ATTRIBUTES"});
    if let Some(filter) = filter {
        extra["filter"] = filter.into();
    }
    let view = compressed(&mut b, NAME, &encoded, size_of::<T>(), vertices.len(), extra);
    let accessor =
        json!({"bufferView": view, "componentType": component, "type": shape, "count": vertices.len()});
    let loaded = mesh(b, vertices.len(), Some(accessor), None);
    let errors: Vec<_> = loaded.problems.iter().filter(|p| p.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    loaded.document.carried.attributes[&(0, 0)][0].bytes.clone()
}

#[test]
fn attributes_decode_to_what_was_encoded_at_every_size() {
    fn check<const N: usize>(shape: &str) {
        let vertices: Vec<[f32; N]> =
            (0..300).map(|i| std::array::from_fn(|c| i as f32 * 0.5 - c as f32)).collect();
        let bytes: Vec<u8> = vertices.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
        assert_eq!(attribute(&vertices, 5126, shape, None), bytes);
    }
    check::<1>("SCALAR");
    check::<2>("VEC2");
    check::<3>("VEC3");
    check::<4>("VEC4");
    check::<9>("MAT3");
    check::<16>("MAT4");
}

#[test]
fn octahedral_vectors_of_bytes_and_shorts_decode() {
    let bytes: [[u8; 4]; 4] = [[0, 1, 127, 0], [0, 187, 127, 1], [255, 1, 127, 0], [14, 130, 127, 1]];
    let expected = [0, 1, 127, 0, 0, 159, 82, 1, 255, 1, 127, 0, 1, 130, 241, 1];
    assert_eq!(attribute(&bytes, 5120, "VEC4", Some("OCTAHEDRAL")), expected);
    let shorts: [[u16; 4]; 4] =
        [[0, 1, 2047, 0], [0, 1870, 2047, 1], [2017, 1, 2047, 0], [14, 1300, 2047, 1]];
    let expected: [[u16; 4]; 4] =
        [[0, 16, 32767, 0], [0, 32621, 3088, 1], [32764, 16, 471, 0], [307, 28541, 16093, 1]];
    let expected: Vec<u8> = expected.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(attribute(&shorts, 5122, "VEC4", Some("OCTAHEDRAL")), expected);
}

#[test]
fn quaternions_decode() {
    let stored: [[u16; 4]; 4] =
        [[0, 1, 0, 0x7fc], [0, 1870, 0, 0x7fd], [2017, 1, 0, 0x7fe], [14, 1300, 0, 0x7ff]];
    let expected: [[u16; 4]; 4] =
        [[32767, 0, 11, 0], [0, 25013, 0, 21166], [11, 0, 23504, 22830], [158, 14715, 0, 29277]];
    let expected: Vec<u8> = expected.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(attribute(&stored, 5122, "VEC4", Some("QUATERNION")), expected);
}

#[test]
fn exponential_floats_decode() {
    let stored: [[u32; 4]; 1] = [[0, 0xff00_0003, 0x02ff_fff7, 0xfe7f_ffff]];
    let expected: Vec<u8> =
        [0_u32, 0x3fc0_0000, 0xc210_0000, 0x49ff_fffe].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(attribute(&stored, 5126, "VEC4", Some("EXPONENTIAL")), expected);
}

#[test]
fn triangles_and_index_sequences_of_both_sizes_decode() {
    let triangles = [0, 1, 2, 2, 1, 3, 4, 6, 5, 7, 8, 9];
    let as_triangles = meshopt::encode_index_buffer(&triangles, 10).unwrap();
    let as_sequence = meshopt::encode_index_sequence(&triangles, 10).unwrap();
    for (mode, encoded) in [("TRIANGLES", &as_triangles), ("INDICES", &as_sequence)] {
        for (stride, component) in [(2, 5123), (4, 5125)] {
            let mut b = Builder::new();
            let view = compressed(&mut b, NAME, encoded, stride, 12, json!({"mode": mode}));
            let accessor =
                json!({"bufferView": view, "componentType": component, "type": "SCALAR", "count": 12});
            let loaded = mesh(b, 10, None, Some(accessor));
            assert_clean(&loaded);
            // The codec may turn a triangle's corners; order and winding hold.
            for (found, expected) in
                loaded.document.meshes[0].primitives[0].indices.chunks(3).zip(triangles.chunks(3))
            {
                let turns = [[0, 1, 2], [1, 2, 0], [2, 0, 1]];
                assert!(turns.iter().any(|t| t.map(|i| found[i]) == expected), "{mode}: {found:?}");
            }
        }
    }
}

#[test]
fn the_khronos_name_of_the_extension_is_read_alike() {
    let mut b = Builder::new();
    let encoded = meshopt::encode_vertex_buffer(&[[1_u32], [2], [3]]).unwrap();
    let extra = json!({"mode": "ATTRIBUTES"});
    let view = compressed(&mut b, "KHR_meshopt_compression", &encoded, 4, 3, extra);
    let accessor = json!({"bufferView": view, "componentType": 5125, "type": "SCALAR", "count": 3});
    let loaded = mesh(b, 3, Some(accessor), None);
    assert_eq!(loaded.document.carried.attributes[&(0, 0)][0].bytes, [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
}

#[test]
fn broken_compression_is_named_with_its_numbers() {
    let encoded = meshopt::encode_vertex_buffer(&[[1_u32; 2]; 6]).unwrap();
    for (stride, count, extra, words) in [
        (8, 300, json!({"mode": "ATTRIBUTES"}), "300 elements of 8 bytes, compressed"),
        (8, 6, json!({"mode": "OTHER"}), "ATTRIBUTES, TRIANGLES or INDICES, found the string \"OTHER\""),
        (8, 6, json!({"mode": "ATTRIBUTES", "filter": "BLUR"}), "found BLUR"),
        (6, 8, json!({"mode": "ATTRIBUTES"}), "a multiple of 4 from 4 to 256, found 6"),
        (260, 1, json!({"mode": "ATTRIBUTES"}), "found 260"),
        (8, 6, json!({"mode": "TRIANGLES"}), "2 or 4 for indices, found 8"),
        (4, 7, json!({"mode": "TRIANGLES"}), "a multiple of 3 for triangles, found 7"),
        (4, 6, json!({"mode": "INDICES", "filter": "OCTAHEDRAL"}), "no filter for indices"),
        (4, 6, json!({"mode": "ATTRIBUTES", "filter": "QUATERNION"}), "8 for the filter QUATERNION"),
        (12, 6, json!({"mode": "ATTRIBUTES", "filter": "OCTAHEDRAL"}), "4 or 8 for this filter"),
        (8, 6, json!({"mode": "ATTRIBUTES", "byteLength": 99999}), "99999 bytes from byte 0"),
        (8, 6, json!({"mode": "ATTRIBUTES", "count": 3}), "48 decoded bytes as the view says, found 3 of 8"),
        (8, 6, json!({"mode": "ATTRIBUTES", "count": 4_000_000_000_u64}), "bytes of memory"),
        (8, 6, json!({"mode": "ATTRIBUTES", "buffer": 9}), "0 to 1, found 9"),
    ] {
        let mut b = Builder::new();
        let view = compressed(&mut b, NAME, &encoded, stride, count, extra);
        let accessor = json!({"bufferView": view, "componentType": 5125, "type": "SCALAR", "count": 1});
        let loaded = mesh(b, 1, Some(accessor), None);
        assert_says(
            &loaded.problems[loaded.problems.len() - 1],
            &[words, "/bufferViews/0/extensions/EXT_meshopt"],
        );
    }
}
