//! Decoding against prost, which reads the same bytes with generated code.

use std::collections::{BTreeMap, BTreeSet};

use example_codec::{
    ExampleSchema, Feature as OurFeature, FeatureField, FeatureKind, OffsetWidth,
    SequenceExample as OurExample, SequenceExampleSchema,
};
use golden_cases::proto::tensorflow::feature::Kind;
use golden_cases::proto::tensorflow::{Feature, SequenceExample};
use proptest::prelude::*;
use prost::Message as _;
use tfxio_core::Origin;

use super::model::{self, Cells, Model};
use super::rows::{List, Rows, builder, with_no_lists};
use super::wire;

/// A record by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    context: BTreeMap<String, Option<Kind>>,
    lists: BTreeMap<String, Vec<Option<Kind>>>,
    /// Whether there is the map of feature lists, be it empty.
    has_lists: bool,
}

pub(super) fn prost(record: &[u8]) -> Record {
    let record = SequenceExample::decode(record).unwrap();
    let kind = |feature: Feature| feature.kind;
    let context = record.context.unwrap_or_default().feature;
    let has_lists = record.feature_lists.is_some();
    let lists = record.feature_lists.unwrap_or_default().feature_list;
    Record {
        has_lists,
        context: context.into_iter().map(|(name, feature)| (name, kind(feature))).collect(),
        lists: lists
            .into_iter()
            .map(|(name, list)| (name, list.feature.into_iter().map(kind).collect()))
            .collect(),
    }
}

fn kind_of(kind: &Kind) -> FeatureKind {
    match kind {
        Kind::BytesList(_) => FeatureKind::Bytes,
        Kind::FloatList(_) => FeatureKind::Float,
        Kind::Int64List(_) => FeatureKind::Int64,
    }
}

/// Returns whether a list has no values.
fn is_empty(kind: &Kind) -> bool {
    match kind {
        Kind::BytesList(list) => list.value.is_empty(),
        Kind::FloatList(list) => list.value.is_empty(),
        Kind::Int64List(list) => list.value.is_empty(),
    }
}

/// Kinds of features by name, of the context and of the lists: of the first values, and of the first lists.
#[derive(Clone, Default)]
pub(super) struct Kinds {
    context: BTreeMap<String, FeatureKind>,
    lists: BTreeMap<String, FeatureKind>,
    first_of_context: BTreeMap<String, FeatureKind>,
    first_of_lists: BTreeMap<String, FeatureKind>,
}

impl Kinds {
    /// Returns whether a record fits, and takes over its kinds if it does.
    pub(super) fn take(&mut self, record: &Record) -> bool {
        let mut new = self.clone();
        let mut fits = true;
        let mut take = |kinds: &mut BTreeMap<String, FeatureKind>,
                        first: &mut BTreeMap<_, _>,
                        name: &String,
                        kind: &Kind| {
            first.entry(name.clone()).or_insert(kind_of(kind));
            if !is_empty(kind) {
                fits &= *kinds.entry(name.clone()).or_insert(kind_of(kind)) == kind_of(kind);
            }
        };
        for (name, kind) in record.context.iter().filter_map(|(name, kind)| Some((name, kind.as_ref()?))) {
            take(&mut new.context, &mut new.first_of_context, name, kind);
        }
        for (name, steps) in &record.lists {
            for kind in steps.iter().flatten() {
                take(&mut new.lists, &mut new.first_of_lists, name, kind);
            }
        }
        if fits {
            *self = new;
        }
        fits
    }

    fn of_context(&self, name: &str) -> Option<FeatureKind> {
        self.context.get(name).or_else(|| self.first_of_context.get(name)).copied()
    }

    fn of_list(&self, name: &str) -> Option<FeatureKind> {
        self.lists.get(name).or_else(|| self.first_of_lists.get(name)).copied()
    }
}

