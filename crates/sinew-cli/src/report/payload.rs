//! The JSON block that the page's script reads.
//!
//! Number arrays are little-endian and base64, which is a third larger than the bytes and ten times
//! smaller and faster than JSON numbers.

use base64::Engine as _;
use serde::Serialize;

use super::page::{Layout, Page, PagePlot};
use super::scene::{Affine, PlayerScene, SceneClip, SceneMesh, ScenePrimitive, SceneSkin};
use super::text::{printable, unit_sign};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PagePayload {
    side_by_side: bool,
    bones_hidden: bool,
    players: Vec<ScenePayload>,
    findings: Vec<FindingPayload>,
    plots: Vec<PlotPayload>,
}

#[derive(Serialize)]
struct FindingPayload {
    severity: &'static str,
    player: Option<usize>,
    clip: Option<usize>,
    joint: Option<usize>,
    time: Option<f64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PlotPayload {
    players: Vec<usize>,
    clip: Option<u32>,
    joint: Option<u32>,
    unit: String,
    /// Per series: f32 pairs of x and y.
    series: Vec<String>,
    markers: Vec<MarkerPayload>,
}

#[derive(Serialize)]
struct MarkerPayload {
    x: f64,
    finding: Option<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ScenePayload {
    title: String,
    names: Vec<String>,
    parents: Vec<i64>,
    bones: Vec<u8>,
    rest: String,
    rest_weights: String,
    clips: Vec<ClipPayload>,
    skins: Vec<SkinPayload>,
    meshes: Vec<MeshPayload>,
    instances: Vec<InstancePayload>,
}

#[derive(Serialize)]
struct ClipPayload {
    name: String,
    duration: f64,
    rate: f64,
    frames: usize,
    matrices: String,
    weights: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SkinPayload {
    joints: Vec<u32>,
    inverse_bind: String,
}

#[derive(Serialize)]
struct MeshPayload {
    name: String,
    primitives: Vec<PrimitivePayload>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PrimitivePayload {
    vertices: usize,
    positions: String,
    /// Signed 16-bit, 32767 is one.
    normals: String,
    /// Unsigned 16-bit up to 65,536 vertices, else 32-bit.
    indices: String,
    wide: bool,
    per_vertex: usize,
    joints: String,
    weights: String,
    targets: Vec<String>,
    material: u32,
    /// Base and glow, linear; `null`: the page's clay.
    colours: Option<[[f32; 3]; 2]>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InstancePayload {
    joint: usize,
    mesh: usize,
    skin: i64,
    first_weight: usize,
}

/// The page's data as JSON that cannot end or open an HTML element.
pub(super) fn json(page: &Page) -> Result<String, serde_json::Error> {
    let findings = page.findings.as_deref().unwrap_or_default();
    let payload = PagePayload {
        side_by_side: page.layout == Layout::SideBySide,
        bones_hidden: page.bones_hidden,
        players: page.players.iter().map(scene).collect(),
        findings: findings
            .iter()
            .map(|f| FindingPayload {
                severity: f.word(),
                player: f.player,
                clip: f.clip,
                joint: f.joint,
                time: f.time.filter(|t| t.is_finite()),
            })
            .collect(),
        plots: page.plots.iter().map(plot).collect(),
    };
    Ok(inert(&serde_json::to_string(&payload)?))
}

/// JSON in which no character can mean anything to an HTML parser. Outside strings JSON has none of them.
fn inert(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

fn plot(plot: &PagePlot) -> PlotPayload {
    let PagePlot { plot, players } = plot;
    PlotPayload {
        players: players.clone(),
        clip: plot.clip,
        joint: plot.joint,
        unit: unit_sign(&plot.y.unit),
        series: plot
            .series
            .iter()
            .map(|s| {
                let thin = super::svg::thin_out(&s.points, 1200);
                bytes(thin.iter().flatten().map(|v| (*v as f32).to_le_bytes()))
            })
            .collect(),
        markers: plot.markers.iter().map(|m| MarkerPayload { x: m.x, finding: m.finding }).collect(),
    }
}

fn scene(scene: &PlayerScene) -> ScenePayload {
    ScenePayload {
        title: printable(&scene.title),
        names: scene.joints.iter().map(|j| printable(&j.name)).collect(),
        parents: scene.joints.iter().map(|j| index(j.parent)).collect(),
        bones: scene.joints.iter().map(|j| u8::from(j.bone)).collect(),
        rest: matrices(&scene.rest),
        rest_weights: floats(&scene.rest_weights),
        clips: scene.clips.iter().map(|c| clip(c, scene.joints.len())).collect(),
        skins: scene.skins.iter().map(skin).collect(),
        meshes: scene.meshes.iter().map(mesh).collect(),
        instances: scene
            .instances
            .iter()
            .map(|i| InstancePayload {
                joint: i.joint,
                mesh: i.mesh,
                skin: index(i.skin),
                first_weight: i.first_weight,
            })
            .collect(),
    }
}

fn clip(clip: &SceneClip, joints: usize) -> ClipPayload {
    ClipPayload {
        name: printable(&clip.name),
        duration: clip.duration,
        rate: clip.rate,
        frames: clip.matrices.len() / joints.max(1),
        matrices: matrices(&clip.matrices),
        weights: floats(&clip.weights),
    }
}

fn skin(skin: &SceneSkin) -> SkinPayload {
    SkinPayload { joints: skin.joints.clone(), inverse_bind: matrices(&skin.inverse_bind) }
}

fn mesh(mesh: &SceneMesh) -> MeshPayload {
    MeshPayload { name: printable(&mesh.name), primitives: mesh.primitives.iter().map(primitive).collect() }
}

fn primitive(part: &ScenePrimitive) -> PrimitivePayload {
    let wide = part.positions.len() > 1 << 16;
    PrimitivePayload {
        vertices: part.positions.len(),
        positions: vectors(&part.positions),
        normals: bytes(part.normals.iter().flatten().map(|n| snorm16(*n).to_le_bytes())),
        indices: if wide {
            bytes(part.indices.iter().map(|i| i.to_le_bytes()))
        } else {
            bytes(part.indices.iter().map(|i| (*i as u16).to_le_bytes()))
        },
        wide,
        per_vertex: part.per_vertex,
        joints: bytes(part.joints.iter().map(|j| j.to_le_bytes())),
        weights: floats(&part.weights),
        targets: part.targets.iter().map(|t| vectors(t)).collect(),
        material: part.material,
        colours: part.colours.map(|c| [c.base, c.glow]),
    }
}

fn snorm16(value: f32) -> i16 {
    (value.clamp(-1.0, 1.0) * 32767.0).round() as i16
}

fn index(value: Option<usize>) -> i64 {
    value.and_then(|v| i64::try_from(v).ok()).unwrap_or(-1)
}

fn matrices(values: &[Affine]) -> String {
    bytes(values.iter().flatten().map(|v| v.to_le_bytes()))
}

fn vectors(values: &[[f32; 3]]) -> String {
    bytes(values.iter().flatten().map(|v| v.to_le_bytes()))
}

fn floats(values: &[f32]) -> String {
    bytes(values.iter().map(|v| v.to_le_bytes()))
}

fn bytes<const N: usize>(values: impl Iterator<Item = [u8; N]>) -> String {
    base64::engine::general_purpose::STANDARD.encode(values.flatten().collect::<Vec<u8>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::SceneJoint;

    #[test]
    fn names_cannot_leave_the_script_element() {
        let mut page = Page::new("", "");
        page.players.push(PlayerScene {
            joints: vec![SceneJoint { name: "</script><!--&\u{2028}\"\\".into(), ..SceneJoint::default() }],
            ..PlayerScene::default()
        });
        let json = json(&page).unwrap();
        assert!(!json.contains(['<', '>', '&', '\u{2028}']));
        let back: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(back["players"][0]["names"][0], "</script><!--&‹U+2028›\"\\");
    }
}
