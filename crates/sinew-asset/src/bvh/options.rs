//! What a caller can say about a BVH file that the format cannot: its unit of length and its up axis.

use std::fmt;
use std::str::FromStr;

/// Unit of length of a BVH file. The format has none.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum BvhUnits {
    /// Lengths stay as they are in the file.
    #[default]
    AsIs,
    /// The unit in which the skeleton is nearest to the height of a person, if one fits.
    Auto,
    /// Metres: as in the file.
    Metres,
    /// 0.01 m.
    Centimetres,
    /// 0.001 m.
    Millimetres,
    /// 0.0254 m.
    Inches,
    /// This many metres a unit; finite and above 0.
    Scale(f64),
}

impl BvhUnits {
    /// Metres a unit where that is said; `None` for [`BvhUnits::AsIs`] and [`BvhUnits::Auto`].
    #[must_use]
    pub fn metres(self) -> Option<f64> {
        match self {
            Self::AsIs | Self::Auto => None,
            Self::Metres => Some(1.0),
            Self::Centimetres => Some(0.01),
            Self::Millimetres => Some(0.001),
            Self::Inches => Some(0.0254),
            Self::Scale(metres) => Some(metres),
        }
    }
}

impl fmt::Display for BvhUnits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AsIs => f.write_str("as-is"),
            Self::Auto => f.write_str("auto"),
            Self::Metres => f.write_str("metres"),
            Self::Centimetres => f.write_str("centimetres"),
            Self::Millimetres => f.write_str("millimetres"),
            Self::Inches => f.write_str("inches"),
            Self::Scale(metres) => write!(f, "{metres}"),
        }
    }
}

/// Up axis of a BVH file. Most writers have Y up, some Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BvhUp {
    /// Axes stay as they are in the file.
    #[default]
    AsIs,
    /// The axis along which the character is tallest in its first frame, if that is clear.
    Auto,
    /// Y is up: as in the file.
    Y,
    /// Z is up: turned by -90 degrees about X, so that Y is up.
    Z,
}

impl fmt::Display for BvhUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AsIs => "as-is",
            Self::Auto => "auto",
            Self::Y => "y",
            Self::Z => "z",
        })
    }
}

/// A word that names no unit or axis.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found {found:?}")]
pub struct BvhOptionError {
    /// The words that are known.
    pub expected: &'static str,
    /// The word that was given.
    pub found: String,
}

impl FromStr for BvhUnits {
    type Err = BvhOptionError;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Ok(match word {
            "as-is" => Self::AsIs,
            "auto" => Self::Auto,
            "metres" | "meters" | "m" => Self::Metres,
            "centimetres" | "centimeters" | "cm" => Self::Centimetres,
            "millimetres" | "millimeters" | "mm" => Self::Millimetres,
            "inches" | "in" => Self::Inches,
            _ => match word.parse::<f64>() {
                Ok(metres) if metres.is_finite() && metres > 0.0 => Self::Scale(metres),
                _ => {
                    let expected =
                        "as-is, auto, metres, centimetres, millimetres, inches or metres a unit above 0";
                    return Err(BvhOptionError { expected, found: word.into() });
                }
            },
        })
    }
}

impl FromStr for BvhUp {
    type Err = BvhOptionError;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Ok(match word {
            "as-is" => Self::AsIs,
            "auto" => Self::Auto,
            "y" | "Y" => Self::Y,
            "z" | "Z" => Self::Z,
            _ => return Err(BvhOptionError { expected: "as-is, auto, y or z", found: word.into() }),
        })
    }
}

/// How a BVH file is read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BvhOptions {
    /// Unit of length; everything is converted to metres where it is known.
    pub units: BvhUnits,
    /// Up axis; everything is turned to Y up where it is known.
    pub up: BvhUp,
    /// Name of the clip; `motion` where none is given. [`load`](crate::load) gives the file's stem.
    pub clip_name: Option<String>,
}
