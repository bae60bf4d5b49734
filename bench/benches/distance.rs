//! Matching by distance: 100,000 characters at moments all over a clip, one step of a sixtieth of a second each, up to
//! 40 % slower or faster than the clip is there; an element is a character. Clips of 16, 256 and 4096 keys side by side
//! say whether the length of a clip matters; where the target is far from the playhead, the whole of it is searched.
//! The first group says how fast the machine is.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use sinew::{
    DistanceCurve, DistanceKind, MatchSettings, MatchState, SplitSettings, Travel, advance_by_distance,
    match_to_target, playrate_to_speed,
};

const CHARACTERS: usize = 100_000;
const KEYS: [usize; 3] = [16, 256, 4096];
const DT: f64 = 1.0 / 60.0;

/// A run start at 30 keys a second: it leans back for a fifth of its time, speeds up for two and runs on.
fn start_keys(count: usize) -> (Vec<f64>, Vec<f64>) {
    let seconds = (count - 1) as f64 / 30.0;
    let at = |t: f64| {
        let u = t / seconds;
        if u < 0.2 {
            -0.06 * libm::sin(u * 5.0 * core::f64::consts::PI)
        } else if u < 0.6 {
            6.0 * seconds * (u - 0.2) * (u - 0.2) / 0.8
        } else {
            6.0 * seconds * (u - 0.4)
        }
    };
    (0..count).map(|i| i as f64 / 30.0).map(|t| (t, at(t))).unzip()
}

fn curve(kind: DistanceKind, count: usize) -> DistanceCurve {
    let (times, mut signed) = start_keys(count);
    if kind == DistanceKind::Stop {
        // A start backwards.
        signed.reverse();
        signed.iter_mut().for_each(|d| *d = -*d);
    }
    DistanceCurve::from_keys("distance", kind, &times, &signed, &SplitSettings::default()).expect("a curve")
}

/// Evenly scattered numbers from 0 to 1.
fn share(i: usize) -> f64 {
    (i as f64 * 0.618_033_988_749_895).fract()
}

/// Characters all over the curve, each a little off its distance, with the offset that came of it.
fn crowd(curve: &DistanceCurve, settings: &MatchSettings) -> Vec<(MatchState, f64)> {
    let [start, _] = curve.span();
    let member = |i: usize| {
        let mut state = MatchState::at(curve, start + curve.duration() * (0.02 + 0.9 * share(i)));
        let speed = curve.speed_at(state.time()).max(0.5) * (0.6 + 0.8 * share(3 * i + 1));
        if curve.kind() != DistanceKind::Stop {
            let _ = match curve.kind() {
                DistanceKind::Loop => {
                    playrate_to_speed(curve, settings, &mut state, Travel { travelled: speed * DT, dt: DT })
                }
                _ => {
                    advance_by_distance(curve, settings, &mut state, Travel { travelled: speed * DT, dt: DT })
                }
            };
        }
        (state, speed * DT)
    };
    (0..CHARACTERS).map(member).collect()
}

/// A square root and a division, one waiting for the other.
fn machine(c: &mut Criterion) {
    let mut group = c.benchmark_group("machine");
    group.throughput(Throughput::Elements(CHARACTERS as u64));
    group.bench_function("square root and division, one after the other", |b| {
        b.iter(|| (0..CHARACTERS).fold(black_box(2.0_f64), |x, _| 3.0 / (1.0 + x.sqrt())));
    });
}

fn matching(c: &mut Criterion) {
    let mut group = c.benchmark_group("distance");
    group.throughput(Throughput::Elements(CHARACTERS as u64));
    let mut out = vec![MatchState::at_start(&curve(DistanceKind::Start, 16)); CHARACTERS];
    for keys in KEYS {
        let start = curve(DistanceKind::Start, keys);
        let settings = MatchSettings::start();
        let states = crowd(&start, &settings);
        group.bench_function(BenchmarkId::new("advance", keys), |b| {
            b.iter(|| {
                for ((state, travelled), out) in black_box(&states).iter().zip(&mut out) {
                    *out = *state;
                    let step =
                        advance_by_distance(&start, &settings, out, Travel { travelled: *travelled, dt: DT });
                    let _ = black_box(step);
                }
            });
        });
        let stop = curve(DistanceKind::Stop, keys);
        let settings = MatchSettings::stop();
        let states = crowd(&stop, &settings);
        group.bench_function(BenchmarkId::new("match to target", keys), |b| {
            b.iter(|| {
                for ((state, travelled), out) in black_box(&states).iter().zip(&mut out) {
                    *out = *state;
                    let left = -state.distance() - travelled;
                    let step = match_to_target(
                        &stop,
                        &settings,
                        out,
                        left,
                        Travel { travelled: *travelled, dt: DT },
                    );
                    let _ = black_box(step);
                }
            });
        });
        // Where each has to go has nothing to do with where it is.
        let [first, _] = stop.distances();
        let elsewhere: Vec<f64> =
            (0..CHARACTERS).map(|i| -first * (0.02 + 0.96 * share(5 * i + 2))).collect();
        group.bench_function(BenchmarkId::new("match to a target far away", keys), |b| {
            b.iter(|| {
                let characters = black_box(&states).iter().zip(black_box(&elsewhere));
                for (((state, travelled), left), out) in characters.zip(&mut out) {
                    *out = *state;
                    let travel = Travel { travelled: *travelled, dt: DT };
                    let step = match_to_target(&stop, &settings, out, *left, travel);
                    let _ = black_box(step);
                }
            });
        });
        let cycle = curve(DistanceKind::Start, keys).into_loop().expect("a loop");
        let settings = MatchSettings::cycle();
        let states = crowd(&cycle, &settings);
        group.bench_function(BenchmarkId::new("play rate to speed", keys), |b| {
            b.iter(|| {
                for ((state, travelled), out) in black_box(&states).iter().zip(&mut out) {
                    *out = *state;
                    let step =
                        playrate_to_speed(&cycle, &settings, out, Travel { travelled: *travelled, dt: DT });
                    let _ = black_box(step);
                }
            });
        });
    }
}

criterion_group!(benches, machine, matching);
criterion_main!(benches);
