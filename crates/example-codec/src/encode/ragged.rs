//! Columns of nested lists as features with partitions.
//!
//! A feature of tf.Example is flat. A ragged tensor therefore travels as several features: its values one
//! after the other, and for each partition the lengths of its rows. Here a column of nested lists becomes
//! these columns, each of them a list of values; no value is copied.

mod lists;

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array, LargeListArray, RecordBatch, RecordBatchOptions};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use tfxio_core::{Count, UnknownColumn};

use self::lists::Lists;
use super::plan::planned;
use crate::error::Locate;
use crate::{Error, Kind};

/// Partition of one level of a ragged tensor into rows, as a `RaggedTensor` of a TensorFlow Metadata schema declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FeaturePartition {
    /// The feature of this name has the lengths of the rows. The column has a level of lists for it.
    RowLengths(String),
    /// Every row has this number of items. The column has no level of lists for it.
    UniformRowLength(u32),
}

/// A column of nested lists that is encoded as several features: its values, and the row lengths of its
/// partitions.
///
/// The column has one level of lists for the rows of the batch and one for each
/// [`RowLengths`](FeaturePartition::RowLengths). A null row makes a feature without a list of each of them.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::builder::{Int64Builder, LargeListBuilder};
/// use arrow_array::{ArrayRef, RecordBatch};
/// use example_codec::{EncoderOptions, ExampleEncoder, FeaturePartition, RaggedColumn};
///
/// let mut x = LargeListBuilder::new(LargeListBuilder::new(Int64Builder::new()));
/// x.values().append_value([Some(1), Some(2)]);
/// x.values().append_value([Some(3)]);
/// x.append(true); // [[1, 2], [3]]
/// let batch = RecordBatch::try_from_iter([("x", Arc::new(x.finish()) as ArrayRef)])?;
///
/// let lengths = FeaturePartition::RowLengths("x/lengths".to_owned());
/// let options = EncoderOptions::default().ragged_features([RaggedColumn::new("x", "x/values", [lengths])]);
/// let records = ExampleEncoder::builder(&batch.schema()).options(options).build()?.encode_to_vec(&batch)?;
/// let features = example_codec::example_to_arrays(&records[0])?;
/// assert_eq!(features["x/values"].as_ref().map(|values| values.len()), Some(3));
/// assert_eq!(features["x/lengths"].as_ref().map(|lengths| lengths.len()), Some(2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RaggedColumn {
    column: String,
    values: String,
    partitions: Vec<FeaturePartition>,
}

impl RaggedColumn {
    /// Returns the column, the name of the feature of its values, and the partitions, the outermost first.
    #[must_use]
    pub fn new(
        column: impl Into<String>,
        values: impl Into<String>,
        partitions: impl IntoIterator<Item = FeaturePartition>,
    ) -> Self {
        Self { column: column.into(), values: values.into(), partitions: partitions.into_iter().collect() }
    }

    /// Returns the name of the column.
    #[must_use]
    pub fn column(&self) -> &str {
        &self.column
    }
}

/// One level of lists.
#[derive(Debug)]
struct Level {
    /// Feature that receives the lengths of the lists. `None` for the outermost lists, which are the rows.
    lengths: Option<String>,
    /// Number of items of a list that are one item of the tensor.
    uniform: usize,
}

/// A column that is taken apart.
#[derive(Debug)]
struct Apart {
    index: usize,
    name: String,
    data_type: DataType,
    values: String,
    levels: Vec<Level>,
}

/// The columns of a schema that are taken apart, and the schema that comes of it.
#[derive(Debug)]
pub(super) struct Ragged {
    apart: Vec<Apart>,
    schema: SchemaRef,
}

impl Ragged {
    pub(super) fn new(schema: &Schema, features: &[RaggedColumn]) -> Result<Self, Error> {
        let mut apart = Vec::with_capacity(features.len());
        for feature in features {
            let Some((index, field)) = schema.fields().find(&feature.column) else {
                let known = schema.fields().iter().map(|field| field.name().as_str());
                return Err(UnknownColumn::among(&feature.column, known));
            };
            if apart.iter().any(|other: &Apart| other.index == index) {
                let message = "the column has two lists of partitions";
                return Err(Error::new(Kind::InvalidOption, message)
                    .help("remove one")
                    .in_feature(&feature.column));
            }
            apart.push(Apart::new(index, field, feature).map_err(|error| error.in_feature(&feature.column))?);
        }
        apart.sort_by_key(|apart| apart.index);
        let mut fields = Vec::new();
        for (index, field) in schema.fields().iter().enumerate() {
            match apart.iter().find(|apart| apart.index == index) {
                None => fields.push(Arc::clone(field)),
                Some(apart) => fields.extend(apart.fields()),
            }
        }
        for apart in &apart {
            let others = schema.fields().iter().enumerate().filter(|(index, _)| *index != apart.index);
            let mut others = others.map(|(_, field)| field.name());
            if let Some(name) = others.find(|name| apart.fields().iter().any(|field| field.name() == *name)) {
                let message = format!("it makes the feature {name:?}, and a column has that name, too");
                return Err(Error::new(Kind::InvalidOption, message)
                    .help("leave that column out, or name the feature otherwise")
                    .in_feature(&apart.name));
            }
        }
        Ok(Self { apart, schema: Arc::new(Schema::new(fields)) })
    }

