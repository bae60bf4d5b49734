//! No bytes make the glTF reader panic, read past an end or take memory beyond a small multiple of the file.
//!
//! Runs a fixed number of inputs under `cargo test`; `SINEW_FUZZ_SECONDS=600` runs each target that long, and
//! `cargo bolero test` runs them with a coverage-guided engine.

mod gltf_builder;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Duration;

use bolero::check;
use gltf_builder::{Builder, glb};
use serde_json::{Value, json};
use sinew_asset::{NoFiles, ReadOptions, WriteOptions, leave_out_unwritable, read_gltf, write_glb};

/// Counts the memory that a thread holds and the most it held.
struct Counting;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn count(change: isize) {
    // The allocator runs while a thread ends, when its counters are gone.
    let _ = HELD.try_with(|held| {
        held.set(held.get() + change);
        let _ = MOST.try_with(|most| most.set(most.get().max(held.get())));
    });
}

#[allow(unsafe_code, reason = "an allocator can only be wrapped by unsafe functions")]
// SAFETY: every call goes to the system allocator unchanged; only numbers are kept beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as promised by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as promised by the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Memory that reading may take: the documented budget, and as much again for copies on the way.
fn allowed(bytes: usize) -> isize {
    2 * (4 * 1024 * 1024 + 64 * bytes as isize)
}

/// Reads a file, checks the memory it took and that what came back holds together.
fn read(bytes: &[u8]) {
    let before = HELD.get();
    MOST.set(before);
    let result = read_gltf(bytes, &NoFiles, &ReadOptions::default());
    let taken = MOST.get() - before;
    assert!(taken <= allowed(bytes.len()), "{taken} bytes of memory for {} of file", bytes.len());
    let Ok(loaded) = result else { return };
    let document = &loaded.document;
    for clip in &document.clips {
        clip.validate(&document.skeleton).unwrap();
    }
    for mesh in &document.meshes {
        for primitive in &mesh.primitives {
            let vertices = primitive.positions.len();
            assert!(primitive.indices.iter().all(|i| (*i as usize) < vertices));
            assert!(primitive.positions.iter().flatten().all(|v| v.is_finite()));
            if let Some(influences) = &primitive.influences {
                assert_eq!(influences.joints.len(), vertices * influences.per_vertex);
                assert_eq!(influences.weights.len(), vertices * influences.per_vertex);
            }
            for target in &primitive.targets {
                assert!(target.positions.as_ref().is_none_or(|p| p.len() == vertices));
            }
        }
    }
    for skin in &document.skins {
        assert_eq!(skin.joints.len(), skin.inverse_bind.len());
    }
    for instance in &document.instances {
        let Some(skin) = instance.skin else { continue };
        let joints = document.skins[skin].joints.len();
        let influences =
            document.meshes[instance.mesh].primitives.iter().filter_map(|p| p.influences.as_ref());
        assert!(influences.flat_map(|i| &i.joints).all(|j| usize::from(*j) < joints));
    }
    for problem in &loaded.problems {
        assert!(problem.to_string().len() < 2000);
    }
    let mut document = loaded.document;
    let left_out = leave_out_unwritable(&mut document, true);
    let written = write_glb(&document, &WriteOptions::default());
    assert!(written.is_ok(), "{}, after {left_out:#?}", written.unwrap_err());
}

