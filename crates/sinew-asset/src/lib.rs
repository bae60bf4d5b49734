//! Rigged characters in and out of files: glTF 2.0 (`.gltf`, `.glb`) and BVH in, GLB out;
//! the runtime's own file, `.sinew` ([`write_runtime`], [`read_runtime`]); and actions with their curves and
//! bone tracks, `.actions` ([`write_action_file`], [`read_action_file`]).
//!
//! What a file holds becomes a [`Document`]; what was wrong with it becomes a list of [`Problem`]s, each with
//! the object, the place, what was expected and what was found. One bad clip, mesh or skin is left out and
//! named while the rest is read. Only a file that cannot be read at all is an [`AssetError`].

mod action_file;
mod bvh;
mod document;
mod error;
mod extras;
mod gltf;
mod load;
mod reroot;
mod runtime_file;
mod save;
mod write;

pub use action_file::{
    ACTION_MAGIC, ACTION_VERSION, ActionContainer, ActionContainerError, ActionDecodeError, ActionFieldError,
    ActionFile, ActionFileError, ActionObject, ActionSequence, ActionWriteError, DecodeFault, FieldFault,
    ObjectKind, ParsedActions, SequenceBase, load_action_file, read_action_file, write_action_file,
};
pub use bvh::{BvhOptionError, BvhOptions, BvhUnits, BvhUp, read_bvh};
pub use document::{Carried, CarriedAttribute, CarriedImage, Document, Format, Loaded, MeshInstance, Scene};
pub use error::{AssetError, Object, Place, Problem, ProblemCode, Problems, Severity};
pub use extras::extras_schema;
pub use gltf::read_gltf;
pub use load::{Folder, NoFiles, ReadOptions, ResolveError, Resolver, load, read, read_stream};
pub use reroot::{BakedClip, ReRootError, ReRootReport, re_root};
pub use runtime_file::{
    ClipForm, RUNTIME_MAGIC, RUNTIME_VERSION, RuntimeFile, RuntimeFileError, is_runtime, load_runtime,
    read_runtime, write_runtime,
};
pub use save::{SaveError, save};
pub use write::{WriteError, WriteOptions, leave_out_unwritable, write_glb};
