//! Promise: an action's curves, clocks and weights give the numbers of the robot's specification, and every
//! query says where its value came from.

use sinew::action::{
    Action, ActionChannel, ActionError, ActionField, ActionRecord, ActionSet, ActionSettings, BlendMode,
    BlendWindow, BlendWindows, ClockError, KeyDomain, QueryOutcome, QueryTrace, RecordingClock, StompClock,
    WindowError,
};
use sinew::{Curve, CurvePlace, Interpolation, TrackError};

const LINEAR: Interpolation = Interpolation::Linear;

fn record() -> ActionRecord {
    ActionRecord {
        name: "dip".into(),
        original_length: 2.0,
        settings: ActionSettings {
            head_bone: "Head_01".into(),
            parameterization: 1,
            head_animation: true,
            key_domain: KeyDomain::Seconds,
            body_blend: BlendWindows::NONE,
            head_blend: BlendWindows::NONE,
        },
        channels: vec![
            (ActionChannel::HeadPitch, "HeadRotP".into()),
            (ActionChannel::HeadYaw, "HeadRotY".into()),
            (ActionChannel::HeadRoll, "HeadRotR".into()),
        ],
        fields: vec![
            ActionField::linear("HeadRotP", &[0.5, 1.0, 1.5], &[-1.0, 0.0, 3.0]).unwrap(),
            ActionField::linear("HeadRotY", &[0.0], &[0.0]).unwrap(),
            ActionField::linear("HeadRotR", &[], &[]).unwrap(),
        ],
    }
}

fn at(time: f64) -> sinew::action::ClockSample {
    RecordingClock::with(2.0, 30.0, 0.0).unwrap().at(time).unwrap()
}

#[test]
fn a_recording_at_1_5_s_of_an_action_of_2_s_is_at_progress_0_25() {
    let sample = RecordingClock::new(2.0).unwrap().at(1.5).unwrap();
    assert_eq!((sample.active, sample.progress, sample.inside), (0.5, 0.25, true));
}

#[test]
fn a_recording_holds_the_first_moment_for_a_second_and_the_last_one_after_the_action() {
    let clock = RecordingClock::new(50.0 / 30.0).unwrap();
    // 111 frames: 30 before the start, the end at frame 80, held to frame 110.
    assert_eq!(clock.frames(), 111);
    assert_eq!((clock.at_frame(0).active, clock.at_frame(0).inside), (0.0, false));
    assert_eq!((clock.at_frame(30).active, clock.at_frame(30).inside), (0.0, true));
    assert_eq!((clock.at_frame(55).active - 25.0 / 30.0).abs(), 0.0);
    assert_eq!((clock.at_frame(80).progress, clock.at_frame(80).inside), (1.0, true));
    assert_eq!((clock.at_frame(81).progress, clock.at_frame(81).inside), (1.0, false));
    assert_eq!(clock.at_frame(110).active, 50.0 / 30.0);
}

#[test]
fn a_stomp_three_seconds_in_is_at_progress_1_5_and_never_past_2() {
    let clock = StompClock::new(2.0, 2.0).unwrap();
    assert_eq!(clock.at(3.0).unwrap().progress, 1.5);
    assert_eq!(clock.at(9.0).unwrap().progress, 2.0);
    assert_eq!(clock.at(-1.0).unwrap().progress, 0.0);
    assert!(!clock.at(4.5).unwrap().inside);
}

#[test]
fn clocks_refuse_lengths_and_times_that_are_none() {
    for length in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(RecordingClock::new(length), Err(ClockError::Seconds { .. })), "{length}");
        assert!(matches!(StompClock::new(length, 0.0), Err(ClockError::Seconds { .. })), "{length}");
    }
    assert!(matches!(RecordingClock::with(1.0, 0.0, 1.0), Err(ClockError::Rate { .. })));
    assert!(RecordingClock::new(1.0).unwrap().at(f64::NAN).is_err());
}

#[test]
fn a_recording_of_more_frames_than_ten_million_is_refused_with_their_number() {
    // A file may give any finite length: 1e9 s are 30e9 frames and two seconds of holds, more than 32 bits hold.
    let too_long = |length| RecordingClock::new(length).unwrap_err();
    assert_eq!(too_long(1e9), ClockError::Frames { frames: 30_000_000_061.0 });
    assert_eq!(too_long(2e8), ClockError::Frames { frames: 6_000_000_061.0 });
    assert_eq!(too_long(f64::MAX), ClockError::Frames { frames: f64::INFINITY });
    assert!(matches!(RecordingClock::with(1.0, f64::MAX, 1.0), Err(ClockError::Frames { .. })));
    assert!(matches!(RecordingClock::with(1.0, 30.0, f64::MAX), Err(ClockError::Frames { .. })));
    // The last that fits: 9 999 999 steps of a frame.
    let most = RecordingClock::with(9_999_999.0, 1.0, 0.0).unwrap();
    assert_eq!(most.frames(), RecordingClock::MOST_FRAMES);
    let more = RecordingClock::with(10_000_000.0, 1.0, 0.0).unwrap_err();
    assert_eq!(more, ClockError::Frames { frames: 10_000_001.0 });
    assert_eq!(more.to_string(), "10000001 frames, expected at most 10000000");
}

