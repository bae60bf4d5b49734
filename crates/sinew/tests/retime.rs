//! Cutting a clip changes no pose; giving it new keys changes none at them.

use proptest::prelude::*;
use sinew::{
    Channel, ChannelTarget, DTransform, Event, Interpolation, Joint, JointId, RawClip, RawPose, Skeleton,
    Track, resample, trim, uniform_times,
};

fn skeleton() -> Skeleton {
    Skeleton::new(vec![Joint::new("root", None, DTransform::IDENTITY)], vec![]).unwrap()
}

fn interpolation() -> impl Strategy<Value = Interpolation> {
    prop_oneof![Just(Interpolation::Linear), Just(Interpolation::Step), Just(Interpolation::CubicSpline)]
}

prop_compose! {
    fn clip()(
        interpolation in interpolation(),
        steps in prop::collection::vec(0.05_f64..1.0, 1..6),
        start in 0.0_f64..0.3,
        seed in prop::collection::vec(-1.0_f32..1.0, 6 * 7 * 3),
    ) -> RawClip {
        let mut times = vec![start];
        for step in steps {
            times.push(times[times.len() - 1] + step);
        }
        let parts = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        let mut next = seed.into_iter().cycle();
        let translation: Vec<f32> = (0..times.len() * 3 * parts).map(|_| next.next().unwrap()).collect();
        // A real part well above the rest keeps splines away from zero.
        let rotation: Vec<f32> = (0..times.len() * parts)
            .flat_map(|i| {
                let value = parts == 1 || i % 3 == 1;
                let mut q = [next.next().unwrap() * 0.5, next.next().unwrap() * 0.5, next.next().unwrap() * 0.5, 0.0];
                q[3] = if value { 2.0 } else { next.next().unwrap() * 0.1 };
                q
            })
            .collect();
        let track = |values: Vec<f32>, width| Track::new(times.clone().into(), values.into(), width, interpolation);
        RawClip {
            channels: vec![
                Channel {
                    joint: JointId(0),
                    target: ChannelTarget::Translation,
                    track: track(translation, 3).unwrap(),
                    source: 0,
                },
                Channel {
                    joint: JointId(0),
                    target: ChannelTarget::Rotation,
                    track: track(rotation, 4).unwrap(),
                    source: 1,
                },
            ],
            ..RawClip::default()
        }
    }
}

fn pose(clip: &RawClip, t: f64) -> DTransform {
    let mut pose = RawPose::default();
    clip.sample(&skeleton(), t, &mut pose);
    pose.local[0]
}

proptest! {
    #[test]
    fn a_trimmed_clip_moves_as_the_part_it_was(clip in clip(), a in 0.0_f64..0.5, b in 0.5_f64..1.0, u in 0.0_f64..1.0) {
        let (start, end) = (a * clip.duration(), b * clip.duration());
        let cut = trim(&clip, start, end).unwrap();
        let t = u * (end - start);
        // A jump of a STEP track may fall on either side of a rounded moment.
        let step = clip.channels[0].track.interpolation() == Interpolation::Step;
        let near_jump = clip.channels[0].track.times().iter().any(|k| (k - start - t).abs() < 1e-9);
        prop_assume!(!(step && near_jump));
        let (was, is) = (pose(&clip, start + t), pose(&cut, t));
        prop_assert!((was.translation - is.translation).length() < 1e-5, "{:?} {:?}", was, is);
        prop_assert!(DTransform::angle_between(was.rotation, is.rotation) < 1e-5, "{:?} {:?}", was, is);
        prop_assert!(cut.duration() <= end - start + 1e-12);
    }

    #[test]
    fn a_resampled_clip_keeps_its_poses_at_the_new_keys(clip in clip(), rate in 5.0_f64..200.0) {
        let new = resample(&clip, rate).unwrap();
        for t in uniform_times(clip.duration(), rate).unwrap() {
            let (was, is) = (pose(&clip, t), pose(&new, t));
            prop_assert!((was.translation - is.translation).length() < 1e-5);
            prop_assert!(DTransform::angle_between(was.rotation, is.rotation) < 1e-5);
        }
        prop_assert!((new.duration() - clip.duration()).abs() < 1e-12);
    }

    #[test]
    fn uniform_times_step_evenly_and_end_at_the_end(duration in 0.0_f64..20.0, rate in 0.1_f64..240.0) {
        let times = uniform_times(duration, rate).unwrap();
        prop_assert_eq!(times[times.len() - 1], duration);
        prop_assert!(times.windows(2).all(|w| w[1] > w[0] && w[1] - w[0] <= 1.0 / rate * 1.0002));
    }
}

#[test]
fn a_whole_number_of_steps_has_no_second_key_at_its_end() {
    // 1.1 s at 30 a second is 33 steps, and 1.1 is not a binary fraction.
    assert_eq!(uniform_times(1.1, 30.0).unwrap().len(), 34);
    assert_eq!(uniform_times(f64::from(1.1_f32), 30.0).unwrap().len(), 34);
    assert_eq!(uniform_times(0.93, 30.0).unwrap().len(), 29);
    assert_eq!(uniform_times(0.0, 30.0).unwrap(), vec![0.0]);
}

