//! Heads of pages: what they claim is compared with what is there before the reader allocates it.
//!
//! See `PageHeader` of the [format](https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift).

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, Type};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::schema::types::ColumnDescPtr;
use tfxio_core::{Count, Error, ErrorKind, Position, Result};

use super::thrift::{Kind, Walk};
use super::{budget, delta, inflated, lists};

/// Structs and lists within each other.
const NESTING: u32 = 8;
/// Bytes that a page may have in addition to what its compressed bytes can expand to.
const FREE_BYTES: u64 = 1 << 10;
/// Bytes that a page may always have, however few a batch has.
const LEAST_PAGE: u64 = 16 << 20;

/// Goes over the pages of a column of a row group.
#[derive(Clone, Debug)]
pub(super) struct PageCheck {
    column: ColumnDescPtr,
    group: usize,
    /// Offset of the next page, and of the end of the last one.
    next: u64,
    end: u64,
    /// Number of the next page.
    page: usize,
    /// Number of values in the pages that follow, according to the footer.
    values: u64,
    compression: Compression,
    /// Maximum number of bytes that one byte can expand to; nothing where pages are not compressed.
    ratio: Option<u64>,
    /// The last page, with its head, where it is looked into before the reader does.
    counted: Option<Range<u64>>,
    /// Whether it contains lengths that have to be compared.
    is_delta: bool,
    room: delta::Room,
    /// Whether the values of pages of the second version are compressed, even if their heads deny it.
    is_compressed: bool,
    /// Position of the false denial in the head that was checked last.
    denied_at: Option<usize>,
    /// Bytes that a value of the column takes, where the values of its rows are counted.
    width: Option<u64>,
    counts: lists::Counts,
}

/// Refusal to give a page to the reader.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) error: Error,
    /// Bytes of a row, where fewer rows may be decoded at once.
    pub(super) row_bytes: Option<u64>,
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self { error, row_bytes: None }
    }
}

/// The head of a page.
#[derive(Debug, Default)]
struct Head {
    stored: i64,
    inflated: i64,
    /// Position of the flag that the values are not compressed, if the head has it.
    plain_at: Option<usize>,
    /// Number of values of a page of data, and whether its encoding has counts.
    values: Option<i64>,
    is_counted: bool,
    /// Values of a dictionary.
    words: Option<i64>,
}

impl PageCheck {
    pub(super) fn new(chunk: &ColumnChunkMetaData, group: usize, room: delta::Room) -> Self {
        let (start, bytes) = chunk.byte_range();
        Self {
            column: chunk.column_descr_ptr(),
            group,
            next: start,
            end: start.saturating_add(bytes),
            page: 0,
            values: u64::try_from(chunk.num_values()).unwrap_or_default(),
            compression: chunk.compression(),
            counted: None,
            is_delta: false,
            room,
            is_compressed: false,
            denied_at: None,
            width: None,
            counts: lists::Counts::default(),
            ratio: match chunk.compression() {
                Compression::UNCOMPRESSED => None,
                Compression::SNAPPY => Some(64),
                Compression::LZ4 | Compression::LZ4_RAW => Some(255),
                Compression::GZIP(_) => Some(1032),
                _ => Some(1 << 15),
            },
        }
    }

    /// Returns a check of one page of a column, whose number and range are from the page index.
    pub(super) fn of_page(
        chunk: &ColumnChunkMetaData,
        group: usize,
        page: usize,
        range: &Range<u64>,
        room: delta::Room,
    ) -> Self {
        Self { next: range.start, end: range.end, page, ..Self::new(chunk, group, room) }
    }

    /// Sets whether a writer has said of pages that were compressed that they are not: parquet-cpp before 2.0.0 (ARROW-10353).
    pub(super) fn compressed_by(self, created_by: Option<&str>) -> Self {
        let version = created_by.and_then(|created_by| created_by.strip_prefix("parquet-cpp version "));
        let is_compressed =
            version.is_some_and(|version| version.starts_with("0.") || version.starts_with("1."));
        Self { is_compressed: is_compressed && self.ratio.is_some(), ..self }
    }

