//! Writing the cells.

use arrow_array::LargeBinaryArray;
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use bytemuck::Pod;
use tfxio_core::DType;

use super::RowForm;
use super::cells::{CellSpans, Single};
use super::default::Default as Filling;
use super::raw::Raw;
use crate::adapter::TensorRun;
use crate::adapter::splits::Offset;
use crate::{Error, Strings, Values};

/// Returns the values of all rows, cell by cell.
pub(super) fn values(
    raw: &Raw,
    needed: &RowForm,
    count: usize,
    dtype: DType,
    default: Option<&Filling>,
    run: &mut TensorRun<'_>,
) -> Result<Values, Error> {
    let source = Values::of_slots(raw.leaf.as_ref());
    let bytes = source.as_ref().and_then(Values::buffer).map(|buffer| buffer.as_slice()).unwrap_or_default();
    let bits: &[u64] = match default {
        Some(Filling::Bits(bits)) => bits,
        _ => &[0],
    };
    let plain = |buffer: Buffer| Values::plain(dtype, buffer);
    match dtype.width() {
        Some(1) => fixed(raw, needed, count, bytes, bits, |bits| bits as u8, run).map(plain),
        Some(2) => fixed(raw, needed, count, bytes, bits, |bits| bits as u16, run).map(plain),
        Some(4) => fixed(raw, needed, count, bytes, bits, |bits| bits as u32, run).map(plain),
        Some(_) => fixed(raw, needed, count, bytes, bits, |bits| bits, run).map(plain),
        None => {
            let default: &[Vec<u8>] = match default {
                Some(Filling::Strings(strings)) => strings,
                _ => &[Vec::new()],
            };
            let none = Strings::from_iter(Vec::<&[u8]>::new());
            let source = source.as_ref().and_then(Values::as_strings).unwrap_or(&none);
            let strings = match source.small_offsets() {
                Some(offsets) => strings(raw, needed, count, offsets, source.data(), default, run),
                None => {
                    let offsets = source.large_offsets().unwrap_or_default();
                    strings(raw, needed, count, offsets, source.data(), default, run)
                }
            };
            strings.map(Values::from)
        }
    }
}

/// Elements of fixed width.
fn fixed<T: Pod>(
    raw: &Raw,
    needed: &RowForm,
    count: usize,
    source: &[u8],
    default: &[u64],
    of_bits: impl Fn(u64) -> T,
    run: &mut TensorRun<'_>,
) -> Result<Buffer, Error> {
    let source: &[T] = bytemuck::try_cast_slice(source).unwrap_or_default();
    let default = default.iter().map(|&bits| of_bits(bits)).collect::<Vec<_>>();
    let mut room = run.room::<T>(count)?;
    run.count.values += (count * size_of::<T>()) as u64;
    if let (Some(single), Some(&default)) = (Single::of(raw, needed), default.first())
        && single.fixed(source, default, room.values())
    {
        return Ok(run.finish(room));
    }
    let mut rest = room.values::<T>();
    let mut cell = 0;
    for span in CellSpans::of(raw, needed)?.iter() {
        let own = source.get(span.from..span.to).ok_or_else(outside)?;
        let (front, after) = rest.split_at_mut_checked(own.len()).ok_or_else(outside)?;
        // Most runs of columns with one value a row are short: no call for them.
        if own.len() <= 8 {
            front.iter_mut().zip(own).for_each(|(to, from)| *to = *from);
        } else {
            front.copy_from_slice(own);
        }
        let (filled, after) = after.split_at_mut_checked(span.then).ok_or_else(outside)?;
        cell += own.len();
        match default.as_slice() {
            [one] => filled.iter_mut().for_each(|to| *to = *one),
            all => {
                for (at, to) in filled.iter_mut().enumerate() {
                    *to = *all.get((cell + at) % all.len().max(1)).ok_or_else(outside)?;
                }
            }
        }
        cell += filled.len();
        rest = after;
    }
    Ok(run.finish(room))
}

fn outside() -> Error {
    Error::new(tfxio_base::ErrorKind::Other, "a list lies outside of its column's values")
}

/// Writes strings. Their bytes stay where they are if nothing but empty defaults comes between them.
fn strings<O: Offset>(
    raw: &Raw,
    needed: &RowForm,
    count: usize,
    source: &[O],
    data: &Buffer,
    default: &[Vec<u8>],
    run: &mut TensorRun<'_>,
) -> Result<Strings, Error> {
    let mut room = run.room::<i64>(count.saturating_add(1))?;
    run.count.values += (count as u64 + 1) * 8;
    if let Some(data) = single_strings(raw, needed, source, data, default, room.values(), run)? {
        return of_parts(run.finish(room), data);
    }
    let spans = &CellSpans::of(raw, needed)?;
    let shared = default.iter().all(Vec::is_empty) && follow_each_other(spans, source);
    let data = if shared {
        let begin = spans.iter().find(|span| span.from < span.to).and_then(|span| source.get(span.from));
        offsets(spans, begin.map_or(0, |begin| begin.at()), source, default, room.values())?;
        data.clone()
    } else {
        let total = offsets(spans, 0, source, default, room.values())?;
        copy(spans, total, source, data, default, run)?
    };
    of_parts(run.finish(room), data)
}

