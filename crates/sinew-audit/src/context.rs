//! What every rule is given.

use sinew::Skeleton;
use sinew_asset::{Document, Loaded, Problem};

use crate::Limits;
use crate::distance::Ways;
use crate::feet::Foot;
use crate::model::Model;
use crate::shown::Shown;

/// A file, what is known about it, and the limits it is held against.
pub(crate) struct Context<'a> {
    pub(crate) document: &'a Document,
    pub(crate) problems: &'a [Problem],
    pub(crate) limits: &'a Limits,
    pub(crate) shown: Shown,
    pub(crate) model: Model,
    pub(crate) feet: Vec<Foot>,
    pub(crate) ways: Ways,
}

impl<'a> Context<'a> {
    pub(crate) fn new(loaded: &'a Loaded, limits: &'a Limits) -> Self {
        let document = &loaded.document;
        let shown = Shown::new(document);
        let model = Model::new(document, &shown);
        let feet = crate::feet::find(document, &shown, &model, &limits.foot_slide);
        let ways = Ways::of(document.clips.len());
        Self { document, problems: &loaded.problems, limits, shown, model, feet, ways }
    }

    pub(crate) fn skeleton(&self) -> &'a Skeleton {
        &self.document.skeleton
    }
}
