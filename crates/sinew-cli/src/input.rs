//! Files on the command line, and the clips and joints named there.

use std::path::Path;

use sinew::{JointId, RawClip, Skeleton};
use sinew_asset::{
    BvhOptions, BvhUnits, BvhUp, Document, Loaded, NoFiles, Object, Problem, ReadOptions, Severity, load,
    read, read_stream,
};

use crate::args::Reading;
use crate::failure::Failure;

/// What to do with a BVH file whose units and axes were not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Convention {
    /// Numbers as in the file.
    AsIs,
    /// Metres and Y up, as far as they can be guessed; the guess is a note.
    Guess,
}

/// A file that was read.
pub(crate) struct Input {
    /// As given on the command line.
    pub(crate) file: String,
    /// Size on disk, bytes; 0 for stdin.
    pub(crate) bytes: u64,
    /// What is in it, and what is wrong with it.
    pub(crate) loaded: Loaded,
}

impl Input {
    /// Reads a file, or stdin where the path is `-`.
    pub(crate) fn read(path: &Path, reading: &Reading, convention: Convention) -> Result<Self, Failure> {
        let guess = convention == Convention::Guess;
        let bvh = BvhOptions {
            units: reading.units.unwrap_or(if guess { BvhUnits::Auto } else { BvhUnits::AsIs }),
            up: reading.up.unwrap_or(if guess { BvhUp::Auto } else { BvhUp::AsIs }),
            clip_name: None,
        };
        let options = ReadOptions { bvh, ..ReadOptions::default() };
        let stdin = path == Path::new("-");
        let file = if stdin { "stdin".to_owned() } else { path.display().to_string() };
        let asset = |source| Failure::Asset { file: file.clone(), source };
        if stdin {
            let bytes = read_stream(std::io::stdin().lock()).map_err(asset)?;
            let mut loaded = read(&bytes, &NoFiles, &options).map_err(asset)?;
            loaded.document.name = "stdin".into();
            let bytes = bytes.len() as u64;
            return Ok(Self { file, bytes, loaded });
        }
        let bytes = std::fs::metadata(path).map(|m| m.len()).unwrap_or(0);
        let loaded = load(path, &options).map_err(asset)?;
        Ok(Self { file, bytes, loaded })
    }

    pub(crate) fn document(&self) -> &Document {
        &self.loaded.document
    }

    /// Problems that are more than remarks.
    pub(crate) fn errors(&self) -> impl Iterator<Item = &Problem> {
        self.loaded.problems.iter().filter(|p| p.severity == Severity::Error)
    }

    /// Index of a clip in the document by its name, or else its index in the file; the first one where
    /// nothing is said.
    pub(crate) fn clip_index(&self, wanted: Option<&str>) -> Result<usize, Failure> {
        let clips = &self.document().clips;
        let Some(wanted) = wanted else {
            if clips.is_empty() {
                let why = self.refusals(None).unwrap_or_else(|| "it has no clips".into());
                return Err(Failure::input(&self.file, why));
            }
            return Ok(0);
        };
        let by_name = clips.iter().position(|c| c.name.as_deref() == Some(wanted));
        let source = wanted.parse::<u32>().ok();
        if let Some(index) = by_name.or_else(|| clips.iter().position(|c| Some(c.source) == source)) {
            return Ok(index);
        }
        if let Some(why) = self.refusals(Some(wanted)) {
            return Err(Failure::input(&self.file, why));
        }
        let have: Vec<String> = clips.iter().map(|c| format!("'{}'", c.label())).collect();
        let have = if have.is_empty() { "none".into() } else { have.join(", ") };
        Err(Failure::input(&self.file, format!("no clip '{wanted}'; it has {have}")))
    }

    /// A clip, as [`Input::clip_index`].
    pub(crate) fn clip(&self, wanted: Option<&str>) -> Result<&RawClip, Failure> {
        Ok(&self.document().clips[self.clip_index(wanted)?])
    }

    /// Why a clip was refused by the reader, if it was.
    fn refusals(&self, wanted: Option<&str>) -> Option<String> {
        let source = wanted.and_then(|w| w.parse::<u32>().ok());
        let of_clip = |p: &&Problem| match &p.object {
            Object::Animation { index, name }
            | Object::Channel { animation: index, name, .. }
            | Object::Sampler { animation: index, name, .. } => {
                wanted.is_none() || name.as_deref() == wanted || Some(*index) == source
            }
            _ => false,
        };
        self.errors().find(of_clip).map(Problem::to_string)
    }
}

/// A joint by its name, or else its node index in the file.
pub(crate) fn joint(file: &str, skeleton: &Skeleton, wanted: &str) -> Result<JointId, Failure> {
    let named: Vec<JointId> =
        skeleton.iter().filter(|(_, j)| j.name.as_deref() == Some(wanted)).map(|(id, _)| id).collect();
    match (named.as_slice(), wanted.parse::<u32>().ok().and_then(|n| skeleton.joint_of_node(n))) {
        ([one], _) => Ok(*one),
        ([], Some(by_node)) => Ok(by_node),
        ([], None) => Err(Failure::input(file, format!("no joint '{wanted}' among {}", skeleton.len()))),
        (several, _) => {
            let nodes: Vec<String> = several.iter().map(|id| skeleton.joint(*id).node.to_string()).collect();
            let nodes = nodes.join(", ");
            Err(Failure::input(file, format!("'{wanted}' names nodes {nodes}; give one of these numbers")))
        }
    }
}
