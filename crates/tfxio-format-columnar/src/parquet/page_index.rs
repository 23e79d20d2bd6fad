//! The page index: offsets and bounds of the pages of a column, by which pages are left out unread.
//!
//! See the [format](https://github.com/apache/parquet-format/blob/master/PageIndex.md). An index that is damaged, or does not
//! fit the column, is not used: everything is read as if there were none.

use std::cmp::Ordering;
use std::ops::Range;

use parquet::basic::Type;
use parquet::file::metadata::{ColumnChunkMetaData, OffsetIndexBuilder};
use parquet::file::page_index::offset_index::OffsetIndexMetaData;
use parquet::file::reader::ChunkReader as _;
use tfxio_scan::filter::possible::{Facts, Nulls, Page, Value};

use super::chunks::Chunks;
use super::facts::ChunkFacts;
use super::leaves::{Leaf, Order};
use super::thrift::{Kind, Walk};
use crate::columnar::Failure;

/// Structs and lists within each other.
const NESTING: u32 = 8;
/// Orders of bounds, as `BoundaryOrder` has them.
const ASCENDING: i64 = 1;
const DESCENDING: i64 = 2;

/// A page of a column.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Location {
    offset: i64,
    bytes: i32,
    first_row: i64,
}

impl Location {
    /// Returns where the page is in the file; it was compared with its column.
    pub(super) fn range(&self) -> Range<u64> {
        let start = u64::try_from(self.offset).unwrap_or_default();
        start..start.saturating_add(u64::try_from(self.bytes).unwrap_or_default())
    }
}

/// Returns the rows of each page.
pub(super) fn rows_of_pages(locations: &[Location], rows: u64) -> impl Iterator<Item = Range<u64>> {
    let ends = locations.iter().skip(1).map(|page| page.first_row.cast_unsigned()).chain([rows]);
    locations.iter().zip(ends).map(|(page, end)| page.first_row.cast_unsigned()..end)
}

/// Reads the locations of the pages of a column of a row group; nothing where the file does not contain them.
pub(super) fn locations(
    file: &Chunks,
    chunk: &ColumnChunkMetaData,
    rows: u64,
) -> Result<Option<Vec<Location>>, Failure> {
    let Some(bytes) = read(file, chunk.offset_index_offset(), chunk.offset_index_length())? else {
        return Ok(None);
    };
    let (start, length) = chunk.byte_range();
    Ok(parse_locations(&bytes)
        .filter(|pages| are_in_order(pages, &(start..start.saturating_add(length)), rows)))
}

/// Index of the values of a column in each of its pages.
#[derive(Debug)]
pub(super) enum Index {
    /// There is none, or none that can be read.
    None,
    /// It contradicts itself, or the footer.
    Contradictory,
    Pages(Vec<Page>),
}

/// Reads the facts about the values in each page of a column.
pub(super) fn pages(
    file: &Chunks,
    chunk: &ColumnChunkMetaData,
    leaf: &Leaf,
    locations: &[Location],
    rows: u64,
) -> Result<Index, Failure> {
    let Some(bytes) = read(file, chunk.column_index_offset(), chunk.column_index_length())? else {
        return Ok(Index::None);
    };
    let Some(bounds) = Bounds::parse(&bytes) else { return Ok(Index::None) };
    let of_pages = rows_of_pages(locations, rows).collect::<Vec<_>>();
    let pages = of_pages.iter().enumerate();
    let pages = pages.map(|(at, rows)| Some(Page { rows: rows.clone(), facts: bounds.facts(at, leaf)? }));
    let pages = pages.collect::<Option<Vec<_>>>().filter(|pages| pages.len() == bounds.null_pages.len());
    Ok(match pages {
        Some(pages)
            if bounds.agree_on_nulls(&of_pages, chunk, leaf)
                && bounds.agree_on_values(chunk, leaf)
                && agree(&pages, bounds.order, chunk, leaf) =>
        {
            Index::Pages(pages)
        }
        _ => Index::Contradictory,
    })
}

