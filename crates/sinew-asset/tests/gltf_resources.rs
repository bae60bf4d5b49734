//! Buffers and pictures come from the file, from `data:` URIs and from its own folder, and from nowhere else.

mod gltf_builder;

use gltf_builder::{Builder, assert_clean, assert_says, only};
use serde_json::{Value, json};
use sinew_asset::{Folder, Loaded, NoFiles, ProblemCode, ReadOptions, Severity, load, read_gltf};

/// A clip of one key whose two accessors are in a buffer at `uri`: time 0, then (1, 2, 3).
fn text(uri: Option<&str>, length: usize) -> String {
    let mut buffer = json!({"byteLength": length});
    if let Some(uri) = uri {
        buffer["uri"] = uri.into();
    }
    json!({
        "asset": {"version": "2.0"},
        "buffers": [buffer],
        "bufferViews": [
            {"buffer": 0, "byteLength": 4},
            {"buffer": 0, "byteOffset": 4, "byteLength": 12},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": 1},
            {"bufferView": 1, "componentType": 5126, "type": "VEC3", "count": 1},
        ],
        "nodes": [{}],
        "animations": [{
            "samplers": [{"input": 0, "output": 1}],
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
        }],
    })
    .to_string()
}

fn bytes() -> Vec<u8> {
    [0.0_f32, 1.0, 2.0, 3.0].iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn assert_read(loaded: &Loaded) {
    assert_clean(loaded);
    assert_eq!(**loaded.document.clips[0].channels[0].track.values(), [1.0, 2.0, 3.0]);
}

#[test]
fn base64_and_plain_data_uris_are_decoded() {
    let base64 = "data:application/octet-stream;base64,AAAAAAAAgD8AAABAAABAQA==";
    let unpadded = "data:;base64,AAAAAAAAgD8AAABAAABAQA";
    let percent: String = bytes().iter().map(|b| format!("%{b:02x}")).collect();
    for uri in [base64, unpadded, &format!("data:,{percent}")] {
        let loaded = read_gltf(text(Some(uri), 16).as_bytes(), &NoFiles, &ReadOptions::default()).unwrap();
        assert_read(&loaded);
    }
}

#[test]
fn a_file_beside_the_document_is_read() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("my walk.bin"), bytes()).unwrap();
    let path = folder.path().join("walk.gltf");
    std::fs::write(&path, text(Some("my%20walk.bin"), 16)).unwrap();
    let loaded = load(&path, &ReadOptions::default()).unwrap();
    assert_read(&loaded);
    assert_eq!(loaded.document.name, "walk");
}

#[test]
fn what_is_not_in_the_folder_is_refused_by_name() {
    let outer = tempfile::tempdir().unwrap();
    std::fs::write(outer.path().join("secret.bin"), bytes()).unwrap();
    let inner = outer.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    for (uri, words) in [
        ("../secret.bin", "leaves the folder"),
        ("%2E%2E/secret.bin", "leaves the folder"),
        ("/etc/hostname", "leaves the folder"),
        ("http://example.org/a.bin", "nothing is fetched"),
        ("file:///etc/hostname", "nothing is fetched"),
        ("missing.bin", "missing.bin"),
        (".", "not a plain file"),
    ] {
        let loaded =
            read_gltf(text(Some(uri), 16).as_bytes(), &Folder::new(&inner), &ReadOptions::default()).unwrap();
        assert!(loaded.document.clips.is_empty());
        let problem = only_of(&loaded, "buffer 0");
        assert_says(problem, &[uri, words, "/buffers/0/uri"]);
    }
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_of_the_folder_is_refused() {
    let outer = tempfile::tempdir().unwrap();
    std::fs::write(outer.path().join("secret.bin"), bytes()).unwrap();
    let inner = outer.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    std::os::unix::fs::symlink("../secret.bin", inner.join("a.bin")).unwrap();
    let loaded =
        read_gltf(text(Some("a.bin"), 16).as_bytes(), &Folder::new(&inner), &ReadOptions::default()).unwrap();
    assert_says(only_of(&loaded, "buffer 0"), &["leaves the folder"]);
}

fn only_of<'a>(loaded: &'a Loaded, object: &str) -> &'a sinew_asset::Problem {
    loaded.problems.iter().find(|p| p.object.to_string() == object).unwrap()
}

#[test]
fn a_short_buffer_is_named_and_what_is_there_is_used() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.bin"), bytes()).unwrap();
    let text = text(Some("a.bin"), 1_000_000_000);
    let loaded = read_gltf(text.as_bytes(), &Folder::new(folder.path()), &ReadOptions::default()).unwrap();
    assert_eq!(loaded.document.clips.len(), 1);
    assert_says(only(&loaded, ProblemCode::Buffer), &["buffer 0", "1000000000 bytes", "found 16"]);
}

#[test]
fn a_buffer_without_bytes_is_named() {
    let loaded = read_gltf(text(None, 16).as_bytes(), &NoFiles, &ReadOptions::default()).unwrap();
    assert_says(only_of(&loaded, "buffer 0"), &["a uri, or a binary chunk", "/buffers/0/uri"]);
    assert!(loaded.document.clips.is_empty());
    let users: Vec<_> = loaded.problems.iter().filter(|p| p.object.to_string() != "buffer 0").collect();
    assert_eq!(users.len(), 1, "{users:#?}");
    assert_says(users[0], &["animation 0", "buffer 0 was not read; the animation is left out"]);
    assert!(!users[0].message.contains("uri"), "why is said once: {}", users[0]);
}

/// A document with pictures as given and a view of four bytes.
fn with_images(images: Value, options: &ReadOptions) -> Loaded {
    let mut b = Builder::new();
    b.view(&[1, 2, 3, 4], json!({}));
    b.json["images"] = images;
    b.json["materials"] = json!([{"name": "skin"}]);
    b.json["extensions"] = json!({"KHR_lights_punctual": {"lights": []}, "VENDOR_x": {"nodes": [0]}});
    read_gltf(&b.glb(), &NoFiles, options).unwrap()
}

#[test]
fn pictures_and_materials_are_carried() {
    let images = json!([
        {"bufferView": 0, "mimeType": "image/png"},
        {"uri": "data:image/png;base64,AQID"},
        {"uri": "lost.png", "name": "lost"},
    ]);
    let loaded = with_images(images.clone(), &ReadOptions::default());
    let carried = &loaded.document.carried;
    let bytes: Vec<_> = carried.images.iter().map(|i| i.bytes.as_deref()).collect();
    assert_eq!(bytes, [Some(&[1, 2, 3, 4][..]), Some(&[1, 2, 3][..]), None]);
    assert_eq!(carried.images[2].uri.as_deref(), Some("lost.png"));
    assert_eq!(carried.images[0].json.len(), 1);
    assert_eq!(carried.top["materials"][0]["name"], "skin");
    assert_eq!(carried.extensions_used, ["KHR_lights_punctual"]);
    assert_eq!(only(&loaded, ProblemCode::Resource).severity, Severity::Warning);
    assert_says(only(&loaded, ProblemCode::Resource), &["image 2", "lost.png"]);
    assert_says(only(&loaded, ProblemCode::Extension), &["VENDOR_x", "neither interpreted nor passed on"]);
    let options = ReadOptions { images: false, ..ReadOptions::default() };
    assert!(with_images(images, &options).document.carried.images.iter().all(|i| i.bytes.is_none()));
}
