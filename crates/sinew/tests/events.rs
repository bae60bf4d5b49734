//! Promise: every event fires exactly once each time its moment is reached, however time is stepped: over
//! loops, hitches, pauses and exact landings, forwards and backwards, in order of time.

use proptest::prelude::*;
use sinew::{Event, EventError, EventTrack, Fired, Playback};

fn events(list: &[(&str, f64)]) -> Vec<Event> {
    list.iter().map(|(name, time)| Event { name: (*name).into(), time: *time }).collect()
}

fn looping(list: &[(&str, f64)], duration: f64) -> EventTrack {
    EventTrack::new(events(list), duration, Playback::Loop).unwrap()
}

fn once(list: &[(&str, f64)], duration: f64) -> EventTrack {
    EventTrack::new(events(list), duration, Playback::Once).unwrap()
}

fn step(track: &EventTrack, from: f64, to: f64) -> Vec<Fired> {
    let mut fired = Vec::new();
    track.step(from, to, |f| fired.push(f));
    fired
}

fn names(track: &EventTrack, fired: &[Fired]) -> Vec<(String, i64)> {
    fired.iter().map(|f| (track.events()[f.event].name.clone(), f.cycle)).collect()
}

fn named(list: &[(&str, i64)]) -> Vec<(String, i64)> {
    list.iter().map(|(name, cycle)| ((*name).into(), *cycle)).collect()
}

/// Firings of each event, stepping from `start` through `steps`.
fn play(track: &EventTrack, start: f64, steps: impl IntoIterator<Item = f64>) -> Vec<usize> {
    let mut fires = vec![0; track.events().len()];
    let mut now = start;
    for dt in steps {
        track.step(now, now + dt, |f| fires[f.event] += 1);
        now += dt;
    }
    fires
}

/// Foot-falls at a quarter and three quarters of a one-second loop, one at its start, one just before its end.
fn walk() -> EventTrack {
    looping(&[("begin", 0.0), ("left", 0.25), ("right", 0.75), ("near end", 0.998)], 1.0)
}

#[test]
fn at_60_frames_a_second_over_three_loops_and_more() {
    // From 0.2 to 3.6: 0.25 is passed in every loop, 0.75 in three, 0 at 1, 2 and 3.
    assert_eq!(play(&walk(), 0.2, std::iter::repeat_n(1.0 / 60.0, 204)), [3, 4, 3, 3]);
}

#[test]
fn a_hitch_of_several_loops_misses_nothing() {
    assert_eq!(play(&walk(), 0.2, [3.1]), [3, 4, 3, 3]);
    assert_eq!(play(&walk(), 0.0, [1000.0]), [1000, 1000, 1000, 1000]);
}

#[test]
fn landing_exactly_on_events_fires_them_once() {
    // 0.25 | 0.75 | 1.0 | 1.25 | 1.75
    assert_eq!(play(&walk(), 0.125, [0.125, 0.5, 0.25, 0.25, 0.5]), [1, 2, 2, 1]);
}

#[test]
fn a_pause_fires_nothing_even_on_an_event() {
    assert_eq!(play(&walk(), 0.0, [0.0, 0.25, 0.0, 0.0, 0.5, 0.0]), [0, 1, 1, 0]);
}

#[test]
fn order_within_a_step_is_order_of_time_over_loops() {
    let walk = walk();
    let expected = [
        ("right", 0),
        ("near end", 0),
        ("begin", 1),
        ("left", 1),
        ("right", 1),
        ("near end", 1),
        ("begin", 2),
    ];
    assert_eq!(names(&walk, &step(&walk, 0.5, 2.125)), named(&expected));
    let expected = [
        ("begin", 2),
        ("near end", 1),
        ("right", 1),
        ("left", 1),
        ("begin", 1),
        ("near end", 0),
        ("right", 0),
    ];
    assert_eq!(names(&walk, &step(&walk, 2.125, 0.5)), named(&expected));
}

#[test]
fn events_are_sorted_and_those_of_one_moment_keep_their_order() {
    let track = once(&[("late", 0.75), ("b", 0.25), ("a", 0.25), ("zero", 0.0), ("minus zero", -0.0)], 1.0);
    let found: Vec<_> = track.events().iter().map(|e| e.name.as_str()).collect();
    assert_eq!(found, ["zero", "minus zero", "b", "a", "late"]);
    let expected = [("b", 0), ("a", 0)];
    assert_eq!(names(&track, &step(&track, 0.0, 0.5)), named(&expected));
}