#[test]
fn a_curve_is_a_straight_line_between_keys_and_holds_its_ends_outside_them() {
    let action = Action::new(record()).unwrap();
    let mut trace = QueryTrace::default();
    let pitch = ActionChannel::HeadPitch;
    let cases = [
        (0.0, -1.0, CurvePlace::Before),
        (0.5, -1.0, CurvePlace::OnKey { key: 0 }),
        (0.75, -0.5, CurvePlace::Between { key: 0, next: 1, u: 0.5 }),
        (1.0, 0.0, CurvePlace::OnKey { key: 1 }),
        (1.25, 1.5, CurvePlace::Between { key: 1, next: 2, u: 0.5 }),
        (1.5, 3.0, CurvePlace::OnKey { key: 2 }),
        (1.75, 3.0, CurvePlace::After),
    ];
    for (time, value, place) in cases {
        assert_eq!(action.query(pitch, &at(time), 7.0, &mut trace), value, "at {time} s");
        let query = trace.of(pitch).unwrap();
        assert_eq!((query.time, query.fallback, query.value), (time, 7.0, value));
        assert_eq!(query.outcome, QueryOutcome::Sampled(place), "at {time} s");
    }
    assert_eq!(trace.queries.len(), cases.len());
}

#[test]
fn a_zero_of_a_curve_a_zero_of_a_missing_channel_and_a_zero_without_keys_are_told_apart() {
    let action = Action::new(record()).unwrap();
    let mut trace = QueryTrace::default();
    for channel in [ActionChannel::HeadYaw, ActionChannel::BodyX, ActionChannel::HeadRoll] {
        assert_eq!(action.query(channel, &at(0.0), 0.0, &mut trace), 0.0);
    }
    let outcomes: Vec<_> = trace.queries.iter().map(|q| (q.field, q.outcome.name())).collect();
    assert_eq!(outcomes, [(Some(1), "on_key"), (None, "channel_missing"), (Some(2), "no_keys")]);
    let fallbacks: Vec<_> = trace.queries.iter().map(|q| q.outcome.is_fallback()).collect();
    assert_eq!(fallbacks, [false, true, true]);
    // The caller's own default comes back, whatever it is.
    assert_eq!(action.query(ActionChannel::BodyX, &at(0.0), -4.5, &mut trace), -4.5);
}

#[test]
fn keys_in_seconds_and_keys_in_parts_of_the_length_are_asked_at_their_own_times() {
    let mut record = record();
    let sample = RecordingClock::new(2.0).unwrap().at(1.5).unwrap();
    let mut trace = QueryTrace::default();
    let seconds = Action::new(record.clone()).unwrap();
    seconds.query(ActionChannel::HeadPitch, &sample, 0.0, &mut trace);
    record.settings.key_domain = KeyDomain::Progress;
    let progress = Action::new(record).unwrap();
    progress.query(ActionChannel::HeadPitch, &sample, 0.0, &mut trace);
    assert_eq!([trace.queries[0].time, trace.queries[1].time], [0.5, 0.25]);
}

#[test]
fn overlapping_windows_of_0_8_and_0_5_give_0_4_and_not_0_5() {
    let windows = BlendWindows {
        blend_in: BlendWindow::new(1.0, BlendMode::Linear),
        blend_out: BlendWindow::new(0.8, BlendMode::Linear),
    };
    let weight = windows.weight(0.8, 1.2).unwrap();
    assert!((weight.blend_in.unwrap() - 0.8).abs() < 1e-15);
    assert!((weight.blend_out.unwrap() - 0.5).abs() < 1e-15);
    assert!((weight.value - 0.4).abs() < 1e-15);
}

