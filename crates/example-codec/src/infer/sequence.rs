//! Which features a data set of SequenceExamples has.

use std::sync::Arc;

use tfxio_core::{Limits, Origin, Position};

use super::count::{self, FEATURE_LISTS, FeatureList, Found, Message};
use super::names::Names;
use super::{FeatureStatistics, SchemaInference, count_kind, is_mixed, merge_kinds, place};
use crate::error::Locate;
use crate::foreign::{is_other_message, other_message};
use crate::{Error, ExampleSchema, FeatureKind, FeatureSpec, Kind, SequenceExampleSchema, UnknownFeatures};

/// Infers the schema of a data set of tf.SequenceExamples from its records, some of them or all, as
/// [`SchemaInference`] does for tf.Examples.
///
/// ```
/// use example_codec::{FeatureKind, SequenceSchemaInference};
/// use tfxio_core::Origin;
///
/// // feature_lists { feature_list { key: "s" value {
/// //     feature { int64_list { value: [5, 6] } } feature {} } } }
/// let record = b"\x12\x11\x0a\x0f\x0a\x01s\x12\x0a\x0a\x06\x1a\x04\x0a\x02\x05\x06\x0a\x00";
/// let mut inference = SequenceSchemaInference::default();
/// inference.push(record, Origin::record(0))?;
/// let s = inference.sequence_features().next().expect("one list");
/// assert_eq!((s.steps, s.unset_steps, s.values), (2, 1, 2));
/// let schema = inference.finish();
/// assert_eq!(schema.sequence().feature("s").and_then(|s| s.kind), Some(FeatureKind::Int64));
/// # Ok::<(), example_codec::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SequenceSchemaInference {
    context: SchemaInference,
    names: Names,
    /// By the number that `names` gives.
    lists: Vec<Seen>,
    required: bool,
    limits: Limits,
    /// Whether a list may have several kinds.
    mixed: bool,
    refuses_others: bool,
    found: Vec<Found<FeatureList>>,
}

impl Default for SequenceSchemaInference {
    fn default() -> Self {
        Self {
            context: SchemaInference { message: Message::SequenceExample, ..SchemaInference::default() },
            names: Names::default(),
            lists: Vec::new(),
            required: false,
            limits: Limits::default(),
            mixed: false,
            refuses_others: false,
            found: Vec::new(),
        }
    }
}

/// What was seen of one feature list.
#[derive(Clone, Debug, Default)]
struct Seen {
    name: Arc<str>,
    /// The kind, and the record in which it was first seen.
    kind: Option<(FeatureKind, Position)>,
    /// Another kind, and the record in which it was first seen; within one record, the step.
    other: Option<(FeatureKind, Position)>,
    step: Option<u64>,
    /// Records with each kind.
    kinds: [u64; FeatureKind::ALL.len()],
    present: u64,
    /// Steps of all records, those without a kind included.
    steps: u64,
    unset: u64,
    values: u64,
    min_steps: u64,
    max_steps: u64,
    min_values: u64,
    max_values: u64,
}

/// What was seen of one sequence feature in the records so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SequenceFeatureStatistics<'a> {
    /// The feature's name.
    pub name: &'a str,
    /// The kind of its steps; `None` if no step had a list. Of several, that of the first.
    pub kind: Option<FeatureKind>,
    /// Records that have a step with a list of each kind, in the order of [`FeatureKind::ALL`]. A record that mixes them
    /// counts for two.
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
    /// Whether there are steps of different kinds.
    #[must_use]
    pub fn is_mixed(&self) -> bool {
        is_mixed(&self.kinds)
    }
}

impl SequenceSchemaInference {
    /// Whether [`finish`](Self::finish) calls a feature required that every record has. Default:
    /// false, because a record that was not looked at may lack it.
    #[must_use]
    pub fn with_required(mut self, on: bool) -> Self {
        self.context = self.context.with_required(on);
        self.required = on;
        self
    }

