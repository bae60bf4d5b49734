//! Many characters of one rig: clips to model matrices in one job.

use super::evaluate::{ClipLayer, EvaluateError, EvaluatePart, EvaluateScratch, Evaluation, check_size};
use crate::model::{model_rows, model_rows_pair};
use crate::{AffineRows, Backend, LocalPose, Rig};

/// What one task of a crowd works in. Keeps nothing from one frame to the next.
#[derive(Clone, Debug)]
struct Desk {
    clips: EvaluateScratch,
    /// Two characters share a pass over the hierarchy.
    poses: [LocalPose; 2],
}

/// Where a [`CrowdJob`] keeps poses that nobody asked for. One serves any number of characters of a rig.
#[derive(Clone, Debug)]
pub struct CrowdScratch {
    /// One a task, at least one.
    desks: Vec<Desk>,
}

impl CrowdScratch {
    /// For as many layers with a weight a character. The only place that allocates.
    #[must_use]
    pub fn new(rig: &Rig, max_layers: usize) -> Self {
        Self::with_tasks(rig, max_layers, 1)
    }

    /// As [`CrowdScratch::new`], for as many tasks side by side (at least one): the threads of the pool that
    /// characters are spread over.
    #[must_use]
    pub fn with_tasks(rig: &Rig, max_layers: usize, tasks: usize) -> Self {
        let rest = LocalPose::rest(rig);
        let desk = Desk { clips: EvaluateScratch::new(rig, max_layers), poses: [rest.clone(), rest] };
        Self { desks: vec![desk; tasks.max(1)] }
    }

    /// Tasks that can run side by side.
    #[must_use]
    pub fn tasks(&self) -> usize {
        self.desks.len()
    }
}

/// Why a crowd could not be evaluated. Nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum CrowdError {
    /// Layers do not divide into characters.
    #[error(
        "{layers} layers, expected a multiple of the {per_character} of each character, which is 1 or more"
    )]
    Layers {
        /// Layers there are.
        layers: usize,
        /// Layers of each character.
        per_character: usize,
    },
    /// The output is of another size.
    #[error("the output has {found} matrices, {characters} characters of {joints} joints have {}", characters * joints)]
    Output {
        /// Matrices there are.
        found: usize,
        /// Characters there are.
        characters: usize,
        /// Joints of the rig.
        joints: usize,
    },
    /// Base or scratch do not fit the rig.
    #[error(transparent)]
    Common(EvaluateError),
    /// Layers of a character do not fit the rig.
    #[error("character {character}: {error}")]
    Character {
        /// Which.
        character: usize,
        /// What is wrong with it.
        error: EvaluateError,
    },
}

/// Model-space matrices of many characters of one rig, from their clips: for each the same bits as an
/// [`EvaluateJob`](crate::EvaluateJob) and a [`ModelJob`](crate::ModelJob).
#[derive(Debug)]
pub struct CrowdJob<'a> {
    /// Of all characters.
    pub rig: &'a Rig,
    /// Fills up weights below one; usually the rest pose.
    pub base: &'a LocalPose,
    /// `[character][layer]`, the same number for each; a layer of weight 0 is not used and costs nothing.
    pub layers: &'a [ClipLayer<'a>],
    /// Layers of each character, 1 or more.
    pub per_character: usize,
    /// Leading groups of eight joints to compute, a level of detail ([`Rig::groups_with_reach`]); the matrices of
    /// the others are left as they were. `usize::MAX` for all.
    pub groups: usize,
    /// Where poses are kept.
    pub scratch: &'a mut CrowdScratch,
    /// `[character][slot]`.
    pub output: &'a mut [AffineRows],
}

impl<'a> CrowdJob<'a> {
    /// Writes the matrices, on the calling thread. Does not allocate.
    ///
    /// # Errors
    /// [`CrowdError`]; the output is then untouched.
    pub fn run(&mut self) -> Result<(), CrowdError> {
        self.run_on(Backend::best())
    }

    /// As [`CrowdJob::run`], on a backend of choice: every one gives the same bits.
    ///
    /// # Errors
    /// As [`CrowdJob::run`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), CrowdError> {
        let block = self.check(backend)?;
        if let Some(desk) = self.scratch.desks.first_mut() {
            block.run(desk, self.layers, self.output);
        }
        Ok(())
    }

    /// As [`CrowdJob::run`], spread over the current `rayon` pool, at most [`CrowdScratch::tasks`] side by side:
    /// the same bits for any number of threads. The pool may allocate.
    ///
    /// # Errors
    /// As [`CrowdJob::run`].
    #[cfg(feature = "rayon")]
    pub fn run_parallel(&mut self) -> Result<(), CrowdError> {
        /// Characters that a task takes at a time: few enough to share out evenly, an even number for pairs.
        const TAKEN: usize = 32;

        let block = self.check(Backend::best())?;
        let (per, joints) = (self.per_character, self.rig.len());
        if joints == 0 {
            return Ok(());
        }
        let tasks = self.scratch.desks.len().min(rayon::current_num_threads());
        let work = self.layers.chunks(TAKEN * per).zip(self.output.chunks_mut(TAKEN * joints));
        let work = std::sync::Mutex::new(work);
        rayon::scope(|scope| {
            for desk in &mut self.scratch.desks[..tasks] {
                let (work, block) = (&work, &block);
                scope.spawn(move |_| {
                    let next = || work.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
                    while let Some((layers, output)) = next() {
                        block.run(desk, layers, output);
                    }
                });
            }
        });
        Ok(())
    }

    fn check(&self, backend: Backend) -> Result<Block<'a>, CrowdError> {
        let (joints, per) = (self.rig.len(), self.per_character);
        if per == 0 || !self.layers.len().is_multiple_of(per) {
            return Err(CrowdError::Layers { layers: self.layers.len(), per_character: per });
        }
        let (found, characters) = (self.output.len(), self.layers.len() / per);
        if found != characters * joints {
            return Err(CrowdError::Output { found, characters, joints });
        }
        check_size(EvaluatePart::Base, self.base.len(), joints).map_err(CrowdError::Common)?;
        let clips = &self.scratch.desks[0].clips;
        clips.check(&[], self.rig).map_err(CrowdError::Common)?;
        for (character, layers) in self.layers.chunks_exact(per).enumerate() {
            clips.check(layers, self.rig).map_err(|error| CrowdError::Character { character, error })?;
        }
        let evaluation = Evaluation { rig: self.rig, base: self.base, groups: self.groups, backend };
        Ok(Block { evaluation, per })
    }
}

/// How to do any part of a crowd that has been checked.
struct Block<'a> {
    evaluation: Evaluation<'a>,
    per: usize,
}

impl Block<'_> {
    fn run(&self, desk: &mut Desk, layers: &[ClipLayer<'_>], output: &mut [AffineRows]) {
        let Evaluation { rig, groups, backend, .. } = self.evaluation;
        if rig.is_empty() {
            return;
        }
        let (clips, [a, b]) = (&mut desk.clips, &mut desk.poses);
        let pairs = layers.chunks(2 * self.per).zip(output.chunks_mut(2 * rig.len()));
        for (layers, rows) in pairs {
            let (first, second) = layers.split_at(self.per);
            self.evaluation.run(first, clips, a);
            if second.is_empty() {
                model_rows(rig, a, groups, rows, backend);
                continue;
            }
            self.evaluation.run(second, clips, b);
            let (low, high) = rows.split_at_mut(rig.len());
            model_rows_pair(rig, [a, b], groups, [low, high], backend);
        }
    }
}