#[test]
fn the_weight_is_zero_outside_the_action_and_one_between_its_windows() {
    let window = |seconds| BlendWindow::new(seconds, BlendMode::SmoothStep);
    let windows = BlendWindows { blend_in: window(0.5), blend_out: window(0.25) };
    for outside in [-1e-9, 2.0 + 1e-9, f64::NAN, f64::INFINITY] {
        assert_eq!(windows.weight(outside, 2.0).unwrap().value, 0.0, "{outside}");
    }
    assert_eq!(windows.weight(0.0, 2.0).unwrap().value, 0.0);
    assert_eq!(windows.weight(0.25, 2.0).unwrap().value, 0.5);
    let between = windows.weight(1.0, 2.0).unwrap();
    assert_eq!((between.value, between.blend_in, between.blend_out), (1.0, None, None));
    assert_eq!(windows.weight(2.0, 2.0).unwrap().value, 0.0);
    assert_eq!(BlendWindows::NONE.weight(0.0, 2.0).unwrap().value, 1.0);
    assert_eq!(BlendWindows::NONE.weight(2.0, 2.0).unwrap().value, 1.0);
}

#[test]
fn modes_go_from_0_to_1_by_their_own_formula() {
    let factor = |mode, u: f64| {
        let windows = BlendWindows { blend_in: BlendWindow::new(1.0, mode), blend_out: BlendWindow::NONE };
        windows.weight(u, 9.0).unwrap().value
    };
    for (mode, quarter) in [
        (BlendMode::Linear, 0.25),
        (BlendMode::SmoothStep, 0.156_25),
        (BlendMode::EaseIn, 0.0625),
        (BlendMode::EaseOut, 0.4375),
    ] {
        assert!((factor(mode.clone(), 0.25) - quarter).abs() < 1e-15, "{mode:?}");
        assert_eq!((factor(mode.clone(), 0.0), factor(mode.clone(), 1.0)), (0.0, 1.0), "{mode:?}");
    }
}

#[test]
fn a_custom_curve_that_ends_below_1_jumps_to_1_where_its_window_ends() {
    let custom = Curve::new("in", vec![0.0, 1.0], vec![0.0_f32, 0.75], LINEAR).unwrap();
    let windows = BlendWindows {
        blend_in: BlendWindow::new(0.5, BlendMode::Custom(custom)),
        blend_out: BlendWindow::NONE,
    };
    assert!((windows.weight(0.499_999, 2.0).unwrap().value - 0.75).abs() < 1e-5);
    let after = windows.weight(0.5, 2.0).unwrap();
    assert_eq!((after.value, after.blend_in), (1.0, None));
}

#[test]
fn body_and_head_have_their_own_weights() {
    let mut record = record();
    record.settings.head_blend.blend_in = BlendWindow::new(1.0, BlendMode::Linear);
    let action = Action::new(record).unwrap();
    assert_eq!((action.body_weight(&at(0.5)).value, action.head_weight(&at(0.5)).value), (1.0, 0.5));
}

fn refused(change: impl Fn(&mut ActionRecord)) -> ActionError {
    let mut record = record();
    change(&mut record);
    Action::new(record).unwrap_err()
}

#[test]
fn records_that_do_not_hold_together_are_refused_by_name() {
    let action = || "dip".to_owned();
    assert_eq!(
        refused(|r| r.settings.parameterization = 2),
        ActionError::Parameterization { action: action(), found: 2 }
    );
    assert_eq!(
        refused(|r| r.settings.head_animation = false),
        ActionError::HeadAnimationDisabled { action: action() }
    );
    assert_eq!(refused(|r| r.settings.head_bone.clear()), ActionError::NoHeadBone { action: action() });
    for seconds in [0.0, -1.0, f64::INFINITY] {
        let error = refused(|r| r.original_length = seconds);
        assert_eq!(error, ActionError::Length { action: action(), seconds });
    }
    assert!(matches!(refused(|r| r.original_length = f64::NAN), ActionError::Length { .. }));
    let (channel, field) = (ActionChannel::HeadPitch, "HeadRotP".to_owned());
    assert_eq!(
        refused(|r| r.channels.push((channel, "HeadRotY".into()))),
        ActionError::RepeatedChannel { action: action(), channel }
    );
    assert_eq!(
        refused(|r| r.fields.push(ActionField { name: "HeadRotP".into(), curve: None })),
        ActionError::RepeatedField { action: action(), field: field.clone() }
    );
    assert_eq!(
        refused(|r| {
            r.fields.remove(0);
        }),
        ActionError::NoSuchField { action: action(), channel, field: field.clone() }
    );
    let step = Curve::new("HeadRotP", vec![0.0], vec![0.0_f32], Interpolation::Step).unwrap();
    assert_eq!(
        refused(|r| r.fields[0].curve = Some(step.clone())),
        ActionError::NotLinear { action: action(), field, found: Interpolation::Step }
    );
    let source = WindowError::Seconds { seconds: -0.5 };
    let (part, end) = ("head", "blend-out");
    assert_eq!(
        refused(|r| r.settings.head_blend.blend_out.seconds = -0.5),
        ActionError::Window { action: action(), part, end, source }
    );
}

