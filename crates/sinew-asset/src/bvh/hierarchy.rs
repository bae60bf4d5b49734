//! The HIERARCHY part: joints, their offsets and channels, in file order.
//!
//! Based on: the Biovision description as kept at the University of Wisconsin ("Biovision BVH", M. Meredith and
//! S. Maddock, "Motion Capture File Formats Explained", section 3), with what real writers do besides: several
//! ROOTs, names with blanks, `{` on the name's line, joints without CHANNELS.

use super::fault::{Fault, TextPlace, quoted};
use super::lexer::{Lexer, Word};

/// Longest joint name, bytes.
const LONGEST_NAME: usize = 255;

/// One column of a motion row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Channel {
    /// Replaces this component (0 to 2 for X to Z) of the joint's offset, file units.
    Position(usize),
    /// A turn about this axis, degrees; turns compose in the order of their columns.
    Rotation(usize),
}

const CHANNELS: [(&str, Channel); 6] = [
    ("Xposition", Channel::Position(0)),
    ("Yposition", Channel::Position(1)),
    ("Zposition", Channel::Position(2)),
    ("Xrotation", Channel::Rotation(0)),
    ("Yrotation", Channel::Rotation(1)),
    ("Zrotation", Channel::Rotation(2)),
];

/// A joint or End Site.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BvhJoint {
    /// As in the file; `<parent>_End` for an End Site; empty if the file gives none.
    pub(super) name: String,
    /// Index of the parent; parents come first.
    pub(super) parent: Option<usize>,
    /// From the parent, file units.
    pub(super) offset: [f64; 3],
    /// Its columns of a motion row, in order.
    pub(super) channels: Vec<Channel>,
    pub(super) end_site: bool,
    /// Where its name stands.
    pub(super) place: TextPlace,
}

/// What the reader went over without an error.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct IgnoredText {
    pub(super) place: TextPlace,
    pub(super) message: String,
}

#[derive(Debug, Default)]
pub(super) struct Hierarchy {
    pub(super) joints: Vec<BvhJoint>,
    pub(super) ignored: Vec<IgnoredText>,
}

/// A joint whose closing brace has not come yet.
struct Open {
    joint: usize,
    has_offset: bool,
    has_channels: bool,
    has_child: bool,
}

/// Reads from `HIERARCHY` up to `MOTION`, which is left, or to the end of the file.
///
/// Nesting costs no stack: open joints are a list.
///
/// # Errors
/// Any word that the format does not have at its place.
pub(super) fn read(lexer: &mut Lexer<'_>) -> Result<Hierarchy, Fault> {
    expect(lexer, "HIERARCHY")?;
    let mut hierarchy = Hierarchy::default();
    let mut open: Vec<Open> = Vec::new();
    loop {
        let Some(top) = open.last_mut() else {
            match lexer.peek() {
                Some(word) if word.is("ROOT") => {
                    lexer.next_word();
                    open.push(open_joint(lexer, &mut hierarchy, None)?);
                    continue;
                }
                Some(word) if word.is("MOTION") && !hierarchy.joints.is_empty() => return Ok(hierarchy),
                None if !hierarchy.joints.is_empty() => return Ok(hierarchy),
                _ if hierarchy.joints.is_empty() => return Err(unexpected(lexer, "ROOT")),
                _ => return Err(unexpected(lexer, "ROOT or MOTION")),
            }
        };
        let index = top.joint;
        let joint = &mut hierarchy.joints[index];
        let Some(word) = lexer.peek() else {
            return Err(unexpected(lexer, &format!("}} that closes joint {:?}", joint.name)));
        };
        if word.is("}") {
            if !top.has_offset {
                let expected = format!("OFFSET of joint {:?}", joint.name);
                return Err(Fault::new(word.place, expected, "its closing brace"));
            }
            lexer.next_word();
            open.pop();
        } else if word.is("OFFSET") {
            if std::mem::replace(&mut top.has_offset, true) {
                return Err(duplicate(word, joint, "OFFSET"));
            }
            lexer.next_word();
            for axis in 0..3 {
                joint.offset[axis] = number(lexer, || format!("OFFSET of joint {:?}", joint.name))?;
            }
        } else if joint.end_site {
            let expected = format!("only OFFSET in End Site {:?}", joint.name);
            return Err(Fault::new(word.place, expected, quoted(word.bytes)));
        } else if word.is("CHANNELS") {
            if std::mem::replace(&mut top.has_channels, true) {
                return Err(duplicate(word, joint, "CHANNELS"));
            }
            if top.has_child {
                let expected = format!("CHANNELS of joint {:?} before its first child", joint.name);
                return Err(Fault::new(word.place, expected, "CHANNELS after a child"));
            }
            lexer.next_word();
            joint.channels = read_channels(lexer, &joint.name)?;
        } else if word.is("JOINT") {
            top.has_child = true;
            lexer.next_word();
            open.push(open_joint(lexer, &mut hierarchy, Some(index))?);
        } else if word.is("End") {
            top.has_child = true;
            lexer.next_word();
            open.push(open_end_site(lexer, &mut hierarchy, index)?);
        } else {
            return Err(unexpected(lexer, "OFFSET, CHANNELS, JOINT, End Site or }"));
        }
    }
}

