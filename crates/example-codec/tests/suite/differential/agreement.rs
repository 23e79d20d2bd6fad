//! Agreement of two decoders about a record.

use std::fmt::Debug;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, NullArray, RecordBatch, StructArray};
use example_codec::{Error, Kind, Origin, RecordDecoder};

use super::settings::{Make, Setting};

/// Returns whether two errors have the same text except for numbers.
fn is_elsewhere(error: &Error, other: &Error) -> bool {
    let without_bytes = |error: &Error| error.to_string().replace(|c: char| c.is_ascii_digit(), "");
    without_bytes(error) == without_bytes(other)
}

/// Result of a decoder that saw no other record.
pub type Outcome = Result<RecordBatch, Error>;

/// A decoder that has seen many records, and what fresh ones make of the same records.
pub struct Pair<'a> {
    setting: Setting,
    make: &'a Make,
    learned: Box<dyn RecordDecoder>,
    /// The rows of the batch.
    wanted: Vec<RecordBatch>,
}

impl<'a> Pair<'a> {
    pub fn new(setting: Setting, make: &'a Make) -> Self {
        let learned = make();
        Self { setting, make, learned, wanted: Vec::new() }
    }

    /// Returns the result of a fresh decoder for a record.
    pub fn fresh(&self, record: &[u8], number: u64) -> Outcome {
        let mut fresh = (self.make)();
        fresh.push(record, Origin::record(number))?;
        fresh.flush()
    }

    /// Pushes a record and compares; whether it was taken.
    pub fn push(&mut self, record: &[u8], number: u64) -> Result<bool, String> {
        let fresh = self.fresh(record, number);
        self.push_as(record, number, &fresh)
    }

    /// Pushes a record and compares with what a fresh decoder made of it.
    pub fn push_as(&mut self, record: &[u8], number: u64, fresh: &Outcome) -> Result<bool, String> {
        let rows = self.learned.rows();
        let result = self.learned.push(record, Origin::record(number));
        same("rows", &self.learned.rows(), &(rows + usize::from(result.is_ok())))?;
        match (result, fresh) {
            (Ok(()), Ok(batch)) => {
                self.wanted.push(batch.clone());
                Ok(true)
            }
            (Err(error), Err(wanted)) => {
                // Of several faults one is told; without a schema earlier rows decide which that is.
                let is_another = self.setting.infers()
                    && (error.position() != wanted.position() || is_elsewhere(&error, wanted));
                if !is_another && !self.is_of_an_earlier_kind(&error) {
                    same("error", &error.to_string(), &wanted.to_string())?;
                    same("kind", &error.kind(), &wanted.kind())?;
                    same("detail", &error.detail::<Kind>(), &wanted.detail())?;
                    same("position", error.position(), wanted.position())?;
                }
                Ok(false)
            }
            (Err(error), Ok(batch)) => {
                let differs = |other: &RecordBatch| {
                    other.columns().iter().zip(other.schema().fields()).any(|(column, field)| {
                        batch.column_by_name(field.name()).is_some_and(|it| contradict(it, column))
                    })
                };
                if self.is_of_an_earlier_kind(&error) && self.wanted.iter().any(differs) {
                    return Ok(false);
                }
                Err(format!("refused: {error}; a fresh decoder takes it"))
            }
            (Ok(()), Err(error)) => Err(format!("taken; a fresh decoder refuses it: {error}")),
        }
    }

    /// Returns whether the error can be due to the rows before it, which a fresh decoder has not.
    fn is_of_an_earlier_kind(&self, error: &Error) -> bool {
        self.setting.infers() && matches!(error.detail(), Some(Kind::KindMismatch { .. }))
    }

    /// Compares the batch with the rows of the fresh decoders; its rows.
    pub fn flush(&mut self) -> Result<RecordBatch, String> {
        let batch = self.learned.flush().map_err(|error| format!("flush: {error}"))?;
        same("rows", &batch.num_rows(), &self.wanted.len())?;
        for column in batch.columns() {
            column.to_data().validate_full().map_err(|error| format!("not sound: {error}"))?;
        }
        let names: Vec<String> = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
        for (row, wanted) in self.wanted.drain(..).enumerate() {
            if !self.setting.infers() && batch.schema() != wanted.schema() {
                return Err(format!("schema {:?} != {:?}", batch.schema(), wanted.schema()));
            }
            let schema = wanted.schema();
            if let Some(lost) = schema.fields().iter().find(|field| !names.contains(field.name())) {
                return Err(format!("row {row}: no column {}", lost.name()));
            }
            for (name, column) in names.iter().zip(batch.columns()) {
                cell(&column.slice(row, 1), wanted.column_by_name(name))
                    .map_err(|difference| format!("row {row}, column {name}: {difference}"))?;
            }
        }
        Ok(batch)
    }

