//! From clips to the matrices of many characters: what `app.update()` and `update + updateMatrixWorld` are to be
//! held against.

use std::hint::black_box;
use std::rc::Rc;
use std::time::Instant;

use sinew::{AffineRows, Backend, ClipLayer, CrowdJob, CrowdScratch, LocalPose};

use super::{Order, Stage, backends};
use crate::CROWD;
use crate::measure::Lane;

/// Characters of the largest crowd.
const MANY: usize = 10_000;

pub(super) fn lanes(stage: &Rc<Stage>) -> Vec<Lane> {
    let best = Backend::best();
    if !stage.character.peers {
        return backends().map(|backend| lane(stage, backend, MANY, 2, Order::Forward)).collect();
    }
    vec![
        lane(stage, best, 1, 1, Order::Forward),
        lane(stage, best, 1, 2, Order::Forward),
        lane(stage, best, CROWD, 1, Order::Forward),
        lane(stage, best, CROWD, 1, Order::Random),
        lane(stage, best, CROWD, 2, Order::Forward),
    ]
}

fn lane(stage: &Rc<Stage>, backend: Backend, characters: usize, clips: usize, order: Order) -> Lane {
    // One character alone is too short for the clock.
    let repeats = if characters == 1 { 16 } else { 1 };
    let what = match (clips, order) {
        (1, Order::Forward) => "clips to model matrices, 1 clip",
        (1, Order::Random) => "clips to model matrices, 1 clip, random times",
        _ => "clips to model matrices, 2 clips blended",
    };
    let (this, mut frame) = (Rc::clone(stage), 0);
    let batch = move |took: &mut Vec<_>| {
        // Kept between batches: what is borrowed cannot be, and this is not timed.
        let base = LocalPose::rest(&this.rig);
        let mut scratch = CrowdScratch::new(&this.rig, clips);
        frame += 1;
        let mut layers = Vec::with_capacity(characters * clips);
        for character in 0..characters {
            let count = match order {
                // No two look alike.
                Order::Forward => frame + 7 * character,
                Order::Random => frame * characters + character,
            };
            let times = [0, 1].map(|clip| this.time(clip, order, count));
            let both = this.layers(times);
            layers.extend(both[..clips].iter().map(|layer| ClipLayer {
                // One clip alone has the whole weight.
                weight: if clips == 1 { 1.0 } else { layer.weight },
                ..*layer
            }));
        }
        OUTPUT.with_borrow_mut(|output| {
            let needed = characters * this.rig.len();
            if output.len() < needed {
                output.resize(needed, AffineRows::IDENTITY);
            }
            let start = Instant::now();
            for _ in 0..repeats {
                let job = CrowdJob {
                    rig: &this.rig,
                    base: &base,
                    layers: &layers,
                    per_character: clips,
                    groups: usize::MAX,
                    scratch: &mut scratch,
                    output: &mut output[..needed],
                }
                .run_on(backend);
                debug_assert!(job.is_ok());
                black_box(&mut output[..]);
            }
            took.push(start.elapsed());
        });
    };
    stage.lane(what, backend, characters, repeats, clips, Box::new(batch))
}

thread_local! {
    /// Written by every crowd; one is enough for all of them.
    static OUTPUT: std::cell::RefCell<Vec<AffineRows>> = const { std::cell::RefCell::new(Vec::new()) };
}