/// Forgets bounds of pages that may be none: writers that have no bounds of a text leave them empty.
pub(super) fn forget_empty(pages: &mut [Page]) {
    for Page { facts, .. } in pages {
        if matches!(&facts.max, Some(Value::Bytes(max)) if max.is_empty()) {
            (facts.min, facts.max) = (None, None);
        }
    }
}

/// Returns whether the bounds of pages agree with each other and with the bounds of the whole column of the row group.
fn agree(pages: &[Page], order: i64, chunk: &ColumnChunkMetaData, leaf: &Leaf) -> bool {
    let (mut least, mut greatest, mut all_known) = (None::<&Value>, None::<&Value>, true);
    let of_chunk = ChunkFacts::new(chunk, leaf).facts();
    let of_chunk = of_chunk.min.as_ref().zip(of_chunk.max.as_ref());
    let mut before: Option<(&Value, &Value)> = None;
    for Page { facts, .. } in pages {
        let Some((min, max)) = facts.min.as_ref().zip(facts.max.as_ref()) else {
            all_known &= facts.nulls == Nulls::All;
            continue;
        };
        if is_above(min, max) || of_chunk.is_some_and(|(low, high)| is_above(min, high) || is_above(low, max))
        {
            return false;
        }
        let is_in_order = |(low, high): (&Value, &Value)| match order {
            ASCENDING => !is_above(low, min) && !is_above(high, max),
            DESCENDING => !is_above(min, low) && !is_above(max, high),
            _ => true,
        };
        if !before.is_none_or(is_in_order) {
            return false;
        }
        before = Some((min, max));
        least = least.filter(|least| !is_above(least, min)).or(Some(min));
        greatest = greatest.filter(|greatest| !is_above(max, greatest)).or(Some(max));
    }
    // Bounds of bytes may be cut, to what is below the least value and above the greatest.
    let is_cut = matches!(leaf.order, Some(Order::Bytes(_)));
    match (of_chunk, least, greatest) {
        (Some((low, high)), Some(least), Some(greatest)) if all_known => {
            !is_above(least, low)
                && !is_above(high, greatest)
                && (is_cut || (!is_above(low, least) && !is_above(greatest, high)))
        }
        (Some(_), None, None) => !all_known,
        _ => true,
    }
}

/// Returns whether a bound comes after another, or cannot be compared with it.
fn is_above(a: &Value, b: &Value) -> bool {
    a.compare(b).is_none_or(|order| order == Ordering::Greater)
}

/// Returns the locations as the reader wants them.
pub(super) fn offset_index(locations: &[Location], rows: u64) -> OffsetIndexMetaData {
    let mut index = OffsetIndexBuilder::new();
    let rows = i64::try_from(rows).unwrap_or(i64::MAX);
    let ends = locations.iter().skip(1).map(|page| page.first_row).chain([rows]);
    for (page, end) in locations.iter().zip(ends) {
        index.append_row_count(end.saturating_sub(page.first_row));
        index.append_offset_and_size(page.offset, page.bytes);
    }
    index.build()
}

/// Returns where an index is, of which the footer claims it.
pub(super) fn range(file: &Chunks, offset: Option<i64>, length: Option<i32>) -> Option<Range<u64>> {
    let start = u64::try_from(offset?).ok()?;
    let end = start.checked_add(u64::try_from(length?).ok()?)?;
    (end <= file.bytes()).then_some(start..end)
}

fn read(file: &Chunks, offset: Option<i64>, length: Option<i32>) -> Result<Option<bytes::Bytes>, Failure> {
    let Some(range) = range(file, offset, length) else { return Ok(None) };
    Ok(Some(file.get_bytes(range.start, usize::try_from(range.end - range.start)?)?))
}

fn parse_locations(bytes: &[u8]) -> Option<Vec<Location>> {
    let mut pages = Vec::new();
    Walk::new(bytes).fields(&mut |walk, field, kind| match (field, kind) {
        (1, Kind::List) => walk.structs(&mut |walk, _| {
            let mut page = Location::default();
            walk.fields(&mut |walk, field, kind| match (field, kind) {
                (1, Kind::Integer) => walk.integer().map(|offset| page.offset = offset),
                (2, Kind::Integer) => {
                    page.bytes = i32::try_from(walk.integer()?).ok()?;
                    Some(())
                }
                (3, Kind::Integer) => walk.integer().map(|row| page.first_row = row),
                (_, kind) => walk.skip(kind, NESTING),
            })?;
            pages.push(page);
            Some(())
        }),
        (_, kind) => walk.skip(kind, NESTING),
    })?;
    Some(pages)
}

