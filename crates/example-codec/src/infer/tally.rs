//! Totals of each feature, or of each feature list, over records.

use std::fmt::Debug;
use std::sync::Arc;

use proto_wire::Error as WireError;
use tfxio_core::{Limits, Origin, Position};

use super::count::{Message, Part, Value, check};
use super::template::Template;
use crate::decode::explain;
use crate::decode::walk::{NewNames, Trouble, Walk};
use crate::error::{Locate, check_size, malformed, too_many_columns};
use crate::{Error, ExampleSchema, FeatureField, FeatureKind, Kind};

/// The numbers of records with values of each kind, in the order of [`FeatureKind::ALL`].
pub(super) type Counts = [u64; FeatureKind::ALL.len()];

/// Returns whether records have several kinds.
pub(super) fn is_mixed(counts: &Counts) -> bool {
    counts.iter().filter(|records| **records > 0).count() > 1
}

/// The kinds of a feature in all records. A list without values does not contradict another kind: its own kind counts only
/// where the feature never has values.
#[derive(Clone, Debug, Default)]
pub(super) struct Kinds {
    /// The first kind of values, and the record in which it was seen.
    first: Option<(FeatureKind, Position)>,
    /// The first kind of an empty list.
    empty: Option<FeatureKind>,
    /// Another kind, and the first record in which it was seen.
    other: Option<(FeatureKind, Position)>,
    /// The step of the other kind, where one record mixes kinds.
    step: Option<u64>,
    counts: Counts,
}

impl Kinds {
    fn note(&mut self, kind: FeatureKind, step: Option<u64>, at: impl FnOnce() -> Position) {
        match &self.first {
            None => self.first = Some((kind, at())),
            Some((known, _)) if *known != kind && self.other.is_none() => {
                self.other = Some((kind, at()));
                self.step = step;
            }
            Some(_) => {}
        }
    }

    #[inline(always)]
    fn add(&mut self, of: Of, origin: Origin<'_>) {
        self.empty = self.empty.or(of.empty);
        for (kind, step) in of.kind.map(|kind| (kind, None)).into_iter().chain(of.other) {
            self.note(kind, step, || origin.position());
            if let Some(count) = self.counts.get_mut(kind as usize) {
                *count += 1;
            }
        }
    }

    /// Adds the kinds of later records.
    fn merge(&mut self, later: &Self) {
        self.empty = self.empty.or(later.empty);
        for (seen, step) in [(&later.first, None), (&later.other, later.step)] {
            if let Some((kind, at)) = seen {
                self.note(*kind, step, || at.clone());
            }
        }
        for (count, more) in self.counts.iter_mut().zip(later.counts) {
            *count += more;
        }
    }
}

/// The kinds of a feature in one record.
#[derive(Clone, Copy, Default)]
pub(super) struct Of {
    /// The kind of the first values.
    pub(super) kind: Option<FeatureKind>,
    /// The kind of the first empty list.
    pub(super) empty: Option<FeatureKind>,
    /// Another one that has values, with its step.
    pub(super) other: Option<(FeatureKind, Option<u64>)>,
}

impl Of {
    /// Returns whether there is a list, empty or not.
    pub(super) fn has_lists(self) -> bool {
        self.kind.or(self.empty).is_some()
    }
}

/// Numbers that add up over records. A feature has no steps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    /// Records that have the feature.
    pub(super) present: u64,
    pub(super) steps: u64,
    /// Features without a kind.
    pub(super) unset: u64,
    pub(super) values: u64,
    /// The minimum and maximum of steps in a record, if any has the list.
    pub(super) step_range: Option<(u64, u64)>,
    /// The minimum and maximum of values, if any has a kind.
    pub(super) value_range: Option<(u64, u64)>,
}

impl Totals {
    #[inline(always)]
    fn add(&mut self, later: &Self) {
        self.present += later.present;
        self.steps = self.steps.saturating_add(later.steps);
        self.unset = self.unset.saturating_add(later.unset);
        self.values = self.values.saturating_add(later.values);
        self.step_range = union(self.step_range, later.step_range);
        self.value_range = union(self.value_range, later.value_range);
    }
}

