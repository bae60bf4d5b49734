//! Builds a report page by hand, without any file: a bending tube, two findings, two curves.
//!
//! `cargo run -p sinew-cli --example report_page -- page.html [compare]`. It does not audit anything: the
//! findings are made up, and one joint has a hostile name to show that names are only ever text.

use std::f64::consts::{PI, TAU};

use sinew_audit::Severity;
use sinew_audit::plot::{Limit, Marker, Plot, Series, Span, Tone};
use sinew_cli::report::{
    Affine, Cell, Fact, FindingRow, IDENTITY, Layout, Page, PagePlot, PlayerScene, SceneClip, SceneInstance,
    SceneJoint, SceneMesh, ScenePrimitive, SceneSkin, Section, Table, render,
};

const JOINTS: usize = 6;
const LENGTH: f64 = 0.2;
const HOSTILE: &str = "</script><img src=x onerror=alert(1)>\u{202e}gpj";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: report_page PAGE.html [compare]")?;
    let page = if arguments.next().is_some() { comparison() } else { audit_like() };
    std::fs::write(path, render(&page)?)?;
    Ok(())
}

/// One character with findings, as an audit shows it.
fn audit_like() -> Page {
    let mut page = Page::new("bending-tube.glb", "1 error, 1 warning and 1 note in 2 clips");
    page.facts =
        [("joints", "6"), ("vertices", "390"), ("clips", "2"), ("motion", "3.5 s"), ("file", "61 kB")]
            .map(|(label, value)| Fact::new(label, value))
            .into();
    page.players.push(tube("Tube", 1.0));
    let row = |severity, code: &str, message: &str, fix: &str, joint, time| FindingRow {
        severity,
        code: code.into(),
        message: message.into(),
        fix: fix.into(),
        measured: "14.21 mm".into(),
        limit: "5 mm".into(),
        pointer: "/animations/0/channels/3".into(),
        player: Some(0),
        clip: Some(0),
        joint: Some(joint),
        time: Some(time),
    };
    page.findings = Some(vec![
        row(
            Severity::Error,
            "SINEW_KNEE_SWING",
            "The middle joint leaves the plane that both keys share by 14.21 mm.",
            "Insert a key at 0.5 s, or build the limb's frame from a fixed reference axis.",
            3,
            0.5,
        ),
        row(
            Severity::Warning,
            "SINEW_LOOP_SEAM",
            "The last frame is 6.4 mm from the first at the worst joint.",
            "Repeat the first pose as the last key.",
            5,
            2.0,
        ),
        FindingRow {
            measured: String::new(),
            limit: String::new(),
            clip: None,
            time: None,
            ..row(
                Severity::Info,
                "SINEW_NAME",
                "A joint's name holds markup and characters that reorder text.",
                "",
                1,
                0.0,
            )
        },
    ]);
    let wave = |phase: f64| {
        (0..=240).map(|i| i as f64 / 120.0).map(move |t| [t, 8.0 + 9.0 * libm::sin(PI * t + phase)])
    };
    let mut plot = Plot::over_time("Tip: sideways excursion", "sideways", "mm");
    plot.description =
        "Distance of the tip from the plane of its neighbours. A clean bend stays under the limit.".into();
    plot.clip = Some(0);
    plot.joint = Some(5);
    plot.series = vec![
        Series::new("tip", wave(0.0).collect()),
        Series::new("middle", wave(1.0).map(|[t, y]| [t, y * 0.4]).collect()),
    ];
    plot.limits.push(Limit { value: 5.0, label: "limit 5 mm".into() });
    plot.markers.push(Marker { x: 0.5, y: Some(17.0), label: "worst: 17 mm".into(), finding: Some(0) });
    plot.spans.push(Span { from: 0.3, to: 0.9, label: "stance".into() });
    let mut gaps = Plot::over_time("Contact height", "height", "m");
    gaps.clip = Some(0);
    gaps.series = vec![Series::new(
        "contact",
        wave(0.4).map(|[t, y]| [t, if y > 9.0 { f64::NAN } else { y * 1e-3 }]).collect(),
    )];
    page.plots = [plot, gaps].map(|plot| PagePlot { plot, players: vec![0] }).into();
    page.notes.push("The player shows joints sampled at 60 Hz.".into());
    page
}

