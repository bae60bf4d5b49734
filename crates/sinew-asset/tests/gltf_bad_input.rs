//! A file that cannot be read is refused with the place, what was expected and what was found; a file that
//! claims more than it holds is refused before memory is taken.

mod gltf_builder;

use gltf_builder::{Builder, assert_says, glb};
use serde_json::{Value, json};
use sinew_asset::{AssetError, Folder, NoFiles, Place, ProblemCode, ReadOptions, load, read_gltf};

fn refuse(bytes: &[u8]) -> AssetError {
    read_gltf(bytes, &NoFiles, &ReadOptions::default()).unwrap_err()
}

fn refuse_json(json: Value) -> AssetError {
    refuse(json.to_string().as_bytes())
}

#[test]
fn broken_json_is_named_by_line_and_column_or_by_byte() {
    let error = refuse(b"{\n  \"asset\": }");
    assert!(
        matches!(&error, AssetError::Malformed { place: Place::Line { line: 2, column: 12 }, .. }),
        "{error}"
    );
    let mut bytes = glb(&json!({"asset": {"version": "2.0"}}), &[]);
    bytes[21] = b'!';
    let error = refuse(&bytes);
    assert!(matches!(error, AssetError::Malformed { place: Place::Byte(20..), .. }), "{error}");
}

#[test]
fn json_nested_too_deeply_is_refused() {
    let error = refuse("[".repeat(100_000).as_bytes()).to_string();
    assert!(error.contains("recursion limit"), "{error}");
}

#[test]
fn other_versions_are_refused_by_name() {
    assert!(refuse_json(json!({"asset": {"version": "1.0"}})).is_unsupported());
    let error = refuse_json(json!({"asset": {"version": "2.0", "minVersion": "2.1"}}));
    assert_eq!(error.to_string(), "glTF version 2.1 is not supported (/asset/minVersion asks for it)");
    assert!(!refuse_json(json!({})).is_unsupported());
    assert_eq!(refuse_json(json!([])).to_string(), "the JSON root: expected an object, found an array of 0");
    let error = refuse_json(json!({"asset": {}})).to_string();
    assert_eq!(error, "/asset/version: expected the version 2.0, found nothing");
}

#[test]
fn required_extensions_that_are_not_read_are_refused_by_name() {
    for name in ["KHR_draco_mesh_compression", "VENDOR_anything"] {
        let error = refuse_json(json!({"asset": {"version": "2.0"}, "extensionsRequired": [name]}));
        assert!(error.is_unsupported());
        assert_eq!(error.to_string(), format!("{name} is not supported (/extensionsRequired/0 asks for it)"));
    }
    let json = json!({"asset": {"version": "2.0"}, "extensionsRequired": [
        "KHR_mesh_quantization", "KHR_animation_pointer", "KHR_texture_basisu", "KHR_materials_unlit",
        "EXT_texture_webp", "KHR_lights_punctual", "KHR_node_visibility",
    ]});
    assert!(read_gltf(json.to_string().as_bytes(), &NoFiles, &ReadOptions::default()).is_ok());
}

