//! Schemas of tf.SequenceExample features.

use std::collections::BTreeSet;

use crate::{Error, ExampleSchema, Kind};

/// The features of a data set of tf.SequenceExamples: the features of the context, and the sequence features, each in the
/// order of their columns.
///
/// A sequence feature is described like any other: its [kind](crate::FeatureField::kind) is the kind of every step, it is
/// [required](crate::FeatureField::required) where every record must have the list, and its [fixed
/// length](crate::FeatureField::fixed_len) is the number of values of every step that has any. That last is for whoever
/// makes tensors; the column of a sequence feature is a list of lists in any case.
///
/// ```
/// use example_codec::{ExampleSchema, FeatureKind, FeatureField, SequenceExampleSchema};
/// let schema = SequenceExampleSchema::new(
///     ExampleSchema::new([FeatureField::new("user", FeatureKind::Int64)])?,
///     ExampleSchema::new([FeatureField::new("clicks", FeatureKind::Int64)])?,
/// );
/// assert_eq!(schema.sequence().features().len(), 1);
/// # Ok::<(), example_codec::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SequenceExampleSchema {
    context: ExampleSchema,
    sequence: ExampleSchema,
}

impl SequenceExampleSchema {
    /// Returns a schema of these context features and sequence features. A name may occur in both.
    #[must_use]
    pub fn new(context: ExampleSchema, sequence: ExampleSchema) -> Self {
        Self { context, sequence }
    }

    /// Returns the context features.
    #[must_use]
    pub fn context(&self) -> &ExampleSchema {
        &self.context
    }

    /// Returns the sequence features.
    #[must_use]
    pub fn sequence(&self) -> &ExampleSchema {
        &self.sequence
    }

    /// Returns both, as they were given.
    #[must_use]
    pub fn into_parts(self) -> (ExampleSchema, ExampleSchema) {
        (self.context, self.sequence)
    }
}

/// Refuses duplicate names.
pub(crate) fn distinct<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<(), Error> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            let message = format!("two columns would be named {name:?}");
            return Err(Error::new(Kind::InvalidSchema, message).help("give one another name"));
        }
    }
    Ok(())
}
