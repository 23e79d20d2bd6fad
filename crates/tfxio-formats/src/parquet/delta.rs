//! Pages of bytes whose lengths are stored as differences: the counts that stand in them, which the reader allocates.
//!
//! See `DELTA_BINARY_PACKED` and the two encodings that begin with it in the
//! [format](https://github.com/apache/parquet-format/blob/master/Encodings.md).

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, Encoding};
use parquet::column::page::{Page, PageReader as _};
use parquet::errors::Result;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::ColumnDescPtr;

/// `DELTA_LENGTH_BYTE_ARRAY` and `DELTA_BYTE_ARRAY` in the head of a page.
pub(super) const ENCODINGS: [i64; 2] = [6, 7];

/// A page of data, inflated.
struct Values {
    bytes: Bytes,
    encoding: Encoding,
    /// Values that its head claims.
    count: u64,
}

/// Returns what is wrong with the counts in a page of one of these encodings, which is given with its head.
pub(super) fn wrong(column: &ColumnDescPtr, compression: Compression, page: Bytes) -> Result<Option<String>> {
    let bytes = i64::try_from(page.len()).unwrap_or(i64::MAX);
    let chunk = ColumnChunkMetaData::builder(Arc::clone(column));
    let chunk = chunk.set_compression(compression).set_data_page_offset(0).set_total_compressed_size(bytes);
    let mut pages = SerializedPageReader::new(Arc::new(page), &chunk.build()?, 0, None)?;
    let Some(values) = pages.get_next_page()?.map(|page| values(page, column)) else { return Ok(None) };
    let Some(Values { bytes, encoding, count }) = values else {
        return Ok(Some("ends in its levels".to_owned()));
    };
    let mut stream = Stream { left: &bytes };
    let streams = if encoding == Encoding::DELTA_BYTE_ARRAY { 2 } else { 1 };
    for _ in 0..streams {
        match stream.pass() {
            Some(found) if found <= count => {}
            Some(found) => {
                return Ok(Some(format!(
                    "has lengths of {found} values, and its head says that it has {count}"
                )));
            }
            None => return Ok(Some("ends in its lengths".to_owned())),
        }
    }
    Ok(None)
}

/// Returns the values of a page of data; nothing where it ends before them.
fn values(page: Page, column: &ColumnDescPtr) -> Option<Values> {
    match page {
        Page::DataPage { buf, num_values, encoding, def_level_encoding, rep_level_encoding, .. } => {
            let mut at = 0usize;
            for (most, levels) in
                [(column.max_rep_level(), rep_level_encoding), (column.max_def_level(), def_level_encoding)]
            {
                if most == 0 {
                    continue;
                }
                let bytes = match levels {
                    Encoding::RLE => {
                        let length = buf.get(at..)?.first_chunk().copied().map(u32::from_le_bytes)?;
                        usize::try_from(length).ok()?.checked_add(4)?
                    }
                    _ => {
                        let bits = 16 - most.unsigned_abs().leading_zeros();
                        usize::try_from((u64::from(num_values) * u64::from(bits)).div_ceil(8)).ok()?
                    }
                };
                at = at.checked_add(bytes).filter(|at| *at <= buf.len())?;
            }
            Some(Values { bytes: buf.slice(at..), encoding, count: num_values.into() })
        }
        Page::DataPageV2 { buf, num_values, encoding, def_levels_byte_len, rep_levels_byte_len, .. } => {
            let at = usize::try_from(u64::from(def_levels_byte_len) + u64::from(rep_levels_byte_len)).ok()?;
            let at = Some(at).filter(|at| *at <= buf.len())?;
            Some(Values { bytes: buf.slice(at..), encoding, count: num_values.into() })
        }
        // Of another page than its head said, nothing is known.
        Page::DictionaryPage { .. } => None,
    }
}

/// Numbers that are stored as differences, one stream after the other.
struct Stream<'a> {
    left: &'a [u8],
}

impl Stream<'_> {
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (byte, left) = self.left.split_first()?;
            self.left = left;
            number |= u64::from(byte & 0x7f) << shift;
            if *byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// Goes over a stream, and returns how many numbers it claims.
    fn pass(&mut self) -> Option<u64> {
        let (block, in_block) = (self.number()?, self.number()?);
        let count = self.number()?;
        self.number()?;
        let of_one = block.checked_div(in_block).filter(|of_one| *of_one > 0 && block % in_block == 0)?;
        // The first number stands in the head. Each block takes bytes, so that what is claimed beyond them ends the loop.
        let mut left = count.saturating_sub(1);
        while left > 0 {
            self.number()?;
            let (widths, rest) = self.left.split_at_checked(usize::try_from(in_block).ok()?)?;
            let mut bytes = 0u64;
            for width in widths.iter().take_while(|_| {
                let is_there = left > 0;
                left = left.saturating_sub(of_one);
                is_there
            }) {
                bytes = bytes.checked_add(u64::from(*width).checked_mul(of_one)? / 8)?;
            }
            match rest.get(usize::try_from(bytes).ok()?..) {
                Some(rest) => self.left = rest,
                // What is padded at the end may be left out.
                None if left == 0 => self.left = &[],
                // More is claimed than there is; the count says how much.
                None => return Some(count),
            }
        }
        Some(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream of `count` numbers in blocks of 128, with four widths of 8 bits each.
    fn stream(count: u8, blocks: usize) -> Vec<u8> {
        let mut bytes = vec![0x80, 1, 4, count, 0];
        for _ in 0..blocks {
            bytes.extend([0, 8, 8, 8, 8]);
            bytes.extend([1; 128]);
        }
        bytes
    }

    #[test]
    fn streams_are_gone_over() {
        for (count, blocks, left) in [(0, 0, 3), (1, 0, 3), (127, 1, 3), (60, 1, 67)] {
            let bytes = [stream(count, blocks), vec![9; 3]].concat();
            let mut stream = Stream { left: &bytes };
            assert_eq!(stream.pass(), Some(count.into()), "{count}");
            assert_eq!(stream.left.len(), left, "{count}");
        }
        for cut in 0..stream(127, 1).len() {
            // The count is known, or nothing.
            let found = Stream { left: &stream(127, 1)[..cut] }.pass();
            assert!(found.is_none_or(|found| found == 127), "{cut}");
        }
        let claims = [0x80, 1, 4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0, 0, 0];
        assert_eq!(Stream { left: &claims }.pass(), None);
        assert_eq!(Stream { left: &[0x80, 1, 0, 5, 0] }.pass(), None, "no width");
        assert_eq!(Stream { left: &[0xff; 30] }.pass(), None);
    }
}
