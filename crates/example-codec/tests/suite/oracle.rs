//! Decoding against prost, which reads the same bytes with generated code.

use crate::model;
use crate::wire;

use std::collections::BTreeMap;

use example_codec::{
    Example as OurExample, ExampleDecoder, ExampleSchema, Feature, FeatureField, FeatureKind,
};
use golden_cases::proto::tensorflow::Example;
use golden_cases::proto::tensorflow::feature::Kind;
use model::{Cells, Lists, Model, Strings};
use proptest::prelude::*;
use prost::Message as _;
use tfxio_core::Origin;

type Features = BTreeMap<String, Option<Kind>>;

fn prost(record: &[u8]) -> Features {
    let features = Example::decode(record).unwrap().features.unwrap_or_default().feature;
    features.into_iter().map(|(name, feature)| (name, feature.kind)).collect()
}

fn kind_of(kind: &Kind) -> FeatureKind {
    match kind {
        Kind::BytesList(_) => FeatureKind::Bytes,
        Kind::FloatList(_) => FeatureKind::Float,
        Kind::Int64List(_) => FeatureKind::Int64,
    }
}

/// Returns the kind of a list that has values.
fn kind_of_values(kind: &Kind) -> Option<FeatureKind> {
    let values = match kind {
        Kind::BytesList(list) => list.value.len(),
        Kind::FloatList(list) => list.value.len(),
        Kind::Int64List(list) => list.value.len(),
    };
    (values > 0).then(|| kind_of(kind))
}

/// Returns the rows that fit the ones before them, as a decoder without a schema accepts them.
fn accepted(records: &[Vec<u8>]) -> (Vec<bool>, Vec<Features>) {
    let mut kinds: BTreeMap<String, FeatureKind> = BTreeMap::new();
    let mut rows = Vec::new();
    let mut fits = Vec::new();
    for record in records {
        let row = prost(record);
        let new = row.iter().filter_map(|(name, kind)| Some((name.clone(), kind_of_values(kind.as_ref()?)?)));
        let new = new.collect::<BTreeMap<_, _>>();
        let fit = new.iter().all(|(name, kind)| kinds.get(name).is_none_or(|known| known == kind));
        fits.push(fit);
        if fit {
            kinds.extend(new);
            rows.push(row);
        }
    }
    (fits, rows)
}