#[test]
fn draco_beside_plain_vertices_is_read_and_without_them_named() {
    let mut b = Builder::new();
    let plain = b.floats("VEC3", &[0.0; 9]);
    let empty = b.push("accessors", json!({"componentType": 5126, "type": "VEC3", "count": 3}));
    let draco = json!({"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {}}});
    for position in [plain, empty] {
        b.push(
            "meshes",
            json!({"primitives": [{"attributes": {"POSITION": position}, "extensions": draco}]}),
        );
    }
    let loaded = b.load();
    assert_eq!(loaded.document.meshes.len(), 1);
    let text: String = loaded.problems.iter().map(|p| format!("{p}\n")).collect();
    assert!(text.contains("vertices that are not compressed, found KHR_draco_mesh_compression"), "{text}");
}

#[test]
fn counts_far_beyond_the_file_are_refused_before_memory_is_taken() {
    let four_billion = json!({"componentType": 5126, "type": "MAT4", "count": 4_000_000_000_u64});
    let mut b = Builder::new();
    b.push("accessors", four_billion);
    let scalar = json!({"componentType": 5126, "type": "SCALAR", "count": 9_007_199_254_740_992_u64});
    b.push("accessors", scalar);
    let vec3 = json!({"componentType": 5126, "type": "VEC3", "count": 4_000_000_000_u64});
    b.push("accessors", vec3);
    b.node(json!({}));
    b.push("skins", json!({"joints": [0], "inverseBindMatrices": 0}));
    b.animation("long", 0, "translation", 1, 2);
    b.push("meshes", json!({"primitives": [{"attributes": {"POSITION": 2}}]}));
    let loaded = b.load();
    let limits: Vec<_> = loaded.problems.iter().filter(|p| p.code == ProblemCode::Limit).collect();
    assert_eq!(limits.len(), 3, "{:#?}", loaded.problems);
    assert_says(limits[2], &["'long'", "input accessor 1", "/accessors/1"]);
}

#[test]
fn a_thousand_meshes_of_one_accessor_are_bounded_together() {
    let mut b = Builder::new();
    let position = b.floats("VEC3", &vec![0.0; 300_000]);
    for _ in 0..1000 {
        b.push("meshes", json!({"primitives": [{"attributes": {"POSITION": position}}]}));
    }
    let loaded = b.load();
    let kept = loaded.document.meshes.len();
    assert!((10..100).contains(&kept), "{kept}");
    assert!(loaded.problems.iter().any(|p| p.code == ProblemCode::Limit));
}

#[test]
fn a_caller_can_set_the_memory_limit() {
    let mut b = Builder::new();
    let position = b.floats("VEC3", &vec![0.0; 30_000]);
    b.push("meshes", json!({"primitives": [{"attributes": {"POSITION": position}}]}));
    let options = ReadOptions { memory_limit: Some(100_000), ..ReadOptions::default() };
    let loaded = read_gltf(&b.glb(), &NoFiles, &options).unwrap();
    assert!(loaded.document.meshes.is_empty());
    let options = ReadOptions { memory_limit: Some(100), ..ReadOptions::default() };
    let error = read_gltf(&b.glb(), &NoFiles, &options).unwrap_err();
    assert!(matches!(error, AssetError::TooLarge { limit: 100, .. }), "{error}");
}

#[test]
fn every_list_of_the_wrong_type_is_survived() {
    let lists = [
        "accessors",
        "animations",
        "bufferViews",
        "buffers",
        "cameras",
        "extensions",
        "extensionsUsed",
        "extras",
        "images",
        "materials",
        "meshes",
        "nodes",
        "samplers",
        "scene",
        "scenes",
        "skins",
        "textures",
    ];
    let mut b = Builder::new();
    let position = b.floats("VEC3", &[0.0; 9]);
    b.push("meshes", json!({"primitives": [{"attributes": {"POSITION": position}}]}));
    b.node(json!({"mesh": 0}));
    b.push("skins", json!({"joints": [0]}));
    let input = b.floats("SCALAR", &[0.0]);
    b.animation("a", 0, "translation", input, position);
    let sound = b.document();
    for list in lists {
        for wrong in
            [json!(null), json!(7), json!("x"), json!({}), json!([]), json!([null]), json!([7]), json!([[]])]
        {
            let mut json = sound.clone();
            let must_say = !["extensions", "extensionsUsed", "extras", "scene"].contains(&list)
                && wrong.as_array().is_none_or(|a| !a.is_empty());
            json[list] = wrong;
            let loaded = read_gltf(&glb(&json, &b.bin), &NoFiles, &ReadOptions::default()).unwrap();
            let named = loaded.problems.iter().any(|p| p.to_string().contains(&format!("/{list}")));
            assert!(named || !must_say, "{list}: {:#?}", loaded.problems);
        }
    }
}

#[test]
fn a_file_that_is_named_four_thousand_times_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("self.gltf");
    // As many spellings of one name as there are buffers and pictures.
    let uri = |i: usize| format!("{}self.gltf", "./".repeat(i % 8));
    let buffers: Vec<_> = (0..4000).map(|i| json!({"byteLength": 1_000_000 - i, "uri": uri(i)})).collect();
    let images: Vec<_> = (0..4000).map(|i| json!({"uri": uri(i), "mimeType": "image/png"})).collect();
    let json = json!({"asset": {"version": "2.0"}, "buffers": buffers, "images": images}).to_string();
    std::fs::write(&path, &json).unwrap();
    let loaded = load(&path, &ReadOptions::default()).unwrap();
    let held: usize =
        loaded.document.carried.images.iter().filter_map(|i| i.bytes.as_ref()).map(Vec::len).sum();
    // The file counts as itself and once more as the file it names.
    assert!(held <= 128 * json.len() + (4 << 20), "{held} bytes for {}", json.len());
    assert!(held >= 10 * json.len(), "{held}");
    assert!(loaded.problems.iter().any(|p| p.code == ProblemCode::Limit));
    assert!(loaded.problems.iter().all(|p| p.code != ProblemCode::Resource));
}

#[test]
fn files_beside_the_document_do_not_raise_a_limit_that_the_caller_set() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.png"), vec![0; 50_000]).unwrap();
    let json = json!({"asset": {"version": "2.0"}, "images": [{"uri": "a.png"}],
                      "buffers": [{"uri": "a.png", "byteLength": 50_000}]});
    let options = ReadOptions { memory_limit: Some(20_000), ..ReadOptions::default() };
    let loaded = read_gltf(json.to_string().as_bytes(), &Folder::new(folder.path()), &options).unwrap();
    assert!(loaded.document.carried.images[0].bytes.is_none());
    let limits: Vec<_> = loaded.problems.iter().filter(|p| p.code == ProblemCode::Limit).collect();
    assert_eq!(limits.len(), 2, "{:#?}", loaded.problems);
    assert_says(limits[0], &["buffer 0", "at most 20000 bytes"]);
}

#[cfg(unix)]
#[test]
fn what_is_neither_a_file_nor_a_pipe_is_refused_by_name() {
    for (path, word) in [("/dev/zero", "a device"), ("/", "a folder")] {
        let error = load(path, &ReadOptions::default()).unwrap_err();
        assert!(matches!(&error, AssetError::NotAFile { .. }) && error.is_io(), "{error}");
        assert!(error.to_string().contains(word), "{error}");
    }
    let error = load("/none.glb", &ReadOptions::default()).unwrap_err();
    assert!(error.is_io() && !error.to_string().contains("none.glb"), "{error}");
}

#[test]
fn a_file_longer_than_any_glb_is_refused_unread() {
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().set_len(5 << 30).unwrap();
    let error = load(file.path(), &ReadOptions::default()).unwrap_err();
    assert!(matches!(error, AssetError::TooLarge { needed: 5_368_709_120, .. }), "{error}");
}