    /// Returns the schema of batches whose columns are taken apart.
    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns a batch with its columns taken apart.
    pub(super) fn take_apart<'a>(&self, batch: &'a RecordBatch) -> Result<Cow<'a, RecordBatch>, Error> {
        if self.apart.is_empty() {
            return Ok(Cow::Borrowed(batch));
        }
        let mut columns = Vec::with_capacity(self.schema.fields().len());
        let mut fields: Vec<FieldRef> = Vec::with_capacity(self.schema.fields().len());
        for (index, (field, array)) in batch.schema_ref().fields().iter().zip(batch.columns()).enumerate() {
            match self.apart.iter().find(|apart| apart.index == index) {
                None => {
                    columns.push(Arc::clone(array));
                    fields.push(Arc::clone(field));
                }
                Some(apart) => {
                    let schema = batch.schema_ref().fields();
                    let array = planned(index, &apart.name, &apart.data_type, schema, batch.columns())?;
                    columns.extend(apart.arrays(array).map_err(|error| error.in_feature(&apart.name))?);
                    fields.extend(apart.fields());
                }
            }
        }
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)
            .map(Cow::Owned)
            .map_err(|error| Error::new(Kind::Arrow, "the parts do not make a batch").because(error))
    }
}

impl Apart {
    fn new(index: usize, field: &Field, feature: &RaggedColumn) -> Result<Self, Error> {
        let mut levels = vec![Level { lengths: None, uniform: 1 }];
        for partition in &feature.partitions {
            match (partition, levels.last_mut()) {
                (FeaturePartition::UniformRowLength(length), Some(level)) => {
                    let product = level.uniform.checked_mul(*length as usize).filter(|product| *product > 0);
                    let message =
                        format!("a uniform row length of {length}; rows of at least one item are needed");
                    level.uniform = product.ok_or_else(|| Error::new(Kind::InvalidOption, message))?;
                }
                (FeaturePartition::RowLengths(name), _) => {
                    levels.push(Level { lengths: Some(name.clone()), uniform: 1 });
                }
                (FeaturePartition::UniformRowLength(_), None) => {}
            }
        }
        let found = depth(field.data_type());
        if found != levels.len() {
            let message = format!(
                "the column is of type {}, {} in one another; its partitions need {}: one for the rows and one for each \
                 partition of row lengths",
                field.data_type(),
                Count::of(found, "list"),
                levels.len()
            );
            return Err(Error::new(Kind::InvalidOption, message)
                .help("give it one for each level of lists below the rows"));
        }
        let data_type = field.data_type().clone();
        Ok(Self { index, name: field.name().clone(), data_type, values: feature.values.clone(), levels })
    }

    /// Returns the fields of [`arrays`](Self::arrays).
    fn fields(&self) -> Vec<FieldRef> {
        let values = item(&self.data_type, self.levels.len()).unwrap_or(&DataType::Null);
        let named = |name: &str, values: &DataType| Arc::new(Field::new(name, list_of(values), true));
        let lengths = self.levels.iter().filter_map(|level| level.lengths.as_deref());
        let lengths = lengths.map(|name| named(name, &DataType::Int64));
        std::iter::once(named(&self.values, values)).chain(lengths).collect()
    }

    /// Returns the values, and the row lengths of each level, of every row.
    fn arrays(&self, column: &ArrayRef) -> Result<Vec<ArrayRef>, Error> {
        let rows = column.nulls();
        // Where the rows end among the lists of a level; in the end among the values.
        let mut ends = (0..=column.len()).collect::<Vec<_>>();
        let mut array = Arc::clone(column);
        let mut lengths = Vec::new();
        for (number, level) in self.levels.iter().enumerate() {
            let lists = Lists::of(&array);
            for row in (0..column.len()).filter(|row| rows.is_none_or(|rows| rows.is_valid(*row))) {
                lists.check(row, &ends, level.uniform, number)?;
            }
            if level.lengths.is_some() {
                let values = (0..lists.count()).map(|list| (lists.length(list) / level.uniform) as i64);
                lengths.push(list_array(&ends, Arc::new(values.collect::<Int64Array>()), rows)?);
            }
            ends = ends.into_iter().map(|end| lists.end(end)).collect();
            array = lists.items;
        }
        let mut arrays = vec![list_array(&ends, array, rows)?];
        arrays.append(&mut lengths);
        Ok(arrays)
    }
}

fn list_array(ends: &[usize], values: ArrayRef, rows: Option<&NullBuffer>) -> Result<ArrayRef, Error> {
    let offsets = ends.iter().map(|end| *end as i64).collect::<ScalarBuffer<i64>>();
    let item = Arc::new(Field::new_list_field(values.data_type().clone(), true));
    LargeListArray::try_new(item, OffsetBuffer::new(offsets), values, rows.cloned())
        .map(|array| Arc::new(array) as ArrayRef)
        .map_err(|error| Error::new(Kind::Arrow, "the parts do not make a column").because(error))
}

fn list_of(values: &DataType) -> DataType {
    DataType::LargeList(Arc::new(Field::new_list_field(values.clone(), true)))
}

/// Returns the type of the items of a list.
fn inside(data_type: &DataType) -> Option<&DataType> {
    match data_type {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            Some(item.data_type())
        }
        _ => None,
    }
}

/// Returns the type of the items inside `lists` levels of lists.
fn item(data_type: &DataType, lists: usize) -> Option<&DataType> {
    (0..lists).try_fold(data_type, |inner, _| inside(inner))
}

/// Returns the number of nested levels of lists.
fn depth(data_type: &DataType) -> usize {
    std::iter::successors(inside(data_type), |inner| inside(inner)).count()
}
