//! Writing the cells.

use arrow_array::{Array, LargeBinaryArray};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use bytemuck::Pod;
use tfxio_core::DType;

use super::Rows;
use super::cells::{DEFAULT, sources};
use super::default::Default as Filling;
use super::raw::{Bounds, Level, Raw};
use crate::adapter::Run;
use crate::adapter::splits::Offset;
use crate::{Error, ErrorKind, Strings, Values};

/// The values of all rows, cell by cell.
pub(super) fn values(
    raw: &Raw,
    needed: &Rows,
    dtype: DType,
    default: Option<&Filling>,
    run: &mut Run<'_>,
) -> Result<Values, Error> {
    let source = Values::of_slots(raw.leaf.as_ref());
    let bytes = source.as_ref().and_then(Values::buffer).map(|buffer| buffer.as_slice()).unwrap_or_default();
    let bits: &[u64] = match default {
        Some(Filling::Bits(bits)) => bits,
        _ => &[0],
    };
    let plain = |buffer: Buffer| Values::plain(dtype, buffer);
    match dtype.width() {
        Some(1) => fixed(raw, needed, bytes, bits, |bits| bits as u8, run).map(plain),
        Some(2) => fixed(raw, needed, bytes, bits, |bits| bits as u16, run).map(plain),
        Some(4) => fixed(raw, needed, bytes, bits, |bits| bits as u32, run).map(plain),
        Some(_) => fixed(raw, needed, bytes, bits, |bits| bits, run).map(plain),
        None => {
            let cells = cell_sources(raw, needed, run)?;
            let default: &[Vec<u8>] = match default {
                Some(Filling::Strings(strings)) => strings,
                _ => &[Vec::new()],
            };
            let none = Strings::from_iter(Vec::<&[u8]>::new());
            let source = source.as_ref().and_then(Values::as_strings).unwrap_or(&none);
            strings(source, &cells, default, run).map(Values::from)
        }
    }
}

fn cell_sources(raw: &Raw, needed: &Rows, run: &Run<'_>) -> Result<Vec<usize>, Error> {
    let count = raw.rows.saturating_mul(needed.cells);
    let mut cells = Vec::new();
    if u64::try_from(count).unwrap_or(u64::MAX).saturating_mul(8) > run.limit
        || cells.try_reserve_exact(count).is_err()
    {
        // The room for the values says by how much.
        run.room::<u64>(count)?;
    }
    cells.resize(count, DEFAULT);
    sources(raw, needed, &mut cells)?;
    Ok(cells)
}

/// Elements of fixed width.
fn fixed<T: Pod>(
    raw: &Raw,
    needed: &Rows,
    source: &[u8],
    default: &[u64],
    of_bits: impl Fn(u64) -> T,
    run: &mut Run<'_>,
) -> Result<Buffer, Error> {
    let source: &[T] = bytemuck::try_cast_slice(source).unwrap_or_default();
    let default = default.iter().map(|&bits| of_bits(bits)).collect::<Vec<_>>();
    let count = raw.rows.checked_mul(needed.cells).unwrap_or(usize::MAX);
    let mut room = run.room::<T>(count)?;
    let out = room.values::<T>();
    if !flat(raw, needed, source, &default, out) {
        let cells = cell_sources(raw, needed, run)?;
        for ((at, to), &from) in out.iter_mut().enumerate().zip(&cells) {
            let missing = || default.get(if default.len() == 1 { 0 } else { at % needed.cells });
            if let Some(value) = source.get(from).or_else(missing) {
                *to = *value;
            }
        }
    }
    run.count.values += size_of_val(out) as u64;
    Ok(run.finish(room))
}

/// One level of lists without null elements, row by row. Answers false if it is something else, or a row is
/// wrong: then the other way finds out what.
fn flat<T: Pod>(raw: &Raw, needed: &Rows, source: &[T], default: &[T], out: &mut [T]) -> bool {
    let ([level], None) = (raw.levels.as_slice(), &raw.nulls) else { return false };
    let (Some(&pads), [first, ..]) = (needed.pads.first(), default) else { return false };
    if needed.cells == 1 {
        let valid = |row: usize| !level.is_null(row);
        let flags = Single { default: *first, pads, has_default: needed.has_default };
        return match (&level.bounds, &level.nulls) {
            (Bounds::Small(offsets), None) => flags.write(offsets, |_| true, source, out),
            (Bounds::Large(offsets), None) => flags.write(offsets, |_| true, source, out),
            (Bounds::Small(offsets), Some(_)) => flags.write(offsets, valid, source, out),
            (Bounds::Large(offsets), Some(_)) => flags.write(offsets, valid, source, out),
            (Bounds::Fixed(_), _) => rows(level, needed, pads, source, default, out),
        };
    }
    rows(level, needed, pads, source, default, out)
}

/// Rows of one cell.
struct Single<T> {
    default: T,
    pads: bool,
    has_default: bool,
}

impl<T: Pod> Single<T> {
    /// Without branches that depend on the data: which rows are absent is chance to a processor.
    #[inline(always)]
    fn write<O: Offset>(
        &self,
        offsets: &[O],
        valid: impl Fn(usize) -> bool,
        source: &[T],
        out: &mut [T],
    ) -> bool {
        let fallback = [self.default];
        let source = if source.is_empty() { &fallback } else { source };
        let mut fits = true;
        for (row, (slot, pair)) in out.iter_mut().zip(offsets.windows(2)).enumerate() {
            let (from, to) = (pair[0].at(), pair[1].at());
            let (valid, count) = (valid(row), to - from);
            let present = valid & (count == 1);
            let value = source[if present { from } else { 0 }];
            *slot = if present { value } else { self.default };
            fits &= present | (!valid & self.has_default) | (valid & (count == 0) & self.pads);
        }
        fits
    }
}