fn union(one: Option<(u64, u64)>, other: Option<(u64, u64)>) -> Option<(u64, u64)> {
    match (one, other) {
        (Some((min, max)), Some((least, most))) => Some((min.min(least), max.max(most))),
        (one, other) => one.or(other),
    }
}

/// Value that one record has under a name.
pub(super) trait Counted: Value + Debug {
    /// The words of an error before a kind, and before that of an earlier record.
    const WORDS: (&'static str, &'static str);

    fn kinds(&self) -> Of;
    fn totals(&self) -> Totals;
}

/// Totals of one feature.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    pub(super) name: Arc<str>,
    pub(super) kinds: Kinds,
    totals: Totals,
    /// Number of records with one value of the first kind that are not yet in `totals`. Relative to the records of the
    /// template, if it has the feature, so that it may be negative (wrapping).
    pub(super) ones: u64,
    /// Whether the template has the feature.
    pub(super) is_expected: bool,
}

impl Seen {
    /// Returns the kind of the values; of several, that of the first record.
    pub(super) fn kind(&self) -> Option<FeatureKind> {
        self.kinds.first.as_ref().map(|(kind, _)| *kind)
    }

    /// Does the same, and returns the kind of the first empty list if the feature never has values.
    fn any_kind(&self) -> Option<FeatureKind> {
        self.kind().or(self.kinds.empty)
    }

    /// Returns the feature with all records counted as others are, `whole` of them by the template.
    fn settled(&self, whole: u64) -> Self {
        let mut all = self.clone();
        all.settle(whole);
        all
    }

    pub(super) fn settle(&mut self, whole: u64) {
        let (counts, totals) = self.all(whole);
        (self.kinds.counts, self.totals) = (counts, totals);
        (self.ones, self.is_expected) = (0, false);
    }

    /// Returns the number of records with each kind, and what adds up, if the template took `whole` records.
    fn all(&self, whole: u64) -> (Counts, Totals) {
        let (mut counts, mut totals) = (self.kinds.counts, self.totals);
        let ones = self.ones.wrapping_add(if self.is_expected { whole } else { 0 });
        if ones > 0 {
            let value_range = Some((1, 1));
            totals.add(&Totals { present: ones, values: ones, value_range, ..Totals::default() });
            if let Some(count) = self.kind().and_then(|kind| counts.get_mut(kind as usize)) {
                *count += ones;
            }
        }
        (counts, totals)
    }

    /// Adds what a record has.
    #[inline(always)]
    pub(super) fn add<V: Counted>(&mut self, value: &V, origin: Origin<'_>) {
        self.kinds.add(value.kinds(), origin);
        self.totals.add(&value.totals());
    }

    /// Fails for values of another kind than those seen before.
    #[inline(always)]
    fn agrees<V: Counted>(&self, found: FeatureKind) -> Result<(), Error> {
        match &self.kinds.first {
            Some((kind, first)) if *kind != found => Err(self.disagrees::<V>((*kind, first), found)),
            _ => Ok(()),
        }
    }

    #[cold]
    fn disagrees<V: Counted>(&self, (kind, first): (FeatureKind, &Position), found: FeatureKind) -> Error {
        let kind_mismatch = Kind::KindMismatch { expected: Some(kind), found };
        let (says, said) = V::WORDS;
        let (found, kind) = (found.with_article(), kind.with_article());
        let text = format!("{says} {found}, in {first} {said} {kind}; a column can hold only one");
        Error::new(kind_mismatch, text).in_feature(&self.name)
    }