#[test]
fn custom_weights_outside_0_to_1_are_refused_by_key() {
    let window = |times: &[f64], values: &[f32], mode| {
        BlendWindow::new(1.0, BlendMode::Custom(Curve::new("w", times, values, mode).unwrap())).check()
    };
    let name = || "w".to_owned();
    let over = window(&[0.0, 1.0], &[0.0, 1.5], LINEAR);
    assert_eq!(over, Err(WindowError::Weight { name: name(), key: 1, weight: 1.5 }));
    let late = window(&[0.0, 2.0], &[0.0, 1.0], LINEAR);
    assert_eq!(late, Err(WindowError::KeyOutside { name: name(), key: 1, at: 2.0 }));
    let spline = window(&[0.0], &[0.0, 0.0, 0.0], Interpolation::CubicSpline);
    assert_eq!(spline, Err(WindowError::Spline { name: name() }));
}

#[test]
fn bad_keys_are_refused_with_the_field_and_the_key() {
    let field = || "HeadRotP".to_owned();
    let error = |times: &[f64], values: &[f32]| ActionField::linear("HeadRotP", times, values).unwrap_err();
    let source = TrackError::DecreasingTime { key: 1, time: 0.5, previous: 1.0 };
    assert_eq!(error(&[1.0, 0.5], &[0.0, 0.0]), ActionError::Keys { field: field(), source });
    let nan = error(&[0.0, 1.0], &[0.0, f32::NAN]);
    assert!(matches!(nan, ActionError::Keys { source: TrackError::NonFiniteValue { key: 1, .. }, .. }));
    let source = TrackError::OutputCount { keys: 2, expected: 2, found: 1 };
    assert_eq!(error(&[0.0, 1.0], &[0.0]), ActionError::Keys { field: field(), source });
}

#[test]
fn unknown_channels_and_actions_are_named() {
    let name = "tail_pitch".to_owned();
    assert_eq!(ActionChannel::from_name("tail_pitch"), Err(ActionError::UnknownChannel { name }));
    for channel in ActionChannel::ALL {
        assert_eq!(ActionChannel::from_name(channel.name()), Ok(channel));
    }
    let set = ActionSet::new(vec![record()]).unwrap();
    assert_eq!(set.find("dip").unwrap().length(), 2.0);
    assert_eq!(set.find("shake").unwrap_err(), ActionError::UnknownAction { name: "shake".into() });
    let twice = ActionSet::new(vec![record(), record()]).unwrap_err();
    assert_eq!(twice, ActionError::RepeatedAction { name: "dip".into() });
}

#[test]
fn windows_that_nobody_checked_give_no_weight() {
    let windows = |blend_in| BlendWindows { blend_in, blend_out: BlendWindow::NONE };
    let nan = windows(BlendWindow::new(f64::NAN, BlendMode::Linear)).weight(0.5, 2.0);
    assert!(matches!(nan, Err(WindowError::Seconds { seconds }) if seconds.is_nan()));
    let loud = Curve::new("in", vec![0.0, 1.0], vec![0.0_f32, 3.0], LINEAR).unwrap();
    let loud = BlendWindow::new(0.5, BlendMode::Custom(loud));
    let error = WindowError::Weight { name: "in".into(), key: 1, weight: 3.0 };
    assert_eq!(windows(loud.clone()).weight(0.4, 2.0), Err(error.clone()));
    // Whether it is running or not.
    let out = BlendWindows { blend_in: BlendWindow::NONE, blend_out: loud };
    assert_eq!(out.weight(0.0, 2.0), Err(error));
}

#[test]
fn actions_with_many_fields_and_sets_with_many_actions_are_checked_in_a_time_that_grows_with_their_number() {
    // Each name against all before it: ten thousand million comparisons, minutes of them.
    let many = 150_000;
    let start = std::time::Instant::now();
    let mut record = record();
    record.fields.extend((0..many).map(|i| ActionField { name: format!("field {i}"), curve: None }));
    Action::new(record.clone()).unwrap();
    record.fields.push(ActionField { name: "field 7".into(), curve: None });
    let error = Action::new(record).unwrap_err();
    assert!(matches!(error, ActionError::RepeatedField { field, .. } if field == "field 7"));
    let named = |i| ActionRecord { name: format!("action {i}"), ..self::record() };
    let small = |i| ActionRecord { fields: Vec::new(), channels: Vec::new(), ..named(i) };
    let set = ActionSet::new((0..many).map(small).collect()).unwrap();
    assert_eq!(set.actions().len(), many);
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}
