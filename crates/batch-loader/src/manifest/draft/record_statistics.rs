//! Statistics of the first records of a data set.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use tfxio_core::{ColumnPath, Dataset, ScanRequest};

use crate::Result;
use crate::by_name::by_name;

/// A column, or a field of the column of sequence features with that column.
pub(super) type Column = (Option<FieldRef>, FieldRef);

/// Statistics of some records.
pub(super) struct RecordStatistics {
    pub(super) columns: Vec<Column>,
    pub(super) features: Vec<FeatureStatistics>,
    pub(super) records: u64,
}

impl RecordStatistics {
    /// Gathers the statistics of the first `records` records of a data set of tf.Examples or tf.SequenceExamples.
    pub(super) fn at(dataset: &dyn Dataset, records: u64) -> Result<Self> {
        let mut columns = Vec::<Column>::new();
        for field in dataset.schema().fields() {
            match field.data_type() {
                DataType::Struct(fields) => {
                    columns.extend(fields.iter().map(|inner| (Some(Arc::clone(field)), Arc::clone(inner))));
                }
                _ => columns.push((None, Arc::clone(field))),
            }
        }
        let mut features = vec![FeatureStatistics::default(); columns.len()];
        let records = read_first(dataset, records, |batch| {
            let of_batch = by_name(batch.schema_ref().fields(), batch.columns());
            let structs = of_batch.iter().filter_map(|(name, of)| Some((*name, of.as_struct_opt()?)));
            let structs = structs.map(|(name, of)| (name, by_name(of.fields(), of.columns())));
            let structs = structs.collect::<HashMap<_, _>>();
            for ((parent, field), feature) in columns.iter().zip(&mut features) {
                let column = match parent {
                    Some(parent) => {
                        structs.get(parent.name().as_str()).and_then(|of| of.get(field.name().as_str()))
                    }
                    None => of_batch.get(field.name().as_str()),
                };
                if let Some(column) = column {
                    feature.add(column, parent.is_some());
                }
            }
        })?;
        Ok(Self { columns, features, records })
    }

    /// Returns the schema of the data set, and the columns of the features with one value in each record, or in each step. A feature with
    /// the same number of values in each record, or step, becomes a list of that length, or a list of these.
    pub(super) fn schema(&self, of: &Schema) -> (SchemaRef, Vec<ColumnPath>) {
        let mut singles = Vec::new();
        let mut fields = Vec::<FieldRef>::new();
        let mut within = HashMap::<&str, Vec<FieldRef>>::new();
        for ((parent, field), feature) in self.columns.iter().zip(&self.features) {
            let even = feature.values.filter(|(least, most)| least == most && *most > 0);
            let length = even.and_then(|(length, _)| i32::try_from(length).ok());
            let sized = length.and_then(|length| sized(field, length, parent.is_some()));
            if let (Some(_), Some(1)) = (&sized, length) {
                let steps = parent.iter().map(|parent| parent.name()).chain([field.name()]);
                singles.push(ColumnPath::new(steps.map(String::as_str)));
            }
            let field = sized.map_or_else(|| Arc::clone(field), Arc::new);
            match parent {
                Some(parent) => {
                    // The column of sequence features once.
                    if !within.contains_key(parent.name().as_str()) {
                        fields.push(Arc::clone(parent));
                    }
                    within.entry(parent.name()).or_default().push(field);
                }
                None => fields.push(field),
            }
        }
        for field in fields.iter_mut().filter(|field| matches!(field.data_type(), DataType::Struct(_))) {
            let inner = within.remove(field.name().as_str()).unwrap_or_default();
            *field = Arc::new(field.as_ref().clone().with_data_type(DataType::Struct(inner.into())));
        }
        (Arc::new(Schema::new_with_metadata(fields, of.metadata().clone())), singles)
    }
}

/// Returns a field of lists as one of lists of a length; of steps, of lists of such lists.
fn sized(field: &FieldRef, length: i32, of_steps: bool) -> Option<Field> {
    let fixed = |item: &FieldRef| DataType::FixedSizeList(Arc::clone(item), length);
    let data_type = match (field.data_type(), of_steps) {
        (DataType::List(item) | DataType::LargeList(item), false) => fixed(item),
        (DataType::List(step), true) => DataType::List(Arc::new(sized(step, length, false)?)),
        (DataType::LargeList(step), true) => DataType::LargeList(Arc::new(sized(step, length, false)?)),
        _ => return None,
    };
    Some(field.as_ref().clone().with_data_type(data_type))
}

/// Statistics of a feature.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FeatureStatistics {
    /// The fewest and the most values of a record, or of a step.
    pub(super) values: Option<(usize, usize)>,
    pub(super) absent: u64,
}

impl FeatureStatistics {
    /// Adds the values of a column's rows, or, of sequences, the values of the rows' steps.
    fn add(&mut self, column: &ArrayRef, is_sequence: bool) {
        self.absent = self.absent.saturating_add(column.logical_null_count() as u64);
        if !is_sequence {
            return self.lengths(column);
        }
        let steps = match column.data_type() {
            DataType::LargeList(_) => column.as_list::<i64>().values(),
            DataType::List(_) => column.as_list::<i32>().values(),
            _ => return,
        };
        self.lengths(steps);
        // A step in which no list is set has no value.
        if steps.logical_null_count() > 0 {
            self.values = Some((0, self.values.map_or(0, |(_, most)| most)));
        }
    }

    fn lengths(&mut self, lists: &ArrayRef) {
        for row in (0..lists.len()).filter(|row| lists.is_valid(*row)) {
            let length = match lists.data_type() {
                DataType::LargeList(_) => {
                    usize::try_from(lists.as_list::<i64>().value_length(row)).unwrap_or(0)
                }
                DataType::List(_) => usize::try_from(lists.as_list::<i32>().value_length(row)).unwrap_or(0),
                DataType::FixedSizeList(_, size) => usize::try_from(*size).unwrap_or(0),
                _ => 1,
            };
            let (least, most) = self.values.unwrap_or((length, length));
            self.values = Some((least.min(length), most.max(length)));
        }
    }
}

/// Gives the first `records` records of a data set, and returns how many there were.
pub(super) fn read_first(
    dataset: &dyn Dataset,
    records: u64,
    mut give: impl FnMut(&RecordBatch),
) -> Result<u64> {
    let mut read = 0u64;
    for partition in dataset.partitions(u64::MAX)? {
        let left = records.saturating_sub(read);
        if left == 0 {
            break;
        }
        let mut scan = dataset.scan(&partition, &ScanRequest::new().threads(1).limit(left))?;
        while let Some(batch) = scan.next_batch()? {
            read = read.saturating_add(batch.num_rows() as u64);
            give(batch.columns());
        }
    }
    Ok(read)
}
