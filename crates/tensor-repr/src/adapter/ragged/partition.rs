//! Dividing rows further: row lengths from columns, and uniform ones.

use tfxio_core::Count;

use super::{integer_dtype, integers};
use crate::adapter::TensorRun;
use crate::adapter::cursor::Lists;
use crate::adapter::route::Route;
use crate::adapter::splits::Splits;
use crate::kind::Locate as _;
use crate::{ColumnPath, Error, Kind};

/// A partition of a batch.
pub(super) enum Lengths {
    Uniform(usize),
    /// The lengths, and which of them belong to which list of values.
    Column {
        path: ColumnPath,
        lengths: Vec<usize>,
        lists: Splits,
    },
}

impl Lengths {
    /// Returns the row lengths of a column.
    pub(super) fn read(lists: Lists, route: &Route, run: &mut TensorRun<'_>) -> Result<Self, Error> {
        let mut read = || {
            let values = lists.values(integer_dtype(&route.end), run)?;
            let numbers = integers(&values).unwrap_or_default();
            let lengths =
                numbers.iter().map(|&length| usize::try_from(length)).collect::<Result<Vec<_>, _>>();
            if let (Ok(lengths), true) = (lengths, numbers.len() == values.len()) {
                return Ok(lengths);
            }
            let at = numbers.iter().position(|&length| length < 0).unwrap_or_default();
            let length = numbers.get(at).copied();
            let text = length.map_or_else(|| "beyond 64 bits".to_owned(), |length| length.to_string());
            let message = format!("a row length is {text}");
            Err(Error::new(Kind::InvalidPartition, message).in_row(lists.row_of(at)))
        };
        let lengths = read().map_err(|error: Error| error.in_column(&route.path))?;
        let mut levels = lists.levels;
        let innermost = levels.pop().unwrap_or(Splits::Fixed { size: 0, lists: 0 });
        Ok(Self::Column { path: route.path.clone(), lengths, lists: innermost })
    }
}

/// Divides the innermost lists. Returns the splits that replace them, and the splits of the partitions. `outer` are the
/// levels around them, for errors.
pub(super) fn divide(
    innermost: &Splits,
    partitions: &[Lengths],
    inner_shape: &[usize],
    outer: &[Splits],
) -> Result<(Splits, Vec<Splits>), Error> {
    let row_of = |list: usize| outer.iter().rev().fold(list, |item, splits| splits.list_of(item));
    let wrong =
        |list: usize, message: String| Error::new(Kind::InvalidPartition, message).in_row(row_of(list));
    // How many items each list has: values first, then rows of one partition after the other, from the
    // inside out.
    let unit = inner_shape.iter().product::<usize>();
    let mut counts = vec![0usize; innermost.lists()];
    let mut fault = None;
    innermost.each(|list, from, to| {
        let length = to - from;
        if !length.is_multiple_of(unit) && fault.is_none() {
            fault = Some((list, length));
        }
        if let Some(count) = counts.get_mut(list) {
            *count = length / unit;
        }
    });
    if let Some((list, length)) = fault {
        let values = Count::of(length, "value");
        let do_not = values.verb("does not", "do not");
        return Err(wrong(list, format!("{values} {do_not} divide into items of shape {inner_shape:?}")));
    }
    let mut divided = Vec::with_capacity(partitions.len());
    for partition in partitions.iter().rev() {
        divided.push(match partition {
            Lengths::Uniform(length) => {
                let mut rows = 0;
                for (list, count) in counts.iter_mut().enumerate() {
                    if !count.is_multiple_of(*length) {
                        let items = Count::of(*count, "item");
                        let do_not = items.verb("does not", "do not");
                        return Err(wrong(list, format!("{items} {do_not} divide into rows of {length}")));
                    }
                    *count /= length;
                    rows += *count;
                }
                Splits::Fixed { size: *length, lists: rows }
            }
            Lengths::Column { path, lengths, lists } => by_lengths(&mut counts, lengths, lists)
                .map_err(|(list, message)| wrong(list, message).in_column(path))?,
        });
    }
    divided.reverse();
    let mut end = 0;
    let mut ends = Vec::with_capacity(counts.len() + 1);
    ends.push(0);
    for count in counts {
        end += count as i64;
        ends.push(end);
    }
    Ok((Splits::of_ends(ends), divided))
}

/// Returns the splits of row lengths; `counts` become how many rows each list has.
fn by_lengths(counts: &mut [usize], lengths: &[usize], lists: &Splits) -> Result<Splits, (usize, String)> {
    if lists.lists() != counts.len() {
        let (of_lengths, of_values) = (Count::of(lists.lists(), "list"), Count::of(counts.len(), "list"));
        let are = of_lengths.verb("is", "are");
        let message = format!("there {are} {of_lengths} of row lengths for {of_values} of values");
        return Err((0, message));
    }
    let mut ends = Vec::with_capacity(lengths.len() + 1);
    ends.push(0i64);
    let mut end = 0usize;
    let mut fault = None;
    lists.each(|list, from, to| {
        let (Some(count), Some(own)) = (counts.get_mut(list), lengths.get(from..to)) else { return };
        if fault.is_some() {
            return;
        }
        let begin = end;
        for &length in own {
            end = end.saturating_add(length);
            ends.push(i64::try_from(end).unwrap_or(i64::MAX));
        }
        if end - begin != *count {
            let (sum, items) = (end - begin, Count::of(*count, "item"));
            let are = items.verb("is", "are");
            let what = format!("the row lengths add up to {sum}, there {are} {items} to divide");
            fault = Some((list, what));
        }
        *count = own.len();
    });
    match fault {
        Some(fault) => Err(fault),
        None => Ok(Splits::of_ends(ends)),
    }
}
