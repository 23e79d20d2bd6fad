//! Which features a data set has.
//!
//! [`count`] walks a record and finds the kind and the number of values of each feature, [`names`]
//! knows the features by name; here is what is made of that, and in [`sequence`] what is made of feature
//! lists.

mod count;
mod names;
mod sequence;

use std::sync::Arc;

use tfxio_core::{Limits, Origin, Position};

pub(crate) use self::count::{FEATURE_LISTS, FEATURES};
use self::count::{Feature, Found, Message};
use self::names::Names;
pub use self::sequence::{SequenceFeatureStatistics, SequenceSchemaInference};
use crate::error::Locate;
use crate::foreign::{is_other_message, other_message};
use crate::{Error, ExampleSchema, FeatureKind, FeatureSpec, Kind, UnknownFeatures};

/// Infers the schema of a data set from its records, some of them or all.
///
/// Values are counted, not kept, so that it takes no more memory for many records than for few.
/// Inferences over parts of a data set, made on several threads say, are merged.
///
/// ```
/// use example_codec::{FeatureKind, SchemaInference};
/// use tfxio_core::Origin;
///
/// // features { feature { key: "a" value { int64_list { value: [5] } } } }
/// let record = b"\x0a\x0c\x0a\x0a\x0a\x01a\x12\x05\x1a\x03\x0a\x01\x05";
/// let mut inference = SchemaInference::default();
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
pub struct SchemaInference {
    names: Names,
    /// By the number that `names` gives.
    features: Vec<Seen>,
    records: u64,
    required: bool,
    limits: Limits,
    /// Whether a feature may have several kinds.
    mixed: bool,
    refuses_others: bool,
    /// What the records are.
    message: Message,
    found: Vec<Found<Feature>>,
}

/// What was seen of one feature.
#[derive(Clone, Debug, Default)]
struct Seen {
    name: Arc<str>,
    /// The kind, and the record in which it was first seen.
    kind: Option<(FeatureKind, Position)>,
    /// Another kind, and the record in which it was first seen.
    other: Option<(FeatureKind, Position)>,
    /// Records with each kind.
    kinds: [u64; FeatureKind::ALL.len()],
    present: u64,
    unset: u64,
    values: u64,
    min: u64,
    max: u64,
}

/// What was seen of one feature in the records so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FeatureStatistics<'a> {
    /// The feature's name.
    pub name: &'a str,
    /// Its kind; `None` if no record had a list for it. Of several, that of the first record.
    pub kind: Option<FeatureKind>,
    /// Records that have a list of each kind, in the order of [`FeatureKind::ALL`].
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
    /// Whether records have different kinds of it.
    #[must_use]
    pub fn is_mixed(&self) -> bool {
        is_mixed(&self.kinds)
    }
}

fn is_mixed(kinds: &[u64]) -> bool {
    kinds.iter().filter(|records| **records > 0).count() > 1
}

impl SchemaInference {
    /// Whether [`finish`](Self::finish) calls a feature required that every record has. Default:
    /// false, because a record that was not looked at may lack it. Right where all were looked at.
    #[must_use]
    pub fn with_required(mut self, on: bool) -> Self {
        self.required = on;
        self
    }

    /// Sets the limits, of which `record_bytes` and `columns` count here. Default:
    /// [`Limits::default`].
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Whether a feature may have another kind than in an earlier record. [`mixed_kinds`](Self::mixed_kinds) then says
    /// which ones do, and [`finish`](Self::finish) gives such a feature the kind of the first record. Default: false.
    #[must_use]
    pub fn with_mixed_kinds(mut self, on: bool) -> Self {
        self.mixed = on;
        self
    }

    /// Says what to do with a record [of whose fields none belongs to a feature](crate::is_other_message). Default: count it
    /// as a record without features.
    #[must_use]
    pub fn with_other_messages(mut self, action: UnknownFeatures) -> Self {
        self.refuses_others = action == UnknownFeatures::Refuse;
        self
    }