fn open_joint(lexer: &mut Lexer<'_>, into: &mut Hierarchy, parent: Option<usize>) -> Result<Open, Fault> {
    let mut name = lexer.rest_of_line();
    if name.bytes.is_empty() && lexer.peek().is_some_and(|word| !word.is("{")) {
        // The name stands alone on the next line.
        if let Some(word) = lexer.peek() {
            let line = word.place.line;
            name = lexer.next_word().unwrap_or(word);
            let more = lexer.rest_of_line();
            if !more.bytes.is_empty() {
                let message =
                    format!("{} after the name of a joint on line {line} is ignored", quoted(more.bytes));
                into.ignored.push(IgnoredText { place: more.place, message });
            }
        }
    }
    if name.bytes.len() > LONGEST_NAME {
        let expected = format!("a joint name of at most {LONGEST_NAME} bytes");
        return Err(Fault::new(name.place, expected, quoted(name.bytes)));
    }
    expect(lexer, "{")?;
    let text = String::from_utf8_lossy(name.bytes).into_owned();
    push(into, text, parent, false, name.place)
}

fn open_end_site(lexer: &mut Lexer<'_>, into: &mut Hierarchy, parent: usize) -> Result<Open, Fault> {
    let place = lexer.place();
    expect(lexer, "Site")?;
    let more = lexer.rest_of_line();
    let name = format!("{}_End", into.joints[parent].name);
    if !more.bytes.is_empty() {
        let message =
            format!("{} after End Site is ignored, the joint is named {name:?}", quoted(more.bytes));
        into.ignored.push(IgnoredText { place: more.place, message });
    }
    expect(lexer, "{")?;
    push(into, name, Some(parent), true, place)
}

fn push(
    into: &mut Hierarchy,
    name: String,
    parent: Option<usize>,
    end_site: bool,
    place: TextPlace,
) -> Result<Open, Fault> {
    if into.joints.len() >= u32::MAX as usize {
        return Err(Fault::new(place, format!("at most {} joints", u32::MAX), "one more"));
    }
    into.joints.push(BvhJoint { name, parent, offset: [0.0; 3], channels: Vec::new(), end_site, place });
    Ok(Open { joint: into.joints.len() - 1, has_offset: false, has_channels: false, has_child: false })
}

fn read_channels(lexer: &mut Lexer<'_>, joint: &str) -> Result<Vec<Channel>, Fault> {
    let Some(word) = lexer.next_word() else { return Err(unexpected(lexer, "the number of CHANNELS")) };
    let count =
        whole_number(word.bytes).filter(|&count| count <= CHANNELS.len() as u64).ok_or_else(|| {
            Fault::new(word.place, format!("0 to 6 CHANNELS of joint {joint:?}"), quoted(word.bytes))
        })?;
    let mut channels = Vec::with_capacity(count as usize);
    for k in 0..count {
        let Some(word) = lexer.next_word() else {
            return Err(unexpected(lexer, &format!("channel {} of {count} of joint {joint:?}", k + 1)));
        };
        let Some(&(name, channel)) = CHANNELS.iter().find(|(name, _)| word.is(name)) else {
            let expected = format!("channel {} of {count} of joint {joint:?}, such as Xrotation", k + 1);
            return Err(Fault::new(word.place, expected, quoted(word.bytes)));
        };
        if channels.contains(&channel) {
            let expected = format!("each channel of joint {joint:?} once");
            return Err(Fault::new(word.place, expected, format!("a duplicate {name}")));
        }
        channels.push(channel);
    }
    Ok(channels)
}

/// A finite number that single precision can hold.
pub(super) fn number(lexer: &mut Lexer<'_>, what: impl Fn() -> String) -> Result<f64, Fault> {
    let Some(word) = lexer.next_word() else {
        return Err(unexpected(lexer, &format!("a number for {}", what())));
    };
    parse_number(word, what)
}

/// As [`number`], of a word that was taken already.
pub(super) fn parse_number(word: Word<'_>, what: impl Fn() -> String) -> Result<f64, Fault> {
    let parsed: Option<f64> = std::str::from_utf8(word.bytes).ok().and_then(|text| text.parse().ok());
    match parsed {
        None => Err(Fault::new(word.place, format!("a number for {}", what()), quoted(word.bytes))),
        Some(value) if value.is_finite() && value.abs() <= f64::from(f32::MAX) => Ok(value),
        Some(_) => {
            let expected = format!("a finite number of at most {:.4e} for {}", f32::MAX, what());
            Err(Fault::new(word.place, expected, quoted(word.bytes)))
        }
    }
}

pub(super) fn whole_number(bytes: &[u8]) -> Option<u64> {
    std::str::from_utf8(bytes).ok()?.parse().ok()
}

fn duplicate(word: Word<'_>, joint: &BvhJoint, keyword: &'static str) -> Fault {
    Fault::new(
        word.place,
        format!("one {keyword} in joint {:?}", joint.name),
        format!("a duplicate {keyword}"),
    )
}

/// The next word is not what the format asks for.
pub(super) fn unexpected(lexer: &Lexer<'_>, expected: &str) -> Fault {
    match lexer.peek() {
        Some(word) => Fault::new(word.place, expected, quoted(word.bytes)),
        None => Fault::new(lexer.place(), expected, "the end of the file"),
    }
}

fn expect(lexer: &mut Lexer<'_>, keyword: &str) -> Result<(), Fault> {
    if lexer.peek().is_some_and(|word| word.is(keyword)) {
        lexer.next_word();
        Ok(())
    } else {
        Err(unexpected(lexer, keyword))
    }
}
