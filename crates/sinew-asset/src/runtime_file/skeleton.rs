//! The section of the skeleton.
//!
//! ```text
//! joints u32, rest weights u32, f64 a rest weight; then a record for each joint:
//!   parent u32 (all ones: none), node u32, weights start u32, end u32, flags u8,
//!   has u8: 1 a name, 2 a rest matrix, then two bits each for translation, rotation, scale:
//!     0 that of the identity, 1 single precision, which says it exactly, 2 double precision
//!   name: length u32, UTF-8; translation x3, rotation x4, scale x3; rest matrix f64 x16, column by column
//! ```

use glam::{DMat4, DQuat, DVec3};
use sinew::{DTransform, Joint, JointFlags, JointId, Skeleton};

use super::container::{Section, u32_at, u64_at};
use super::error::RuntimeFileError;

/// Least bytes of a joint.
const JOINT: u64 = 18;
const NO_PARENT: u32 = u32::MAX;
const NAME: u8 = 1;
const MATRIX: u8 = 2;
/// Bits of `has` at which a part of the rest pose is said.
const PARTS: [u32; 3] = [2, 4, 6];
const SINGLE: u8 = 1;
const DOUBLE: u8 = 2;

pub(super) fn write(skeleton: &Skeleton) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend((skeleton.len() as u32).to_le_bytes());
    out.extend((skeleton.rest_weights().len() as u32).to_le_bytes());
    skeleton.rest_weights().iter().for_each(|w| out.extend(w.to_le_bytes()));
    for joint in skeleton.joints() {
        let numbers = [
            joint.parent.map_or(NO_PARENT, |p| p.0),
            joint.node,
            joint.weights.start as u32,
            joint.weights.end as u32,
        ];
        numbers.iter().for_each(|n| out.extend(n.to_le_bytes()));
        let DTransform { translation, rotation, scale } = joint.rest;
        let (t, r, s) = (translation.to_array(), rotation.to_array(), scale.to_array());
        let forms = [form(&t, &[0.0; 3]), form(&r, &[0.0, 0.0, 0.0, 1.0]), form(&s, &[1.0; 3])];
        let mut has = if joint.name.is_some() { NAME } else { 0 };
        has |= if joint.rest_matrix.is_some() { MATRIX } else { 0 };
        for (form, bit) in forms.iter().zip(PARTS) {
            has |= form << bit;
        }
        out.extend([joint.flags.bits(), has]);
        if let Some(name) = &joint.name {
            out.extend((name.len() as u32).to_le_bytes());
            out.extend(name.as_bytes());
        }
        for (form, part) in forms.into_iter().zip([&t[..], &r, &s]) {
            for v in part {
                match form {
                    SINGLE => out.extend((*v as f32).to_le_bytes()),
                    DOUBLE => out.extend(v.to_le_bytes()),
                    _ => {}
                }
            }
        }
        if let Some(matrix) = joint.rest_matrix {
            matrix.to_cols_array().iter().for_each(|v| out.extend(v.to_le_bytes()));
        }
    }
    out
}

/// In which form numbers are said exactly, to the sign of a zero.
fn form(values: &[f64], identity: &[f64]) -> u8 {
    let same = |a: f64, b: f64| a.to_bits() == b.to_bits();
    if values.iter().zip(identity).all(|(a, b)| same(*a, *b)) {
        0
    } else if values.iter().all(|v| same(f64::from(*v as f32), *v)) {
        SINGLE
    } else {
        DOUBLE
    }
}

pub(super) fn read(file: &[u8], section: &Section) -> Result<Skeleton, RuntimeFileError> {
    let mut reader = Reader { file, at: section.offset, end: section.offset + section.length };
    let joints = reader.count("joints", JOINT)?;
    let weights = reader.count("rest weights", 8)?;
    let rest_weights = (0..weights).map(|_| reader.double()).collect::<Result<Vec<_>, _>>()?;
    // The weights took their part.
    reader.room("joints", joints as u64 * JOINT)?;
    let mut all = Vec::with_capacity(joints);
    for index in 0..joints {
        all.push(reader.joint(index)?);
    }
    if reader.at != reader.end {
        let (offset, found) = (reader.at as u64, (reader.end - reader.at) as u64);
        return Err(RuntimeFileError::Value { offset, what: "bytes after the skeleton", found, expected: 0 });
    }
    Ok(Skeleton::new(all, rest_weights)?)
}

