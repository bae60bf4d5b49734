//! Accessors give the numbers that the file means, whatever their type, stride, normalisation or sparseness.
//!
//! Expected numbers are those of the glTF 2.0 specification, section 3.11 (normalised integers) and 3.6.2.

mod gltf_builder;

use gltf_builder::{Builder, assert_clean, assert_says, only};
use serde_json::json;
use sinew_asset::{Loaded, ProblemCode};

/// A clip whose rotation keys are the given accessor, at 0, 1, 2... seconds.
fn rotation(build: impl FnOnce(&mut Builder) -> u32, keys: usize) -> Loaded {
    let mut b = Builder::new();
    let node = b.node(json!({}));
    let output = build(&mut b);
    let times: Vec<f32> = (0..keys).map(|k| k as f32).collect();
    let input = b.floats("SCALAR", &times);
    b.animation("turn", node, "rotation", input, output);
    b.load()
}

fn values(loaded: &Loaded) -> &[f32] {
    assert_clean(loaded);
    loaded.document.clips[0].channels[0].track.values()
}

fn close(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() < 1e-7, "{found:?} is not {expected:?}");
    }
}

#[test]
fn normalised_bytes_clamp_at_minus_one() {
    let bytes = [0x80, 0x81, 0, 127];
    let loaded = rotation(|b| b.accessor(5120, "VEC4", 1, &bytes, json!({"normalized": true})), 1);
    close(values(&loaded), &[-1.0, -1.0, 0.0, 1.0]);
}

#[test]
fn normalised_shorts_clamp_at_minus_one() {
    let bytes: Vec<u8> = [-32768_i16, -32767, 16384, 32767].iter().flat_map(|v| v.to_le_bytes()).collect();
    let loaded = rotation(|b| b.accessor(5122, "VEC4", 1, &bytes, json!({"normalized": true})), 1);
    close(values(&loaded), &[-1.0, -1.0, 16384.0 / 32767.0, 1.0]);
}

#[test]
fn normalised_unsigned_integers_span_zero_to_one() {
    let loaded = rotation(|b| b.accessor(5121, "VEC4", 1, &[0, 51, 255, 1], json!({"normalized": true})), 1);
    close(values(&loaded), &[0.0, 0.2, 1.0, 1.0 / 255.0]);
    let bytes: Vec<u8> = [0_u16, 13107, 65535, 1].iter().flat_map(|v| v.to_le_bytes()).collect();
    let loaded = rotation(|b| b.accessor(5123, "VEC4", 1, &bytes, json!({"normalized": true})), 1);
    close(values(&loaded), &[0.0, 0.2, 1.0, 1.0 / 65535.0]);
}

#[test]
fn interleaved_elements_are_taken_by_stride_and_offset() {
    // Two records of 20 bytes: a float of no interest, then a quaternion.
    let record = |x: f32| [[9.0, x, 0.0, 0.0, 1.0]].concat();
    let floats = [record(0.5), record(0.25)].concat();
    let bytes: Vec<u8> = floats.iter().flat_map(|v| v.to_le_bytes()).collect();
    let loaded = rotation(
        |b| {
            let view = b.view(&bytes, json!({"byteStride": 20}));
            b.push(
                "accessors",
                json!({"bufferView": view, "byteOffset": 4, "componentType": 5126, "type": "VEC4", "count": 2}),
            )
        },
        2,
    );
    close(values(&loaded), &[0.5, 0.0, 0.0, 1.0, 0.25, 0.0, 0.0, 1.0]);
}

#[test]
fn the_last_strided_element_needs_no_padding_after_it() {
    let mut bytes = vec![0_u8; 20 + 16];
    bytes[12..16].copy_from_slice(&1.0_f32.to_le_bytes());
    bytes[32..36].copy_from_slice(&0.5_f32.to_le_bytes());
    let loaded = rotation(
        |b| {
            let view = b.view(&bytes, json!({"byteStride": 20}));
            b.push(
                "accessors",
                json!({"bufferView": view, "componentType": 5126, "type": "VEC4", "count": 2}),
            )
        },
        2,
    );
    close(values(&loaded), &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5]);
}

/// A triangle whose attribute `_M` is the accessor; its bytes as carried.
fn carried(component: u32, shape: &str, bytes: &[u8]) -> Vec<u8> {
    let mut b = Builder::new();
    let position = b.floats("VEC3", &[0.0; 3]);
    let matrix = b.accessor(component, shape, 1, bytes, json!({}));
    let attributes = json!({"POSITION": position, "_M": matrix});
    b.push("meshes", json!({"primitives": [{"attributes": attributes, "mode": 0}]}));
    b.load().document.carried.attributes[&(0, 0)][0].bytes.clone()
}

