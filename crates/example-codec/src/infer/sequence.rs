//! Inference of the features of a data set of SequenceExamples.

use tfxio_core::{Limits, Origin};

use super::count::{FEATURE_LISTS, FeatureList, Message};
use super::tally::{Counted, Of, Tally, Totals, is_mixed};
use super::{ExampleSchemaInference, FeatureStatistics};
use crate::error::Locate;
use crate::{Error, FeatureKind, SequenceExampleSchema, UnknownFeatures};

/// Infers the schema of a data set of tf.SequenceExamples from its records, some of them or all, as
/// [`ExampleSchemaInference`] does for tf.Examples.
///
/// ```
/// use example_codec::{FeatureKind, SequenceExampleSchemaInference};
/// use tfxio_core::Origin;
///
/// // feature_lists { feature_list { key: "s" value {
/// //     feature { int64_list { value: [5, 6] } } feature {} } } }
/// let record = b"\x12\x11\x0a\x0f\x0a\x01s\x12\x0a\x0a\x06\x1a\x04\x0a\x02\x05\x06\x0a\x00";
/// let mut inference = SequenceExampleSchemaInference::default();
/// inference.push(record, Origin::record(0))?;
/// let s = inference.sequence_features().next().expect("one list");
/// assert_eq!((s.steps, s.unset_steps, s.values), (2, 1, 2));
/// let schema = inference.finish();
/// assert_eq!(schema.sequence().feature("s").and_then(|s| s.kind), Some(FeatureKind::Int64));
/// # Ok::<(), example_codec::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SequenceExampleSchemaInference {
    /// Inference of the context, with the common options.
    context: ExampleSchemaInference,
    lists: Tally<FeatureList>,
}

impl Default for SequenceExampleSchemaInference {
    fn default() -> Self {
        let context =
            ExampleSchemaInference { message: Message::SequenceExample, ..ExampleSchemaInference::default() };
        Self { context, lists: Tally::default() }
    }
}

/// Statistics of one sequence feature in the records so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SequenceFeatureStatistics<'a> {
    /// The feature's name.
    pub name: &'a str,
    /// The kind of its steps; `None` if no step had a list. Of several, that of the first step with values; if none has any,
    /// that of the first list.
    pub kind: Option<FeatureKind>,
    /// Records that have a step with values of each kind, in the order of [`FeatureKind::ALL`]. A record that mixes them
    /// counts for two, and one whose lists are empty for none.
    pub kinds: [u64; FeatureKind::ALL.len()],
    /// Records that have the feature list, empty ones included.
    pub present: u64,
    /// Steps in all records together.
    pub steps: u64,
    /// Steps in which no list is set.
    pub unset_steps: u64,
    /// Values in all steps together.
    pub values: u64,
    /// The fewest steps of a record that has the feature list; 0 if there is none.
    pub min_steps: u64,
    /// The most steps of a record.
    pub max_steps: u64,
    /// The fewest values of a step that has a list; 0 if there is none.
    pub min_values: u64,
    /// The most values of a step.
    pub max_values: u64,
}

impl SequenceFeatureStatistics<'_> {
    /// Returns whether there are steps with values of different kinds.
    #[must_use]
    pub fn is_mixed(&self) -> bool {
        is_mixed(&self.kinds)
    }
}

impl SequenceExampleSchemaInference {
    /// Sets whether [`finish`](Self::finish) calls a feature required that every record has. Default: false, because a
    /// record that was not looked at may lack it.
    #[must_use]
    pub fn required(mut self, on: bool) -> Self {
        self.context = self.context.required(on);
        self
    }

    /// Sets the limits, of which `record_bytes` and `columns` count here, the latter for context features
    /// and, separately, for sequence features. Default: [`Limits::default`].
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.context = self.context.limits(limits);
        self
    }

    /// As [`ExampleSchemaInference::mixed_kinds`], for context features and feature lists.
    #[must_use]
    pub fn mixed_kinds(mut self, on: bool) -> Self {
        self.context = self.context.mixed_kinds(on);
        self
    }

    /// As [`ExampleSchemaInference::other_messages`].
    #[must_use]
    pub fn other_messages(mut self, action: UnknownFeatures) -> Self {
        self.context = self.context.other_messages(action);
        self
    }

    /// Looks at a record.
    ///
    /// # Errors
    /// As [`ExampleSchemaInference::push`], and `KindMismatch` for a feature list that has steps of different
    /// kinds, or another kind than in an earlier record. The inference is then as it was before the call.
    pub fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<(), Error> {
        let read = self.lists.read(record, Message::SequenceExample, FEATURE_LISTS, &self.context.limits);
        let checked = read.and_then(|()| self.context.check(&self.lists, record));
        let checked = checked.map_err(|error| error.in_record(origin));
        if let Err(error) = checked.and_then(|()| self.context.push(record, origin)) {
            self.lists.forget();
            return Err(error);
        }
        self.lists.keep(origin);
        Ok(())
    }

    /// Returns the context features that have several kinds; see [`ExampleSchemaInference::mixed_kinds`].
    #[must_use]
    pub fn mixed_context_kinds(&self) -> Vec<Error> {
        self.context.kind_mismatches()
    }

    /// Does the same for sequence features.
    #[must_use]
    pub fn mixed_sequence_kinds(&self) -> Vec<Error> {
        self.lists.mixed()
    }

    /// Takes over what another inference has seen, of records that come after this one's.
    ///
    /// # Errors
    /// As [`ExampleSchemaInference::merge`]. This inference is then as it was before the call.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        self.lists.check_merge(&other.lists, self.context.limits.columns, self.context.mixed)?;
        self.context.merge(&other.context)?;
        self.lists.merge(&other.lists);
        Ok(())
    }

    /// Returns the number of records seen.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.context.records()
    }

    /// Returns the statistics of each context feature, sorted by name.
    pub fn context_features(&self) -> impl ExactSizeIterator<Item = FeatureStatistics<'_>> {
        self.context.features()
    }

    /// Returns the statistics of each sequence feature, sorted by name.
    pub fn sequence_features(&self) -> impl ExactSizeIterator<Item = SequenceFeatureStatistics<'_>> {
        self.lists.summaries().map(|seen| {
            let Totals { present, steps, unset, values, step_range, value_range } = seen.totals;
            let (min_steps, max_steps) = step_range.unwrap_or_default();
            let (min_values, max_values) = value_range.unwrap_or_default();
            SequenceFeatureStatistics {
                name: seen.name,
                kind: seen.kind,
                kinds: seen.kinds,
                present,
                steps,
                unset_steps: unset,
                values,
                min_steps,
                max_steps,
                min_values,
                max_values,
            }
        })
    }

    /// Returns the schema: features sorted by name. A sequence feature has a fixed length when every step that has a list
    /// has as many values as the others, and at least one.
    #[must_use]
    pub fn finish(&self) -> SequenceExampleSchema {
        let required_in = self.context.required.then_some(self.records());
        SequenceExampleSchema::new(self.context.finish(), self.lists.schema(required_in))
    }
}

impl Counted for FeatureList {
    const WORDS: (&'static str, &'static str) = ("the feature list holds", "it holds");

    fn kinds(&self) -> Of {
        Of { kind: self.kind, empty: self.empty, other: self.other.map(|(step, kind)| (kind, Some(step))) }
    }

    fn totals(&self) -> Totals {
        Totals {
            present: 1,
            steps: self.steps,
            unset: self.unset,
            values: self.values,
            step_range: Some((self.steps, self.steps)),
            value_range: self.has_lists().then_some((self.min, self.max)),
        }
    }
}
