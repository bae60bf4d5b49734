//! Small glTF documents for tests: values in, bytes of a GLB out.

#![allow(dead_code, reason = "every test file uses a part of it")]

use serde_json::{Map, Value, json};
use sinew_asset::{Loaded, NoFiles, Problem, ProblemCode, ReadOptions, Severity, read_gltf};

/// A document under construction. Lists hold what was added, in order.
#[derive(Clone)]
pub(crate) struct Builder {
    /// The JSON as it will be written, except for the lists.
    pub(crate) json: Value,
    /// The binary chunk.
    pub(crate) bin: Vec<u8>,
}

impl Default for Builder {
    fn default() -> Self {
        Self { json: json!({"asset": {"version": "2.0"}}), bin: Vec::new() }
    }
}

impl Builder {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Appends to a top-level list; returns the index.
    pub(crate) fn push(&mut self, list: &str, value: Value) -> u32 {
        let list = self.json.as_object_mut().unwrap().entry(list).or_insert_with(|| json!([]));
        let list = list.as_array_mut().unwrap();
        list.push(value);
        list.len() as u32 - 1
    }

    /// A buffer view over new bytes.
    pub(crate) fn view(&mut self, bytes: &[u8], extra: Value) -> u32 {
        while !self.bin.len().is_multiple_of(4) {
            self.bin.push(0);
        }
        let mut view = json!({"buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len()});
        merge(&mut view, extra);
        self.bin.extend(bytes);
        self.push("bufferViews", view)
    }

    /// An accessor of any kind over new bytes.
    pub(crate) fn accessor(
        &mut self,
        component: u32,
        shape: &str,
        count: usize,
        bytes: &[u8],
        extra: Value,
    ) -> u32 {
        let view = self.view(bytes, json!({}));
        let mut accessor =
            json!({"bufferView": view, "componentType": component, "type": shape, "count": count});
        merge(&mut accessor, extra);
        self.push("accessors", accessor)
    }

    /// A tightly packed accessor of floats.
    pub(crate) fn floats(&mut self, shape: &str, values: &[f32]) -> u32 {
        let width = match shape {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.accessor(5126, shape, values.len() / width, &bytes, json!({}))
    }

    /// One node; returns its index.
    pub(crate) fn node(&mut self, node: Value) -> u32 {
        self.push("nodes", node)
    }

    /// An animation with one channel.
    pub(crate) fn animation(&mut self, name: &str, node: u32, path: &str, input: u32, output: u32) -> u32 {
        self.push(
            "animations",
            json!({
                "name": name,
                "samplers": [{"input": input, "output": output}],
                "channels": [{"sampler": 0, "target": {"node": node, "path": path}}],
            }),
        )
    }

    /// The document as text with its buffer declared.
    pub(crate) fn document(&self) -> Value {
        let mut json = self.json.clone();
        if !self.bin.is_empty() && json.get("buffers").is_none() {
            json["buffers"] = json!([{"byteLength": self.bin.len()}]);
        }
        json
    }

    /// The document as a GLB.
    pub(crate) fn glb(&self) -> Vec<u8> {
        glb(&self.document(), &self.bin)
    }

    /// The document read back.
    pub(crate) fn load(&self) -> Loaded {
        read_gltf(&self.glb(), &NoFiles, &ReadOptions::default()).unwrap()
    }
}

/// A GLB of a document and a binary chunk.
pub(crate) fn glb(json: &Value, bin: &[u8]) -> Vec<u8> {
    let mut text = json.to_string().into_bytes();
    while !text.len().is_multiple_of(4) {
        text.push(b' ');
    }
    let mut bin = bin.to_vec();
    while !bin.len().is_multiple_of(4) {
        bin.push(0);
    }
    let mut out = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    for (kind, chunk) in [(b"JSON", &text), (b"BIN\0", &bin)] {
        if !chunk.is_empty() {
            out.extend((chunk.len() as u32).to_le_bytes());
            out.extend(kind);
            out.extend(chunk);
        }
    }
    let length = out.len() as u32;
    out[8..12].copy_from_slice(&length.to_le_bytes());
    out
}

fn merge(into: &mut Value, extra: Value) {
    let extra: Map<String, Value> = extra.as_object().cloned().unwrap_or_default();
    into.as_object_mut().unwrap().extend(extra);
}

/// The only problem of a kind; fails where there is none or more.
pub(crate) fn only(loaded: &Loaded, code: ProblemCode) -> &Problem {
    let found: Vec<_> = loaded.problems.iter().filter(|p| p.code == code).collect();
    assert_eq!(found.len(), 1, "{:#?}", loaded.problems);
    found[0]
}

/// Fails where anything is worse than good to know.
pub(crate) fn assert_clean(loaded: &Loaded) {
    let bad: Vec<_> = loaded.problems.iter().filter(|p| p.severity > Severity::Info).collect();
    assert!(bad.is_empty(), "{bad:#?}");
}

/// Fails where a text lacks one of the words.
pub(crate) fn assert_says(problem: &Problem, words: &[&str]) {
    let text = problem.to_string();
    for word in words {
        assert!(text.contains(word), "\"{word}\" is not in: {text}");
    }
}
