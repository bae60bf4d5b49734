//! The MOTION part: frame count, frame time, and one row of numbers a frame.

use super::fault::{Fault, TextPlace, quoted};
use super::hierarchy::{number, parse_number, unexpected, whole_number};
use super::lexer::Lexer;

/// Shortest plausible time between two frames, seconds (100 kHz).
pub(super) const SHORTEST_FRAME: f64 = 1e-5;
/// Longest plausible time between two frames, seconds; more is a rate or milliseconds.
pub(super) const LONGEST_FRAME: f64 = 10.0;

/// The frames of a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Motion {
    /// Seconds between frames.
    pub(super) frame_time: f64,
    /// Frames that are there and kept.
    pub(super) frames: usize,
    /// \[frame]\[channel] as in the file, flat; channels of all joints in file order.
    pub(super) values: Vec<f64>,
    /// What does not fit together; the frames that do are kept.
    pub(super) mismatches: Vec<Mismatch>,
}

/// A way in which the rows differ from what the file says of them.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(super) enum Mismatch {
    #[error("Frames: {said}, but the file holds {found} complete rows; those are kept")]
    Fewer { said: u64, found: u64, place: TextPlace },
    #[error("Frames: {said}, but the file holds {found} rows; the first {said} are kept")]
    More { said: u64, found: u64, place: TextPlace },
    #[error("frame {frame} breaks off after {found} of {expected} numbers and is left out")]
    Partial { frame: u64, found: u64, expected: u64, place: TextPlace },
    #[error("a row of {found} numbers where each frame has {expected}; the {kept} frames before it are kept")]
    Ragged { found: u64, expected: u64, kept: u64, place: TextPlace },
    #[error(
        "a row of {found} numbers at frame {frame} where each frame has {expected}; \
         read on as one stream, since the total fits"
    )]
    Unaligned { frame: u64, found: u64, expected: u64, place: TextPlace },
}

impl Mismatch {
    pub(super) fn place(&self) -> TextPlace {
        match *self {
            Self::Fewer { place, .. }
            | Self::More { place, .. }
            | Self::Partial { place, .. }
            | Self::Ragged { place, .. }
            | Self::Unaligned { place, .. } => place,
        }
    }
}

/// Reads from after `MOTION` to the end of the file; `width` is the number of channels of all joints.
///
/// Memory follows the numbers that are there, not the count that the file claims.
///
/// # Errors
/// A count, a frame time or a number that cannot be used.
pub(super) fn read(lexer: &mut Lexer<'_>, width: usize) -> Result<Motion, Fault> {
    let (said, place, frame_time) = read_header(lexer)?;
    if width == 0 {
        let mismatches = match lexer.peek() {
            Some(word) => vec![Mismatch::Ragged { found: 1, expected: 0, kept: 0, place: word.place }],
            None => Vec::new(),
        };
        return Ok(Motion { frame_time, frames: 0, values: Vec::new(), mismatches });
    }

    let wanted = said.saturating_mul(width as u64);
    let width_u64 = width as u64;
    let mut lines = Lines { width: width_u64, ..Lines::default() };
    let mut values = Vec::new();
    let mut total = 0_u64;
    let (mut row_start, mut first_extra) = (place, None);
    while let Some(word) = lexer.next_word() {
        lines.take(total, word.place);
        let (frame, column) = (total / width_u64, total % width_u64);
        if column == 0 {
            row_start = word.place;
        }
        if total < wanted {
            let what = || format!("frame {frame}, number {} of {width}", column + 1);
            values.push(parse_number(word, what)?);
        } else if first_extra.is_none() {
            first_extra = Some(word.place);
        }
        total += 1;
    }

    let mut mismatches = Vec::new();
    let (found, over) = (total / width_u64, total % width_u64);
    match lines.end_file(total) {
        Some(Uneven { numbers, kept, place }) if total != wanted => {
            let kept = kept.min(said);
            values.truncate(kept as usize * width);
            mismatches.push(Mismatch::Ragged { found: numbers, expected: width_u64, kept, place });
        }
        uneven => {
            if let Some(Uneven { numbers, kept, place }) = uneven {
                mismatches.push(Mismatch::Unaligned {
                    frame: kept,
                    found: numbers,
                    expected: width_u64,
                    place,
                });
            }
            if let Some(place) = first_extra {
                mismatches.push(Mismatch::More { said, found: total.div_ceil(width_u64), place });
            } else if found < said {
                if over > 0 {
                    let expected = width_u64;
                    mismatches.push(Mismatch::Partial {
                        frame: found,
                        found: over,
                        expected,
                        place: row_start,
                    });
                }
                mismatches.push(Mismatch::Fewer { said, found, place });
            }
        }
    }
    let frames = values.len() / width;
    values.truncate(frames * width);
    Ok(Motion { frame_time, frames, values, mismatches })
}