    /// Sets the limits, of which `record_bytes` and `columns` count here, the latter for context features
    /// and, separately, for sequence features. Default: [`Limits::default`].
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.context = self.context.with_limits(limits);
        self.limits = limits;
        self
    }

    /// As [`SchemaInference::with_mixed_kinds`], for context features and feature lists.
    #[must_use]
    pub fn with_mixed_kinds(mut self, on: bool) -> Self {
        self.context = self.context.with_mixed_kinds(on);
        self.mixed = on;
        self
    }

    /// As [`SchemaInference::with_other_messages`].
    #[must_use]
    pub fn with_other_messages(mut self, action: UnknownFeatures) -> Self {
        self.refuses_others = action == UnknownFeatures::Refuse;
        self
    }

    /// Looks at a record.
    ///
    /// # Errors
    /// As [`SchemaInference::push`], and `KindMismatch` for a feature list that has steps of different
    /// kinds, or another kind than in an earlier record. The inference is then as it was before the call.
    pub fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<(), Error> {
        let known = self.names.len();
        let Self { names, found, limits, .. } = self;
        let result = count::record(record, Message::SequenceExample, FEATURE_LISTS, names, limits, found)
            .and_then(|()| self.check(record))
            .map_err(|error| error.in_record(origin));
        if let Err(error) = result.and_then(|()| self.context.push(record, origin)) {
            self.names.truncate(known);
            return Err(error);
        }
        for index in known..self.names.len() {
            self.lists.push(Seen { name: self.names.name(index), ..Seen::default() });
        }
        for found in &self.found {
            if let Some(seen) = self.lists.get_mut(found.feature) {
                seen.merge(&Seen::of(found.value, origin));
            }
        }
        Ok(())
    }

    /// Whether the kinds found are one in each list, and those of earlier records.
    fn check(&self, record: &[u8]) -> Result<(), Error> {
        let is_bare = self.found.iter().all(|found| found.value.kind.is_none());
        if self.refuses_others && is_bare && is_other_message(record) {
            return Err(other_message(Message::SequenceExample.name(), record));
        }
        if self.mixed {
            return Ok(());
        }
        for found in &self.found {
            if let (Some(kind), Some((step, other))) = (found.value.kind, found.value.other) {
                return Err(mixed_steps(kind, step, other).in_feature(&self.names.name(found.feature)));
            }
            if let (Some(kind), Some(seen)) = (found.value.kind, self.lists.get(found.feature)) {
                seen.agrees(kind)?;
            }
        }
        Ok(())
    }

    /// The context features that have several kinds; see [`SchemaInference::mixed_kinds`].
    #[must_use]
    pub fn mixed_context_kinds(&self) -> Vec<Error> {
        self.context.mixed_kinds()
    }

    /// The same of sequence features.
    #[must_use]
    pub fn mixed_sequence_kinds(&self) -> Vec<Error> {
        let mut mixed = self.lists.iter().filter(|seen| seen.other.is_some()).collect::<Vec<_>>();
        mixed.sort_by(|a, b| a.name.cmp(&b.name));
        mixed.into_iter().filter_map(Seen::mismatch).collect()
    }

    /// Takes over what another inference has seen, of records that come after this one's.
    ///
    /// # Errors
    /// As [`SchemaInference::merge`]. This inference is then as it was before the call.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        let mut new = 0;
        for theirs in &other.lists {
            let mine = self.names.find(theirs.name.as_bytes()).and_then(|index| self.lists.get(index));
            match (mine, &theirs.kind) {
                (Some(seen), Some((kind, at))) if !self.mixed => {
                    let agrees = seen.agrees(*kind);
                    agrees.map_err(|error| error.at(at.clone()).in_feature(&theirs.name))?;
                }
                (Some(_), _) => {}
                (None, _) => new += 1,
            }
        }
        if self.lists.len() + new > self.limits.columns {
            return Err(count::too_many(self.limits.columns));
        }
        self.context.merge(&other.context)?;
        for theirs in &other.lists {
            let index = self.names.find_or_add(theirs.name.as_bytes(), &theirs.name);
            if index == self.lists.len() {
                self.lists.push(theirs.clone());
            } else if let Some(seen) = self.lists.get_mut(index) {
                seen.merge(theirs);
            }
        }
        Ok(())
    }

    /// The number of records seen.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.context.records()
    }

    /// What was seen of each context feature, sorted by name.
    pub fn context_features(&self) -> impl ExactSizeIterator<Item = FeatureStatistics<'_>> {
        self.context.features()
    }

    /// What was seen of each sequence feature, sorted by name.
    pub fn sequence_features(&self) -> impl ExactSizeIterator<Item = SequenceFeatureStatistics<'_>> {
        let mut lists = self.lists.iter().collect::<Vec<_>>();
        lists.sort_by(|a, b| a.name.cmp(&b.name));
        lists.into_iter().map(|seen| SequenceFeatureStatistics {
            name: &seen.name,
            kind: seen.kind.as_ref().map(|(kind, _)| *kind),
            kinds: seen.kinds,
            present: seen.present,
            steps: seen.steps,
            unset_steps: seen.unset,
            values: seen.values,
            min_steps: seen.min_steps,
            max_steps: seen.max_steps,
            min_values: seen.min_values,
            max_values: seen.max_values,
        })
    }

    /// The schema: features sorted by name. A sequence feature has a fixed length when every step that has a
    /// list has as many values as the others, and at least one.
    #[must_use]
    pub fn finish(&self) -> SequenceExampleSchema {
        let records = self.records();
        let spec = |seen: SequenceFeatureStatistics<'_>| {
            let same = seen.kind.is_some() && seen.min_values == seen.max_values;
            let fixed_len = u32::try_from(seen.min_values).ok();
            FeatureSpec {
                name: Arc::from(seen.name),
                kind: seen.kind,
                fixed_len: fixed_len.filter(|&n| same && n > 0 && i32::try_from(n).is_ok()),
                required: self.required && records > 0 && seen.present == records,
            }
        };
        let sequence = ExampleSchema::of_distinct(self.sequence_features().map(spec).collect());
        SequenceExampleSchema::new(self.context.finish(), sequence)
    }
}