fn cells(records: &[Record], name: &str, kind: Option<FeatureKind>) -> Cells {
    let kinds = records.iter().map(|record| record.context.get(name).and_then(Option::as_ref));
    macro_rules! rows_of {
        ($variant:path) => {
            kinds
                .map(|kind| match kind {
                    Some($variant(list)) => Some(list.value.clone()),
                    // An empty list of another kind.
                    Some(_) => Some(Vec::new()),
                    None => None,
                })
                .collect()
        };
    }
    match kind {
        None => Cells::Nothing,
        Some(FeatureKind::Int64) => Cells::Ints(rows_of!(Kind::Int64List)),
        Some(FeatureKind::Float) => Cells::Floats(rows_of!(Kind::FloatList)),
        Some(FeatureKind::Bytes) => Cells::Bytes(rows_of!(Kind::BytesList)),
    }
}

fn list(records: &[Record], name: &str, kind: Option<FeatureKind>) -> List {
    let lists = records.iter().map(|record| record.lists.get(name));
    macro_rules! rows_of {
        ($variant:path) => {{
            let step = |kind: &Option<Kind>| match kind {
                Some($variant(list)) => Some(list.value.clone()),
                Some(_) => Some(Vec::new()),
                None => None,
            };
            lists.map(|steps| steps.map(|steps| steps.iter().map(step).collect())).collect()
        }};
    }
    match kind {
        None => List::Unset(lists.map(|steps| steps.map(Vec::len)).collect()),
        Some(FeatureKind::Int64) => List::Ints(rows_of!(Kind::Int64List)),
        Some(FeatureKind::Float) => List::Floats(rows_of!(Kind::FloatList)),
        Some(FeatureKind::Bytes) => List::Bytes(rows_of!(Kind::BytesList)),
    }
}

/// Returns the rows that a decoder without a schema makes of records that fit.
pub(super) fn inferred(records: &[Record], kinds: &Kinds) -> Rows {
    let names = records.iter().flat_map(|record| record.context.keys()).collect::<BTreeSet<_>>();
    let columns = names.into_iter();
    let columns = columns.map(|name| (name.clone(), cells(records, name, kinds.of_context(name)))).collect();
    let names = records.iter().flat_map(|record| record.lists.keys()).collect::<BTreeSet<_>>();
    let lists = names.into_iter();
    let lists = lists.map(|name| (name.clone(), list(records, name, kinds.of_list(name)))).collect();
    Rows { context: Model { rows: records.len(), columns }, lists }
}

/// Returns a feature as prost reads it.
fn feature(kind: Option<Kind>) -> OurFeature {
    match kind {
        Some(Kind::BytesList(list)) => OurFeature::Bytes(list.value),
        Some(Kind::FloatList(list)) => OurFeature::Float(list.value),
        Some(Kind::Int64List(list)) => OurFeature::Int64(list.value),
        None => OurFeature::Unset,
    }
}

