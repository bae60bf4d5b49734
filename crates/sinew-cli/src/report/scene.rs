//! A character as the player wants it: joint matrices at even times, meshes, skins.

/// The upper three rows of an affine 4x4 matrix, row by row: `[r0c0, r0c1, r0c2, r0c3, r1c0, ...]`.
pub type Affine = [f32; 12];

/// The matrix that moves nothing.
pub const IDENTITY: Affine = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];

/// A character, its clips sampled for playing. glTF axes, metres, seconds.
#[derive(Debug, Clone, Default)]
pub struct PlayerScene {
    /// Heading of the view.
    pub title: String,
    /// A sentence under the heading; may be empty.
    pub caption: String,
    /// Parents before children.
    pub joints: Vec<SceneJoint>,
    /// Scene-space matrices of the rest pose. `[joint]`
    pub rest: Vec<Affine>,
    /// Morph weights of the rest pose. `[weight]`
    pub rest_weights: Vec<f32>,
    /// The clips, in the file's order.
    pub clips: Vec<SceneClip>,
    /// The skins.
    pub skins: Vec<SceneSkin>,
    /// The meshes.
    pub meshes: Vec<SceneMesh>,
    /// Which mesh is drawn where.
    pub instances: Vec<SceneInstance>,
    /// What the player shows differently from the file, in sentences.
    pub notes: Vec<String>,
}

/// A joint of a [`PlayerScene`].
#[derive(Debug, Clone, Default)]
pub struct SceneJoint {
    /// Its name; may be empty.
    pub name: String,
    /// Index of its parent, smaller than its own.
    pub parent: Option<usize>,
    /// Whether the skeleton overlay draws it.
    pub bone: bool,
}

/// A clip sampled at even times.
///
/// Frame `i` is at `i / rate` seconds, except the last, which is exactly at `duration`.
#[derive(Debug, Clone, Default)]
pub struct SceneClip {
    /// Its name; may be empty.
    pub name: String,
    /// Seconds.
    pub duration: f64,
    /// Frames a second; 0 for a clip that was left out to keep the page small.
    pub rate: f64,
    /// Scene-space matrices. `[frame][joint]`, flat
    pub matrices: Vec<Affine>,
    /// Morph weights. `[frame][weight]`, flat
    pub weights: Vec<f32>,
}

/// Joints that move a mesh, and where they were when it was bound to them.
#[derive(Debug, Clone, Default)]
pub struct SceneSkin {
    /// Indices into the scene's joints.
    pub joints: Vec<u32>,
    /// Inverse bind matrices, one a joint.
    pub inverse_bind: Vec<Affine>,
}

/// A mesh of a [`PlayerScene`].
#[derive(Debug, Clone, Default)]
pub struct SceneMesh {
    /// Its name; may be empty.
    pub name: String,
    /// Its parts.
    pub primitives: Vec<ScenePrimitive>,
}

/// A part of a mesh: triangles with one material.
#[derive(Debug, Clone, Default)]
pub struct ScenePrimitive {
    /// Metres, in the mesh's own space. `[vertex]`
    pub positions: Vec<[f32; 3]>,
    /// Unit normals, or empty: the page then computes smooth ones. `[vertex]`
    pub normals: Vec<[f32; 3]>,
    /// Three a triangle.
    pub indices: Vec<u32>,
    /// Influences a vertex: 0 (follows its node), 4 or 8.
    pub per_vertex: usize,
    /// Indices into the skin's joints. `[vertex][influence]`, flat
    pub joints: Vec<u16>,
    /// Weights that add up to one. `[vertex][influence]`, flat
    pub weights: Vec<f32>,
    /// Offsets of each morph target, metres; empty where a target moves nothing. `[target][vertex]`
    pub targets: Vec<Vec<[f32; 3]>>,
    /// Index of its material, which sets its parts apart in tone where no colours are given.
    pub material: u32,
    /// Colour of its material, if the scene shows those.
    pub colours: Option<PartColours>,
}

/// Colours of a part; linear, red, green and blue from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartColours {
    /// What it reflects.
    pub base: [f32; 3],
    /// What it shines with.
    pub glow: [f32; 3],
}

/// A mesh in the scene.
#[derive(Debug, Clone, Default)]
pub struct SceneInstance {
    /// The node it hangs on; without a skin it follows that.
    pub joint: usize,
    /// Index into the scene's meshes.
    pub mesh: usize,
    /// Index into the scene's skins.
    pub skin: Option<usize>,
    /// Where its morph weights begin among the scene's weights.
    pub first_weight: usize,
}

impl SceneClip {
    /// Times of the frames for a clip of `duration` seconds at `rate` frames a second, ends included.
    pub fn times(duration: f64, rate: f64) -> Vec<f64> {
        if duration <= 0.0 || rate <= 0.0 {
            return vec![0.0];
        }
        // A duration that is a whole number of frames up to rounding gets no sliver of a last frame.
        let intervals = libm::ceil(duration * rate - 1e-6).max(1.0) as usize;
        (0..=intervals).map(|i| if i == intervals { duration } else { i as f64 / rate }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_frame_is_exactly_at_the_end() {
        assert_eq!(SceneClip::times(0.25, 10.0), [0.0, 0.1, 0.2, 0.25]);
        assert_eq!(SceneClip::times(0.3, 10.0), [0.0, 0.1, 0.2, 0.3]);
        assert_eq!(SceneClip::times(0.01, 10.0), [0.0, 0.01]);
        assert_eq!(SceneClip::times(0.0, 10.0), [0.0]);
    }
}
