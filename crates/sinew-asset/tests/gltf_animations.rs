//! Animations come in whole or not at all: a bad one is named by animation, sampler and key, and never takes
//! the others with it.

mod gltf_builder;

use gltf_builder::{Builder, assert_clean, assert_says, only};
use serde_json::{Value, json};
use sinew::{ChannelTarget, Interpolation, JointFlags, JointId};
use sinew_asset::{Loaded, ProblemCode, Severity};

/// A sound clip "good" beside a clip "bad" with these times for one translation channel.
fn with_times(times: &[f32]) -> Loaded {
    let mut b = Builder::new();
    let node = b.node(json!({}));
    let input = b.floats("SCALAR", times);
    let output = b.floats("VEC3", &vec![0.0; times.len() * 3]);
    b.animation("bad", node, "translation", input, output);
    let input = b.floats("SCALAR", &[0.0, 1.0]);
    let output = b.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 2.0, 3.0]);
    b.animation("good", node, "translation", input, output);
    b.load()
}

fn refused(loaded: &Loaded, code: ProblemCode, words: &[&str]) {
    let names: Vec<_> = loaded.document.clips.iter().filter_map(|c| c.name.as_deref()).collect();
    assert_eq!(names, ["good"], "the other clip is kept");
    let problem = only(loaded, code);
    assert_eq!(problem.severity, Severity::Error);
    assert_says(problem, &["animation 0 'bad'", "left out"]);
    assert_says(problem, words);
}

#[test]
fn key_times_that_break_a_rule_are_named_by_key() {
    let input = "input accessor 0: key";
    let cases: [(&[f32], &[&str]); 6] = [
        (&[0.0, 0.5, 0.5], &[input, "key 2 is a duplicate", "0.5", "/animations/0/samplers/0/input"]),
        (&[0.0, 0.5, 0.25], &[input, "key 2 is decreasing", "0.25", "0.5"]),
        (&[-1.0, 0.5], &[input, "key 0 has negative time -1"]),
        (&[0.0, f32::NAN], &[input, "key 1", "NaN", "finite"]),
        (&[0.0, f32::INFINITY], &[input, "key 1", "inf", "finite"]),
        (&[], &["no keys"]),
    ];
    for (times, words) in cases {
        refused(&with_times(times), ProblemCode::Keys, words);
    }
}

/// Clip "bad" with one channel of `path`, whose output is as given; "good" beside it.
fn with_output(path: &str, shape: &str, values: &[f32], interpolation: &str) -> Loaded {
    let mut b = Builder::new();
    let node = b.node(json!({}));
    let input = b.floats("SCALAR", &[0.0, 1.0]);
    let output = b.floats(shape, values);
    let bad = b.animation("bad", node, path, input, output);
    b.json["animations"][bad as usize]["samplers"][0]["interpolation"] = interpolation.into();
    let output = b.floats("VEC3", &[0.0; 6]);
    b.animation("good", node, "translation", input, output);
    b.load()
}

#[test]
fn outputs_that_do_not_fit_are_named_with_their_numbers() {
    let cases: [(&str, &str, usize, &str, &[&str]); 5] = [
        (
            "translation",
            "VEC3",
            9,
            "LINEAR",
            &["output accessor 1", "9 output numbers for 2 keys, expected 6"],
        ),
        ("translation", "VEC3", 6, "CUBICSPLINE", &["6 output numbers for 2 keys, expected 18"]),
        ("translation", "VEC4", 8, "LINEAR", &["expected VEC3 for translation, found VEC4"]),
        ("rotation", "VEC3", 6, "LINEAR", &["expected VEC4 for rotation, found VEC3"]),
        ("rotation", "VEC4", 8, "LINEAR", &["key 0 is a rotation of length 0"]),
    ];
    for (path, shape, numbers, interpolation, words) in cases {
        let loaded = with_output(path, shape, &vec![0.0; numbers], interpolation);
        refused(&loaded, ProblemCode::Keys, words);
        assert_says(only(&loaded, ProblemCode::Keys), &["sampler 0", "/animations/0/samplers/0/output"]);
    }
    let loaded = with_output("scale", "VEC3", &[0.0, 0.0, f32::NAN, 0.0, 0.0, 0.0], "LINEAR");
    refused(&loaded, ProblemCode::Keys, &["key 0", "component 2", "NaN"]);
    let loaded = with_output("scale", "VEC3", &[0.0; 6], "SMOOTH");
    refused(&loaded, ProblemCode::Value, &["LINEAR, STEP or CUBICSPLINE", "SMOOTH"]);
}