/// `Frames:` and `Frame Time:` in either order, with or without blanks around the colon.
fn read_header(lexer: &mut Lexer<'_>) -> Result<(u64, TextPlace, f64), Fault> {
    let (mut frames, mut frame_time) = (None, None);
    loop {
        if let (Some((said, place)), Some(frame_time)) = (frames, frame_time) {
            return Ok((said, place, frame_time));
        }
        let expected = match (frames, frame_time) {
            (None, None) => "Frames: or Frame Time:",
            (None, _) => "Frames:",
            _ => "Frame Time:",
        };
        let before = lexer.clone();
        let Some(word) = lexer.next_letters() else { return Err(unexpected(&before, expected)) };
        if word.is("Frames") && frames.is_none() {
            lexer.skip_colon();
            let Some(count) = lexer.next_word() else {
                return Err(unexpected(lexer, "the number of frames"));
            };
            let said = whole_number(count.bytes).ok_or_else(|| {
                Fault::new(count.place, "a whole number of Frames, 0 or more", quoted(count.bytes))
            })?;
            frames = Some((said, count.place));
        } else if (word.is("Frame") || word.is("FrameTime")) && frame_time.is_none() {
            if word.is("Frame") && !lexer.next_letters().is_some_and(|second| second.is("Time")) {
                return Err(unexpected(&before, expected));
            }
            lexer.skip_colon();
            let place = lexer.peek().map_or(lexer.place(), |word| word.place);
            let found = number(lexer, || "Frame Time".into())?;
            if let Some(why) = implausible(found) {
                let expected = format!("a Frame Time from {SHORTEST_FRAME} to {LONGEST_FRAME} seconds");
                return Err(Fault::new(place, expected, format!("{found} ({why})")));
            }
            frame_time = Some(found);
        } else {
            return Err(unexpected(&before, expected));
        }
    }
}

fn implausible(seconds: f64) -> Option<&'static str> {
    if seconds == 0.0 {
        Some("zero: all frames at once")
    } else if seconds < 0.0 {
        Some("negative: time would run backwards")
    } else if seconds < SHORTEST_FRAME {
        Some("more than 100000 frames a second")
    } else if seconds > LONGEST_FRAME {
        Some("perhaps frames a second or milliseconds")
    } else {
        None
    }
}

/// A line that holds numbers of several frames but does not begin and end with whole frames: a number is missing
/// or too many there, or the rows are not laid out by lines at all.
#[derive(Debug, Clone, Copy)]
struct Uneven {
    /// Numbers on the line where the trouble begins.
    numbers: u64,
    /// Frames that end before that line.
    kept: u64,
    /// Where that line begins.
    place: TextPlace,
}

/// Watches how rows lie on lines; finds the first uneven line.
#[derive(Default)]
struct Lines {
    width: u64,
    uneven: Option<Uneven>,
    /// The running index of the first number on this line, and where it stands.
    first: u64,
    place: TextPlace,
    /// The last line that began with a frame: its numbers and place.
    row_line: (u64, TextPlace),
}

impl Lines {
    /// Sees the number with this running index.
    fn take(&mut self, index: u64, place: TextPlace) {
        if place.line != self.place.line {
            self.end_line(index);
            (self.first, self.place) = (index, place);
        }
    }

    /// The line ends before the number with this running index.
    fn end_line(&mut self, end: u64) {
        if end == 0 || self.uneven.is_some() {
            return;
        }
        let starts_with_frame = self.first.is_multiple_of(self.width);
        if starts_with_frame {
            self.row_line = (end - self.first, self.place);
        }
        let several_frames = (end - 1) / self.width > self.first / self.width;
        if several_frames && !(starts_with_frame && end.is_multiple_of(self.width)) {
            let (numbers, place) = self.row_line;
            self.uneven = Some(Uneven { numbers, kept: self.first / self.width, place });
        }
    }

    /// The file ends; its last line may break off after whole frames.
    fn end_file(mut self, total: u64) -> Option<Uneven> {
        if !self.first.is_multiple_of(self.width) {
            self.end_line(total);
        }
        self.uneven
    }
}
