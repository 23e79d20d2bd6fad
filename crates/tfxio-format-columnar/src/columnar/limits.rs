//! The limits of batches, held for what others decoded.

use std::collections::VecDeque;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use tfxio_core::{Count, Error, ErrorKind, Limits, Position, Result};
use tfxio_scan::row_bytes;

use super::decode::DecodedRows;

/// Bytes that a batch may still get.
pub(super) struct Room {
    left: u64,
    /// Number of chunks that were measured.
    measured: usize,
}

impl Room {
    pub(super) fn new(most: u64) -> Self {
        Self { left: most, measured: 0 }
    }

    /// Returns whether what was read is within the limit. Its bytes are measured where the memory that it takes is not, so that the
    /// borders of batches do not depend on how it was decoded.
    pub(super) fn is_left(&mut self, read: &mut VecDeque<DecodedRows>) -> bool {
        let rest = read.range(self.measured.min(read.len())..);
        if rest.map(|rows| rows.bytes).fold(0, u64::saturating_add) <= self.left {
            return true;
        }
        for rows in read.range_mut(self.measured.min(read.len())..) {
            rows.bytes = row_bytes::of_batch(&rows.batch);
            self.measured += 1;
            match self.left.checked_sub(rows.bytes) {
                Some(left) => self.left = left,
                None => return false,
            }
        }
        true
    }
}

/// Returns how many of the rows that were read, up to a number, fit into a batch by their bytes; one, if there is one.
///
/// # Errors
/// `LimitExceeded` where the first row does not fit.
pub(super) fn fitting(read: &VecDeque<DecodedRows>, wanted: usize, most: u64) -> Result<usize> {
    if read.iter().map(|rows| rows.bytes).fold(0, u64::saturating_add) <= most {
        return Ok(wanted);
    }
    let (mut fitting, mut left) = (0usize, most);
    for rows in read {
        let count = rows.batch.num_rows().min(wanted - fitting);
        let bytes = |rows: &DecodedRows, count: usize| row_bytes::of_batch(&rows.batch.slice(0, count));
        let whole = bytes(rows, count);
        if whole <= left {
            (fitting, left) = (fitting + count, left - whole);
        } else {
            // Rows before the first that does not fit.
            let (mut fits, mut exceeds) = (0, count);
            while exceeds - fits > 1 {
                let middle = fits + (exceeds - fits) / 2;
                *(if bytes(rows, middle) <= left { &mut fits } else { &mut exceeds }) = middle;
            }
            fitting += fits;
            if fitting == 0 && bytes(rows, 1) > most {
                let what = format!(
                    "a row takes {}, and a batch has at most {most}",
                    Count::of(bytes(rows, 1), "byte")
                );
                let error = Error::new(ErrorKind::LimitExceeded, what);
                return Err(error.help("read fewer columns, or raise the limit batch_bytes"));
            }
            break;
        }
        if fitting == wanted {
            break;
        }
    }
    Ok(fitting.max(1))
}

/// Refuses a row with more items in its lists than one may have.
pub(super) fn check_items(batch: &RecordBatch, limits: &Limits) -> Result<()> {
    let all =
        batch.columns().iter().map(|column| items(column, 0, column.len())).fold(0, u64::saturating_add);
    if all <= limits.list_items {
        return Ok(());
    }
    for row in 0..batch.num_rows() {
        let of_row = batch.columns().iter().map(|column| items(column, row, row + 1));
        let of_row = of_row.fold(0, u64::saturating_add);
        if of_row > limits.list_items {
            let (items, most) = (Count::of(of_row, "item"), limits.list_items);
            let what = format!("the lists of a row have {items}, and have at most {most}");
            let error = Error::new(ErrorKind::LimitExceeded, what).at(Position::new().row(row as u64));
            return Err(error.help("read fewer columns, or raise the limit list_items"));
        }
    }
    Ok(())
}

/// Returns the number of items in lists, and in lists in these, of some rows.
fn items(column: &dyn Array, start: usize, end: usize) -> u64 {
    let within = |values: &dyn Array, first: usize, last: usize| {
        (last.saturating_sub(first) as u64).saturating_add(items(values, first, last))
    };
    match column.data_type() {
        DataType::List(_) => {
            let lists = column.as_list::<i32>();
            let offset =
                |row: usize| lists.value_offsets().get(row).map_or(0, |at| usize::try_from(*at).unwrap_or(0));
            within(lists.values(), offset(start), offset(end))
        }
        DataType::LargeList(_) => {
            let lists = column.as_list::<i64>();
            let offset =
                |row: usize| lists.value_offsets().get(row).map_or(0, |at| usize::try_from(*at).unwrap_or(0));
            within(lists.values(), offset(start), offset(end))
        }
        DataType::Map(..) => {
            let maps = column.as_map();
            let offset =
                |row: usize| maps.value_offsets().get(row).map_or(0, |at| usize::try_from(*at).unwrap_or(0));
            within(maps.entries(), offset(start), offset(end))
        }
        DataType::FixedSizeList(_, size) => {
            let size = usize::try_from(*size).unwrap_or(0);
            within(column.as_fixed_size_list().values(), start.saturating_mul(size), end.saturating_mul(size))
        }
        DataType::Struct(_) => {
            let of_fields = column.as_struct().columns().iter().map(|field| items(field, start, end));
            of_fields.fold(0, u64::saturating_add)
        }
        _ => 0,
    }
}
