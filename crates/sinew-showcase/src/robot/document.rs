//! The robot as a document: skeleton, mesh, skin and materials, ready for a clip and a file.

use glam::DMat4;
use serde_json::{Map, Value, json};
use sinew::{JointId, Mesh, RawClip, RawPose, Skin, model_matrices};
use sinew_asset::{Carried, Document, MeshInstance, Scene};

use super::bones::{BONES, Robot};
use super::sculpt::{Paint, Sculptor};
use super::{head_shape, hull_shape, leg_shape};

impl Robot {
    /// The robot with its mesh and these clips, under a name for people.
    #[must_use]
    pub fn document(&self, name: &str, clips: Vec<RawClip>) -> Document {
        let mut bind_ms: Vec<DMat4> = Vec::new();
        model_matrices(&self.skeleton, &RawPose::rest(&self.skeleton), &mut bind_ms);
        let mut sculptor = Sculptor::new(&bind_ms);
        hull_shape::add(self, &mut sculptor);
        leg_shape::add(self, &mut sculptor);
        head_shape::add(self, &mut sculptor);
        let primitives = sculptor.into_primitives();

        let joints: Vec<JointId> = (0..BONES as u32).map(JointId).collect();
        let inverse_bind = joints.iter().map(|j| bind_ms[j.index()].inverse()).collect();
        let skin = Skin { name: Some("Robot".into()), source: 0, joints, inverse_bind };
        Document {
            name: name.into(),
            skeleton: self.skeleton.clone(),
            clips,
            meshes: vec![Mesh { name: Some("Robot".into()), source: 0, primitives }],
            skins: vec![skin],
            instances: vec![MeshInstance { joint: self.mesh, mesh: 0, skin: Some(0) }],
            scenes: vec![Scene { name: Some("Robot".into()), roots: vec![self.body, self.mesh] }],
            default_scene: Some(0),
            carried: Carried { top: materials(), ..Carried::default() },
            ..Document::default()
        }
    }

    /// A bone by its name.
    #[must_use]
    pub fn bone(&self, name: &str) -> Option<JointId> {
        self.skeleton.find(name)
    }
}

/// Name, colour, metal, roughness, glow.
fn look(paint: Paint) -> (&'static str, [f64; 3], f64, f64, [f64; 3]) {
    let dull = [0.0; 3];
    match paint {
        Paint::Hull => ("hull", [0.74, 0.70, 0.60], 0.0, 0.55, dull),
        Paint::Armour => ("armour", [0.13, 0.15, 0.18], 0.2, 0.6, dull),
        Paint::Steel => ("steel", [0.34, 0.36, 0.38], 0.7, 0.45, dull),
        Paint::Chrome => ("chrome", [0.72, 0.75, 0.78], 1.0, 0.2, dull),
        Paint::Accent => ("accent", [0.80, 0.26, 0.05], 0.0, 0.5, dull),
        Paint::Rubber => ("rubber", [0.035, 0.035, 0.04], 0.0, 0.9, dull),
        Paint::Core => ("core", [0.10, 0.62, 0.75], 0.0, 0.3, [0.08, 0.55, 0.68]),
        Paint::Lens => ("lens", [0.85, 0.08, 0.04], 0.0, 0.2, [0.75, 0.05, 0.02]),
    }
}

fn materials() -> Map<String, Value> {
    let material = |paint: &Paint| {
        let (name, [r, g, b], metal, rough, glow) = look(*paint);
        json!({
            "name": name,
            "pbrMetallicRoughness":
                { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": metal, "roughnessFactor": rough },
            "emissiveFactor": glow,
        })
    };
    Map::from_iter([("materials".into(), Value::Array(Paint::ALL.iter().map(material).collect()))])
}