    /// Looks at a record.
    ///
    /// # Errors
    /// `Malformed` and `NameNotUtf8` for bytes that are no tf.Example; `OtherMessage` where that was asked for;
    /// `KindMismatch` for a feature that had another kind in an earlier record, which the text names; `LimitExceeded` for too
    /// long a record or too many features. The inference is then as it was before the call.
    pub fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<(), Error> {
        let known = self.names.len();
        let Self { names, found, limits, .. } = self;
        let result = count::record(record, self.message, FEATURES, names, limits, found);
        let result = result.and_then(|()| self.check(record));
        if let Err(error) = result {
            self.names.truncate(known);
            return Err(error.in_record(origin));
        }
        self.records += 1;
        for index in known..self.names.len() {
            self.features.push(Seen { name: self.names.name(index), ..Seen::default() });
        }
        for found in &self.found {
            if let Some(seen) = self.features.get_mut(found.feature) {
                seen.add(found.value, origin);
            }
        }
        Ok(())
    }

    /// Whether the kinds found are those of earlier records, and something was found at all.
    fn check(&self, record: &[u8]) -> Result<(), Error> {
        if self.refuses_others && self.is_bare() && is_other_message(record) {
            return Err(other_message(self.message.name(), record));
        }
        if self.mixed {
            return Ok(());
        }
        for found in &self.found {
            if let (Some(kind), Some(seen)) = (found.value.kind, self.features.get(found.feature)) {
                seen.agrees(kind)?;
            }
        }
        Ok(())
    }

    /// Whether nothing of the record is a feature for certain.
    fn is_bare(&self) -> bool {
        self.found.iter().all(|found| found.value.kind.is_none())
    }

    /// The features that have several kinds, sorted by name: for each the error that names it, both kinds, and the record of
    /// each. Empty unless [`with_mixed_kinds`](Self::with_mixed_kinds) allows them.
    #[must_use]
    pub fn mixed_kinds(&self) -> Vec<Error> {
        let mut mixed = self.features.iter().filter(|seen| seen.other.is_some()).collect::<Vec<_>>();
        mixed.sort_by(|a, b| a.name.cmp(&b.name));
        mixed.into_iter().filter_map(Seen::mismatch).collect()
    }

    /// Takes over what another inference has seen, of records that come after this one's.
    ///
    /// # Errors
    /// `KindMismatch` for a feature that has different kinds in the two, with a record of each;
    /// `LimitExceeded` for too many features. This inference is then as it was before the call.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        let mine = |name: &str| self.features.get(self.names.find(name.as_bytes())?);
        let mut new = 0;
        for theirs in &other.features {
            match (mine(&theirs.name), &theirs.kind) {
                (Some(seen), Some((kind, at))) if !self.mixed => {
                    seen.agrees(*kind).map_err(|error| error.at(at.clone()).in_feature(&theirs.name))?;
                }
                (Some(_), _) => {}
                (None, _) => new += 1,
            }
        }
        if self.features.len() + new > self.limits.columns {
            return Err(count::too_many(self.limits.columns));
        }
        for theirs in &other.features {
            let index = self.names.find_or_add(theirs.name.as_bytes(), &theirs.name);
            if index == self.features.len() {
                self.features.push(theirs.clone());
            } else if let Some(seen) = self.features.get_mut(index) {
                seen.merge(theirs);
            }
        }
        self.records += other.records;
        Ok(())
    }

    /// The number of records seen.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }

    /// What was seen of each feature, sorted by name.
    pub fn features(&self) -> impl ExactSizeIterator<Item = FeatureStatistics<'_>> {
        let mut features = self.features.iter().collect::<Vec<_>>();
        features.sort_by(|a, b| a.name.cmp(&b.name));
        features.into_iter().map(|seen| FeatureStatistics {
            name: &seen.name,
            kind: seen.kind.as_ref().map(|(kind, _)| *kind),
            kinds: seen.kinds,
            present: seen.present,
            unset: seen.unset,
            values: seen.values,
            min_values: seen.min,
            max_values: seen.max,
        })
    }

    /// The schema: features sorted by name. A feature has a fixed length when every record that has
    /// it has as many values as the others, and at least one.
    #[must_use]
    pub fn finish(&self) -> ExampleSchema {
        let spec = |seen: FeatureStatistics<'_>| {
            let same = seen.present > 0 && seen.min_values == seen.max_values;
            let fixed_len = u32::try_from(seen.min_values).ok();
            FeatureSpec {
                name: Arc::from(seen.name),
                kind: seen.kind,
                fixed_len: fixed_len.filter(|&n| same && n > 0 && i32::try_from(n).is_ok()),
                required: self.required && self.records > 0 && seen.present == self.records,
            }
        };
        ExampleSchema::of_distinct(self.features().map(spec).collect())
    }
}

