//! Sinew's own rows: the same joints, the same clips, the same clock.
//!
//! This is where the runtime's lanes go. A lane poses one or [`CROWD`] characters a batch, each at its own
//! [`Character::phase`], and moves them on by [`STEP`] between batches, as the peers do; its `check` compares
//! what it posed with [`Character::exact`] through [`Character::difference`]. Add one lane for each of
//! - sampling one clip, forward and at random times;
//! - sampling two clips and blending them by [`WEIGHTS`](crate::character::WEIGHTS) in one pass;
//! - the model pose, one character, two a pass, and eight in lanes;
//! - all of it together, which is what `app.update()` and `update + updateMatrixWorld` are to be held against.
//!
//! For now there is the exact evaluator, which is made for checking and not for speed.

use std::hint::black_box;
use std::rc::Rc;
use std::time::Instant;

use sinew::{RawPose, model_matrices};

use crate::character::Character;
use crate::measure::Lane;
use crate::{CROWD, STEP};

/// All of sinew's lanes for a character.
pub(crate) fn lanes(character: &Rc<Character>) -> Vec<Lane> {
    vec![exact(Rc::clone(character))]
}

/// [`RawClip::sample`](sinew::RawClip::sample) and [`model_matrices`], in double precision from the keys.
fn exact(character: Rc<Character>) -> Lane {
    let (mut pose, mut matrices, mut frame) = (RawPose::default(), Vec::new(), 0_u32);
    let play = character.play(CROWD);
    let batch = move |took: &mut Vec<_>| {
        let duration = character.clips[0].duration();
        frame = frame.wrapping_add(1);
        let start = Instant::now();
        for index in 0..CROWD {
            let time = (character.phase(0, index, CROWD) + f64::from(frame) * STEP) % duration;
            character.clips[0].sample(&character.skeleton, time, &mut pose);
            model_matrices(&character.skeleton, &pose, &mut matrices);
            black_box(&matrices);
        }
        took.push(start.elapsed());
    };
    Lane {
        peer: "sinew",
        version: "exact evaluator".to_owned(),
        play,
        what: vec!["sample and model matrices, 1 clip".to_owned()],
        // It is what the others are compared with.
        max_difference: Some(0.0),
        batch: Box::new(batch),
        check: Box::new(|| Ok(())),
    }
}
