//! Actions as an asset holds them, and as they are checked for use.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    ActionChannel, BlendWeight, BlendWindows, ClockSample, CurveQuery, QueryOutcome, QueryTrace, WindowError,
};
use crate::{Curve, Interpolation, TrackError};

/// The only parameterization that is understood.
pub const PARAMETERIZATION: u32 = 1;

/// What the times of an action's keys are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyDomain {
    /// Seconds since the start of the action.
    Seconds,
    /// Parts of the action's main length.
    Progress,
}

/// What holds for a whole action.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionSettings {
    /// Root of the head's subtree.
    pub head_bone: String,
    /// How the curves drive the body; only [`PARAMETERIZATION`] is understood.
    pub parameterization: u32,
    /// Whether the head takes part; must be set.
    pub head_animation: bool,
    /// What the times of the keys are.
    pub key_domain: KeyDomain,
    /// How the body's weight comes and goes.
    pub body_blend: BlendWindows,
    /// How the head's weight comes and goes.
    pub head_blend: BlendWindows,
}

/// A named list of keys of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionField {
    /// Name of the field in the asset.
    pub name: String,
    /// Its keys; `None` where the asset has the field and no keys.
    pub curve: Option<Curve>,
}

impl ActionField {
    /// A field with straight lines between its keys, or none where the lists are empty.
    ///
    /// # Errors
    /// [`ActionError::Keys`] names the field and the rule that its keys break.
    pub fn linear(name: &str, times: &[f64], values: &[f32]) -> Result<Self, ActionError> {
        if times.is_empty() && values.is_empty() {
            return Ok(Self { name: name.to_owned(), curve: None });
        }
        let curve = Curve::new(name, times, values, Interpolation::Linear)
            .map_err(|source| ActionError::Keys { field: name.to_owned(), source })?;
        Ok(Self { name: name.to_owned(), curve: Some(curve) })
    }
}

/// An action as an asset holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionRecord {
    /// What people call it.
    pub name: String,
    /// Length of the action as it was authored, seconds.
    pub original_length: f64,
    /// What holds for all of it.
    pub settings: ActionSettings,
    /// Which field gives which channel.
    pub channels: Vec<(ActionChannel, String)>,
    /// The keys, by field.
    pub fields: Vec<ActionField>,
}

/// Why an action cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ActionError {
    /// No action of this name.
    #[error("there is no action {name:?}")]
    UnknownAction {
        /// The name asked for.
        name: String,
    },
    /// Two actions of one name.
    #[error("action {name:?} is there twice")]
    RepeatedAction {
        /// The name of both.
        name: String,
    },
    /// No channel of this name.
    #[error("there is no channel {name:?}")]
    UnknownChannel {
        /// The name given.
        name: String,
    },
    /// A parameterization that is not understood.
    #[error("action {action:?} has parameterization mode {found}, expected {PARAMETERIZATION}")]
    Parameterization {
        /// The action.
        action: String,
        /// Its mode.
        found: u32,
    },
    /// The head does not take part.
    #[error("action {action:?} has head animation disabled, expected it enabled")]
    HeadAnimationDisabled {
        /// The action.
        action: String,
    },
    /// The head is not named.
    #[error("action {action:?} names no head bone")]
    NoHeadBone {
        /// The action.
        action: String,
    },
    /// The length is none.
    #[error("action {action:?} has a length of {seconds} s, expected more than 0")]
    Length {
        /// The action.
        action: String,
        /// Its length, seconds.
        seconds: f64,
    },
    /// A channel is mapped twice.
    #[error("action {action:?} maps channel {channel} twice")]
    RepeatedChannel {
        /// The action.
        action: String,
        /// The channel.
        channel: ActionChannel,
    },
    /// Two fields of one name.
    #[error("action {action:?} has field {field:?} twice")]
    RepeatedField {
        /// The action.
        action: String,
        /// The field.
        field: String,
    },
    /// A channel is mapped to a field that is not there.
    #[error("action {action:?} maps channel {channel} to field {field:?}, which it does not have")]
    NoSuchField {
        /// The action.
        action: String,
        /// The channel.
        channel: ActionChannel,
        /// The field named.
        field: String,
    },
    /// Keys that are no curve.
    #[error("field {field:?}: {source}")]
    Keys {
        /// The field.
        field: String,
        /// The rule that is broken.
        source: TrackError,
    },
    /// Keys with something other than straight lines between them.
    #[error("action {action:?}, field {field:?}: keys are {found:?}, expected straight lines between them")]
    NotLinear {
        /// The action.
        action: String,
        /// The field.
        field: String,
        /// What they are.
        found: Interpolation,
    },
    /// A blend window that cannot be used.
    #[error("action {action:?}, {part} {end}: {source}")]
    Window {
        /// The action.
        action: String,
        /// `body` or `head`.
        part: &'static str,
        /// `blend-in` or `blend-out`.
        end: &'static str,
        /// What is wrong.
        source: WindowError,
    },
}

