//! Limit of the rows that are decoded at once: a few bytes can expand to a value of any length in every one of them.

use bytes::Bytes;
use parquet::basic::{Compression, Type};
use parquet::column::page::Page;
use parquet::errors::Result;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::schema::types::ColumnDescPtr;
use tfxio_core::{Count, Error, ErrorKind, Limits, Position};

use super::chunks::Chunks;
use super::inflated;
use super::row_groups::number;
use crate::columnar::Failure;

/// The rows that are decoded at once.
#[derive(Debug)]
pub(super) struct Budget {
    pub(super) rows: usize,
    /// Columns of lists that have more values than a batch may hold, and the bytes of each value: the values of their rows are counted
    /// before they are decoded, since a few bytes of levels can expand to all of them.
    pub(super) counted: Vec<(ColumnDescPtr, u64)>,
}

/// Returns how many of `rows` rows of a group may be decoded at once, so that the values of all leaf columns, however long a
/// dictionary makes them, are within the limit of a batch.
///
/// # Errors
/// `LimitExceeded` where one row may be longer.
pub(super) fn rows(
    chunks: &Chunks,
    group: &RowGroupMetaData,
    leaves: &[usize],
    rows: usize,
    limits: &Limits,
) -> std::result::Result<Budget, Failure> {
    let most = limits.batch_bytes;
    // What is shorter than this in every row needs no closer look.
    let share = most / (rows as u64).max(1) / (leaves.len() as u64).max(1);
    let (mut bytes, mut longest) = (0u64, None);
    let (mut of_lists, mut lists) = (0u64, Vec::new());
    for chunk in leaves.iter().filter_map(|leaf| group.columns().get(*leaf)) {
        let value = match chunk.column_type() {
            Type::FIXED_LEN_BYTE_ARRAY => {
                u64::try_from(chunk.column_descr().type_length()).unwrap_or_default()
            }
            Type::BYTE_ARRAY => {
                // Those that are not in a dictionary stand in the file.
                let values = if is_list(chunk) { chunk.num_values() } else { group.num_rows() };
                let stored = number(chunk.uncompressed_size()) / number(values).max(1);
                chunks.longest_word(chunk.byte_range().0, share)?.unwrap_or_default().max(stored)
            }
            Type::INT96 => 16,
            _ => 8,
        };
        if is_list(chunk) {
            // Its values, and where they begin.
            let width = value.saturating_add(8);
            of_lists = of_lists.saturating_add(width.saturating_mul(number(chunk.num_values())));
            lists.push((chunk.column_descr_ptr(), width));
        } else {
            bytes = bytes.saturating_add(value);
        }
        if longest.is_none_or(|(longest, _)| longest < value) {
            longest = Some((value, chunk));
        }
    }
    match longest {
        Some((value, chunk)) if value > most => {
            let what = format!(
                "the Parquet file cannot be read: a value of the column takes {}, and a batch has at most {most}",
                Count::of(value, "byte")
            );
            let position = Position::new().column(chunk.column_path().string());
            let error = Error::new(ErrorKind::LimitExceeded, what).at(position);
            Err(error.help("leave out the column, or raise the limit batch_bytes").into())
        }
        _ => {
            let flat = bytes.saturating_mul(rows as u64);
            if flat.saturating_add(of_lists) <= most {
                lists.clear();
            } else {
                // Rows may be twice as long as they are on average.
                let of_row = of_lists.saturating_mul(2) / number(group.num_rows()).max(1);
                bytes = bytes.saturating_add(of_row);
            }
            let rows = usize::try_from(most / bytes.max(1)).unwrap_or(usize::MAX).clamp(1, rows.max(1));
            Ok(Budget { rows, counted: lists })
        }
    }
}

/// Returns whether a row of a column may have several values.
fn is_list(chunk: &ColumnChunkMetaData) -> bool {
    chunk.column_descr().max_rep_level() > 0
}

/// Returns the length of the longest value of a page, which is given with its head, if it is a dictionary.
pub(super) fn longest_word(
    column: &ColumnDescPtr,
    compression: Compression,
    page: Bytes,
) -> Result<Option<u64>> {
    let Some(Page::DictionaryPage { buf, .. }) = inflated::page(column, compression, page)? else {
        return Ok(None);
    };
    let (mut left, mut longest) = (&buf[..], 0);
    while let Some((length, rest)) = left.split_first_chunk() {
        let length = u32::from_le_bytes(*length);
        longest = longest.max(u64::from(length));
        let Some(rest) = usize::try_from(length).ok().and_then(|length| rest.get(length..)) else { break };
        left = rest;
    }
    // The reader refuses a value that is longer than the page.
    Ok(Some(longest.min(buf.len() as u64)))
}