#[test]
fn columns_of_small_matrices_start_at_multiples_of_four_bytes() {
    assert_eq!(carried(5121, "MAT2", &[1, 2, 0, 0, 3, 4, 0, 0]), [1, 2, 3, 4]);
    assert_eq!(carried(5121, "MAT3", &[1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0]), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    let wide: Vec<u8> =
        [1_u16, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0].iter().flat_map(|v| v.to_le_bytes()).collect();
    let tight: Vec<u8> = (1_u16..=9).flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(carried(5123, "MAT3", &wide), tight);
    assert_eq!(carried(5121, "MAT4", &(0..16).collect::<Vec<u8>>()), (0..16).collect::<Vec<u8>>());
}

/// Three quaternion keys, of which a sparse accessor writes one.
fn sparse(base: bool, index_type: u32, index: &[u8]) -> Loaded {
    rotation(
        |b| {
            let indices = b.view(index, json!({}));
            let value: Vec<u8> = [0.0_f32, 0.6, 0.0, 0.8].iter().flat_map(|v| v.to_le_bytes()).collect();
            let values = b.view(&value, json!({}));
            let mut accessor = json!({
                "componentType": 5126, "type": "VEC4", "count": 3,
                "sparse": {
                    "count": 1,
                    "indices": {"bufferView": indices, "componentType": index_type},
                    "values": {"bufferView": values},
                },
            });
            if base {
                let ones: Vec<u8> = [1.0_f32; 12].iter().flat_map(|v| v.to_le_bytes()).collect();
                accessor["bufferView"] = b.view(&ones, json!({})).into();
            }
            b.push("accessors", accessor)
        },
        3,
    )
}

#[test]
fn sparse_values_replace_those_of_the_view() {
    for (kind, index) in [(5121, vec![1]), (5123, vec![1, 0]), (5125, vec![1, 0, 0, 0])] {
        let loaded = sparse(true, kind, &index);
        close(values(&loaded), &[1.0, 1.0, 1.0, 1.0, 0.0, 0.6, 0.0, 0.8, 1.0, 1.0, 1.0, 1.0]);
    }
}

#[test]
fn sparse_values_without_a_view_stand_among_zeros() {
    // Zero quaternions are no rotations, so the zeros are seen as such.
    let loaded = sparse(false, 5121, &[1]);
    assert_says(only(&loaded, ProblemCode::Keys), &["'turn'", "sampler 0", "key 0", "length 0"]);
}

#[test]
fn a_sparse_index_past_the_end_is_named() {
    let loaded = sparse(true, 5121, &[3]);
    let problem = only(&loaded, ProblemCode::Accessor);
    assert_says(
        problem,
        &["'turn'", "below the accessor's count of 3, found 3", "/accessors/0/sparse/indices"],
    );
}

#[test]
fn an_accessor_that_reaches_past_its_view_is_named_with_its_numbers() {
    let loaded = rotation(
        |b| {
            let view = b.view(&[0; 16], json!({}));
            b.push(
                "accessors",
                json!({"bufferView": view, "componentType": 5126, "type": "VEC4", "count": 2}),
            )
        },
        2,
    );
    let problem = only(&loaded, ProblemCode::Accessor);
    assert_says(problem, &["output accessor 0", "16 bytes", "2 elements of 16 bytes", "/accessors/0"]);
}

#[test]
fn a_view_that_reaches_past_its_buffer_is_named_with_its_numbers() {
    let loaded = rotation(
        |b| {
            b.view(&[0; 16], json!({"byteLength": 4_000_000_000_u64}));
            b.push("accessors", json!({"bufferView": 0, "componentType": 5126, "type": "VEC4", "count": 1}))
        },
        1,
    );
    assert_says(
        only(&loaded, ProblemCode::View),
        &["4000000000 bytes from byte 0", "buffer 0", "/bufferViews/0"],
    );
}

#[test]
fn a_stride_smaller_than_an_element_is_named() {
    let loaded = rotation(
        |b| {
            let view = b.view(&[0; 64], json!({"byteStride": 4}));
            b.push(
                "accessors",
                json!({"bufferView": view, "componentType": 5126, "type": "VEC4", "count": 2}),
            )
        },
        2,
    );
    assert_says(only(&loaded, ProblemCode::View), &["at least 16 bytes", "found 4"]);
}

#[test]
fn one_accessor_is_decoded_once_and_shared() {
    let mut b = Builder::new();
    let node = b.node(json!({}));
    let other = b.node(json!({}));
    let input = b.floats("SCALAR", &[0.0, 1.0]);
    let output = b.floats("VEC3", &[0.0; 6]);
    b.animation("a", node, "translation", input, output);
    b.animation("b", other, "scale", input, output);
    let loaded = b.load();
    assert_clean(&loaded);
    let track = |clip: usize| &loaded.document.clips[clip].channels[0].track;
    assert!(std::sync::Arc::ptr_eq(track(0).times(), track(1).times()));
    assert!(std::sync::Arc::ptr_eq(track(0).values(), track(1).values()));
}
