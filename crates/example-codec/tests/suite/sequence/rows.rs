//! Rows of sequence features as plain Rust values, and the batches that hold them.

use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, Float32Builder, GenericBinaryBuilder, GenericListBuilder, Int64Builder,
};
use arrow_array::{Array, ArrayRef, GenericListArray, NullArray, OffsetSizeTrait, RecordBatch, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{Field, Schema};
use example_codec::{
    ExampleSchema, FeatureField, FeatureKind, OffsetWidth, SequenceExampleDecoder,
    SequenceExampleDecoderBuilder, SequenceExampleSchema,
};
use proptest::prelude::*;
use tfxio_core::Origin;

use super::model::{self, Lists as Layout, Model, Strings};

/// The steps of each row; a step is null or a list of values.
pub(crate) type Steps<T> = Vec<Option<Vec<Option<Vec<T>>>>>;

/// One sequence feature of all rows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum List {
    Ints(Steps<i64>),
    Floats(Steps<f32>),
    Bytes(Steps<Vec<u8>>),
    /// So many steps without a kind.
    Unset(Vec<Option<usize>>),
}

impl List {
    pub(crate) fn kind(&self) -> Option<FeatureKind> {
        match self {
            Self::Ints(_) => Some(FeatureKind::Int64),
            Self::Floats(_) => Some(FeatureKind::Float),
            Self::Bytes(_) => Some(FeatureKind::Bytes),
            Self::Unset(_) => None,
        }
    }

    fn array(&self, width: OffsetWidth) -> ArrayRef {
        match width {
            OffsetWidth::Bits32 => self.array_of::<i32>(),
            OffsetWidth::Bits64 => self.array_of::<i64>(),
        }
    }

    fn array_of<O: OffsetSizeTrait>(&self) -> ArrayRef {
        match self {
            Self::Ints(rows) => steps::<O, _, _>(Int64Builder::new(), rows, |b, v| b.append_value(*v)),
            Self::Floats(rows) => steps::<O, _, _>(Float32Builder::new(), rows, |b, v| b.append_value(*v)),
            Self::Bytes(rows) => {
                steps::<O, _, _>(GenericBinaryBuilder::<O>::new(), rows, |b, v| b.append_value(v))
            }
            Self::Unset(rows) => {
                let lengths = rows.iter().map(|row| row.unwrap_or(0));
                let nulls = rows.iter().map(Option::is_some).collect::<Vec<_>>();
                let nulls = nulls.contains(&false).then(|| NullBuffer::from(nulls));
                let steps: ArrayRef = Arc::new(NullArray::new(lengths.clone().sum()));
                let item = Arc::new(Field::new_list_field(steps.data_type().clone(), true));
                let offsets = OffsetBuffer::from_lengths(lengths);
                Arc::new(GenericListArray::<O>::new(item, offsets, steps, nulls))
            }
        }
    }
}

fn steps<O: OffsetSizeTrait, B: ArrayBuilder, T>(
    values: B,
    rows: &[Option<Vec<Option<Vec<T>>>>],
    append: impl Fn(&mut B, &T),
) -> ArrayRef {
    let mut builder = GenericListBuilder::<O, _>::new(GenericListBuilder::<O, B>::new(values));
    for row in rows {
        for step in row.iter().flatten() {
            step.iter().flatten().for_each(|value| append(builder.values().values(), value));
            builder.values().append(step.is_some());
        }
        builder.append(row.is_some());
    }
    Arc::new(builder.finish())
}

/// Features of a context and sequence features by name, of so many rows.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    pub(crate) context: Model,
    pub(crate) lists: Vec<(String, List)>,
}

impl Rows {
    pub(crate) fn count(&self) -> usize {
        self.context.rows
    }