    /// Returns the position of the false claim in the head that was checked last: that the values are not compressed.
    pub(super) fn denied_at(&self) -> Option<usize> {
        self.denied_at
    }

    /// Sets how many rows are decoded at once, and how many bytes each value of a column of lists takes whose rows are counted.
    pub(super) fn watch(&mut self, room: delta::Room, widths: &[(ColumnDescPtr, u64)]) {
        self.room = room;
        let of_column = widths.iter().find(|(column, _)| Arc::ptr_eq(column, &self.column));
        self.width = of_column.map(|(_, width)| *width);
        if self.width.is_some() && room.rows > 1 {
            self.room.bytes /= widths.len().max(1) as u64;
        }
    }

    /// Checks the page that begins at an offset, if it is the next one. Returns whether its head was there as a whole.
    pub(super) fn page(&mut self, at: u64, bytes: &[u8]) -> Result<bool> {
        if at != self.next {
            return Ok(true);
        }
        let Some((head, length)) = Head::parse(bytes) else { return Ok(false) };
        let data_at = at.saturating_add(length as u64);
        let left = self.end.saturating_sub(data_at);
        let Some(stored) = u64::try_from(head.stored).ok().filter(|stored| *stored <= left) else {
            let what =
                format!("claims {}, and its column has {left} from there on", Count::of(head.stored, "byte"));
            return Err(self.damaged(at, &what));
        };
        let inflated = match self.ratio {
            None => Some(stored),
            Some(ratio) => {
                let most = stored.saturating_mul(ratio).saturating_add(FREE_BYTES);
                u64::try_from(head.inflated).ok().filter(|inflated| *inflated <= most)
            }
        };
        let Some(inflated) = inflated else {
            let stored = Count::of(stored, "byte");
            let are = stored.verb("is", "are");
            let what = format!("claims that its {stored} {are} {} when inflated", head.inflated);
            return Err(self.damaged(at, &what));
        };
        self.denied_at = head.plain_at.filter(|_| self.is_compressed);
        if head.plain_at.is_some() && !self.is_compressed && inflated != stored {
            let stored = Count::of(stored, "byte");
            let what = format!(
                "says that it is not compressed, and that its {stored} {} {inflated} when inflated",
                stored.verb("is", "are")
            );
            return Err(self.damaged(at, &what));
        }
        let most = self.room.bytes.max(LEAST_PAGE);
        if inflated > most {
            return Err(self.long_page(at, inflated, most));
        }
        if let Some(words) = head.words
            && !u64::try_from(words).is_ok_and(|words| words <= inflated)
        {
            let (values, bytes) = (Count::of(words, "value"), Count::of(inflated, "byte"));
            let what = format!("is a dictionary that claims {values} in {bytes}");
            return Err(self.damaged(at, &what));
        }
        if let Some(values) = head.values {
            let Some(left) = u64::try_from(values).ok().and_then(|values| self.values.checked_sub(values))
            else {
                let left = self.values;
                let (values, follow) =
                    (Count::of(values, "value"), Count::of(left, "value").verb("follows", "follow"));
                let what = format!("claims {values}, and the footer says that {left} {follow} from there on");
                return Err(self.damaged(at, &what));
            };
            self.values = left;
        }
        let is_bytes = matches!(self.column.physical_type(), Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY);
        self.is_delta = is_bytes && head.is_counted;
        let is_counted = self.is_delta || (self.width.is_some() && head.values.is_some());
        self.next = data_at.saturating_add(stored);
        self.counted = is_counted.then_some(at..self.next);
        self.page += 1;
        Ok(true)
    }

