//! What an action moves: the channels of its curves.

use core::fmt;

use super::ActionError;

/// One scalar that an action gives over its time.
///
/// Body translation and foot offsets are in parts of a reference length, angles in radians. The axes are the
/// character's: X forward, Y left, Z up, as action assets name them; sinew's own axes for these are +Z, +X, +Y.
/// What is read back from a left-handed engine has Y to the right and yaw to the right instead: it goes through
/// [`Basis::left_handed_z_up_x_forward`](crate::Basis::left_handed_z_up_x_forward) first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ActionChannel {
    /// Body translation forward, parts of the reference height.
    BodyX,
    /// Body translation to the left, parts of the reference height.
    BodyY,
    /// Height of the body above its datum, parts of the reference height.
    BodyZ,
    /// Body pitch, nose up.
    BodyPitch,
    /// Body yaw, to the left.
    BodyYaw,
    /// Body roll, right side down.
    BodyRoll,
    /// Head pitch, nose up.
    HeadPitch,
    /// Head yaw, to the left.
    HeadYaw,
    /// Head roll, right side down.
    HeadRoll,
    /// Striking foot, forward.
    FootTowardness,
    /// Striking foot, up; below zero counts as zero.
    FootUp,
    /// Striking foot, away from the body.
    FootOutness,
}

impl ActionChannel {
    /// All of them, in the order they are queried.
    pub const ALL: [Self; 12] = [
        Self::BodyX,
        Self::BodyY,
        Self::BodyZ,
        Self::BodyPitch,
        Self::BodyYaw,
        Self::BodyRoll,
        Self::HeadPitch,
        Self::HeadYaw,
        Self::HeadRoll,
        Self::FootTowardness,
        Self::FootUp,
        Self::FootOutness,
    ];

    /// The name that files and records use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BodyX => "body_x",
            Self::BodyY => "body_y",
            Self::BodyZ => "body_z",
            Self::BodyPitch => "body_pitch",
            Self::BodyYaw => "body_yaw",
            Self::BodyRoll => "body_roll",
            Self::HeadPitch => "head_pitch",
            Self::HeadYaw => "head_yaw",
            Self::HeadRoll => "head_roll",
            Self::FootTowardness => "foot_towardness",
            Self::FootUp => "foot_up",
            Self::FootOutness => "foot_outness",
        }
    }

    /// The channel of this name.
    ///
    /// # Errors
    /// [`ActionError::UnknownChannel`] where there is none.
    pub fn from_name(name: &str) -> Result<Self, ActionError> {
        let found = Self::ALL.into_iter().find(|channel| channel.name() == name);
        found.ok_or_else(|| ActionError::UnknownChannel { name: name.to_owned() })
    }

    /// Whether its values are angles, radians.
    #[must_use]
    pub fn is_angle(self) -> bool {
        use ActionChannel::{BodyPitch, BodyRoll, BodyYaw, HeadPitch, HeadRoll, HeadYaw};
        matches!(self, BodyPitch | BodyYaw | BodyRoll | HeadPitch | HeadYaw | HeadRoll)
    }
}

impl fmt::Display for ActionChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
