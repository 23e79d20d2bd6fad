//! Rows as plain Rust values, and the batches in every layout that hold them.
#![allow(dead_code, reason = "each test target uses a part of it")]

use std::sync::Arc;

use arrow_array::builder::{ArrayBuilder, GenericBinaryBuilder, GenericListBuilder, GenericStringBuilder};
use arrow_array::builder::{BinaryViewBuilder, FixedSizeListBuilder, Float32Builder, Int64Builder};
use arrow_array::{ArrayRef, NullArray, OffsetSizeTrait, RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema};
use example_codec::{ExampleSchema, FeatureField, FeatureKind};
use proptest::prelude::*;

/// Returns the configuration for a number of cases. A case that fails is printed; it belongs into a test of its own, not
/// into a file.
pub fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Rows of one feature.
pub type Rows<T> = Vec<Option<Vec<T>>>;

/// One feature of all rows.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    Ints(Rows<i64>),
    Floats(Rows<f32>),
    Bytes(Rows<Vec<u8>>),
    Nothing,
}

impl Cells {
    pub fn kind(&self) -> Option<FeatureKind> {
        match self {
            Self::Ints(_) => Some(FeatureKind::Int64),
            Self::Floats(_) => Some(FeatureKind::Float),
            Self::Bytes(_) => Some(FeatureKind::Bytes),
            Self::Nothing => None,
        }
    }
}

/// Features by name, of so many rows.
#[derive(Clone, Debug)]
pub struct Model {
    pub rows: usize,
    pub columns: Vec<(String, Cells)>,
}

/// Layout of lists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lists {
    Bits32,
    Bits64,
    /// Every row has so many values, or is null.
    Fixed(i32),
}

/// Layout of byte strings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Strings {
    Bits32,
    Bits64,
    Views,
    /// Valid only for text.
    Text,
}

impl Model {
    /// Returns the equivalent schema, with fixed lengths if `fixed` gives one.
    pub fn schema(&self, fixed: Option<u32>) -> ExampleSchema {
        let spec = |(name, cells): &(String, Cells)| {
            let Some(kind) = cells.kind() else { return FeatureField::null(name.as_str()) };
            let spec = FeatureField::new(name.as_str(), kind);
            fixed.map_or(spec.clone(), |len| spec.fixed_len(len))
        };
        ExampleSchema::new(self.columns.iter().map(spec)).unwrap()
    }

    /// Returns the batch.
    pub fn batch(&self, lists: Lists, strings: Strings) -> RecordBatch {
        let columns = self.columns.iter().map(|(_, cells)| array(cells, self.rows, lists, strings)).collect();
        let fields = self.columns.iter().map(|(name, _)| name).zip(&columns as &Vec<ArrayRef>);
        let fields = fields.map(|(name, array)| Field::new(name, array.data_type().clone(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        RecordBatch::try_new_with_options(schema, columns, &options).unwrap()
    }
}

pub fn array(cells: &Cells, rows: usize, lists: Lists, strings: Strings) -> ArrayRef {
    match cells {
        Cells::Nothing => Arc::new(NullArray::new(rows)),
        Cells::Ints(rows) => list(Int64Builder::new(), rows, lists, |b, v| b.append_value(*v)),
        Cells::Floats(rows) => list(Float32Builder::new(), rows, lists, |b, v| b.append_value(*v)),
        Cells::Bytes(rows) => match strings {
            Strings::Bits32 => {
                list(GenericBinaryBuilder::<i32>::new(), rows, lists, |b, v| b.append_value(v))
            }
            Strings::Bits64 => {
                list(GenericBinaryBuilder::<i64>::new(), rows, lists, |b, v| b.append_value(v))
            }
            Strings::Views => list(BinaryViewBuilder::new(), rows, lists, |b, v| b.append_value(v)),
            Strings::Text => list(GenericStringBuilder::<i64>::new(), rows, lists, |b, v| {
                b.append_value(std::str::from_utf8(v).unwrap());
            }),
        },
    }
}

fn list<B: ArrayBuilder, T: Default>(
    values: B,
    rows: &[Option<Vec<T>>],
    lists: Lists,
    append: impl Fn(&mut B, &T),
) -> ArrayRef {
    match lists {
        Lists::Bits32 => by_offsets::<i32, _, _>(values, rows, append),
        Lists::Bits64 => by_offsets::<i64, _, _>(values, rows, append),
        Lists::Fixed(length) => {
            let mut builder = FixedSizeListBuilder::new(values, length);
            for row in rows {
                match row {
                    Some(values) => values.iter().for_each(|value| append(builder.values(), value)),
                    None => (0..length).for_each(|_| append(builder.values(), &T::default())),
                }
                builder.append(row.is_some());
            }
            Arc::new(builder.finish())
        }
    }
}

fn by_offsets<O: OffsetSizeTrait, B: ArrayBuilder, T>(
    values: B,
    rows: &[Option<Vec<T>>],
    append: impl Fn(&mut B, &T),
) -> ArrayRef {
    let mut builder = GenericListBuilder::<O, B>::new(values);
    for row in rows {
        row.iter().flatten().for_each(|value| append(builder.values(), value));
        builder.append(row.is_some());
    }
    Arc::new(builder.finish())
}

/// Integers of every size.
pub fn int() -> impl Strategy<Value = i64> {
    prop_oneof![any::<i64>(), -3..300i64, (0..64u32, any::<i64>()).prop_map(|(bits, value)| value >> bits)]
}

/// Returns every bit pattern of a float but the NaNs, for which equality is not identity.
pub fn float() -> impl Strategy<Value = f32> {
    any::<u32>().prop_map(f32::from_bits).prop_filter("a number", |value| !value.is_nan())
}

/// Returns byte strings around the lengths at which the fast ways end.
pub fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let any_of = |length| prop::collection::vec(any::<u8>(), length);
    prop_oneof![12 => any_of(0..20usize), 1 => any_of(100..140)]
}

fn rows_of<T: std::fmt::Debug + Clone>(
    value: impl Strategy<Value = T> + Clone,
    rows: usize,
    values: std::ops::Range<usize>,
) -> impl Strategy<Value = Rows<T>> {
    let some = prop::collection::vec(value, values);
    prop::collection::vec(prop_oneof![1 => Just(None), 4 => some.prop_map(Some)], rows)
}

/// Returns a feature of `rows` rows.
pub fn cells(rows: usize, values: std::ops::Range<usize>) -> BoxedStrategy<Cells> {
    prop_oneof![
        1 => Just(Cells::Nothing),
        3 => rows_of(int().boxed(), rows, values.clone()).prop_map(Cells::Ints),
        3 => rows_of(float().boxed(), rows, values.clone()).prop_map(Cells::Floats),
        3 => rows_of(bytes().boxed(), rows, values).prop_map(Cells::Bytes),
    ]
    .boxed()
}

/// Returns a model whose lists have `values` values.
pub fn model(values: std::ops::Range<usize>) -> impl Strategy<Value = Model> {
    (0..12usize).prop_flat_map(move |rows| {
        let name = prop_oneof![8 => "[a-zé日]{0,12}", 1 => "[a-z]{50,60}", 1 => "[a-z]{120,140}"];
        prop::collection::btree_map(name, cells(rows, values.clone()), 0..6)
            .prop_map(move |columns| Model { rows, columns: columns.into_iter().collect() })
    })
}
