//! Error messages of feature lists.

use super::super::explain;
use super::super::store::Offset;
use super::column::Failure;
use super::core::Core;
use super::lists::Halt;
use crate::Error;
use crate::error::{Locate, too_many_columns};

impl<O: Offset> Core<O> {
    #[cold]
    pub(super) fn explain(&self, halt: Halt, row: usize) -> Error {
        let most = self.context.limits.columns;
        match halt {
            Halt::Append(column, failure) => self.explain_failure(column, failure),
            Halt::TooMany => too_many_columns(most).in_feature(self.lists.newest(row)),
            Halt::Walk(trouble) => explain::trouble(*trouble, self.context.message, most, |column, fault| {
                self.explain_failure(column as usize, Failure { step: None, in_record: false, fault })
            }),
        }
    }

    #[cold]
    fn explain_failure(&self, column: usize, failure: Failure) -> Error {
        let who = match (self.context.schema.is_some(), failure.in_record) {
            (true, _) => "the schema says",
            (false, true) => "an earlier step has",
            (false, false) => "earlier records have",
        };
        let step = format!("step {} of the feature list", failure.step.unwrap_or_default());
        let error = explain::fault(failure.fault, self.context.message, (&step, who), "feature list");
        error.in_feature(self.lists.name(column))
    }
}