    /// Returns the length of the page that begins with these bytes and that of its values inflated, if it is a dictionary.
    pub(super) fn dictionary(&self, at: u64, bytes: &[u8]) -> Option<(u64, u64)> {
        let (head, length) = Head::parse(bytes).filter(|(head, _)| head.words.is_some())?;
        // What it claims is compared with what is there, and not counted.
        self.clone().page(at, bytes).ok()?;
        let stored = u64::try_from(head.stored).ok()?;
        let inflated = if self.ratio.is_some() { u64::try_from(head.inflated).ok()? } else { stored };
        Some(((length as u64).saturating_add(stored), inflated))
    }

    /// Returns the length of the longest value of a dictionary, which is given with its head.
    pub(super) fn longest_word(&self, page: Bytes) -> parquet::errors::Result<Option<u64>> {
        budget::longest_word(&self.column, self.compression, page)
    }

    /// Returns where the page that was checked last is, with its head, if it is looked into before the reader does.
    pub(super) fn counted(&mut self) -> Option<Range<u64>> {
        self.counted.take()
    }

    /// Compares the counts in a page with its head, and the values of its rows with what a batch may have. Such a page is inflated
    /// twice.
    pub(super) fn counts(&mut self, at: u64, page: Bytes) -> std::result::Result<(), Refused> {
        let page = match inflated::page(&self.column, self.compression, page) {
            Ok(Some(page)) => page,
            Ok(None) => return Ok(()),
            Err(error) => return Err(self.damaged_before(at, &format!("cannot be read: {error}")).into()),
        };
        if self.is_delta {
            match delta::wrong(&self.column, &page, self.room) {
                None => {}
                Some(delta::Wrong::Damaged(what)) => return Err(self.damaged_before(at, &what).into()),
                Some(delta::Wrong::TooLong(value)) => {
                    return Err(Refused { error: self.too_long(value), row_bytes: Some(value) });
                }
            }
        }
        let Some(width) = self.width else { return Ok(()) };
        let most = lists::Most { rows: self.room.rows, values: self.room.bytes / width.max(1) };
        match self.counts.add(&page, &self.column, most) {
            None => Ok(()),
            Some((rows, values)) => {
                let bytes = values.saturating_mul(width) / rows.max(1);
                Err(Refused { error: self.long_row(bytes), row_bytes: Some(bytes) })
            }
        }
    }

    /// Returns the error of a head that is longer than heads are, or no head.
    #[cold]
    pub(super) fn no_head(&self, at: u64) -> Error {
        self.damaged(at, "has no head that can be read")
    }

    /// Returns the row group that the column is of.
    pub(super) fn group(&self) -> usize {
        self.group
    }

    /// Refuses pages that have fewer values together than the footer declares, after the last of them.
    pub(super) fn end(&self) -> Result<()> {
        if self.values == 0 {
            return Ok(());
        }
        let missing = Count::of(self.values, "value");
        let text = format!(
            "the Parquet file cannot be read: the pages of the column in row group {} have {missing} fewer than the footer says",
            self.group
        );
        Err(self.error(text, Position::new()))
    }

    /// Returns the error of the page that was checked last.
    #[cold]
    fn damaged_before(&self, at: u64, what: &str) -> Error {
        self.damaged_page(self.page.saturating_sub(1), at, what)
    }

    #[cold]
    fn damaged(&self, at: u64, what: &str) -> Error {
        self.damaged_page(self.page, at, what)
    }

    fn damaged_page(&self, page: usize, at: u64, what: &str) -> Error {
        let group = self.group;
        let text =
            format!("the Parquet file cannot be read: page {page} of the column in row group {group} {what}");
        self.error(text, Position::new().byte(at))
    }

    /// Returns the error of values that are too long for as many rows as are decoded at once.
    #[cold]
    fn too_long(&self, value: u64) -> Error {
        let (rows, most) = (self.room.rows, self.room.bytes);
        let value = Count::of(value, "byte");
        let what = format!(
            "the Parquet file cannot be read: values of {value} in each of {} are more than a batch has, at most {most}",
            Count::of(rows, "row")
        );
        let error = Error::new(ErrorKind::LimitExceeded, what)
            .at(Position::new().column(self.column.path().string()));
        error.help("read fewer rows a batch, leave out the column, or raise the limit batch_bytes")
    }