    /// Flushes, and checks that the batch can be encoded, row by row or whole, and decoded again.
    pub fn flush_and_encode(&mut self) -> Result<RecordBatch, String> {
        let batch = self.flush()?;
        if !self.setting.comes_back() {
            return Ok(batch);
        }
        let encoded = self.setting.encode(&batch).map_err(|error| format!("encode: {error}"))?;
        same("encoded rows", &encoded.len(), &batch.num_rows())?;
        let mut decoder = (self.make)();
        for (row, record) in encoded.iter().enumerate() {
            let alone =
                self.setting.encode(&batch.slice(row, 1)).map_err(|error| format!("encode: {error}"))?;
            if alone.get(0) != Some(record) {
                return Err(format!("row {row} is encoded as {record:02x?}, alone as {:02x?}", alone.get(0)));
            }
            let pushed = decoder.push(record, Origin::record(row as u64));
            pushed.map_err(|error| format!("encoded row {row} is refused: {error}"))?;
        }
        let again = decoder.flush().map_err(|error| format!("flush: {error}"))?;
        if again != batch {
            return Err(format!("decode, encode, decode:\n{again:?}\n{batch:?}"));
        }
        Ok(batch)
    }
}

/// Compares the column of one row with that of a batch in which it is the only row.
fn cell(found: &ArrayRef, wanted: Option<&ArrayRef>) -> Result<(), String> {
    let is_absent = |array: &ArrayRef| array.logical_nulls().is_some_and(|nulls| nulls.null_count() == 1);
    let lists = |array: &ArrayRef| array.as_any().downcast_ref::<StructArray>().cloned();
    let Some(wanted) = wanted else {
        // Of feature lists each is absent, not all of them together.
        return match lists(found) {
            Some(lists) => lists.columns().iter().try_for_each(|list| cell(list, None)),
            None if is_absent(found) => Ok(()),
            None => Err(format!("{found:?}, but the record has none")),
        };
    };
    if found.data_type() == wanted.data_type() {
        return same("values", found, wanted);
    }
    same("absence", &is_absent(found), &is_absent(wanted))?;
    if let (Some(found), Some(wanted)) = (lists(found), lists(wanted)) {
        if let Some(lost) = wanted.column_names().iter().find(|name| found.column_by_name(name).is_none()) {
            return Err(format!("no list {lost}"));
        }
        for (name, column) in found.column_names().iter().zip(found.columns()) {
            cell(column, wanted.column_by_name(name))
                .map_err(|difference| format!("{name}: {difference}"))?;
        }
        return Ok(());
    }
    // A kind that only other rows tell: that of no values.
    let shape = shape(wanted);
    if has_values(&shape) || self::shape(found) != shape {
        Err(format!("{found:?} != {wanted:?}"))
    } else {
        Ok(())
    }
}

/// Returns the structure of lists and their numbers of values, without the values.
fn shape(array: &ArrayRef) -> String {
    let lists: Vec<Option<ArrayRef>> = if array.as_any().is::<NullArray>() {
        vec![None; array.len()]
    } else if let Some(lists) = array.as_list_opt::<i32>() {
        lists.iter().collect()
    } else if let Some(lists) = array.as_list_opt::<i64>() {
        lists.iter().collect()
    } else if let Some(lists) = array.as_fixed_size_list_opt() {
        lists.iter().collect()
    } else {
        return "value ".repeat(array.len());
    };
    lists
        .iter()
        .map(|list| list.as_ref().map_or("null ".into(), |list| format!("[{}]", shape(list))))
        .collect()
}

fn has_values(shape: &str) -> bool {
    shape.contains("value")
}

/// Returns whether two columns have values of different kinds.
fn contradict(one: &ArrayRef, other: &ArrayRef) -> bool {
    let lists = |array: &ArrayRef| array.as_any().downcast_ref::<StructArray>().cloned();
    if let (Some(one), Some(other)) = (lists(one), lists(other)) {
        return one
            .column_names()
            .iter()
            .zip(one.columns())
            .any(|(name, column)| other.column_by_name(name).is_some_and(|also| contradict(column, also)));
    }
    one.data_type() != other.data_type() && has_values(&shape(one)) && has_values(&shape(other))
}

fn same<T: PartialEq + Debug>(what: &str, found: &T, wanted: &T) -> Result<(), String> {
    if found == wanted { Ok(()) } else { Err(format!("{what}: {found:?}, of a fresh decoder {wanted:?}")) }
}