/// Returns one feature of all rows, whose kind is given or that of the rows.
fn cells(rows: &[Features], name: &str, kind: Option<FeatureKind>) -> Cells {
    let kinds = rows.iter().map(|row| row.get(name).and_then(Option::as_ref));
    let kind = kind
        .or_else(|| kinds.clone().flatten().find_map(kind_of_values))
        .or_else(|| kinds.clone().flatten().next().map(kind_of));
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

fn inferred(rows: &[Features]) -> Model {
    let names = rows.iter().flat_map(BTreeMap::keys).collect::<std::collections::BTreeSet<_>>();
    let columns = names.into_iter().map(|name| (name.clone(), cells(rows, name, None))).collect();
    Model { rows: rows.len(), columns }
}

/// Returns a feature as prost reads it.
fn feature(kind: Option<Kind>) -> Feature {
    match kind {
        Some(Kind::BytesList(list)) => Feature::Bytes(list.value),
        Some(Kind::FloatList(list)) => Feature::Float(list.value),
        Some(Kind::Int64List(list)) => Feature::Int64(list.value),
        None => Feature::Unset,
    }
}

proptest! {
    #![proptest_config(model::config(1000))]

    #[test]
    fn as_rust_values(record in wire::any_example()) {
        let expected = prost(&record).into_iter().map(|(name, kind)| (name, feature(kind)));
        let expected = expected.collect::<OurExample>();
        match OurExample::parse(&record) {
            // By their text, in which NaN is like NaN.
            Ok(read) => {
                prop_assert_eq!(format!("{:?}", &read), format!("{:?}", &expected));
                prop_assert_eq!(format!("{:?}", prost(&read.to_vec())), format!("{:?}", prost(&record)));
            }
            Err(error) => {
                prop_assert_eq!(error.detail(), Some(&example_codec::Kind::OtherMessage));
                prop_assert!(expected.is_empty());
            }
        }
    }

    #[test]
    fn without_a_schema(batches in prop::collection::vec(prop::collection::vec(wire::any_example(), 0..5), 1..4)) {
        let mut decoder = ExampleDecoder::builder().build().unwrap();
        for records in &batches {
            let (fits, rows) = accepted(records);
            for (index, (record, fit)) in records.iter().zip(fits).enumerate() {
                match decoder.push(record, Origin::record(index as u64)) {
                    Ok(()) => prop_assert!(fit, "record {index} has a feature of another kind"),
                    Err(error) => {
                        prop_assert!(!fit, "record {}: {}", index, error);
                        let mismatch = matches!(error.detail(), Some(example_codec::Kind::KindMismatch { .. }));
                        prop_assert!(mismatch, "{}", error);
                        prop_assert_eq!(error.position().record, Some(index as u64));
                        prop_assert!(error.position().column.is_some());
                    }
                }
            }
            prop_assert_eq!(decoder.flush().unwrap(), inferred(&rows).batch(Lists::Bits64, Strings::Bits64));
        }
    }

    #[test]
    fn with_a_schema(records in prop::collection::vec(wire::any_example(), 0..6)) {
        let specs = [("b", FeatureKind::Int64), ("a", FeatureKind::Float), ("cc", FeatureKind::Bytes), ("", FeatureKind::Int64)];
        let schema = ExampleSchema::new(specs.map(|(name, kind)| FeatureField::new(name, kind))).unwrap();
        let mut decoder = ExampleDecoder::builder().schema(schema).build().unwrap();
        let mut rows = Vec::new();
        for (index, record) in records.iter().enumerate() {
            let row = prost(record);
            let fit = specs.iter().all(|(name, kind)| {
                let found = row.get(*name).and_then(Option::as_ref).and_then(kind_of_values);
                found.is_none_or(|found| found == *kind)
            });
            prop_assert_eq!(decoder.push(record, Origin::record(index as u64)).is_ok(), fit);
            if fit {
                rows.push(row);
            }
        }
        let columns = specs.map(|(name, kind)| (name.to_owned(), cells(&rows, name, Some(kind))));
        let model = Model { rows: rows.len(), columns: columns.to_vec() };
        prop_assert_eq!(decoder.flush().unwrap(), model.batch(Lists::Bits64, Strings::Bits64));
    }

    #[test]
    fn with_a_projection(records in prop::collection::vec(wire::any_example(), 0..6)) {
        let names = ["b", "a"];
        let mut decoder = ExampleDecoder::builder().projection(names).build().unwrap();
        let only = |row: Features| {
            row.into_iter().filter(|(name, _)| names.contains(&name.as_str())).collect::<Features>()
        };
        let mut kinds: BTreeMap<String, FeatureKind> = BTreeMap::new();
        let mut rows = Vec::new();
        for (index, record) in records.iter().enumerate() {
            let row = only(prost(record));
            let found =
                row.iter().filter_map(|(name, kind)| Some((name.clone(), kind_of_values(kind.as_ref()?)?)));
            let found = found.collect::<BTreeMap<_, _>>();
            let fit = found.iter().all(|(name, kind)| kinds.get(name).is_none_or(|known| known == kind));
            prop_assert_eq!(decoder.push(record, Origin::record(index as u64)).is_ok(), fit);
            if fit {
                kinds.extend(found);
                rows.push(row);
            }
        }
        let columns = names.map(|name| (name.to_owned(), cells(&rows, name, None)));
        let model = Model { rows: rows.len(), columns: columns.to_vec() };
        prop_assert_eq!(decoder.flush().unwrap(), model.batch(Lists::Bits64, Strings::Bits64));
    }
}