#[test]
fn spans_and_rates_that_cannot_be_are_refused_with_their_numbers() {
    let track = Track::new([0.0, 1.0].into(), [0.0; 6].into(), 3, Interpolation::Linear).unwrap();
    let channel = Channel { joint: JointId(0), target: ChannelTarget::Translation, track, source: 0 };
    let clip = RawClip { channels: vec![channel], ..RawClip::default() };
    for (start, end) in [(-0.1, 1.0), (0.5, 0.5), (0.0, 1.5), (f64::NAN, 1.0), (0.8, 0.2)] {
        let message = trim(&clip, start, end).unwrap_err().to_string();
        assert!(message.contains("1 s"), "{message}");
    }
    for rate in [0.0, -30.0, f64::NAN, f64::INFINITY, 1e12] {
        assert!(resample(&clip, rate).is_err(), "{rate}");
    }
}

#[test]
fn events_move_with_the_cut() {
    let track = Track::new([0.0, 2.0].into(), [0.0; 6].into(), 3, Interpolation::Linear).unwrap();
    let channel = Channel { joint: JointId(0), target: ChannelTarget::Translation, track, source: 0 };
    let event = |name: &str, time| Event { name: name.into(), time };
    let events =
        vec![event("before", 0.25), event("within", 1.0), event("at end", 1.5), event("after", 1.75)];
    let clip = RawClip { channels: vec![channel], events, ..RawClip::default() };
    let cut = trim(&clip, 0.5, 1.5).unwrap();
    assert_eq!(cut.events, vec![event("within", 0.5), event("at end", 1.0)]);
}

/// Keys every 30th of a second, as files hold them.
fn film(seconds_before: f64, interpolation: Interpolation) -> RawClip {
    let times: Vec<f64> = (0..90).map(|k| f64::from((seconds_before + f64::from(k) / 30.0) as f32)).collect();
    let values: Vec<f32> = (0..90).flat_map(|k| [k as f32, 0.0, 0.0]).collect();
    let track = Track::new(times.into(), values.into(), 3, interpolation).unwrap();
    let channel = Channel { joint: JointId(0), target: ChannelTarget::Translation, track, source: 0 };
    RawClip { channels: vec![channel], ..RawClip::default() }
}

fn is_distinct_in_single_precision(clip: &RawClip) -> bool {
    clip.channels.iter().all(|c| c.track.times().windows(2).all(|w| (w[0] as f32) < w[1] as f32))
}

#[test]
fn a_cut_typed_with_seven_digits_is_at_the_key_it_means() {
    for interpolation in [Interpolation::Linear, Interpolation::Step] {
        for before in [0.0, 100.0] {
            let clip = film(before, interpolation);
            let times = clip.channels[0].track.times().clone();
            for k in 1..times.len() - 1 {
                let typed: f64 = format!("{:.7}", times[k]).parse().unwrap();
                for cut in [trim(&clip, typed, times[89]).unwrap(), trim(&clip, times[0], typed).unwrap()] {
                    assert!(is_distinct_in_single_precision(&cut), "{before} {k}");
                }
                // As many keys as from that key on: none was made beside it.
                assert_eq!(trim(&clip, typed, times[89]).unwrap().channels[0].track.len(), 90 - k);
                assert_eq!(trim(&clip, times[0], typed).unwrap().channels[0].track.len(), k + 1);
            }
        }
    }
}

#[test]
fn a_cut_between_keys_makes_times_that_single_precision_tells_apart() {
    let clip = film(1000.0, Interpolation::Linear);
    for start in [1000.01, 1000.0333, 1000.5] {
        for end in [1001.0, 1001.0001, 1002.95] {
            assert!(is_distinct_in_single_precision(&trim(&clip, start, end).unwrap()), "{start} {end}");
        }
    }
}

fn held(times: &[f64], interpolation: Interpolation) -> Channel {
    let parts = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
    let values: Vec<f32> = (0..times.len() * parts)
        .flat_map(|i| [if parts == 1 || i % 3 == 1 { 2.0 } else { 0.0 }; 3])
        .collect();
    let track = Track::new(times.into(), values.into(), 3, interpolation).unwrap();
    Channel { joint: JointId(0), target: ChannelTarget::Scale, track, source: 0 }
}

#[test]
fn a_track_that_holds_one_value_keeps_one_key() {
    let mut clip = film(0.0, Interpolation::Linear);
    clip.channels.push(held(&[0.0, 1.0, 2.5], Interpolation::CubicSpline));
    let new = resample(&clip, 120.0).unwrap();
    assert_eq!(new.channels[1].track.len(), 1);
    assert_eq!(new.channels[1].track.key_value(0), [2.0; 3]);
    assert_eq!(new.duration(), clip.duration());
}

#[test]
fn a_clip_in_which_nothing_moves_keeps_its_length() {
    for interpolation in [Interpolation::Linear, Interpolation::Step, Interpolation::CubicSpline] {
        let clip = RawClip {
            channels: vec![
                held(&[0.0, 1.0], interpolation),
                held(&[0.0, 1.0, 2.0], interpolation),
                held(&[0.0, 2.0], interpolation),
            ],
            ..RawClip::default()
        };
        let new = resample(&clip, 30.0).unwrap();
        let keys: Vec<usize> = new.channels.iter().map(|c| c.track.len()).collect();
        assert_eq!((new.duration(), keys), (2.0, vec![1, 2, 1]));
    }
}

#[test]
fn more_keys_than_fit_are_refused_before_they_are_made() {
    let one = film(0.0, Interpolation::Linear);
    let clip = RawClip { channels: vec![one.channels[0].clone(); 1000], ..RawClip::default() };
    let message = resample(&clip, 1e6).unwrap_err().to_string();
    assert!(message.contains("1000 tracks"), "{message}");
}