/// An action whose record holds together.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    record: ActionRecord,
    /// Field of each channel, in the order of [`ActionChannel::ALL`].
    field_of: [Option<usize>; ActionChannel::ALL.len()],
}

impl Action {
    /// Checks a record.
    ///
    /// # Errors
    /// [`ActionError`] names what is wrong first.
    pub fn new(record: ActionRecord) -> Result<Self, ActionError> {
        let action = || record.name.clone();
        let settings = &record.settings;
        if settings.parameterization != PARAMETERIZATION {
            return Err(ActionError::Parameterization { action: action(), found: settings.parameterization });
        }
        if !settings.head_animation {
            return Err(ActionError::HeadAnimationDisabled { action: action() });
        }
        if settings.head_bone.is_empty() {
            return Err(ActionError::NoHeadBone { action: action() });
        }
        let seconds = record.original_length;
        if !(seconds.is_finite() && seconds > 0.0) {
            return Err(ActionError::Length { action: action(), seconds });
        }
        for (part, windows) in [("body", &settings.body_blend), ("head", &settings.head_blend)] {
            for (end, window) in [("blend-in", &windows.blend_in), ("blend-out", &windows.blend_out)] {
                window.check().map_err(|source| ActionError::Window {
                    action: action(),
                    part,
                    end,
                    source,
                })?;
            }
        }
        let mut places = BTreeMap::new();
        for (i, field) in record.fields.iter().enumerate() {
            if places.insert(field.name.as_str(), i).is_some() {
                return Err(ActionError::RepeatedField { action: action(), field: field.name.clone() });
            }
            if let Some(found) = field.curve.as_ref().map(|curve| curve.track().interpolation())
                && found != Interpolation::Linear
            {
                return Err(ActionError::NotLinear { action: action(), field: field.name.clone(), found });
            }
        }
        let mut field_of = [None; ActionChannel::ALL.len()];
        for (channel, field) in &record.channels {
            let slot = &mut field_of[*channel as usize];
            if slot.is_some() {
                return Err(ActionError::RepeatedChannel { action: action(), channel: *channel });
            }
            *slot = places.get(field.as_str()).copied();
            if slot.is_none() {
                let (channel, field) = (*channel, field.clone());
                return Err(ActionError::NoSuchField { action: action(), channel, field });
            }
        }
        Ok(Self { record, field_of })
    }

    /// The record.
    #[must_use]
    pub fn record(&self) -> &ActionRecord {
        &self.record
    }

    /// What holds for all of it.
    #[must_use]
    pub fn settings(&self) -> &ActionSettings {
        &self.record.settings
    }

    /// Length of the action, seconds.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.record.original_length
    }

    /// The value of a channel at a moment, or the fallback where there is no curve; either way the query is put
    /// down in the trace.
    pub fn query(
        &self,
        channel: ActionChannel,
        at: &ClockSample,
        fallback: f64,
        trace: &mut QueryTrace,
    ) -> f64 {
        let time = match self.record.settings.key_domain {
            KeyDomain::Seconds => at.active,
            KeyDomain::Progress => at.progress,
        };
        let field = self.field_of[channel as usize];
        let (value, outcome) = match field.map(|field| &self.record.fields[field].curve) {
            Some(Some(curve)) => (curve.sample(time), QueryOutcome::Sampled(curve.place(time))),
            Some(None) => (fallback, QueryOutcome::NoKeys),
            None => (fallback, QueryOutcome::ChannelMissing),
        };
        trace.queries.push(CurveQuery { channel, field, time, fallback, value, outcome });
        value
    }

    /// Weight of the body at a moment.
    #[must_use]
    pub fn body_weight(&self, at: &ClockSample) -> BlendWeight {
        self.record.settings.body_blend.weight_of_checked(at.since, self.length())
    }

    /// Weight of the head at a moment.
    #[must_use]
    pub fn head_weight(&self, at: &ClockSample) -> BlendWeight {
        self.record.settings.head_blend.weight_of_checked(at.since, self.length())
    }
}

/// All actions of an asset.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActionSet {
    actions: Vec<Action>,
}

impl ActionSet {
    /// Checks all records.
    ///
    /// # Errors
    /// [`ActionError`] names the first action that cannot be used.
    pub fn new(records: Vec<ActionRecord>) -> Result<Self, ActionError> {
        let mut actions: Vec<Action> = Vec::with_capacity(records.len());
        let mut names = BTreeSet::new();
        for record in records {
            if !names.insert(record.name.clone()) {
                return Err(ActionError::RepeatedAction { name: record.name });
            }
            actions.push(Action::new(record)?);
        }
        Ok(Self { actions })
    }

    /// In the order they were given.
    #[must_use]
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// The action of this name.
    ///
    /// # Errors
    /// [`ActionError::UnknownAction`] where there is none.
    pub fn find(&self, name: &str) -> Result<&Action, ActionError> {
        let found = self.actions.iter().find(|action| action.record.name == name);
        found.ok_or_else(|| ActionError::UnknownAction { name: name.to_owned() })
    }
}