impl Seen {
    /// Whether a kind is the one seen before.
    fn agrees(&self, found: FeatureKind) -> Result<(), Error> {
        match &self.kind {
            Some((kind, first)) if *kind != found => {
                let error = Error::new(
                    Kind::KindMismatch { expected: Some(*kind), found },
                    format!(
                        "the value is {}, in {first} it is {}; a column can hold only one",
                        found.with_article(),
                        kind.with_article()
                    ),
                );
                Err(error.in_feature(&self.name))
            }
            _ => Ok(()),
        }
    }

    fn add(&mut self, found: Feature, origin: Origin<'_>) {
        let Some(kind) = found.kind else {
            self.unset += 1;
            return;
        };
        match &self.kind {
            None => self.kind = Some((kind, place(origin))),
            Some((known, _)) if *known != kind && self.other.is_none() => {
                self.other = Some((kind, place(origin)));
            }
            Some(_) => {}
        }
        count_kind(&mut self.kinds, kind, 1);
        self.min = if self.present == 0 { found.values } else { self.min.min(found.values) };
        self.max = self.max.max(found.values);
        self.values = self.values.saturating_add(found.values);
        self.present += 1;
    }

    fn merge(&mut self, later: &Self) {
        self.min = match (self.present, later.present) {
            (0, _) => later.min,
            (_, 0) => self.min,
            _ => self.min.min(later.min),
        };
        self.max = self.max.max(later.max);
        self.values = self.values.saturating_add(later.values);
        self.present += later.present;
        self.unset += later.unset;
        merge_kinds(
            (&mut self.kind, &mut self.other, &mut self.kinds),
            (&later.kind, &later.other, &later.kinds),
        );
    }

    /// The error of a feature that has several kinds.
    fn mismatch(&self) -> Option<Error> {
        let (found, at) = self.other.clone()?;
        let error = self.agrees(found).err()?;
        Some(error.at(at).in_feature(&self.name))
    }
}

/// What is known of the kinds of a feature: the first, another one, and how many records have each.
type Kinds<'a> = (
    &'a Option<(FeatureKind, Position)>,
    &'a Option<(FeatureKind, Position)>,
    &'a [u64; FeatureKind::ALL.len()],
);
type KindsMut<'a> = (
    &'a mut Option<(FeatureKind, Position)>,
    &'a mut Option<(FeatureKind, Position)>,
    &'a mut [u64; FeatureKind::ALL.len()],
);

/// Adds the kinds that later records have.
fn merge_kinds((kind, other, kinds): KindsMut<'_>, (later, later_other, more): Kinds<'_>) {
    if other.is_none() {
        let differs =
            |(found, _): &&(FeatureKind, Position)| kind.as_ref().is_some_and(|(known, _)| known != found);
        let first = later.iter().chain(later_other).find(differs);
        *other = if kind.is_none() { later_other.clone() } else { first.cloned() };
    }
    if kind.is_none() {
        kind.clone_from(later);
    }
    for (count, more) in kinds.iter_mut().zip(more) {
        *count += more;
    }
}

fn count_kind(kinds: &mut [u64; FeatureKind::ALL.len()], kind: FeatureKind, records: u64) {
    let at = FeatureKind::ALL.iter().position(|other| *other == kind);
    if let Some(count) = at.and_then(|at| kinds.get_mut(at)) {
        *count += records;
    }
}

fn place(origin: Origin<'_>) -> Position {
    origin.position()
}