#[test]
fn an_event_at_0_fires_when_playback_begins_and_at_every_loop() {
    let walk = walk();
    let mut begun = Vec::new();
    walk.begin(0.0, |f| begun.push(f));
    assert_eq!(names(&walk, &begun), named(&[("begin", 0)]));
    assert_eq!(names(&walk, &step(&walk, 0.0, 0.2)), named(&[]), "not again in the first step");
    assert_eq!(names(&walk, &step(&walk, 0.999, 1.0)), named(&[("begin", 1)]));
    begun.clear();
    walk.begin(0.1, |f| begun.push(f));
    walk.begin(f64::NAN, |f| begun.push(f));
    assert_eq!(begun, []);
}

#[test]
fn an_event_at_0_of_a_clip_played_once_is_told_by_begin() {
    let shot = once(&[("fire", 0.0), ("end", 0.5)], 0.5);
    let mut begun = Vec::new();
    shot.begin(0.0, |f| begun.push(f));
    assert_eq!(names(&shot, &begun), named(&[("fire", 0)]));
    assert_eq!(play(&shot, 0.0, [0.25, 0.25, 0.25, 9.0]), [0, 1]);
}

#[test]
fn an_event_at_the_end_fires_once_a_loop_before_the_next_begins() {
    let track = looping(&[("first", 0.0), ("last", 2.0)], 2.0);
    assert_eq!(names(&track, &step(&track, 1.0, 2.0)), named(&[("last", 0), ("first", 1)]));
    assert_eq!(names(&track, &step(&track, 2.0, 3.0)), named(&[]));
    assert_eq!(play(&track, 1.0, [0.5; 12]), [3, 3]);
    let mut begun = Vec::new();
    track.begin(2.0, |f| begun.push(f));
    assert_eq!(names(&track, &begun), named(&[("last", 0), ("first", 1)]));
}

#[test]
fn a_clip_played_once_fires_its_end_once_and_then_nothing() {
    let track = once(&[("last", 2.0)], 2.0);
    assert_eq!(play(&track, 0.0, [0.7; 10]), [1]);
    assert_eq!(play(&track, 2.0, [0.7; 10]), [0]);
    assert_eq!(play(&track, 5.0, [-4.0]), [1], "back over it");
}

#[test]
fn running_back_leaves_out_where_it_starts_and_reaches_where_it_ends() {
    let walk = walk();
    assert_eq!(names(&walk, &step(&walk, 0.75, 0.25)), named(&[("left", 0)]));
    assert_eq!(
        names(&walk, &step(&walk, 0.25, -0.25)),
        named(&[("begin", 0), ("near end", -1), ("right", -1)])
    );
}

#[test]
fn a_clip_of_no_length_fires_once_and_does_not_loop() {
    let track = looping(&[("only", 0.0)], 0.0);
    assert_eq!(play(&track, -1.0, [0.5; 40]), [1]);
}

#[test]
fn times_beyond_counting_neither_panic_nor_hang() {
    let walk = walk();
    assert!(walk.count(0, 0.0, 1e300) > i64::MAX / 2);
    assert!(walk.count(0, 1e300, -1e300) < 0);
    assert_eq!(walk.count(1, 0.0, f64::NAN), 0);
    assert_eq!(walk.count(1, f64::NEG_INFINITY, 0.0), 0);
    assert_eq!(step(&walk, 0.0, f64::INFINITY), []);
    assert_eq!(step(&walk, f64::NAN, 1.0), []);
    assert_eq!(step(&looping(&[], 1.0), 0.0, 1e300), []);
}

#[test]
fn events_outside_their_clip_are_refused_by_name() {
    for time in [-0.1, 1.1, f64::NAN] {
        let error = EventTrack::new(events(&[("ok", 0.5), ("lost", time)]), 1.0, Playback::Loop).unwrap_err();
        assert!(matches!(&error, EventError::OutOfClip { index: 1, .. }));
        assert!(error.to_string().contains("lost"), "{error}");
    }
    for duration in [-1.0, f64::NAN, f64::INFINITY] {
        let error = EventTrack::new(vec![], duration, Playback::Loop).unwrap_err();
        assert!(matches!(error, EventError::BadDuration { .. }));
    }
}

fn moments() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0_f64, Just(0.25)], 1..6)
}

/// Steps of all kinds: frames, hitches, pauses, exact quarters, backwards.
fn stops() -> impl Strategy<Value = Vec<f64>> {
    let quarter = (-12..12_i32).prop_map(|q| f64::from(q) / 4.0);
    prop::collection::vec(prop_oneof![-3.0..3.0_f64, quarter], 2..20)
}