    /// Returns the error of a feature that has several kinds.
    fn mixed<V: Counted>(&self) -> Option<Error> {
        let (found, at) = self.kinds.other.clone()?;
        let error = match self.kinds.step {
            Some(step) => mixed_steps(self.kind()?, step, found),
            None => self.agrees::<V>(found).err()?,
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

/// Value of a feature in one record.
#[derive(Clone, Copy, Debug)]
struct Found<V> {
    feature: usize,
    /// Offset of the value in the record.
    start: usize,
    value: V,
}

/// Totals of all features.
#[derive(Clone, Debug)]
pub(super) struct Tally<V> {
    /// Finds the features of a record; their columns are their numbers in `seen`.
    walk: Walk,
    seen: Vec<Seen>,
    /// Number of entries of `seen` from before the record at hand.
    known: usize,
    /// Values of the record at hand,
    found: Vec<Found<V>>,
    /// unless it is like earlier ones.
    template: Template<V>,
    pub(super) is_alike: bool,
}

/// Totals of one feature in all records.
pub(super) struct Summary<'a> {
    pub(super) name: &'a Arc<str>,
    /// The kind of the values. Of several, the kind of the first record with values.
    pub(super) kind: Option<FeatureKind>,
    /// The number of records with values of each kind.
    pub(super) kinds: Counts,
    pub(super) totals: Totals,
}

impl<V: Counted> Default for Tally<V> {
    fn default() -> Self {
        Self {
            walk: Walk::new(check::<V>),
            seen: Vec::new(),
            known: 0,
            found: Vec::new(),
            template: Template::default(),
            is_alike: false,
        }
    }
}

/// Takes in the names that are new.
struct New<'a> {
    seen: &'a mut Vec<Seen>,
    most: usize,
}

impl NewNames for New<'_> {
    fn column(&mut self, name: &Arc<str>) -> Result<u32, Trouble> {
        match u32::try_from(self.seen.len()) {
            Ok(number) if self.seen.len() < self.most => {
                self.seen.push(Seen { name: Arc::clone(name), ..Seen::default() });
                Ok(number)
            }
            _ => Err(Trouble::TooManyColumns(Arc::clone(name))),
        }
    }
}

impl<V: Counted> Tally<V> {
    /// Reads the entries of a map of a record. [`keep`](Self::keep) or [`forget`](Self::forget) has to follow.
    pub(super) fn read(
        &mut self,
        record: &[u8],
        message: Message,
        map: u32,
        limits: &Limits,
    ) -> Result<(), Error> {
        let Self { walk, seen, known, found, template, is_alike } = self;
        found.clear();
        *is_alike = false;
        *known = seen.len();
        check_size(record, limits)?;
        if matches!(message, Message::Example) && template.takes(&walk.names, seen, record) {
            *is_alike = true;
            return Ok(());
        }
        let mut new = New { seen, most: limits.columns };
        walk.record(record, map, &mut new).map_err(|trouble| explained(trouble, message, limits.columns))?;
        walk.for_each_found(|feature, merged, span| {
            let bytes = if merged { &walk.scratch } else { record };
            found.push(Found { feature, start: span.start, value: V::read(Part::value(bytes, span))? });
            Ok::<(), WireError>(())
        })
        .map_err(|error| malformed(error, message.name()))
    }

    /// Returns whether nothing of the record at hand is a feature for certain.
    pub(super) fn is_bare(&self) -> bool {
        !self.is_alike && self.found.iter().all(|found| !found.value.kinds().has_lists())
    }

    /// Fails where the record at hand mixes kinds, or has others than earlier records. Of several features that do it
    /// names the first in the record.
    pub(super) fn check_kinds(&self) -> Result<(), Error> {
        if self.found.iter().all(|found| self.check_kind(found).is_ok()) {
            return Ok(());
        }
        let mut wrong = self.found.iter().filter(|found| self.check_kind(found).is_err()).collect::<Vec<_>>();
        wrong.sort_by_key(|found| found.start);
        wrong.into_iter().try_for_each(|found| self.check_kind(found))
    }

    #[inline(always)]
    fn check_kind(&self, found: &Found<V>) -> Result<(), Error> {
        let Of { kind: Some(kind), other, .. } = found.value.kinds() else { return Ok(()) };
        let Some(seen) = self.seen.get(found.feature) else { return Ok(()) };
        if let Some((other, Some(step))) = other {
            return Err(mixed_steps(kind, step, other).in_feature(&seen.name));
        }
        seen.agrees::<V>(kind)
    }