proptest! {
    #![proptest_config(model::config(1000))]

    #[test]
    fn as_rust_values(record in wire::any_sequence_example()) {
        let Record { context, lists, .. } = prost(&record);
        let context = context.into_iter().map(|(name, kind)| (name, feature(kind))).collect();
        let steps = |example: OurExample, (name, steps): (String, Vec<Option<Kind>>)| {
            example.steps(name, steps.into_iter().map(feature))
        };
        let expected = lists.into_iter().fold(OurExample::new().context(context), steps);
        match OurExample::parse(&record) {
            // By their text, in which NaN is like NaN.
            Ok(read) => {
                prop_assert_eq!(format!("{:?}", &read), format!("{:?}", &expected));
                // Maps with nothing in them are not written.
                let written = |record: &[u8]| format!("{:?}", Record { has_lists: false, ..prost(record) });
                prop_assert_eq!(written(&read.to_vec()), written(&record));
            }
            Err(error) => {
                prop_assert_eq!(error.detail(), Some(&example_codec::Kind::OtherMessage));
                prop_assert_eq!(expected, OurExample::new());
            }
        }
    }

    #[test]
    fn without_a_schema(batches in prop::collection::vec(prop::collection::vec(wire::any_sequence_example(), 0..5), 1..4)) {
        for width in [OffsetWidth::Bits32, OffsetWidth::Bits64] {
            let mut decoder = builder().offsets(width).build().unwrap();
            for records in &batches {
                let (mut kinds, mut rows) = (Kinds::default(), Vec::new());
                for (index, record) in records.iter().enumerate() {
                    let row = prost(record);
                    let fits = kinds.take(&row);
                    match decoder.push(record, Origin::record(index as u64)) {
                        Ok(()) => prop_assert!(fits, "record {index} has a feature of another kind"),
                        Err(error) => {
                            prop_assert!(!fits, "record {}: {}", index, error);
                            let mismatch = matches!(error.detail(), Some(example_codec::Kind::KindMismatch { .. }));
                            prop_assert!(mismatch, "{}", error);
                            prop_assert_eq!(error.position().record, Some(index as u64));
                            prop_assert!(error.position().column.is_some());
                        }
                    }
                    if fits {
                        rows.push(row);
                    }
                }
                let expected = inferred(&rows, &kinds);
                let has_lists = expected.lists.is_empty() && rows.iter().any(|row| row.has_lists);
                let expected = expected.batch(width);
                let expected = if has_lists { with_no_lists(&expected) } else { expected };
                prop_assert_eq!(decoder.flush().unwrap(), expected);
            }
        }
    }

    #[test]
    fn with_a_schema_and_with_a_projection(records in prop::collection::vec(wire::any_sequence_example(), 0..6)) {
        let context = [("b", Some(FeatureKind::Int64)), ("a", Some(FeatureKind::Float)), ("", None)];
        let lists = [("c", Some(FeatureKind::Bytes)), ("a", Some(FeatureKind::Int64)), ("b", Some(FeatureKind::Float)), ("d", None)];
        let schema = |specs: &[(&str, Option<FeatureKind>)]| {
            let spec = |(name, kind): &(&str, Option<FeatureKind>)| match kind {
                Some(kind) => FeatureField::new(*name, *kind),
                None => FeatureField::null(*name),
            };
            ExampleSchema::new(specs.iter().map(spec)).unwrap()
        };
        let whole = builder().schema(SequenceExampleSchema::new(schema(&context), schema(&lists)));
        let some = whole.clone().projection(["a"], ["b", "c"]);
        let no_lists = whole.clone().projection(["b"], [""; 0]);
        for (builder, context, lists) in [
            (whole, &context[..], &lists[..]),
            (some, &context[1..2], &[lists[2], lists[0]][..]),
            (no_lists, &context[..1], &[][..]),
        ] {
            let mut decoder = builder.build().unwrap();
            let mut rows = Vec::new();
            for (index, record) in records.iter().enumerate() {
                let row = prost(record);
                let wanted = |known: Option<FeatureKind>, found: &Kind| {
                    known == Some(kind_of(found)) || (known.is_some() && is_empty(found))
                };
                let context_fits = context.iter().all(|(name, kind)| {
                    row.context.get(*name).and_then(Option::as_ref).is_none_or(|found| wanted(*kind, found))
                });
                let lists_fit = lists.iter().all(|(name, kind)| {
                    row.lists.get(*name).into_iter().flatten().flatten().all(|found| wanted(*kind, found))
                });
                let fits = context_fits && lists_fit;
                prop_assert_eq!(decoder.push(record, Origin::record(index as u64)).is_ok(), fits);
                if fits {
                    rows.push(row);
                }
            }
            let columns = context.iter().map(|(name, kind)| ((*name).to_owned(), cells(&rows, name, *kind)));
            let context = Model { rows: rows.len(), columns: columns.collect() };
            let lists = lists.iter().map(|(name, kind)| ((*name).to_owned(), list(&rows, name, *kind)));
            let rows = Rows { context, lists: lists.collect() };
            prop_assert_eq!(decoder.flush().unwrap(), rows.batch(OffsetWidth::Bits64));
        }
    }
}