/// Returns whether pages are in the chunk one after the other and begin with the first row.
fn are_in_order(pages: &[Location], chunk: &Range<u64>, rows: u64) -> bool {
    let (mut at, mut row) = (chunk.start, None);
    for page in pages {
        let numbers = u64::try_from(page.offset).ok().zip(u64::try_from(page.bytes).ok());
        let Some(((offset, bytes), first)) = numbers.zip(u64::try_from(page.first_row).ok()) else {
            return false;
        };
        let end = offset.saturating_add(bytes);
        if offset < at || end > chunk.end || first >= rows || row.map_or(first > 0, |before| first <= before)
        {
            return false;
        }
        (at, row) = (end, Some(first));
    }
    row.is_some()
}

/// The bounds of pages, in their plain encoding.
#[derive(Default)]
struct Bounds<'a> {
    null_pages: Vec<bool>,
    min: Vec<&'a [u8]>,
    max: Vec<&'a [u8]>,
    nulls: Vec<i64>,
    order: i64,
}

impl<'a> Bounds<'a> {
    fn parse(bytes: &'a [u8]) -> Option<Self> {
        let mut bounds = Self::default();
        Walk::new(bytes).fields(&mut |walk, field, kind| match (field, kind) {
            (1, Kind::List) => walk.list_of(Kind::Bool, &mut |walk| {
                bounds.null_pages.push(walk.byte()? == 1);
                Some(())
            }),
            (2, Kind::List) => walk.list_of(Kind::Bytes, &mut |walk| {
                bounds.min.push(walk.bytes()?);
                Some(())
            }),
            (3, Kind::List) => walk.list_of(Kind::Bytes, &mut |walk| {
                bounds.max.push(walk.bytes()?);
                Some(())
            }),
            (4, Kind::Integer) => walk.integer().map(|order| bounds.order = order),
            (5, Kind::List) => walk.list_of(Kind::Integer, &mut |walk| {
                bounds.nulls.push(walk.integer()?);
                Some(())
            }),
            (_, kind) => walk.skip(kind, NESTING),
        })?;
        let pages = bounds.null_pages.len();
        let is_whole = bounds.min.len() == pages
            && bounds.max.len() == pages
            && (bounds.nulls.is_empty() || bounds.nulls.len() == pages);
        is_whole.then_some(bounds)
    }

    /// Returns whether the pages that are said to be null can be, and the numbers of nulls agree with them and with that of the whole
    /// column. In lists writers count in different ways.
    fn agree_on_nulls(&self, pages: &[Range<u64>], chunk: &ColumnChunkMetaData, leaf: &Leaf) -> bool {
        let is_optional = chunk.column_descr().max_def_level() > 0;
        let mut sum = 0i64;
        for (page, rows) in pages.iter().enumerate() {
            let is_null = self.null_pages.get(page) == Some(&true);
            let rows = i64::try_from(rows.end.saturating_sub(rows.start)).unwrap_or(i64::MAX);
            let fits = match self.nulls.get(page) {
                Some(nulls) if leaf.in_lists => *nulls >= 0,
                Some(nulls) if is_null => *nulls == rows,
                Some(nulls) => (0..rows).contains(nulls) && (is_optional || *nulls == 0),
                None => true,
            };
            if !fits || (is_null && !is_optional) {
                return false;
            }
            let nulls = self.nulls.get(page).copied().unwrap_or(if is_null { rows } else { 0 });
            sum = sum.saturating_add(nulls);
        }
        let of_chunk = chunk.statistics().and_then(|statistics| statistics.null_count_opt());
        let of_chunk = of_chunk.and_then(|nulls| i64::try_from(nulls).ok());
        match of_chunk {
            _ if leaf.in_lists => true,
            // Without counts those of pages that are null are known.
            Some(nulls) if self.nulls.is_empty() => sum <= nulls,
            Some(nulls) => sum == nulls,
            None => !self.nulls.is_empty() || sum == 0,
        }
    }

