//! Columns of a recorded action: every number of [`FrameRecord`] that is not in the pose.

use serde_json::{Value, json};
use sinew::action::{ActionChannel, CurveQuery, Euler, FrameFailure, FrameRecord, QueryOutcome};
use sinew::{JointId, Skeleton};

use crate::record::Column;

/// Channels that a frame asks for.
const ASKED: [ActionChannel; 9] = [
    ActionChannel::BodyX,
    ActionChannel::BodyY,
    ActionChannel::BodyZ,
    ActionChannel::BodyPitch,
    ActionChannel::BodyYaw,
    ActionChannel::BodyRoll,
    ActionChannel::HeadPitch,
    ActionChannel::HeadYaw,
    ActionChannel::HeadRoll,
];

/// Columns, in the order of [`row`].
pub(crate) fn columns(legs: &[&str]) -> Vec<Column> {
    let mut columns = vec![
        Column::new("frame", "", "from 0"),
        Column::new("time_s", "s", "recording clock"),
        Column::new("active_s", "s", "seconds into the action, within it"),
        Column::new("progress", "", "share of the action"),
        Column::new("curve_time_s", "s", "moment at which the curves were asked"),
        Column::new("body_weight", "", "weight of the body"),
        Column::new("head_weight", "", "weight of the head"),
        Column::new("head_blend_in", "", "1 while the head's blend-in window runs"),
    ];
    for axis in ["x", "y", "z"] {
        columns.push(Column::new(&format!("body_{axis}_m"), "m", "body in the world"));
    }
    for (part, meaning) in [
        ("body", "body in the world"),
        ("head", "head relative to the body, as blended"),
        ("head_target", "what the curves want of the head, relative to the body"),
    ] {
        for angle in ["pitch", "yaw", "roll"] {
            columns.push(Column::new(&format!("{part}_{angle}_deg"), "deg", meaning));
        }
    }
    columns.push(Column::new("scaled_height_m", "m", "height channel times the reference height"));
    columns.push(Column::new("height_datum_m", "m", "mean height of the support anchors"));
    for part in ["x", "y", "z", "w"] {
        columns.push(Column::new(&format!("head_q{part}"), "", "head's rotation relative to the body"));
    }
    for channel in ASKED {
        let unit = if channel.is_angle() { "deg" } else { "" };
        let end = if channel.is_angle() { "_deg" } else { "" };
        columns.push(Column::new(&format!("curve_{channel}{end}"), unit, "answer to the query"));
        let meaning = "where the answer is from: 0 keys, 1 fallback as there is no channel, 2 fallback as there are no keys";
        columns.push(Column::new(&format!("curve_{channel}_from"), "", meaning));
    }
    columns.push(Column::new(
        "turn_deg",
        "deg",
        "largest turn of a leg's bone in the world since the frame before",
    ));
    columns.push(Column::new("clearance_m", "m", "least height of a knee or ankle over the ground"));
    for leg in legs {
        for (name, unit, meaning) in [
            ("ankle_offset_deg", "deg", "tilt of the ankle segment"),
            ("residual_x_nm", "nm", "sole less its anchor"),
            ("residual_y_nm", "nm", "sole less its anchor"),
            ("residual_z_nm", "nm", "sole less its anchor"),
            ("room_deg", "deg", "to the nearest joint limit"),
            ("gap_m", "m", "between parts of the leg that share no joint"),
            ("turn_deg", "deg", "largest turn in the world since the frame before"),
        ] {
            columns.push(Column::new(&format!("{}_{name}", leg.to_lowercase()), unit, meaning));
        }
    }
    columns
}

/// The numbers of a frame.
pub(crate) fn row(record: &FrameRecord) -> Vec<f64> {
    let euler = |e: Euler| [e.pitch, e.yaw, e.roll].map(f64::to_degrees);
    let clock = &record.clock;
    let mut row = vec![f64::from(record.frame), clock.time, clock.active, clock.progress];
    row.push(record.curve_clock.active);
    row.extend([record.body_weight.value, record.head_weight.value]);
    row.push(f64::from(u8::from(record.head_weight.blend_in.is_some() && clock.inside)));
    let body = &record.body.body_ws;
    row.extend(body.translation.to_array());
    row.extend(euler(Euler::from_quat(body.rotation)));
    row.extend(euler(record.head_euler));
    row.extend(euler(record.head_target));
    row.extend([record.body.scaled_height, record.body.height_datum]);
    row.extend(record.head_local.to_array());
    for channel in ASKED {
        let query = record.queries.of(channel);
        row.push(query.map_or(0.0, answer));
        row.push(query.map_or(0.0, |q| from(&q.outcome)));
    }
    row.push(record.continuity.map_or(0.0, |turn| turn.radians.to_degrees()));
    row.push(record.clearance);
    for leg in &record.legs {
        row.push(leg.solved.ankle_offset.to_degrees());
        row.extend((leg.residual_ws * 1e9).to_array());
        row.extend([leg.limit_margin.to_degrees(), leg.self_gap]);
        row.push(leg.turn.map_or(0.0, |turn| turn.radians.to_degrees()));
    }
    row
}

/// Degrees for angles.
pub(crate) fn answer(query: &CurveQuery) -> f64 {
    if query.channel.is_angle() { query.value.to_degrees() } else { query.value }
}

fn from(outcome: &QueryOutcome) -> f64 {
    match outcome {
        QueryOutcome::Sampled(_) => 0.0,
        QueryOutcome::ChannelMissing => 1.0,
        QueryOutcome::NoKeys => 2.0,
    }
}

/// What stopped a recording, for its `record.json`.
pub(crate) fn failure(skeleton: &Skeleton, failure: &FrameFailure) -> Value {
    let label = |joint: JointId| skeleton.label(joint);
    let euler = failure.body_euler;
    let deltas: Vec<Value> = failure
        .joint_deltas
        .iter()
        .map(|turn| json!({ "bone": label(turn.joint), "turn_deg": turn.radians.to_degrees() }))
        .collect();
    json!({
        "frame": failure.frame,
        "time_s": failure.time,
        "cause": failure.cause.to_string(),
        "leg": failure.leg,
        "ankle_offset_deg": failure.ankle_offset.map(f64::to_degrees),
        "body_m": failure.body_ws.translation.to_array(),
        "body_pitch_deg": euler.pitch.to_degrees(),
        "body_yaw_deg": euler.yaw.to_degrees(),
        "body_roll_deg": euler.roll.to_degrees(),
        "joint_deltas": deltas,
    })
}