/// A small character that uses everything the reader knows.
fn character() -> Builder {
    let mut b = Builder::new();
    let position = b.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let normal = b.accessor(5120, "VEC3", 3, &[0, 0, 127, 0, 0, 127, 0, 0, 127], json!({"normalized": true}));
    let joints = b.accessor(5121, "VEC4", 3, &[0, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0], json!({}));
    let weights =
        b.accessor(5121, "VEC4", 3, &[128, 127, 0, 0, 255, 0, 0, 0, 1, 2, 3, 4], json!({"normalized": true}));
    let indices = b.accessor(5123, "SCALAR", 3, &[0, 0, 1, 0, 2, 0], json!({}));
    let uv = b.accessor(5123, "VEC2", 3, &[0; 12], json!({"normalized": true}));
    let at = b.view(&[1], json!({}));
    let delta = b.view(&[0; 12], json!({}));
    let sparse = b.push(
        "accessors",
        json!({"componentType": 5126, "type": "VEC3", "count": 3, "sparse": {"count": 1,
               "indices": {"bufferView": at, "componentType": 5121}, "values": {"bufferView": delta}}}),
    );
    b.push(
        "meshes",
        json!({"name": "body", "weights": [0.5], "primitives": [{
            "attributes": {"POSITION": position, "NORMAL": normal, "JOINTS_0": joints, "WEIGHTS_0": weights,
                           "TEXCOORD_0": uv},
            "indices": indices, "material": 0, "mode": 5, "targets": [{"POSITION": sparse}]}]}),
    );
    b.node(json!({"name": "root", "children": [1, 2], "rotation": [0, 0, 0, 1]}));
    b.node(json!({"name": "tip", "translation": [0, 1, 0], "children": [3]}));
    b.node(json!({"mesh": 0, "skin": 0, "weights": [0.25]}));
    b.node(json!({"matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}));
    let one = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let inverse = b.floats("MAT4", &[one, one].concat());
    b.push("skins", json!({"joints": [0, 1], "inverseBindMatrices": inverse, "skeleton": 0}));
    let times = b.floats("SCALAR", &[0.0, 0.5]);
    let turns = b.floats("VEC4", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.6, 0.0, 0.8]);
    let moves = b.floats("VEC3", &[0.0; 18]);
    let morph = b.accessor(5121, "SCALAR", 2, &[0, 255], json!({"normalized": true}));
    b.push(
        "animations",
        json!({"name": "walk", "samplers": [
            {"input": times, "output": turns}, {"input": times, "output": moves, "interpolation": "CUBICSPLINE"},
            {"input": times, "output": morph, "interpolation": "STEP"},
        ], "channels": [
            {"sampler": 0, "target": {"node": 1, "path": "rotation"}},
            {"sampler": 1, "target": {"node": 0, "path": "translation"}},
            {"sampler": 2, "target": {"node": 2, "path": "weights"}},
            {"sampler": 1, "target": {"path": "pointer",
             "extensions": {"KHR_animation_pointer": {"pointer": "/nodes/1/scale"}}}},
        ], "extras": {"sinew": {"version": 1,
            "curves": [{"name": "speed", "interpolation": "LINEAR", "times": [0, 0.5], "values": [1, 2]}],
            "events": [{"name": "step", "time": 0.25}]}}}),
    );
    b.json["materials"] = json!([{"name": "skin", "extensions": {"KHR_materials_unlit": {}}}]);
    b.json["images"] = json!([{"bufferView": at, "mimeType": "image/png"}]);
    b.push("scenes", json!({"nodes": [0]}));
    b.json["scene"] = 0.into();
    compress(&mut b);
    b
}

/// Adds a mesh whose positions are compressed.
#[cfg(feature = "meshopt")]
fn compress(b: &mut Builder) {
    let encoded = meshopt::encode_vertex_buffer(&[[0.0_f32; 3]; 4]).unwrap();
    let view = b.view(&encoded, json!({}));
    let extension = json!({"buffer": 0, "byteOffset": b.json["bufferViews"][view as usize]["byteOffset"],
        "byteLength": encoded.len(), "byteStride": 12, "count": 4, "mode": "ATTRIBUTES", "filter": "EXPONENTIAL"});
    b.json["bufferViews"][view as usize] = json!({"buffer": 0, "byteLength": 48, "byteStride": 12,
        "extensions": {"EXT_meshopt_compression": extension}});
    let position =
        b.push("accessors", json!({"bufferView": view, "componentType": 5126, "type": "VEC3", "count": 4}));
    b.push("meshes", json!({"primitives": [{"attributes": {"POSITION": position}, "mode": 5}]}));
}

#[cfg(not(feature = "meshopt"))]
fn compress(_: &mut Builder) {}

/// One change of a document: where it falls and what it becomes.
type Change = (u16, u8, u64);

/// Every value of a document by pointer, in order.
fn pointers(value: &Value, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    match value {
        Value::Array(list) => {
            for (i, value) in list.iter().enumerate() {
                pointers(value, &format!("{at}/{i}"), out);
            }
        }
        Value::Object(object) => {
            for (key, value) in object {
                pointers(value, &format!("{at}/{key}"), out);
            }
        }
        _ => {}
    }
}

fn apply(json: &mut Value, (at, kind, number): Change) {
    let mut all = Vec::new();
    pointers(json, "", &mut all);
    let copied = json.pointer(&all[number as usize % all.len()]).cloned();
    let target = json.pointer_mut(&all[at as usize % all.len()]).unwrap();
    *target = match kind % 16 {
        0..=4 => json!(number % 24),
        5 => json!(number),
        6 => json!(-((number % 1000) as i64)),
        7 => json!(f64::from_bits(number)),
        8 => json!(number as u32),
        9 => Value::Null,
        10 => json!([]),
        11 => json!({}),
        12 => json!("MAT4"),
        13 => json!(5120 + number % 7),
        14 => json!(number % 2 == 0),
        // Copies of small parts make cycles and shared references; of the whole they would only grow.
        _ => copied.filter(|value| value.to_string().len() < 500).unwrap_or(Value::Null),
    };
}

/// Runs a target for a fixed number of inputs, or as long as the environment says.
macro_rules! fuzz {
    ($iterations:expr) => {{
        let seconds = std::env::var("SINEW_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok());
        match seconds {
            Some(seconds) => check!().with_test_time(Duration::from_secs(seconds)),
            None => check!().with_iterations($iterations),
        }
    }};
}

#[test]
fn the_character_that_is_mutated_is_sound() {
    let loaded = character().load();
    gltf_builder::assert_clean(&loaded);
    read(&character().glb());
}

#[test]
fn any_bytes() {
    fuzz!(20_000).for_each(read);
}

#[test]
fn any_bytes_as_the_json_of_a_glb() {
    fuzz!(10_000).for_each(|bytes: &[u8]| {
        let mut file = b"glTF\x02\0\0\0".to_vec();
        file.extend((bytes.len() as u32 + 20).to_le_bytes());
        file.extend((bytes.len() as u32).to_le_bytes());
        file.extend(b"JSON");
        file.extend(bytes);
        read(&file);
    });
}

#[test]
fn a_character_with_flipped_bytes() {
    let sound = character().glb();
    fuzz!(10_000).with_type::<Vec<(u16, u8)>>().for_each(|flips| {
        let mut bytes = sound.clone();
        for (at, flip) in flips {
            let at = usize::from(*at) % bytes.len();
            bytes[at] ^= flip;
        }
        read(&bytes);
    });
}

#[test]
fn a_character_with_a_flipped_binary_chunk() {
    let b = character();
    let json = b.document();
    fuzz!(10_000).with_type::<Vec<(u16, u8)>>().for_each(|flips| {
        let mut bin = b.bin.clone();
        for (at, flip) in flips {
            let at = usize::from(*at) % bin.len();
            bin[at] ^= flip;
        }
        read(&glb(&json, &bin));
    });
}

#[test]
fn a_character_with_other_values_in_its_json() {
    let b = character();
    let sound = b.document();
    fuzz!(10_000).with_type::<Vec<Change>>().for_each(|changes| {
        let mut json = sound.clone();
        for change in changes.iter().take(6) {
            apply(&mut json, *change);
        }
        read(&glb(&json, &b.bin));
    });
}

#[test]
fn a_character_cut_short_anywhere() {
    let sound = character().glb();
    for length in 0..sound.len() {
        read(&sound[..length]);
    }
}
