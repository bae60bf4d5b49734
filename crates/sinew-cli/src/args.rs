//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use sinew_asset::{BvhUnits, BvhUp};

const EXIT_CODES: &str = "\
Exit codes:
  0  fine
  1  usage
  2  file system
  3  invalid input
  4  internal error
  5  the file needs a feature that is not supported; the message names it
  7  findings, differences or broken promises over the limit";

/// What bare `sinew` prints.
pub(crate) const OVERVIEW: &str = "\
sinew: reads animated characters, says in numbers what is wrong with them, and proves it

Look
  inspect   what is in a file                  sinew inspect fox.glb
  sample    exact poses as JSON                sinew sample fox.glb --clip Walk --times 0,0.5
Check
  audit     what is wrong, in numbers          sinew audit fox.glb --report fox.html
  diff      how far two clips are apart        sinew diff fox.glb fox-compressed.glb --limit-mm 0.1
Change
  convert   BVH to GLB, trim, resample         sinew convert walk.bvh walk.glb --resample 30
Bake
  bake      clips for the frame loop           sinew bake clip fox.glb fox.sinew --bound 0.1
            distance curves for locomotion     sinew bake distance run.glb run-d.glb --clip Run_Start
Prove
  showcase  studies on built-in characters     sinew showcase --out showcase

sinew help VERB says more; sinew --help lists the exit codes.
";

/// Reads animated characters, says in numbers what is wrong with them, and proves it.
#[derive(Debug, Parser)]
#[command(name = "sinew", version, after_help = EXIT_CODES, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
    /// Nothing on stderr but errors
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// What is in a file: skeleton, skins, clips, meshes, curves, and what is unusual
    Inspect(Inspect),
    /// Exact poses of a clip as JSON: world matrices by node, morph weights, skinned vertices
    Sample(Sample),
    /// What is wrong with characters, in numbers; exit code 7 over the limits
    Audit(Audit),
    /// How far two clips, or two records, are apart: worst joint, worst time, mm and degrees
    Diff(Diff),
    /// BVH to GLB, GLB to GLB: choose clips, trim, resample, make a joint the root
    Convert(Convert),
    /// Files for the frame loop, each with a report of what was lost
    Bake(Bake),
    /// Studies on built-in characters: a page each, an index, and what was promised and measured
    Showcase(Showcase),
}

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Text,
    /// For programs; the schemas are in schema/
    Json,
}

/// How files are read.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Reading {
    /// Units of a BVH file: as-is, auto, m, cm, mm, in, or metres a unit [default: auto; as-is for
    /// sample and diff]
    #[arg(long, value_name = "UNITS", help_heading = "BVH")]
    pub(crate) units: Option<BvhUnits>,
    /// Up axis of a BVH file: as-is, auto, y or z [default: auto; as-is for sample and diff]
    #[arg(long, value_name = "AXIS", help_heading = "BVH")]
    pub(crate) up: Option<BvhUp>,
}