    /// Returns the error of a row of lists that are longer than a batch.
    #[cold]
    fn long_row(&self, bytes: u64) -> Error {
        let what = format!(
            "the Parquet file cannot be read: the values of a row take {}, and a batch has at most {}",
            Count::of(bytes, "byte"),
            self.room.bytes
        );
        let error = Error::new(ErrorKind::LimitExceeded, what)
            .at(Position::new().column(self.column.path().string()));
        error.help("leave out the column, or raise the limit batch_bytes")
    }

    /// Returns the error of a page that is longer than a batch.
    #[cold]
    fn long_page(&self, at: u64, inflated: u64, most: u64) -> Error {
        let what = format!(
            "the Parquet file cannot be read: page {} of the column in row group {} has {}, and a page may have {most}",
            self.page,
            self.group,
            Count::of(inflated, "byte")
        );
        let error = Error::new(ErrorKind::LimitExceeded, what)
            .at(Position::new().byte(at).column(self.column.path().string()));
        error.help("leave out the column, or raise the limit batch_bytes")
    }

    fn error(&self, text: String, position: Position) -> Error {
        let error = Error::new(ErrorKind::Malformed, text);
        let error = error.help("the file is damaged; copy or download it again");
        error.at(position.column(self.column.path().string()))
    }
}

impl Head {
    /// Returns the head of a page and its length; nothing where the bytes end before it.
    fn parse(bytes: &[u8]) -> Option<(Self, usize)> {
        let (mut head, mut walk) = (Self::default(), Walk::new(bytes));
        walk.fields(&mut |walk, field, kind| match (field, kind) {
            (2, Kind::Integer) => walk.integer().map(|bytes| head.inflated = bytes),
            (3, Kind::Integer) => walk.integer().map(|bytes| head.stored = bytes),
            // Of the first and the second version. Which of them a reader takes is not known where both are there.
            (5, Kind::Struct) => values(walk, 2, &mut head.values, &mut head.is_counted),
            (8, Kind::Struct) => {
                let fields = walk.rest();
                values(walk, 4, &mut head.values, &mut head.is_counted)?;
                let at = plain_at(fields);
                head.plain_at = at.map(|at| bytes.len() - fields.len() + at);
                Some(())
            }
            (7, Kind::Struct) => values(walk, 2, &mut head.words, &mut false),
            (_, kind) => walk.skip(kind, NESTING),
        })?;
        Some((head, bytes.len() - walk.left()))
    }
}

/// Returns the position in the head of a page of the second version of the flag that it is not compressed, if it has it.
fn plain_at(fields: &[u8]) -> Option<usize> {
    const IS_COMPRESSED: i64 = 7;
    const FALSE: u8 = 2;
    let (mut walk, mut field, mut found) = (Walk::new(fields), 0, None);
    loop {
        let at = fields.len() - walk.left();
        let Some(code) = walk.field(&mut field)? else { return found };
        let kind = Kind::of(code)?;
        if (field, code) == (IS_COMPRESSED, FALSE) {
            found = Some(at);
        }
        if kind != Kind::Bool {
            walk.skip(kind, NESTING)?;
        }
    }
}

/// Reads the struct of a page: updates the largest number of values, and whether the encoding is one with counts.
fn values(walk: &mut Walk<'_>, encoding: i64, values: &mut Option<i64>, is_counted: &mut bool) -> Option<()> {
    walk.fields(&mut |walk, field, kind| match (field, kind) {
        (1, Kind::Integer) => walk.integer().map(|found| *values = Some(found.max(values.unwrap_or(found)))),
        (field, Kind::Integer) if field == encoding => {
            walk.integer().map(|found| *is_counted |= delta::ENCODINGS.contains(&found))
        }
        (_, kind) => walk.skip(kind, NESTING),
    })
}