    /// Returns whether bounds have as many bytes as values have.
    fn agree_on_values(&self, chunk: &ColumnChunkMetaData, leaf: &Leaf) -> bool {
        let bytes = match chunk.column_type() {
            Type::BOOLEAN => 1,
            Type::INT32 | Type::FLOAT => 4,
            Type::INT64 | Type::DOUBLE => 8,
            _ => return true,
        };
        let bounds = self.null_pages.iter().zip(self.min.iter().zip(&self.max));
        let mut bounds = bounds.filter(|(is_null, _)| !**is_null).map(|(_, bounds)| bounds);
        leaf.order.is_none() || bounds.all(|(min, max)| min.len() == bytes && max.len() == bytes)
    }

    /// Returns the facts about a page, if there is such a page.
    fn facts(&self, page: usize, leaf: &Leaf) -> Option<Facts> {
        let is_null = *self.null_pages.get(page)?;
        let nulls = match self.nulls.get(page) {
            // Versions 58 and 59 of `parquet` say so of pages of lists that have as many nulls as rows.
            _ if leaf.in_lists => Nulls::Unknown,
            _ if is_null => Nulls::All,
            Some(0) => Nulls::None,
            _ => Nulls::Unknown,
        };
        let order = leaf.order.as_ref().filter(|_| leaf.is_defined && !is_null);
        let value = |raw: &[&[u8]]| order.and_then(|order| order.value(raw.get(page)?));
        let (min, max) = (value(&self.min), value(&self.max));
        // One that is NaN says nothing of the other.
        let (min, max) = min.zip(max).unzip();
        Some(Facts { min, max, nulls, in_lists: leaf.in_lists })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn location(offset: i64, bytes: i32, first_row: i64) -> Location {
        Location { offset, bytes, first_row }
    }

    #[test]
    fn pages_that_do_not_follow_each_other_are_not_used() {
        let check = |pages: &[Location]| are_in_order(pages, &(100..200), 10);
        assert!(check(&[location(100, 50, 0), location(150, 50, 5)]));
        assert!(check(&[location(120, 10, 0)]));
        assert!(!check(&[]));
        assert!(!check(&[location(100, 50, 1)]));
        assert!(!check(&[location(90, 50, 0)]));
        assert!(!check(&[location(100, 101, 0)]));
        assert!(!check(&[location(100, -1, 0)]));
        assert!(!check(&[location(-1, 1, 0)]));
        assert!(!check(&[location(100, 50, 0), location(149, 10, 5)]));
        assert!(!check(&[location(100, 50, 0), location(150, 10, 0)]));
        assert!(!check(&[location(100, 50, 0), location(150, 10, 10)]));
        assert!(!check(&[location(100, i32::MAX, 0), location(i64::MAX, i32::MAX, 5)]));
    }

    #[test]
    fn indexes_that_end_early_are_not_read() {
        // One page at byte 4, of 6 bytes, from row 0 on.
        let offsets = b"\x19\x1c\x16\x08\x15\x0c\x16\x00\x00\x00";
        assert_eq!(parse_locations(offsets).map(|pages| pages.len()), Some(1));
        // A page that is not null, with the bounds 1 and 2 and no nulls.
        let bounds = b"\x19\x11\x02\x19\x18\x011\x19\x18\x012\x15\x00\x19\x16\x00\x00";
        assert!(Bounds::parse(bounds).is_some_and(|bounds| bounds.min == [b"1"] && bounds.nulls == [0]));
        for end in 0..offsets.len() {
            assert!(parse_locations(&offsets[..end]).is_none());
        }
        for end in 0..bounds.len() {
            assert!(Bounds::parse(&bounds[..end]).is_none(), "{end}");
        }
        // A list of 2^31 - 1 bounds.
        assert!(Bounds::parse(b"\x29\xf8\xff\xff\xff\xff\x07").is_none());
    }
}