#[derive(Debug, Args)]
pub(crate) struct Inspect {
    /// A .glb, .gltf, .bvh or .sinew file, or - for stdin
    pub(crate) file: PathBuf,
    /// text or json
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Key of a node in the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum NodeKey {
    /// Index in the file: always unique
    #[default]
    Index,
    /// Name; refused where one is missing or repeats
    Name,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: sinew sample fox.glb --clip Walk --times 0,0.25,0.5 --skin > walk.json")]
pub(crate) struct Sample {
    /// A .glb, .gltf or .bvh file, or - for stdin
    pub(crate) file: PathBuf,
    /// Name or index of the clip; the first one where not given
    #[arg(long, conflicts_with = "rest")]
    pub(crate) clip: Option<String>,
    /// The rest pose instead of a clip
    #[arg(long, conflicts_with_all = ["times", "rate", "keys"])]
    pub(crate) rest: bool,
    /// Seconds, separated by commas; clamped to the clip [default: 0]
    #[arg(long, value_delimiter = ',', allow_negative_numbers = true, value_name = "T1,T2,...")]
    pub(crate) times: Vec<f64>,
    /// Evenly over the whole clip, this often a second, the end included
    #[arg(long, value_name = "RATE", conflicts_with = "times")]
    pub(crate) rate: Option<f64>,
    /// At every key of the clip
    #[arg(long, conflicts_with_all = ["times", "rate"])]
    pub(crate) keys: bool,
    /// Skinned vertices too
    #[arg(long)]
    pub(crate) skin: bool,
    /// Vertex weights as stored, instead of divided by their sum
    #[arg(long, requires = "skin")]
    pub(crate) raw_weights: bool,
    /// How nodes are named in the output
    #[arg(long, value_enum, default_value_t)]
    pub(crate) key: NodeKey,
    /// To a file instead of stdout
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: sinew audit characters/*.glb --config sinew.toml --format json")]
pub(crate) struct Audit {
    /// .glb, .gltf and .bvh files, or - for stdin
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Limits and switches of the rules; sinew.toml in this folder where not given and there
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Writes a page with the findings, the measured curves and a player; one page for all files
    #[arg(long, value_name = "PAGE.html")]
    pub(crate) report: Option<PathBuf>,
    /// text or json
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// In which space poses are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffSpace {
    /// Relative to the character's root: what is seen
    #[default]
    Model,
    /// Each joint relative to its parent
    Local,
}

/// How joints of two files are brought together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum JointMatch {
    /// By index where both files have the same names in the same places, else by name
    #[default]
    Auto,
    /// By index in the file
    Index,
    /// By name; joints that do not map are listed
    Name,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: sinew diff before.glb after.glb --clip Run --limit-mm 0.1 --limit-deg 0.05")]
pub(crate) struct Diff {
    /// The first file, or a record's folder
    pub(crate) a: PathBuf,
    /// The second file, or a record's folder
    pub(crate) b: PathBuf,
    /// Name or index of the clip; every clip that both files have where not given
    #[arg(long)]
    pub(crate) clip: Option<String>,
    /// Name or index of the clip in the second file, where it differs
    #[arg(long, requires = "clip")]
    pub(crate) clip_b: Option<String>,
    /// In which space
    #[arg(long, value_enum, default_value_t)]
    pub(crate) space: DiffSpace,
    /// In the space of this joint of the first file, by name, and of its partner in the second: what moves with it
    /// does not count
    #[arg(long, value_name = "JOINT", conflicts_with = "space")]
    pub(crate) relative_to: Option<String>,
    /// How joints are brought together
    #[arg(long = "match", value_enum, default_value_t)]
    pub(crate) matching: JointMatch,
    /// Samples a second beside all key times [default: 60]
    #[arg(long)]
    pub(crate) rate: Option<f64>,
    /// Largest distance that is fine, millimetres
    #[arg(long, default_value_t = 0.01)]
    pub(crate) limit_mm: f64,
    /// Largest angle that is fine, degrees
    #[arg(long, default_value_t = 0.01)]
    pub(crate) limit_deg: f64,
    /// Largest difference of an axis' length that is fine; 1 is unscaled
    #[arg(long, default_value_t = 1e-4)]
    pub(crate) limit_scale: f64,
    /// Largest difference of a morph weight or a curve's value that is fine
    #[arg(long, default_value_t = 1e-4)]
    pub(crate) limit_weight: f64,
    /// Joints that only one file has are fine
    #[arg(long)]
    pub(crate) allow_missing: bool,
    /// Largest difference of a column that is fine, for records
    #[arg(long, default_value_t = 1e-9)]
    pub(crate) limit_value: f64,
    /// text or json
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: sinew convert take3.bvh take3.glb --units auto --up auto --resample 30")]
pub(crate) struct Convert {
    /// A .glb, .gltf or .bvh file, or - for stdin
    pub(crate) input: PathBuf,
    /// The .glb file to write
    pub(crate) output: PathBuf,
    /// Keep only this clip, by name or index; may be given several times
    #[arg(long, value_name = "CLIP")]
    pub(crate) clip: Vec<String>,
    /// Keep the part of every kept clip between two moments, seconds
    #[arg(long, value_name = "START:END")]
    pub(crate) trim: Option<String>,
    /// Give every kept clip this many keys a second
    #[arg(long, value_name = "RATE")]
    pub(crate) resample: Option<f64>,
    /// Make this joint the root, by name or node index; what stands above goes into its keys
    #[arg(long, value_name = "JOINT")]
    pub(crate) re_root: Option<String>,
    /// Keep vertex weights and normals as they are, instead of bringing weights to a sum of 1 and normals
    /// to unit length
    #[arg(long)]
    pub(crate) as_stored: bool,
    /// Write what could be read where a clip, mesh or skin could not
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// text or json
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Args)]
pub(crate) struct Bake {
    #[command(subcommand)]
    pub(crate) what: Baking,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Baking {
    /// Skeleton and clips as a runtime file (.sinew): compressed within a bound, and how far off they are
    Clip(BakeClip),
    /// The distance a clip covers, as curves stored in it: starts, stops and turns found from the motion
    Distance(BakeDistance),
}

#[derive(Debug, Args)]
#[command(after_help = "Example: sinew bake clip fox.glb fox.sinew --clip Walk --clip Run --bound 0.1")]
pub(crate) struct BakeClip {
    /// A .glb, .gltf or .bvh file, or - for stdin
    pub(crate) input: PathBuf,
    /// The .sinew file to write
    pub(crate) output: PathBuf,
    /// Keep only this clip, by name or index; may be given several times
    #[arg(long, value_name = "CLIP")]
    pub(crate) clip: Vec<String>,
    /// Largest distance, millimetres, of any point 3 cm from a joint to its exact place
    #[arg(long, value_name = "MM", default_value = "0.1", value_parser = millimetres)]
    pub(crate) bound: f64,
    /// Frames a second, where it is not to be found from the keys
    #[arg(long, value_name = "RATE")]
    pub(crate) rate: Option<f64>,
    /// Clips as they are in memory, which are played from the bytes of the file, instead of entropy-coded
    /// ones of about half the size
    #[arg(long)]
    pub(crate) resident: bool,
    /// Write the rest where a clip, mesh or skin could not be read or a clip not be baked
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// text or json
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: sinew bake distance run.glb run-distance.glb --clip Run_Start")]
pub(crate) struct BakeDistance {
    /// A .glb, .gltf or .bvh file, or - for stdin
    pub(crate) input: PathBuf,
    /// The .glb file to write: all that was read, and the curves in the clip
    pub(crate) output: PathBuf,
    /// Name or index of the clip; the first one where not given
    #[arg(long)]
    pub(crate) clip: Option<String>,
    /// The joint that carries the character, by name or node index; found from the motion where not given
    #[arg(long, value_name = "JOINT")]
    pub(crate) root: Option<String>,
    /// A foot, by name or node index, for a clip that runs in place; may be given several times; found by
    /// name and shape where not given
    #[arg(long, value_name = "JOINT")]
    pub(crate) feet: Vec<String>,
    /// Speed of a clip that runs in place where its feet do not say it within 5 %, metres a second
    #[arg(long, value_name = "M/S")]
    pub(crate) speed: Option<f64>,
    /// Samples of the path a second, 1 to 10000 [default: 30]
    #[arg(long, value_name = "RATE")]
    pub(crate) rate: Option<f64>,
    /// Give what the root does besides going on (leaning back, going too far) to this joint, by name or node index:
    /// the body stays where it is in every frame
    #[arg(long, value_name = "JOINT")]
    pub(crate) pelvis: Option<String>,
    /// Move the moments of a start this share of the way (0 to 1) to those of a mover that speeds up evenly
    #[arg(long, value_name = "SHARE", requires = "max_speed", requires = "acceleration")]
    pub(crate) retime: Option<f64>,
    /// Top speed of that mover, metres a second
    #[arg(long, value_name = "M/S", requires = "retime")]
    pub(crate) max_speed: Option<f64>,
    /// Its acceleration, metres a second squared
    #[arg(long, value_name = "M/S2", requires = "retime")]
    pub(crate) acceleration: Option<f64>,
    /// text or json
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// A length such as `0.1` or `0.1mm`.
fn millimetres(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix("mm").unwrap_or(text).trim();
    let value = number.parse::<f64>().ok().filter(|v| v.is_finite() && *v > 0.0);
    value.ok_or_else(|| "expected millimetres above 0, such as 0.1".into())
}

#[derive(Debug, Args)]
pub(crate) struct Showcase {
    /// Only these studies
    pub(crate) names: Vec<String>,
    /// Folder for the pages, records and characters
    #[arg(long, default_value = "showcase", value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// text or json
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}
