//! The filter: which records of a data set become examples.

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use arrow_select::filter::filter_record_batch;
use tfxio_core::{ColumnPath, Predicate};

use super::Raw;
use crate::error::Locate as _;
use crate::{Error, Kind, Result};

/// A predicate over the columns of a data set; none where the data set itself leaves out records. It is evaluated where the scan has
/// not applied it.
#[derive(Clone, Debug)]
pub(crate) struct Filter(Option<Predicate>);

impl Filter {
    /// Returns the filter of a predicate over features, whose columns are these; other names stay as they are.
    pub(crate) fn new(predicate: &Predicate, column: &dyn Fn(&str) -> Option<ColumnPath>) -> Self {
        Self(Some(over_columns(predicate, column)))
    }

    /// Returns the filter of a data set that leaves out records itself.
    pub(super) fn of_dataset() -> Self {
        Self(None)
    }

    /// Appends the columns that it reads, unless they are there.
    pub(super) fn append_columns(&self, columns: &mut Vec<ColumnPath>) {
        let mut read = Vec::new();
        self.0.iter().for_each(|predicate| predicate.columns(&mut read));
        for column in read {
            if !columns.contains(column) {
                columns.push(column.clone());
            }
        }
    }

    /// Refuses a predicate that does not fit the columns of a schema.
    pub(super) fn check(&self, schema: &Schema) -> Result<()> {
        let Some(predicate) = &self.0 else { return Ok(()) };
        let empty = RecordBatch::new_empty(schema.clone().into());
        predicate.evaluate(&empty).map(drop).map_err(|error| refused(&error).at_json("filter"))
    }

    /// Returns the predicate, for scans that skip rows by it.
    pub(super) fn predicate(&self) -> Option<&Predicate> {
        self.0.as_ref()
    }

    /// Returns the rows that satisfy the predicate, and how many others there were, those included that the scan left out.
    ///
    /// # Errors
    /// When the columns do not fit, which [`check`](Self::check) tells before.
    pub(crate) fn rows(&self, raw: Raw) -> Result<(Raw, u64)> {
        let Some(predicate) = self.0.as_ref().filter(|_| !raw.is_filtered) else {
            let left_out = raw.passed;
            return Ok((raw, left_out));
        };
        let mask = predicate.evaluate(&raw.batch).map_err(|error| refused(&error))?;
        let rows = raw.batch.num_rows();
        let batch = filter_record_batch(&raw.batch, &mask).map_err(Error::from)?;
        let left_out = (rows.saturating_sub(batch.num_rows()) as u64).saturating_add(raw.passed);
        if batch.num_rows() == rows {
            return Ok((raw, left_out));
        }
        let keep = |numbers: Vec<u64>| {
            let kept = numbers.into_iter().zip(mask.iter()).filter(|(_, holds)| *holds == Some(true));
            kept.map(|(number, _)| number).collect()
        };
        let Raw { records, bytes, .. } = raw;
        Ok((Raw { batch, records: keep(records), bytes: keep(bytes), ..raw }, left_out))
    }
}

/// Returns a predicate with other columns.
fn over_columns(predicate: &Predicate, column: &dyn Fn(&str) -> Option<ColumnPath>) -> Predicate {
    let moved = |path: &ColumnPath| match path.steps() {
        [first, rest @ ..] => match column(first) {
            Some(of) => ColumnPath::new(of.steps().iter().chain(rest).map(|step| &**step)),
            None => path.clone(),
        },
        [] => path.clone(),
    };
    let all = |all: &[Predicate]| all.iter().map(|each| over_columns(each, column)).collect();
    match predicate {
        Predicate::And(each) => Predicate::And(all(each)),
        Predicate::Or(each) => Predicate::Or(all(each)),
        Predicate::Not(inner) => Predicate::Not(Box::new(over_columns(inner, column))),
        Predicate::Compare { path, comparison, value } => {
            Predicate::Compare { path: moved(path), comparison: *comparison, value: value.clone() }
        }
        Predicate::In { path, values } => Predicate::In { path: moved(path), values: values.clone() },
        Predicate::IsNull { path } => Predicate::IsNull { path: moved(path) },
        // Of a later kind: its names stand for columns.
        other => other.clone(),
    }
}

#[cold]
fn refused(error: &Error) -> Error {
    let column = error.position().column.as_deref();
    let what = match column {
        Some(column) => format!("of the column {column:?} of the filter, {}", error.what()),
        None => error.what().to_owned(),
    };
    let refused = Error::new(Kind::InvalidValue, what);
    match error.hint() {
        Some(hint) => refused.help(hint.to_owned()),
        None => refused,
    }
}
