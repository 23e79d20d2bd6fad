//! Raw records beside the columns that were decoded from them, and single records as arrays.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, LargeBinaryArray, LargeListArray, RecordBatch};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Schema};
use tfxio_core::{Count, Origin, UnknownColumn};

use crate::error::Locate;
use crate::{Error, ExampleDecoder, Kind};

/// Appends a column with the records that the rows were decoded from, as lists of one byte string.
///
/// Row `i` gets record `i`; or, with an index column, which has one integer a row, the record of that
/// number. The decoder appends such a column itself
/// ([`raw_record_column`](crate::ExampleDecoderBuilder::raw_record_column)); this is for
/// batches that have been filtered, repeated or put into another order since.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int64Array, RecordBatch};
/// use example_codec::append_raw_record_column;
///
/// let column: ArrayRef = Arc::new(Int64Array::from(vec![1, 0, 1]));
/// let batch = RecordBatch::try_from_iter([("record", column)])?;
/// let batch = append_raw_record_column(&batch, "raw", &[b"zero", &b"one!"[..]], Some("record"))?;
/// assert_eq!(batch.num_columns(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// `InvalidOption` when there is a column of that name, when the number of records is not that of the
/// rows, and when an index is null, missing, or no record's number; `UnknownColumn` for an index
/// column that is not there; `UnsupportedColumn` for one that does not hold integers.
pub fn append_raw_record_column<R: AsRef<[u8]>>(
    batch: &RecordBatch,
    name: &str,
    records: &[R],
    index_column: Option<&str>,
) -> Result<RecordBatch, Error> {
    let schema = batch.schema();
    if schema.fields().iter().any(|field| field.name() == name) {
        return Err(Error::new(
            Kind::InvalidOption,
            format!("the batch has a column named {name:?} already"),
        )
        .help("choose another name"));
    }
    let column = match index_column {
        None if records.len() != batch.num_rows() => {
            return Err(Error::new(
                Kind::InvalidOption,
                format!(
                    "{} for {}; there must be one each",
                    Count::of(records.len(), "record"),
                    Count::of(batch.num_rows(), "row")
                ),
            ));
        }
        None => raw_records(records.iter().map(AsRef::as_ref)),
        Some(index) => {
            let Some(array) = batch.column_by_name(index) else {
                return Err(UnknownColumn::among(index, schema.fields().iter().map(|f| f.name().as_str())));
            };
            let chosen = indices(array, records.len()).map_err(|error| error.in_feature(index))?;
            raw_records(chosen.into_iter().filter_map(|at| records.get(at)).map(AsRef::as_ref))
        }
    };
    let field = Field::new(name, column.data_type().clone(), true);
    let fields = schema.fields().iter().cloned().chain([Arc::new(field)]).collect::<Vec<_>>();
    let columns = batch.columns().iter().cloned().chain([column]).collect();
    let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
    RecordBatch::try_new(schema, columns).map_err(|error| {
        Error::new(Kind::Arrow, "the raw-record column does not fit the batch").because(error)
    })
}

fn raw_records<'a>(records: impl Iterator<Item = &'a [u8]>) -> ArrayRef {
    let values = LargeBinaryArray::from_iter_values(records);
    let offsets = (0..=values.len() as i64).collect::<Vec<_>>();
    let item = Arc::new(Field::new_list_field(DataType::LargeBinary, true));
    Arc::new(LargeListArray::new(
        item,
        OffsetBuffer::new(ScalarBuffer::from(offsets)),
        Arc::new(values),
        None,
    ))
}

/// Returns the number of the record of each row.
fn indices(array: &ArrayRef, records: usize) -> Result<Vec<usize>, Error> {
    let items: Vec<Option<ArrayRef>> = match array.data_type() {
        DataType::List(_) => array.as_list::<i32>().iter().collect(),
        DataType::LargeList(_) => array.as_list::<i64>().iter().collect(),
        DataType::FixedSizeList(..) => array.as_fixed_size_list().iter().collect(),
        _ => (0..array.len()).map(|row| Some(array.slice(row, 1))).collect(),
    };
    let items = items.into_iter().enumerate();
    items.map(|(row, item)| index(item, records).map_err(|error| error.in_row(row))).collect()
}

/// Returns the number of the record of a row, the only value of `item`.
fn index(item: Option<ArrayRef>, records: usize) -> Result<usize, Error> {
    let item = match item {
        Some(item) if item.len() != 1 => {
            let numbers = Count::of(item.len(), "record number");
            return Err(bad_index(format!("{numbers} in a row; there must be one")));
        }
        Some(item) if item.is_valid(0) => item,
        _ => return Err(bad_index("the record number is null".to_owned())),
    };
    let number = match item.data_type() {
        DataType::Int32 => i128::from(item.as_primitive::<Int32Type>().value(0)),
        DataType::Int64 => i128::from(item.as_primitive::<Int64Type>().value(0)),
        DataType::UInt32 => i128::from(item.as_primitive::<UInt32Type>().value(0)),
        DataType::UInt64 => i128::from(item.as_primitive::<UInt64Type>().value(0)),
        other => {
            return Err(Error::new(Kind::UnsupportedColumn, format!("record numbers of type {other}"))
                .help("cast them to Int64"));
        }
    };
    match usize::try_from(number) {
        Ok(at) if at < records => Ok(at),
        _ => Err(bad_index(format!("there is no record {number} among the {records} given"))),
    }
}

fn bad_index(message: String) -> Error {
    Error::new(Kind::InvalidOption, message)
}

/// Returns the features of one record by name: an `Int64`, `Float32` or `LargeBinary` array of its values, or `None` for a
/// feature in which no list is set.
///
/// For looking at a record or for tests; to read many, use [`ExampleDecoder`].
///
/// ```
/// // features { feature { key: "a" value { int64_list { value: [5] } } } }
/// let record = b"\x0a\x0c\x0a\x0a\x0a\x01a\x12\x05\x1a\x03\x0a\x01\x05";
/// let features = example_codec::example_to_arrays(record)?;
/// assert_eq!(features["a"].as_ref().map(|values| values.len()), Some(1));
/// # Ok::<(), example_codec::Error>(())
/// ```
///
/// # Errors
/// As [`ExampleDecoder::push`].
pub fn example_to_arrays(record: &[u8]) -> Result<BTreeMap<String, Option<ArrayRef>>, Error> {
    let mut decoder = ExampleDecoder::builder().build()?;
    decoder.push(record, Origin::record(0))?;
    let batch = decoder.flush()?;
    let schema = batch.schema();
    let columns = schema.fields().iter().zip(batch.columns()).map(|(field, column)| {
        let values = column.as_list_opt::<i64>().filter(|list| list.is_valid(0)).map(|list| list.value(0));
        (field.name().clone(), values)
    });
    Ok(columns.collect())
}