struct Reader<'a> {
    file: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Reader<'a> {
    fn room(&self, what: &'static str, needed: u64) -> Result<(), RuntimeFileError> {
        let left = (self.end - self.at) as u64;
        if needed > left {
            let expected = (self.at as u64).saturating_add(needed);
            return Err(RuntimeFileError::Truncated { what, expected, found: self.end as u64 });
        }
        Ok(())
    }

    fn take(&mut self, what: &'static str, bytes: usize) -> Result<&'a [u8], RuntimeFileError> {
        self.room(what, bytes as u64)?;
        let taken = &self.file[self.at..self.at + bytes];
        self.at += bytes;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, RuntimeFileError> {
        Ok(u32_at(self.take("a number of the skeleton", 4)?, 0))
    }

    fn double(&mut self) -> Result<f64, RuntimeFileError> {
        Ok(f64::from_bits(u64_at(self.take("a number of the skeleton", 8)?, 0)))
    }

    /// How many follow, each of some bytes at least.
    fn count(&mut self, what: &'static str, each: u64) -> Result<usize, RuntimeFileError> {
        let count = self.number()?;
        self.room(what, u64::from(count).saturating_mul(each))?;
        Ok(count as usize)
    }

    fn part<const N: usize>(&mut self, form: u8, identity: [f64; N]) -> Result<[f64; N], RuntimeFileError> {
        let mut out = identity;
        for v in &mut out {
            match form {
                0 => {}
                SINGLE => *v = f32::from_bits(self.number()?).into(),
                DOUBLE => *v = self.double()?,
                found => {
                    let (offset, found) = (self.at as u64, found.into());
                    return Err(RuntimeFileError::Value {
                        offset,
                        what: "form of a rest pose",
                        found,
                        expected: 2,
                    });
                }
            }
        }
        Ok(out)
    }

    fn joint(&mut self, index: usize) -> Result<Joint, RuntimeFileError> {
        let parent = self.number()?;
        let node = self.number()?;
        let (start, end) = (self.number()? as usize, self.number()? as usize);
        let at = self.at as u64;
        let bytes = self.take("a joint", 2)?;
        let (flags, has) = (bytes[0], bytes[1]);
        let flags = JointFlags::from_bits(flags).ok_or(RuntimeFileError::Value {
            offset: at,
            what: "flags of a joint",
            found: flags.into(),
            expected: JointFlags::ALL.bits().into(),
        })?;
        let mut name = None;
        if has & NAME != 0 {
            let length = self.count("the name of a joint", 1)?;
            let offset = self.at as u64;
            let text = str::from_utf8(self.take("the name of a joint", length)?);
            name = Some(text.map_err(|_| RuntimeFileError::Name { offset, joint: index })?.to_owned());
        }
        let form = |part: usize| has >> PARTS[part] & 3;
        let rest = DTransform {
            translation: DVec3::from_array(self.part(form(0), [0.0; 3])?),
            rotation: DQuat::from_array(self.part(form(1), [0.0, 0.0, 0.0, 1.0])?),
            scale: DVec3::from_array(self.part(form(2), [1.0; 3])?),
        };
        let mut rest_matrix = None;
        if has & MATRIX != 0 {
            rest_matrix = Some(DMat4::from_cols_array(&self.part(DOUBLE, [0.0; 16])?));
        }
        let parent = (parent != NO_PARENT).then_some(JointId(parent));
        Ok(Joint { name, parent, rest, rest_matrix, node, flags, weights: start..end })
    }
}