    /// Adds the record at hand.
    pub(super) fn keep(&mut self, origin: Origin<'_>) {
        if self.is_alike {
            self.template.keep(&mut self.seen, origin);
            return;
        }
        let mut has_new_kind = false;
        for found in &self.found {
            if let Some(seen) = self.seen.get_mut(found.feature) {
                has_new_kind |= seen.kind().is_none() && found.value.kinds().kind.is_some();
                seen.add(&found.value, origin);
            }
        }
        if has_new_kind {
            self.template.is_stale = true;
        }
    }

    fn summary<'a>(&self, seen: &'a Seen) -> Summary<'a> {
        let (kinds, totals) = seen.all(self.template.whole());
        Summary { name: &seen.name, kind: seen.any_kind(), kinds, totals }
    }

    /// Drops the record at hand.
    pub(super) fn forget(&mut self) {
        if self.seen.len() > self.known {
            self.seen.truncate(self.known);
            self.template.forget(&mut self.seen);
            self.walk.set_names(self.seen.iter().map(|seen| &seen.name));
        }
    }

    /// Fails where another tally cannot be merged.
    pub(super) fn check_merge(&self, other: &Self, most: usize, mixed: bool) -> Result<(), Error> {
        let mut new = 0;
        for theirs in &other.seen {
            let mine = self.walk.column(&theirs.name).and_then(|index| self.seen.get(index));
            match (mine, &theirs.kinds.first) {
                (Some(seen), Some((kind, at))) if !mixed => {
                    let agrees = seen.agrees::<V>(*kind);
                    agrees.map_err(|error| error.at(at.clone()).in_feature(&theirs.name))?;
                }
                (Some(_), _) => {}
                (None, _) => new += 1,
            }
        }
        if self.seen.len() + new > most { Err(too_many_columns(most)) } else { Ok(()) }
    }

    /// Adds what another tally has seen, of later records.
    pub(super) fn merge(&mut self, other: &Self) {
        for theirs in &other.seen {
            let theirs = theirs.settled(other.template.whole());
            let index = self.walk.column(&theirs.name);
            if let Some(seen) = index.and_then(|index| self.seen.get_mut(index)) {
                self.template.is_stale |= seen.kind().is_none();
                seen.kinds.merge(&theirs.kinds);
                seen.totals.add(&theirs.totals);
            } else {
                self.walk.add_column(&theirs.name);
                self.seen.push(theirs);
            }
        }
    }

    /// Returns what was seen of each feature, sorted by name.
    pub(super) fn summaries(&self) -> impl ExactSizeIterator<Item = Summary<'_>> {
        self.sorted().into_iter().map(|seen| self.summary(seen))
    }

    fn sorted(&self) -> Vec<&Seen> {
        let mut seen = self.seen.iter().collect::<Vec<_>>();
        seen.sort_by(|a, b| a.name.cmp(&b.name));
        seen
    }

    /// Returns the errors of features that have several kinds, sorted by name.
    pub(super) fn mixed(&self) -> Vec<Error> {
        self.sorted().into_iter().filter_map(Seen::mixed::<V>).collect()
    }

    /// Returns the schema of the features, sorted by name. `required_in` is the number of records that must have a
    /// feature for it to be required.
    pub(super) fn schema(&self, required_in: Option<u64>) -> ExampleSchema {
        let spec = |seen: Summary<'_>| {
            let same = seen.totals.value_range.filter(|(min, max)| min == max && *min > 0);
            let fixed_len = same.and_then(|(length, _)| u32::try_from(length).ok());
            FeatureField {
                name: Arc::clone(seen.name),
                kind: seen.kind,
                fixed_len: fixed_len.filter(|length| i32::try_from(*length).is_ok()),
                required: required_in.is_some_and(|records| records > 0 && seen.totals.present == records),
            }
        };
        ExampleSchema::of_distinct(self.summaries().map(spec).collect())
    }
}

#[cold]
fn explained(trouble: Trouble, message: Message, most: usize) -> Error {
    match trouble {
        Trouble::TooManyColumns(_) => too_many_columns(most),
        trouble => explain::trouble(trouble, message.name(), most, |_, fault| {
            explain::fault(fault, message.name(), ("the value", "earlier records have"), "feature")
        }),
    }
}
