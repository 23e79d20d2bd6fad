//! What went wrong with feature lists, in words.

use super::super::explain::{
    feature_lists, malformed, name_not_utf8, offset_overflow, too_many_columns, unknown_feature,
};
use super::super::feature::Fault;
use super::super::store::Offset;
use super::super::walk::Trouble;
use super::column::Failure;
use super::core::Core;
use super::lists::Halt;
use crate::error::Locate;
use crate::{Error, Kind};

impl<O: Offset> Core<O> {
    #[cold]
    pub(super) fn explain(&self, halt: Halt, row: usize) -> Error {
        let most = self.context.limits.columns;
        match halt {
            Halt::Append(column, failure) => self.explain_failure(column, failure),
            Halt::TooMany => too_many_columns(most).in_feature(self.lists.newest(row)),
            Halt::Walk(trouble) => match *trouble {
                Trouble::Wire(error) => malformed(error, self.context.message),
                Trouble::NameNotUtf8(name) => name_not_utf8(&name),
                Trouble::UnknownFeature(name) => unknown_feature(&name),
                Trouble::FeatureLists => feature_lists(),
                Trouble::TooManyColumns(name) => too_many_columns(most).in_feature(&name),
                Trouble::Shadowed(column, fault) => {
                    self.explain_failure(column as usize, Failure { step: None, in_record: false, fault })
                }
            },
        }
    }

    #[cold]
    fn explain_failure(&self, column: usize, failure: Failure) -> Error {
        let error = match failure.fault {
            Fault::Wire(error) => malformed(error, self.context.message),
            Fault::Kind { expected, found } => {
                let who = match (self.context.schema.is_some(), failure.in_record) {
                    (true, _) => "the schema says",
                    (false, true) => "an earlier step has",
                    (false, false) => "earlier records have",
                };
                let step = failure.step.unwrap_or_default();
                let expected_name = expected.map_or("no value", |kind| kind.name());
                Error::new(
                    Kind::KindMismatch { expected, found },
                    format!(
                        "step {step} of the feature list is {}, {who} {expected_name}",
                        found.with_article()
                    ),
                )
            }
            Fault::Length { expected, found } => Error::new(
                Kind::WrongLength { expected, found },
                format!("the record has {found} values, the schema says {expected}"),
            ),
            Fault::Missing => Error::new(
                Kind::MissingFeature,
                "the record lacks the feature list, which the schema requires",
            ),
            Fault::OffsetOverflow => offset_overflow(),
        };
        error.in_feature(self.lists.name(column))
    }
}
