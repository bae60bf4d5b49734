//! What was asked of an action's curves, and what answered.

use super::ActionChannel;
use crate::CurvePlace;

/// Where the value of a query came from.
///
/// A value of 0 says nothing by itself: it is a curve at zero in one case and the caller's own number in two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QueryOutcome {
    /// From the keys.
    Sampled(CurvePlace),
    /// The action has no such channel; the value is the fallback.
    ChannelMissing,
    /// The channel's field is there and has no keys; the value is the fallback.
    NoKeys,
}

impl QueryOutcome {
    /// Whether the caller's fallback was used.
    #[must_use]
    pub fn is_fallback(&self) -> bool {
        !matches!(self, Self::Sampled(_))
    }

    /// A word for tables: `between`, `on_key`, `before`, `after`, `channel_missing` or `no_keys`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Sampled(CurvePlace::Between { .. }) => "between",
            Self::Sampled(CurvePlace::OnKey { .. }) => "on_key",
            Self::Sampled(CurvePlace::Before) => "before",
            Self::Sampled(CurvePlace::After) => "after",
            Self::ChannelMissing => "channel_missing",
            Self::NoKeys => "no_keys",
        }
    }
}

/// One query and its answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveQuery {
    /// What was asked for.
    pub channel: ActionChannel,
    /// Position of its field in [`ActionRecord::fields`](super::ActionRecord::fields).
    pub field: Option<usize>,
    /// When, in the domain of the keys.
    pub time: f64,
    /// What the caller wanted where there is no curve.
    pub fallback: f64,
    /// What the caller got.
    pub value: f64,
    /// Why.
    pub outcome: QueryOutcome,
}

/// The queries of one frame, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryTrace {
    /// All since it was last cleared.
    pub queries: Vec<CurveQuery>,
}

impl QueryTrace {
    /// The last query of a channel.
    #[must_use]
    pub fn of(&self, channel: ActionChannel) -> Option<&CurveQuery> {
        self.queries.iter().rev().find(|query| query.channel == channel)
    }
}