/// Rows of any number of cells, each copied at once.
fn rows<T: Pod>(
    level: &Level,
    needed: &Rows,
    pads: bool,
    source: &[T],
    default: &[T],
    out: &mut [T],
) -> bool {
    let cells = needed.cells;
    let fill = |out: &mut [T], from: usize| match default {
        [one] => out.fill(*one),
        all => {
            if let Some(rest) = all.get(from..) {
                out.copy_from_slice(rest);
            }
        }
    };
    for (row, out) in out.chunks_exact_mut(cells).enumerate() {
        if level.is_null(row) {
            if !needed.has_default {
                return false;
            }
            fill(out, 0);
            continue;
        }
        let (from, to) = level.bounds(row);
        let Some(own) = source.get(from..to) else { return false };
        if own.len() > cells || (own.len() < cells && !pads) {
            return false;
        }
        let (present, missing) = out.split_at_mut(own.len());
        present.copy_from_slice(own);
        fill(missing, own.len());
    }
    true
}

/// Strings. Their bytes stay where they are if nothing but empty defaults comes between them.
fn strings(
    source: &Strings,
    cells: &[usize],
    default: &[Vec<u8>],
    run: &mut Run<'_>,
) -> Result<Strings, Error> {
    if let Some(offsets) = source.small_offsets() {
        return between(offsets, source.data(), cells, default, run);
    }
    between(source.large_offsets().unwrap_or_default(), source.data(), cells, default, run)
}

fn between<O: Offset>(
    source: &[O],
    data: &Buffer,
    cells: &[usize],
    default: &[Vec<u8>],
    run: &mut Run<'_>,
) -> Result<Strings, Error> {
    let mut room = run.room::<i64>(cells.len() + 1)?;
    let out = room.values::<i64>();
    let filling = |at: usize| -> &[u8] {
        default.get(at % default.len().max(1)).map(Vec::as_slice).unwrap_or_default()
    };
    let string = |cell: usize| -> Option<(usize, usize)> {
        // `DEFAULT` has no offset after it.
        let to = source.get(cell.wrapping_add(1)).filter(|_| cell != DEFAULT)?;
        Some((source.get(cell)?.at(), to.at()))
    };
    let shared = share(cells, &string, &filling, out);
    let data = if shared { data.clone() } else { copy(cells, &string, &filling, data, out, run)? };
    run.count.values += (out.len() * 8) as u64;
    let offsets = OffsetBuffer::new(ScalarBuffer::<i64>::from(run.finish(room)));
    let array = LargeBinaryArray::try_new(offsets, data, None)?;
    debug_assert_eq!(array.len(), cells.len());
    Ok(Strings::large(array))
}

/// Writes offsets into the bytes as they are; answers whether that is possible.
fn share<'a>(
    cells: &[usize],
    string: &impl Fn(usize) -> Option<(usize, usize)>,
    filling: &impl Fn(usize) -> &'a [u8],
    out: &mut [i64],
) -> bool {
    let mut end = cells.iter().find_map(|&cell| string(cell)).map_or(0, |(from, _)| from);
    let Some((first, out)) = out.split_first_mut() else { return false };
    *first = end as i64;
    for ((at, slot), &cell) in out.iter_mut().enumerate().zip(cells) {
        match string(cell) {
            Some((from, to)) if from == end => end = to,
            None if filling(at).is_empty() => {}
            _ => return false,
        }
        *slot = end as i64;
    }
    true
}

/// Copies the bytes, as many strings at once as lie behind each other, and writes the offsets.
fn copy<'a>(
    cells: &[usize],
    string: &impl Fn(usize) -> Option<(usize, usize)>,
    filling: &impl Fn(usize) -> &'a [u8],
    data: &Buffer,
    out: &mut [i64],
    run: &mut Run<'_>,
) -> Result<Buffer, Error> {
    let mut total = 0usize;
    let Some((first, out)) = out.split_first_mut() else { return Ok(Buffer::from_vec(Vec::<u8>::new())) };
    *first = 0;
    for ((at, slot), &cell) in out.iter_mut().enumerate().zip(cells) {
        let length = string(cell).map_or_else(|| filling(at).len(), |(from, to)| to - from);
        total = total.saturating_add(length);
        *slot = i64::try_from(total).unwrap_or(i64::MAX);
    }
    let mut room = run.room::<u8>(total)?;
    let mut to = room.values::<u8>();
    let mut put = |bytes: &[u8]| {
        if let Some((front, rest)) = std::mem::take(&mut to).split_at_mut_checked(bytes.len()) {
            front.copy_from_slice(bytes);
            to = rest;
        }
    };
    let data = data.as_slice();
    let mut pending = 0..0;
    for (at, &cell) in cells.iter().enumerate() {
        match string(cell) {
            Some((from, end)) if from == pending.end => pending.end = end,
            found => {
                put(data.get(pending).unwrap_or_default());
                pending = found.map_or(0..0, |(from, end)| from..end);
                if found.is_none() {
                    put(filling(at));
                }
            }
        }
    }
    put(data.get(pending).unwrap_or_default());
    if !to.is_empty() {
        return Err(Error::new(ErrorKind::Arrow, "a string lies outside of its column's bytes"));
    }
    run.count.values += total as u64;
    Ok(run.finish(room))
}