/// Two versions beside each other, as a study shows them.
fn comparison() -> Page {
    let mut page = Page::new("Bend", "The same bend with and without a twist, on one clock");
    page.layout = Layout::SideBySide;
    page.sections.push(Section {
        heading: "What happens".into(),
        paragraphs: vec![
            "Both tubes bend by the same angle, and the left one also swings sideways halfway through."
                .into(),
        ],
    });
    page.players = vec![tube("Wrong", 1.0), tube("Right", 0.0)];
    page.players[0].caption = "leaves its plane".into();
    page.players[1].caption = "stays in it".into();
    let mut plot = Plot::over_time("Sideways excursion of the tip", "sideways", "mm");
    plot.clip = Some(0);
    plot.series = vec![
        Series::new(
            "wrong",
            (0..=100).map(|i| f64::from(i) / 50.0).map(|t| [t, 5.2 * libm::sin(PI * t / 2.0)]).collect(),
        )
        .tone(Tone::Bad),
        Series::new("right", vec![[0.0, 0.0], [2.0, 0.0]]).tone(Tone::Good),
    ];
    page.plots.push(PagePlot { plot, players: vec![0, 1] });
    page.tables.push(Table {
        title: "Promised and measured".into(),
        note: String::new(),
        columns: ["Promise", "Expected", "Measured", ""].map(String::from).into(),
        rows: vec![
            vec![
                Cell::Text("largest sideways excursion".into()),
                Cell::Number("5.236 mm".into()),
                Cell::Number("5.236 mm".into()),
                Cell::Verdict(true),
            ],
            vec![
                Cell::Text("tip at both keys".into()),
                Cell::Number("0.000 mm".into()),
                Cell::Number("0.002 mm".into()),
                Cell::Verdict(false),
            ],
        ],
    });
    page
}

/// A tube along +Y that bends about X, and swings about Z by `swing`.
fn tube(title: &str, swing: f64) -> PlayerScene {
    let joints: Vec<SceneJoint> = (0..JOINTS)
        .map(|i| SceneJoint {
            name: if i == 1 { HOSTILE.into() } else { format!("segment {i}") },
            parent: i.checked_sub(1),
            bone: true,
        })
        .collect();
    let clip = |name: &str, duration: f64, amount: f64| {
        let times = SceneClip::times(duration, 60.0);
        let matrices = times.iter().flat_map(|t| {
            let phase = TAU * t / duration;
            chain(amount * libm::sin(phase), swing * 0.25 * libm::sin(phase / 2.0))
        });
        SceneClip {
            name: name.into(),
            duration,
            rate: 60.0,
            matrices: matrices.collect(),
            weights: Vec::new(),
        }
    };
    let inverse_bind = (0..JOINTS).map(|i| lifted(-(i as f64) * LENGTH)).collect();
    PlayerScene {
        title: title.into(),
        rest: chain(0.0, 0.0),
        clips: vec![clip("Bend", 2.0, 0.28), clip("Nod & <b>wave</b>", 1.5, -0.12)],
        skins: vec![SceneSkin { joints: (0..JOINTS as u32).collect(), inverse_bind }],
        meshes: vec![SceneMesh { name: "tube".into(), primitives: vec![tube_mesh()] }],
        instances: vec![SceneInstance { joint: 0, mesh: 0, skin: Some(0), first_weight: 0 }],
        joints,
        ..PlayerScene::default()
    }
}

fn lifted(y: f64) -> Affine {
    let mut m = IDENTITY;
    m[7] = y as f32;
    m
}

/// Matrices of a chain whose every joint turns by `bend` about X and `swing` about Z.
fn chain(bend: f64, swing: f64) -> Vec<Affine> {
    let (mut matrices, mut at) = (Vec::new(), glam::DAffine3::IDENTITY);
    for i in 0..JOINTS {
        let rise = if i == 0 { 0.0 } else { LENGTH };
        let turn = glam::DQuat::from_rotation_x(bend) * glam::DQuat::from_rotation_z(swing);
        at *= glam::DAffine3::from_rotation_translation(turn, glam::DVec3::Y * rise);
        let rows = glam::DMat4::from(at).transpose().to_cols_array();
        matrices.push(std::array::from_fn(|i| rows[i] as f32));
    }
    matrices
}

fn tube_mesh() -> ScenePrimitive {
    const AROUND: u32 = 12;
    const ALONG: u32 = 30;
    let mut part = ScenePrimitive { per_vertex: 4, ..ScenePrimitive::default() };
    for ring in 0..=ALONG {
        let height = f64::from(ring) / f64::from(ALONG) * LENGTH * JOINTS as f64;
        for k in 0..AROUND {
            let angle = TAU * f64::from(k) / f64::from(AROUND);
            let radius = 0.07 - 0.03 * f64::from(ring) / f64::from(ALONG);
            part.positions
                .push([radius * libm::cos(angle), height, radius * libm::sin(angle)].map(|v| v as f32));
            let place = (height / LENGTH - 0.5).clamp(0.0, JOINTS as f64 - 1.001);
            let (low, share) = (place as u16, (place - libm::floor(place)) as f32);
            part.joints.extend([low, low + 1, 0, 0]);
            part.weights.extend([1.0 - share, share, 0.0, 0.0]);
            if ring < ALONG {
                let [a, b] = [ring * AROUND + k, ring * AROUND + (k + 1) % AROUND];
                part.indices.extend([a, a + AROUND, b, b, a + AROUND, b + AROUND]);
            }
        }
    }
    part
}
