//! Fields that are passed over, all of them at once.

use std::sync::Arc;

use super::{At, SkipPlan, SkipRun};
use crate::schema::TypeId;
use crate::{Error, Result};

/// How to pass over neighbours among the fields of a record, or over one value.
#[derive(Debug)]
pub(crate) struct SkipFields {
    run: SkipRun,
    /// The fields by themselves, to say which one is damaged.
    fields: Box<[(Arc<str>, SkipRun)]>,
}

impl SkipFields {
    /// Fields of these names and types.
    pub(crate) fn new(plan: &Arc<SkipPlan>, fields: &[(Arc<str>, TypeId)]) -> Self {
        let run = SkipRun::new(plan, fields.iter().map(|(_, id)| *id));
        let each = fields.iter().map(|(name, id)| (Arc::clone(name), SkipRun::new(plan, [*id])));
        Self { run, fields: each.collect() }
    }

    /// A value that is not a field.
    pub(crate) fn value(plan: &Arc<SkipPlan>, id: TypeId) -> Self {
        Self { run: SkipRun::new(plan, [id]), fields: Box::default() }
    }

    /// Passes over them from an offset on, and says where they end.
    ///
    /// # Errors
    /// As [`SkipPlan::skip`], with the name of the field.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn skip(&self, bytes: At<'_>, at: usize) -> Result<usize> {
        self.run.skip(bytes, at).map_err(|error| self.which(bytes, at, error))
    }

    /// The error with the name of that field in which it is.
    #[cold]
    fn which(&self, bytes: At<'_>, mut at: usize, error: Error) -> Error {
        for (name, run) in &self.fields {
            match run.skip(bytes, at) {
                Ok(end) => at = end,
                Err(error) => return error.within(name),
            }
        }
        error
    }
}