#[test]
fn a_sampler_or_accessor_that_is_not_there_is_named() {
    for (pointer, value, words) in [
        ("/animations/0/channels/0/sampler", json!(7), "1 samplers"),
        ("/animations/0/samplers/0/input", json!(99), "accessors"),
        ("/animations/0/samplers/0/output", json!(-1), "a whole number"),
        ("/animations/0/samplers/0/output", json!("x"), "the string \"x\""),
    ] {
        let mut b = Builder::new();
        let node = b.node(json!({}));
        let input = b.floats("SCALAR", &[0.0, 1.0]);
        let output = b.floats("VEC3", &[0.0; 6]);
        b.animation("bad", node, "translation", input, output);
        b.animation("good", node, "translation", input, output);
        *b.json.pointer_mut(pointer).unwrap() = value;
        let loaded = b.load();
        assert_eq!(loaded.document.clips.len(), 1);
        assert_says(&loaded.problems[0], &["'bad'", pointer, words]);
    }
}

#[test]
fn all_interpolations_and_targets_are_read() {
    let mut b = Builder::new();
    let position = b.floats("VEC3", &[0.0; 3]);
    let target = json!({"POSITION": position});
    b.push(
        "meshes",
        json!({"primitives": [{"attributes": {"POSITION": position}, "targets": [target, target], "mode": 0}],
               "weights": [0.25, 0.5]}),
    );
    let node = b.node(json!({"mesh": 0}));
    let input = b.floats("SCALAR", &[0.0, 1.0]);
    let t = b.floats("VEC3", &[0.0; 6]);
    let r = b.floats("VEC4", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    let w = b.floats("SCALAR", &[0.0; 12]);
    b.push(
        "animations",
        json!({"samplers": [
            {"input": input, "output": t, "interpolation": "STEP"},
            {"input": input, "output": r},
            {"input": input, "output": w, "interpolation": "CUBICSPLINE"},
        ], "channels": [
            {"sampler": 0, "target": {"node": node, "path": "translation"}},
            {"sampler": 1, "target": {"node": node, "path": "rotation"}},
            {"sampler": 0, "target": {"node": node, "path": "scale"}},
            {"sampler": 2, "target": {"node": node, "path": "weights"}},
        ]}),
    );
    let Loaded { document, .. } = b.load();
    let channels: Vec<_> = document.clips[0]
        .channels
        .iter()
        .map(|c| (c.target, c.track.interpolation(), c.track.width(), c.source))
        .collect();
    assert_eq!(
        channels,
        [
            (ChannelTarget::Translation, Interpolation::Step, 3, 0),
            (ChannelTarget::Rotation, Interpolation::Linear, 4, 1),
            (ChannelTarget::Scale, Interpolation::Step, 3, 2),
            (ChannelTarget::Weights, Interpolation::CubicSpline, 2, 3),
        ]
    );
    assert_eq!(document.skeleton.rest_weights(), [0.25, 0.5]);
    assert!(document.skeleton.joint(JointId(0)).flags.contains(JointFlags::ANIMATED | JointFlags::MESH));
    document.clips[0].validate(&document.skeleton).unwrap();
}

/// One clip whose channels target what the list says; all share one sampler of two VEC3 keys.
fn with_targets(targets: &[Value]) -> Loaded {
    let mut b = Builder::new();
    b.node(json!({}));
    b.node(json!({"matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}));
    let input = b.floats("SCALAR", &[0.0, 1.0]);
    let output = b.floats("VEC3", &[0.0; 6]);
    let channels: Vec<Value> = targets.iter().map(|t| json!({"sampler": 0, "target": t})).collect();
    b.push("animations", json!({"samplers": [{"input": input, "output": output}], "channels": channels}));
    b.load()
}

#[test]
fn a_channel_without_a_node_is_ignored_as_the_specification_says() {
    let loaded = with_targets(&[json!({"path": "translation"}), json!({"node": 0, "path": "translation"})]);
    assert_eq!(loaded.document.clips[0].channels.len(), 1);
    assert_eq!(only(&loaded, ProblemCode::Channel).severity, Severity::Info);
}

#[test]
fn a_channel_that_drives_nothing_known_costs_only_itself() {
    let good = json!({"node": 0, "path": "scale"});
    for (target, code, words) in [
        (json!({"node": 0, "path": "colour"}), ProblemCode::Value, "\"colour\""),
        (json!({"node": 9, "path": "scale"}), ProblemCode::Index, "0 to 1, found 9"),
        (json!({"node": 0, "path": "weights"}), ProblemCode::Channel, "morph targets"),
        (json!({"node": 1, "path": "scale"}), ProblemCode::Channel, "node 1 with a matrix"),
        (json!({"node": 0}), ProblemCode::Value, "/animations/0/channels/0/target/path"),
    ] {
        let loaded = with_targets(&[target, good.clone()]);
        assert_eq!(loaded.document.clips[0].channels.len(), 1, "{:?}", loaded.problems);
        let problem = only(&loaded, code);
        assert_eq!(problem.severity, Severity::Warning);
        assert_says(problem, &["animation 0, channel 0", words]);
    }
}

#[test]
fn of_two_channels_on_one_target_the_later_is_used_and_named() {
    let target = json!({"node": 0, "path": "translation"});
    let loaded = with_targets(&[target.clone(), json!({"node": 0, "path": "scale"}), target]);
    let sources: Vec<_> = loaded.document.clips[0].channels.iter().map(|c| c.source).collect();
    assert_eq!(sources, [2, 1]);
    assert_says(only(&loaded, ProblemCode::DuplicateTarget), &["translation of node 0", "channels 0 and 2"]);
}

#[test]
fn a_clip_without_a_usable_channel_is_kept_empty() {
    let loaded = with_targets(&[]);
    assert!(loaded.document.clips[0].channels.is_empty());
    assert_eq!(only(&loaded, ProblemCode::EmptyClip).severity, Severity::Info);
}

fn pointing_at(pointer: &str) -> Value {
    json!({"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": pointer}}})
}

#[test]
fn animation_pointers_to_node_transforms_are_channels() {
    let loaded = with_targets(&[pointing_at("/nodes/0/translation"), pointing_at("/nodes/0/scale")]);
    assert_clean(&loaded);
    let targets: Vec<_> = loaded.document.clips[0].channels.iter().map(|c| c.target).collect();
    assert_eq!(targets, [ChannelTarget::Translation, ChannelTarget::Scale]);
}

#[test]
fn animation_pointers_to_anything_else_are_named() {
    let good = json!({"node": 0, "path": "scale"});
    let loaded = with_targets(&[pointing_at("/materials/0/emissiveFactor"), good.clone()]);
    assert_says(only(&loaded, ProblemCode::Pointer), &["/materials/0/emissiveFactor", "neither a transform"]);
    let loaded = with_targets(&[pointing_at("/nodes/77/scale"), good.clone()]);
    assert_says(only(&loaded, ProblemCode::Index), &["a node below 2, found 77"]);
    let loaded = with_targets(&[json!({"path": "pointer"}), good]);
    assert_says(only(&loaded, ProblemCode::Pointer), &["KHR_animation_pointer"]);
}

/// A clip of one second with these extras.
fn with_extras(extras: Value) -> Loaded {
    let mut b = Builder::new();
    let node = b.node(json!({}));
    let input = b.floats("SCALAR", &[0.0, 1.0]);
    let output = b.floats("VEC3", &[0.0; 6]);
    b.animation("walk", node, "translation", input, output);
    b.json["animations"][0]["extras"] = extras;
    b.load()
}

#[test]
fn curves_and_events_come_back() {
    let loaded = with_extras(json!({"other": 1, "sinew": {
        "version": 1,
        "curves": [{"name": "speed", "interpolation": "STEP", "times": [0, 0.5], "values": [1, 2]}],
        "events": [{"name": "step", "time": 0.25}, {"name": "end", "time": 1}],
    }}));
    assert_clean(&loaded);
    let clip = &loaded.document.clips[0];
    assert_eq!((clip.curves[0].name.as_str(), clip.curves[0].sample(0.7)), ("speed", 2.0));
    let events: Vec<_> = clip.events.iter().map(|e| (e.name.as_str(), e.time)).collect();
    assert_eq!(events, [("step", 0.25), ("end", 1.0)]);
}

#[test]
fn curves_and_events_that_cannot_be_read_are_named_and_the_clip_is_kept() {
    for (extras, words) in [
        (json!({"sinew": {"version": 2}}), "expected version 1, found 2"),
        (json!({"sinew": 7}), "7 in place of the object"),
        (
            json!({"sinew": {"version": 1, "curves": [{"name": "c", "times": [0, 0], "values": [0, 0]}]}}),
            "duplicate",
        ),
        (json!({"sinew": {"version": 1, "curves": [{"name": "c", "times": [0], "values": ["x"]}]}}), "\"x\""),
        (json!({"sinew": {"version": 1, "curves": {}}}), "an array"),
        (json!({"sinew": {"version": 1, "events": [{"name": "late", "time": 2}]}}), "2 s for \"late\""),
        (
            json!({"sinew": {"version": 1, "events": [{"time": 0}]}}),
            "/animations/0/extras/sinew/events/0/name",
        ),
    ] {
        let loaded = with_extras(extras);
        assert_eq!(loaded.document.clips[0].channels.len(), 1);
        let problem = only(&loaded, ProblemCode::Extras);
        assert_eq!(problem.severity, Severity::Warning);
        assert_says(problem, &["'walk'", words]);
    }
}
