//! Inference of the features of a data set.
//!
//! The decoder's walk finds the features of a record, [`count`] the kind and the number of values of each, [`tally`] adds
//! up the counts of records, and [`template`] takes records that are like earlier ones in one pass; here is the public face
//! of that, and in [`sequence`] the same for SequenceExamples.

mod count;
mod sequence;
mod tally;
mod template;

use tfxio_core::{Limits, Origin};

pub(crate) use self::count::{FEATURE_LISTS, FEATURES};
use self::count::{Feature, Message};
pub use self::sequence::{SequenceExampleSchemaInference, SequenceFeatureStatistics};
use self::tally::{Counted, Of, Tally, Totals, is_mixed};
use crate::error::Locate;
use crate::foreign::{is_other_message, other_message};
use crate::{Error, ExampleSchema, FeatureKind, UnknownFeatures};

/// Infers the schema of a data set from its records, some of them or all.
///
/// Values are counted, not kept, so that it takes no more memory for many records than for few. Inferences over parts of a
/// data set, for instance on several threads, are merged.
///
/// ```
/// use example_codec::{FeatureKind, ExampleSchemaInference};
/// use tfxio_core::Origin;
///
/// // features { feature { key: "a" value { int64_list { value: [5] } } } }
/// let record = b"\x0a\x0c\x0a\x0a\x0a\x01a\x12\x05\x1a\x03\x0a\x01\x05";
/// let mut inference = ExampleSchemaInference::default();
/// inference.push(record, Origin::record(0))?;
/// inference.push(b"", Origin::record(1))?;
/// let a = inference.features().next().expect("one feature");
/// assert_eq!((a.present, a.min_values, a.max_values), (1, 1, 1));
///
/// let schema = inference.finish();
/// let a = schema.feature("a").expect("it was there");
/// assert_eq!(a.kind, Some(FeatureKind::Int64));
/// assert_eq!(a.fixed_len, Some(1));
/// assert!(!a.required, "presence in a sample proves nothing");
/// # Ok::<(), example_codec::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ExampleSchemaInference {
    features: Tally<Feature>,
    records: u64,
    required: bool,
    limits: Limits,
    /// Whether a feature may have several kinds.
    mixed: bool,
    refuses_others: bool,
    /// Message type of the records.
    message: Message,
}

/// Statistics of one feature in the records so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FeatureStatistics<'a> {
    /// The feature's name.
    pub name: &'a str,
    /// Its kind; `None` if no record had a list for it. Of several, that of the first record with values; if none has any,
    /// that of the first list.
    pub kind: Option<FeatureKind>,
    /// Records that have values of each kind, in the order of [`FeatureKind::ALL`]. An empty list counts for none.
    pub kinds: [u64; FeatureKind::ALL.len()],
    /// Records that have a list for it, empty ones included.
    pub present: u64,
    /// Records that have the name without a list, which counts as absent.
    pub unset: u64,
    /// Values in all records together.
    pub values: u64,
    /// The fewest values of a record that has a list; 0 if there is none.
    pub min_values: u64,
    /// The most values of a record; 0 if there is none.
    pub max_values: u64,
}

impl FeatureStatistics<'_> {
    /// Returns whether records have values of different kinds of it.
    #[must_use]
    pub fn is_mixed(&self) -> bool {
        is_mixed(&self.kinds)
    }
}

impl ExampleSchemaInference {
    /// Sets whether [`finish`](Self::finish) calls a feature required that every record has. Default: false, because a
    /// record that was not looked at may lack it. Right where all were looked at.
    #[must_use]
    pub fn required(mut self, on: bool) -> Self {
        self.required = on;
        self
    }

    /// Sets the limits, of which `record_bytes` and `columns` count here. Default:
    /// [`Limits::default`].
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets whether a feature may have values of another kind than in an earlier record.
    /// [`kind_mismatches`](Self::kind_mismatches) then lists such features, and [`finish`](Self::finish) gives each the
    /// kind of the first record. Default: false.
    #[must_use]
    pub fn mixed_kinds(mut self, on: bool) -> Self {
        self.mixed = on;
        self
    }

    /// Sets the policy for a record [of whose fields none belongs to a feature](crate::is_other_message). Default: count it
    /// as a record without features.
    #[must_use]
    pub fn other_messages(mut self, action: UnknownFeatures) -> Self {
        self.refuses_others = action == UnknownFeatures::Refuse;
        self
    }

    /// Looks at a record.
    ///
    /// # Errors
    /// `Malformed` and `NameNotUtf8` for bytes that are not a tf.Example; `OtherMessage` where that was asked for;
    /// `KindMismatch` for values of another kind than the feature had in an earlier record, which the text names;
    /// `LimitExceeded` for too long a record or too many features. The inference is then as it was before the call.
    pub fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<(), Error> {
        let read = self.features.read(record, self.message, FEATURES, &self.limits);
        if let Err(error) = read.and_then(|()| self.check(&self.features, record)) {
            self.features.forget();
            return Err(error.in_record(origin));
        }
        self.features.keep(origin);
        self.records += 1;
        Ok(())
    }

    /// Checks that something was found at all, and that its kinds match earlier records.
    fn check<V: Counted>(&self, found: &Tally<V>, record: &[u8]) -> Result<(), Error> {
        if self.refuses_others && found.is_bare() && is_other_message(record) {
            return Err(other_message(self.message.name(), record));
        }
        if self.mixed { Ok(()) } else { found.check_kinds() }
    }

    /// Returns the features that have several kinds, sorted by name: for each the error that names it, both kinds, and the
    /// record of each. Empty unless [`mixed_kinds`](Self::mixed_kinds) allows them.
    #[must_use]
    pub fn kind_mismatches(&self) -> Vec<Error> {
        self.features.mixed()
    }

    /// Takes over what another inference has seen, of records that come after this one's.
    ///
    /// # Errors
    /// `KindMismatch` for a feature that has different kinds in the two, with a record of each;
    /// `LimitExceeded` for too many features. This inference is then as it was before the call.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        self.features.check_merge(&other.features, self.limits.columns, self.mixed)?;
        self.features.merge(&other.features);
        self.records += other.records;
        Ok(())
    }

    /// Returns the number of records seen.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Returns the statistics of each feature, sorted by name.
    pub fn features(&self) -> impl ExactSizeIterator<Item = FeatureStatistics<'_>> {
        self.features.summaries().map(|seen| {
            let Totals { present, unset, values, value_range, .. } = seen.totals;
            let (min_values, max_values) = value_range.unwrap_or_default();
            let (name, kind, kinds) = (&**seen.name, seen.kind, seen.kinds);
            FeatureStatistics { name, kind, kinds, present, unset, values, min_values, max_values }
        })
    }

    /// Returns the schema: features sorted by name. A feature has a fixed length when every record that has it has as many
    /// values as the others, and at least one.
    #[must_use]
    pub fn finish(&self) -> ExampleSchema {
        self.features.schema(self.required.then_some(self.records))
    }
}

impl Counted for Feature {
    const WORDS: (&'static str, &'static str) = ("the value is", "it is");

    fn kinds(&self) -> Of {
        let (kind, empty) = if self.values > 0 { (self.kind, None) } else { (None, self.kind) };
        Of { kind, empty, other: None }
    }

    fn totals(&self) -> Totals {
        let value_range = self.kind.map(|_| (self.values, self.values));
        let present = u64::from(self.kind.is_some());
        Totals { present, unset: 1 - present, values: self.values, value_range, ..Totals::default() }
    }
}