fn of_parts(offsets: Buffer, data: Buffer) -> Result<Strings, Error> {
    let offsets = OffsetBuffer::new(ScalarBuffer::<i64>::from(offsets));
    Ok(Strings::large(LargeBinaryArray::try_new(offsets, data, None)?))
}

/// Returns the bytes of columns of one string a row, with their offsets written; `None` for other columns.
fn single_strings<O: Offset>(
    raw: &Raw,
    needed: &RowForm,
    source: &[O],
    data: &Buffer,
    default: &[Vec<u8>],
    out: &mut [i64],
    run: &mut TensorRun<'_>,
) -> Result<Option<Buffer>, Error> {
    let (Some(single), Some(default)) = (Single::of(raw, needed), default.first()) else { return Ok(None) };
    if default.is_empty() && single.hides_nothing(source) {
        let begin = source.get(single.first()).map_or(0, |begin| begin.at());
        return Ok(single.offsets(source, begin, 0, out).map(|_| data.clone()));
    }
    if !single.is_full() {
        return Ok(None);
    }
    let Some(total) = single.offsets(source, 0, default.len(), out) else { return Ok(None) };
    let mut room = run.room::<u8>(total)?;
    let rest = std::cell::Cell::new(room.values::<u8>());
    let put = |bytes: &[u8]| {
        if let Some((front, after)) = rest.take().split_at_mut_checked(bytes.len()) {
            front.copy_from_slice(bytes);
            rest.set(after);
        }
    };
    let at = |element: usize| source.get(element).map_or(0, |offset| offset.at());
    single.runs(
        |count| (0..count).for_each(|_| put(default)),
        |from, to| put(data.as_slice().get(at(from)..at(to)).unwrap_or_default()),
    );
    run.count.values += total as u64;
    Ok(Some(run.finish(room)))
}

fn follow_each_other<O: Offset>(spans: &CellSpans, source: &[O]) -> bool {
    let at = |element: usize| source.get(element).map(|offset| offset.at());
    let mut end = None;
    spans.iter().filter(|span| span.from < span.to).all(|span| {
        let follows = end.is_none_or(|end| at(span.from) == Some(end));
        end = at(span.to);
        follows
    })
}

/// Writes the offsets of the cells, the first of them `begin`; answers the last.
fn offsets<O: Offset>(
    spans: &CellSpans,
    begin: usize,
    source: &[O],
    default: &[Vec<u8>],
    out: &mut [i64],
) -> Result<usize, Error> {
    let (mut end, mut cell) = (begin, 0);
    let (first, mut rest) = out.split_first_mut().ok_or_else(outside)?;
    *first = end as i64;
    for span in spans.iter() {
        let own = source.get(span.from..=span.to).unwrap_or_default();
        if let Some((before, own)) = own.split_first() {
            let (front, after) = rest.split_at_mut_checked(own.len()).ok_or_else(outside)?;
            let shift = (end as i64).wrapping_sub(before.at() as i64);
            for (to, from) in front.iter_mut().zip(own) {
                *to = shift.wrapping_add(from.at() as i64);
            }
            end += own.last().map_or(0, |last| last.at().saturating_sub(before.at()));
            cell += own.len();
            rest = after;
        }
        let (filled, after) = rest.split_at_mut_checked(span.then).ok_or_else(outside)?;
        for (at, to) in filled.iter_mut().enumerate() {
            end = end.saturating_add(filling(default, cell + at).len());
            *to = end as i64;
        }
        cell += filled.len();
        rest = after;
    }
    Ok(end)
}

/// Copies the bytes of all cells.
fn copy<O: Offset>(
    spans: &CellSpans,
    total: usize,
    source: &[O],
    data: &Buffer,
    default: &[Vec<u8>],
    run: &mut TensorRun<'_>,
) -> Result<Buffer, Error> {
    let mut room = run.room::<u8>(total)?;
    let mut rest = room.values::<u8>();
    let mut cell = 0;
    let mut put = |bytes: &[u8]| {
        let (front, after) =
            std::mem::take(&mut rest).split_at_mut_checked(bytes.len()).ok_or_else(outside)?;
        front.copy_from_slice(bytes);
        rest = after;
        Ok::<_, Error>(())
    };
    for span in spans.iter() {
        if let (Some(from), Some(to)) = (source.get(span.from), source.get(span.to)) {
            put(data.as_slice().get(from.at()..to.at()).ok_or_else(outside)?)?;
        }
        cell += span.to - span.from;
        for at in 0..span.then {
            put(filling(default, cell + at))?;
        }
        cell += span.then;
    }
    run.count.values += total as u64;
    Ok(run.finish(room))
}

fn filling(default: &[Vec<u8>], cell: usize) -> &[u8] {
    match default {
        [one] => one,
        all => all.get(cell % all.len().max(1)).map(Vec::as_slice).unwrap_or_default(),
    }
}