proptest! {
    #[test]
    fn any_split_forwards_fires_what_one_step_fires(moments in moments(), mut stops in stops(), again: bool) {
        let list: Vec<_> = moments.iter().map(|t| ("e", *t)).collect();
        let track = if again { looping(&list, 1.0) } else { once(&list, 1.0) };
        stops.sort_by(f64::total_cmp);
        let in_parts: Vec<Fired> = stops.windows(2).flat_map(|w| step(&track, w[0], w[1])).collect();
        let mut at_once = step(&track, stops[0], stops[stops.len() - 1]);
        prop_assert_eq!(in_parts.len(), at_once.len());
        // Events within a rounding step of one moment may meet a frame border in either order.
        let mut sorted = in_parts;
        sorted.sort_by_key(|f| (f.cycle, f.event));
        at_once.sort_by_key(|f| (f.cycle, f.event));
        prop_assert_eq!(sorted, at_once);
    }

    #[test]
    fn any_split_backwards_fires_what_one_step_fires(moments in moments(), mut stops in stops(), again: bool) {
        let list: Vec<_> = moments.iter().map(|t| ("e", *t)).collect();
        let track = if again { looping(&list, 1.0) } else { once(&list, 1.0) };
        stops.sort_by(|a, b| b.total_cmp(a));
        let mut in_parts: Vec<Fired> = stops.windows(2).flat_map(|w| step(&track, w[0], w[1])).collect();
        let mut at_once = step(&track, stops[0], stops[stops.len() - 1]);
        in_parts.sort_by_key(|f| (f.cycle, f.event));
        at_once.sort_by_key(|f| (f.cycle, f.event));
        prop_assert_eq!(in_parts, at_once);
    }

    #[test]
    fn each_firing_lies_in_its_step(moments in moments(), from in -3.0..3.0_f64, to in -3.0..3.0_f64) {
        let list: Vec<_> = moments.iter().map(|t| ("e", *t)).collect();
        let track = looping(&list, 1.0);
        let at = |f: &Fired| track.events()[f.event].time + f.cycle as f64;
        let fired = step(&track, from, to);
        for f in &fired {
            prop_assert!(at(f) >= from.min(to) - 1e-12 && at(f) <= from.max(to) + 1e-12);
        }
        let ordered = fired.windows(2).all(|w| if from < to { at(&w[0]) <= at(&w[1]) } else { at(&w[0]) >= at(&w[1]) });
        prop_assert!(ordered);
        // As many as there are whole numbers k with from < time + k <= to.
        for event in 0..list.len() {
            let seen = fired.iter().filter(|f| f.event == event).count() as i64;
            prop_assert_eq!(track.count(event, from, to).abs(), seen);
        }
    }

    #[test]
    fn back_and_forth_between_events_is_even(moments in moments(), a in -3.0..3.0_f64, b in -3.0..3.0_f64) {
        let list: Vec<_> = moments.iter().map(|t| ("e", *t)).collect();
        let track = looping(&list, 1.0);
        let on_event = |t: f64| moments.iter().any(|m| ((t - m) - (t - m).round()).abs() < 1e-9);
        prop_assume!(!on_event(a) && !on_event(b));
        for event in 0..list.len() {
            prop_assert_eq!(track.count(event, a, b), -track.count(event, b, a));
        }
    }
}

#[test]
#[allow(clippy::print_stdout, reason = "says that it was left out")]
fn the_shared_vectors() {
    let Ok(shared) = std::env::var("SINEW_SHARED") else {
        println!("SINEW_SHARED is not set: the shared event vectors are left out");
        return;
    };
    let text = std::fs::read_to_string(format!("{shared}/cases/extra/event-vectors.json")).unwrap();
    let root: serde_json::Value = serde_json::from_str(&text).unwrap();
    let list: Vec<(&str, f64)> =
        root["events"].as_object().unwrap().iter().map(|(n, t)| (n.as_str(), t.as_f64().unwrap())).collect();
    let track = looping(&list, root["clip_seconds"].as_f64().unwrap());
    let vectors = root["vectors"].as_array().unwrap();
    assert!(!vectors.is_empty());
    for vector in vectors {
        let steps = match &vector["steps"] {
            serde_json::Value::Array(steps) => steps.iter().map(|s| s.as_f64().unwrap()).collect(),
            even => vec![even["dt"].as_f64().unwrap(); even["n"].as_u64().unwrap() as usize],
        };
        let fires = play(&track, vector["start_time"].as_f64().unwrap(), steps);
        for (event, found) in track.events().iter().zip(fires) {
            assert_eq!(
                vector["fires"][&event.name].as_u64().unwrap(),
                found as u64,
                "{} {vector}",
                event.name
            );
        }
    }
}