    /// Returns the equivalent schema.
    pub(crate) fn schema(&self) -> SequenceExampleSchema {
        let spec = |(name, list): &(String, List)| match list.kind() {
            Some(kind) => FeatureField::new(name.as_str(), kind),
            None => FeatureField::null(name.as_str()),
        };
        let sequence = ExampleSchema::new(self.lists.iter().map(spec)).unwrap();
        SequenceExampleSchema::new(self.context.schema(None), sequence)
    }

    pub(crate) fn batch(&self, width: OffsetWidth) -> RecordBatch {
        let layout = match width {
            OffsetWidth::Bits32 => (Layout::Bits32, Strings::Bits32),
            OffsetWidth::Bits64 => (Layout::Bits64, Strings::Bits64),
        };
        let context = self.context.batch(layout.0, layout.1);
        if self.lists.is_empty() {
            return context;
        }
        let arrays = self.lists.iter().map(|(_, list)| list.array(width)).collect::<Vec<_>>();
        let fields = self.lists.iter().zip(&arrays);
        let fields = fields.map(|((name, _), array)| Field::new(name, array.data_type().clone(), true));
        let lists: ArrayRef =
            Arc::new(StructArray::try_new_with_length(fields.collect(), arrays, None, self.count()).unwrap());
        let mut fields = context.schema_ref().fields().to_vec();
        fields.push(Arc::new(Field::new("##SEQUENCE##", lists.data_type().clone(), true)));
        let mut columns = context.columns().to_vec();
        columns.push(lists);
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap()
    }
}

/// Returns the batch with a struct column that has no fields.
pub(crate) fn with_no_lists(context: &RecordBatch) -> RecordBatch {
    let lists: ArrayRef = Arc::new(StructArray::new_empty_fields(context.num_rows(), None));
    let field = Arc::new(Field::new("##SEQUENCE##", lists.data_type().clone(), true));
    let fields = context.schema().fields().iter().cloned().chain([field]).collect::<Vec<_>>();
    let columns = context.columns().iter().cloned().chain([lists]).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap()
}

/// Rows of which every sequence feature has such numbers of steps and values.
pub(crate) fn rows(
    steps: std::ops::Range<usize>,
    values: std::ops::Range<usize>,
) -> impl Strategy<Value = Rows> {
    fn rows_of<T: std::fmt::Debug + Clone + 'static>(
        value: BoxedStrategy<T>,
        rows: usize,
        steps: std::ops::Range<usize>,
        values: std::ops::Range<usize>,
    ) -> impl Strategy<Value = Steps<T>> {
        let step = prop_oneof![1 => Just(None), 5 => prop::collection::vec(value, values).prop_map(Some)];
        let list = prop::collection::vec(step, steps);
        prop::collection::vec(prop_oneof![1 => Just(None), 4 => list.prop_map(Some)], rows)
    }
    model::model(0..4).prop_flat_map(move |context| {
        let (rows, steps, values) = (context.rows, steps.clone(), values.clone());
        let list = prop_oneof![
            3 => rows_of(model::int().boxed(), rows, steps.clone(), values.clone()).prop_map(List::Ints),
            3 => rows_of(model::float().boxed(), rows, steps.clone(), values.clone()).prop_map(List::Floats),
            3 => rows_of(model::bytes().boxed(), rows, steps.clone(), values).prop_map(List::Bytes),
            1 => prop::collection::vec(prop::option::of(steps), rows).prop_map(List::Unset),
        ];
        prop::collection::btree_map("[a-zé]{0,12}|[a-z]{120,140}", list, 0..4)
            .prop_map(move |lists| Rows { context: context.clone(), lists: lists.into_iter().collect() })
    })
}

pub(crate) fn decode(builder: SequenceExampleDecoderBuilder, records: &[impl AsRef<[u8]>]) -> RecordBatch {
    let mut decoder = builder.build().unwrap();
    for (index, record) in records.iter().enumerate() {
        decoder.push(record.as_ref(), Origin::record(index as u64)).unwrap();
    }
    decoder.flush().unwrap()
}

pub(crate) fn builder() -> SequenceExampleDecoderBuilder {
    SequenceExampleDecoder::builder()
}
