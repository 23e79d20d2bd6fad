//! How many rows may be decoded at once: a few bytes can stand for a value of any length in every one of them.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, Type};
use parquet::column::page::{Page, PageReader as _};
use parquet::errors::Result;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::ColumnDescPtr;
use tfxio_core::{Count, Error, ErrorKind, Limits, Position};

use super::chunks::Chunks;
use super::row_groups::number;
use crate::columnar::Failure;

/// Returns how many of `rows` rows of a group may be decoded at once, so that the values of each leaf column, however long a
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
) -> std::result::Result<usize, Failure> {
    let most = limits.batch_bytes;
    // What is shorter than this in every row needs no closer look.
    let share = most / (rows as u64).max(1) / (leaves.len() as u64).max(1);
    let (mut bytes, mut longest) = (0u64, None);
    for chunk in leaves.iter().filter_map(|leaf| group.columns().get(*leaf)) {
        let value = match chunk.column_type() {
            Type::FIXED_LEN_BYTE_ARRAY => {
                u64::try_from(chunk.column_descr().type_length()).unwrap_or_default()
            }
            Type::BYTE_ARRAY => {
                // Those that are not in a dictionary stand in the file.
                let stored = number(chunk.uncompressed_size()) / number(group.num_rows()).max(1);
                chunks.longest_word(chunk.byte_range().0, share)?.unwrap_or_default().max(stored)
            }
            _ => continue,
        };
        bytes = bytes.saturating_add(value);
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
        _ => Ok(usize::try_from(most / bytes.max(1)).unwrap_or(usize::MAX).clamp(1, rows.max(1))),
    }
}

/// Returns the length of the longest value of a page, which is given with its head, if it is a dictionary.
pub(super) fn longest_word(
    column: &ColumnDescPtr,
    compression: Compression,
    page: Bytes,
) -> Result<Option<u64>> {
    let bytes = i64::try_from(page.len()).unwrap_or(i64::MAX);
    let chunk = ColumnChunkMetaData::builder(Arc::clone(column));
    let chunk = chunk.set_compression(compression).set_data_page_offset(0).set_total_compressed_size(bytes);
    let mut pages = SerializedPageReader::new(Arc::new(page), &chunk.build()?, 0, None)?;
    let Some(Page::DictionaryPage { buf, .. }) = pages.get_next_page()? else { return Ok(None) };
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