impl Seen {
    /// What is seen of one list.
    fn of(list: FeatureList, origin: Origin<'_>) -> Self {
        let mut kinds = [0; FeatureKind::ALL.len()];
        for kind in list.kind.into_iter().chain(list.other.map(|(_, kind)| kind)) {
            count_kind(&mut kinds, kind, 1);
        }
        Self {
            name: Arc::default(),
            kind: list.kind.map(|kind| (kind, place(origin))),
            other: list.other.map(|(_, kind)| (kind, place(origin))),
            step: list.other.map(|(step, _)| step),
            kinds,
            present: 1,
            steps: list.steps,
            unset: list.unset,
            values: list.values,
            min_steps: list.steps,
            max_steps: list.steps,
            min_values: list.min,
            max_values: list.max,
        }
    }

    /// Whether a kind is the one seen before.
    fn agrees(&self, found: FeatureKind) -> Result<(), Error> {
        match &self.kind {
            Some((kind, first)) if *kind != found => {
                let error = Error::new(
                    Kind::KindMismatch { expected: Some(*kind), found },
                    format!(
                        "the feature list holds {}, in {first} it holds {}; a column can hold only one",
                        found.with_article(),
                        kind.with_article()
                    ),
                );
                Err(error.in_feature(&self.name))
            }
            _ => Ok(()),
        }
    }

    fn merge(&mut self, later: &Self) {
        if later.present > 0 {
            self.min_steps =
                if self.present == 0 { later.min_steps } else { self.min_steps.min(later.min_steps) };
        }
        if later.kind.is_some() {
            self.min_values =
                if self.kind.is_none() { later.min_values } else { self.min_values.min(later.min_values) };
        }
        self.max_steps = self.max_steps.max(later.max_steps);
        self.max_values = self.max_values.max(later.max_values);
        self.steps = self.steps.saturating_add(later.steps);
        self.unset = self.unset.saturating_add(later.unset);
        self.values = self.values.saturating_add(later.values);
        self.present += later.present;
        // Within a record if that is how it is found out.
        if self.other.is_none() && later.kind.as_ref().map(|(kind, _)| *kind) == self.kind_or(later) {
            self.step = later.step;
        }
        merge_kinds(
            (&mut self.kind, &mut self.other, &mut self.kinds),
            (&later.kind, &later.other, &later.kinds),
        );
    }

    /// The kind, or that of later records.
    fn kind_or(&self, later: &Self) -> Option<FeatureKind> {
        self.kind.as_ref().or(later.kind.as_ref()).map(|(kind, _)| *kind)
    }

    /// The error of a list that has several kinds.
    fn mismatch(&self) -> Option<Error> {
        let ((kind, _), (found, at)) = (self.kind.as_ref()?, self.other.clone()?);
        let error = match self.step {
            Some(step) => mixed_steps(*kind, step, found),
            None => self.agrees(found).err()?,
        };
        Some(error.at(at).in_feature(&self.name))
    }
}

fn mixed_steps(kind: FeatureKind, step: u64, found: FeatureKind) -> Error {
    Error::new(
        Kind::KindMismatch { expected: Some(kind), found },
        format!("step {step} of the feature list is {}, an earlier step has {kind}", found.with_article()),
    )
}
