//! Rows of all columns, each in one range of memory, and columns of such rows.
//!
//! A row that is drawn among many waits for memory once, and not once or twice a column. It has its columns one after the other:
//! the number of its steps, if the column has a first dimension, and the values. A string is its length and its bytes.

use std::ops::Range;

use arrow_array::LargeBinaryArray;
use arrow_buffer::{ArrowNativeType, Buffer, OffsetBuffer, ScalarBuffer};
use tensor_repr::Values;
use tfxio_core::DType;

use super::{Column, RowShape, end_before};

/// Bytes of a count or length.
const COUNT: usize = size_of::<u32>();

/// The kind of a column of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RowKind {
    dtype: DType,
    /// The dimensions of a step; `None` for scalars.
    inner: Option<Vec<usize>>,
    /// The steps of every row, where all have the same.
    steps: Option<usize>,
    /// Elements of a step.
    cells: usize,
}

impl RowKind {
    /// Returns the kind of a column; `None` if its shape is too large.
    pub(crate) fn of(column: &Column) -> Option<Self> {
        let dtype = column.values.dtype();
        let (inner, steps) = match &column.shape {
            RowShape::Fixed(shape) => match shape.split_first() {
                Some((steps, inner)) => (Some(inner.to_vec()), Some(*steps)),
                None => (None, Some(1)),
            },
            RowShape::Leading { inner, .. } => (Some(inner.clone()), None),
        };
        let cells = inner.iter().flatten().try_fold(1usize, |cells, &size| cells.checked_mul(size))?;
        Some(Self { dtype, inner, steps, cells })
    }

    /// Makes it the kind of the rows of two columns; `None` if they become no tensor.
    pub(crate) fn join(&mut self, other: &Self) -> Option<()> {
        if self.dtype != other.dtype || self.inner != other.inner {
            return None;
        }
        self.steps = self.steps.filter(|steps| other.steps == Some(*steps));
        Some(())
    }

    /// Adds the bytes of each of some rows of a column to `sizes`.
    pub(crate) fn measure(&self, column: &Column, rows: Range<usize>, sizes: &mut [usize]) -> Option<()> {
        let count = if self.inner.is_some() { COUNT } else { 0 };
        let strings = column.values.as_strings();
        for (row, size) in rows.zip(sizes) {
            let elements = self.elements(column, row)?;
            let bytes = match (self.dtype.width(), strings) {
                (Some(width), _) => elements.len().checked_mul(width)?,
                (None, Some(strings)) => {
                    let bytes = end_before(strings, elements.end)?
                        .checked_sub(end_before(strings, elements.start)?)?;
                    elements.len().checked_mul(COUNT)?.checked_add(bytes)?
                }
                (None, None) => return None,
            };
            *size = size.checked_add(bytes)?.checked_add(count)?;
        }
        Some(())
    }

    #[inline(always)]
    fn elements(&self, column: &Column, row: usize) -> Option<Range<usize>> {
        let steps = column.steps(row..row.checked_add(1)?)?;
        Some(steps.start.checked_mul(self.cells)?..steps.end.checked_mul(self.cells)?)
    }

    /// Writes some rows of a column into `data`, each at its cursor, which is advanced.
    pub(crate) fn write(
        &self,
        column: &Column,
        rows: Range<usize>,
        data: &mut [u8],
        cursors: &mut [usize],
    ) -> Option<()> {
        let has_count = self.inner.is_some();
        let Some(width) = self.dtype.width() else {
            let strings = column.values.as_strings()?;
            let all = strings.data().as_slice();
            for (row, cursor) in rows.zip(cursors) {
                let elements = self.elements(column, row)?;
                if has_count {
                    put(data, cursor, &count_of(column.steps(row..row.checked_add(1)?)?.len())?)?;
                }
                let mut from = end_before(strings, elements.start)?;
                for at in elements {
                    let to = end_before(strings, at.checked_add(1)?)?;
                    put(data, cursor, &count_of(to.checked_sub(from)?)?)?;
                    put(data, cursor, all.get(from..to)?)?;
                    from = to;
                }
            }
            return Some(());
        };
        let all = column.values.buffer()?.as_slice();
        for (row, cursor) in rows.zip(cursors) {
            let elements = self.elements(column, row)?;
            if has_count {
                put(data, cursor, &count_of(column.steps(row..row.checked_add(1)?)?.len())?)?;
            }
            put(
                data,
                cursor,
                all.get(elements.start.checked_mul(width)?..elements.end.checked_mul(width)?)?,
            )?;
        }
        Some(())
    }

    /// Reads one column of rows, each at its cursor, which is advanced; `None` if they are truncated.
    fn read<'a>(&self, rows: &[&'a [u8]], cursors: &mut [usize]) -> Option<Column> {
        let count = rows.len();
        let mut offsets = Vec::with_capacity(if self.steps.is_none() { count.checked_add(1)? } else { 0 });
        let mut end = 0usize;
        let mut steps = |row: &'a [u8], cursor: &mut usize| -> Option<usize> {
            let steps = match self.inner {
                Some(_) => read_count(row, cursor)?,
                None => 1,
            };
            if self.steps.is_none() {
                end = end.checked_add(steps)?;
                offsets.push(end);
            }
            steps.checked_mul(self.cells)
        };
        let values = match self.dtype.width() {
            Some(1) => fixed::<u8, 1>(self.dtype, rows, cursors, &mut steps, |bytes| bytes[0])?,
            Some(2) => fixed::<u16, 2>(self.dtype, rows, cursors, &mut steps, u16::from_ne_bytes)?,
            Some(4) => fixed::<u32, 4>(self.dtype, rows, cursors, &mut steps, u32::from_ne_bytes)?,
            Some(_) => fixed::<u64, 8>(self.dtype, rows, cursors, &mut steps, u64::from_ne_bytes)?,
            None => strings(rows, cursors, &mut steps)?,
        };
        let shape = match (self.steps, &self.inner) {
            (Some(_), None) => RowShape::Fixed(Vec::new()),
            (Some(steps), Some(inner)) => RowShape::Fixed([&[steps], &inner[..]].concat()),
            (None, inner) => {
                offsets.insert(0, 0);
                RowShape::Leading { offsets, inner: inner.clone().unwrap_or_default() }
            }
        };
        Some(Column { rows: count, shape, values })
    }
}

/// Returns the columns of rows, of which each begins with its cursor; `None` if they are not of these kinds.
pub(crate) fn columns_of(kinds: &[RowKind], rows: &[&[u8]], cursors: &mut [usize]) -> Option<Vec<Column>> {
    kinds.iter().map(|kind| kind.read(rows, cursors)).collect()
}

fn count_of(count: usize) -> Option<[u8; COUNT]> {
    u32::try_from(count).ok().map(u32::to_ne_bytes)
}

/// Copies bytes to the cursor, and advances it.
#[inline(always)]
fn put(data: &mut [u8], cursor: &mut usize, bytes: &[u8]) -> Option<()> {
    let end = cursor.checked_add(bytes.len())?;
    let to = data.get_mut(*cursor..end)?;
    // A call for a number costs more than its copy.
    match bytes.len() {
        4 => to.copy_from_slice(bytes.first_chunk::<4>()?),
        8 => to.copy_from_slice(bytes.first_chunk::<8>()?),
        _ => to.copy_from_slice(bytes),
    }
    *cursor = end;
    Some(())
}

#[inline(always)]
fn read_count(row: &[u8], cursor: &mut usize) -> Option<usize> {
    let count = row.get(*cursor..)?.first_chunk::<COUNT>()?;
    *cursor = cursor.checked_add(COUNT)?;
    Some(u32::from_ne_bytes(*count) as usize)
}

fn fixed<'a, T: ArrowNativeType, const WIDTH: usize>(
    dtype: DType,
    rows: &[&'a [u8]],
    cursors: &mut [usize],
    steps: &mut impl FnMut(&'a [u8], &mut usize) -> Option<usize>,
    element: impl Fn([u8; WIDTH]) -> T + Copy,
) -> Option<Values> {
    let mut out: Vec<T> = Vec::with_capacity(rows.len());
    for (row, cursor) in rows.iter().zip(cursors) {
        let elements = steps(row, cursor)?;
        let end = cursor.checked_add(elements.checked_mul(WIDTH)?)?;
        let bytes = row.get(*cursor..end)?;
        *cursor = end;
        match bytes.as_chunks::<WIDTH>().0 {
            [one] => out.push(element(*one)),
            all => out.extend(all.iter().map(|bytes| element(*bytes))),
        }
    }
    Values::try_new(dtype, Buffer::from_vec(out)).ok()
}

fn strings<'a>(
    rows: &[&'a [u8]],
    cursors: &mut [usize],
    steps: &mut impl FnMut(&'a [u8], &mut usize) -> Option<usize>,
) -> Option<Values> {
    let (mut ends, mut out) = (Vec::with_capacity(rows.len().checked_add(1)?), Vec::new());
    ends.push(0i64);
    for (row, cursor) in rows.iter().zip(cursors) {
        for _ in 0..steps(row, cursor)? {
            let length = read_count(row, cursor)?;
            let end = cursor.checked_add(length)?;
            out.extend_from_slice(row.get(*cursor..end)?);
            *cursor = end;
            ends.push(i64::try_from(out.len()).ok()?);
        }
    }
    let ends = OffsetBuffer::new(ScalarBuffer::from(ends));
    Values::from_array(&LargeBinaryArray::try_new(ends, Buffer::from_vec(out), None).ok()?).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails so")]
mod tests {
    use tensor_repr::Values;

    use super::{RowKind, columns_of};
    use crate::column::{Column, RowShape};

    /// Writes rows of columns, and returns their bytes.
    fn written(kinds: &[RowKind], columns: &[Column]) -> Vec<Vec<u8>> {
        let rows = columns[0].rows;
        let mut sizes = vec![0; rows];
        for (kind, column) in kinds.iter().zip(columns) {
            kind.measure(column, 0..rows, &mut sizes).unwrap();
        }
        let starts =
            sizes.iter().scan(0, |end, size| Some(std::mem::replace(end, *end + size))).collect::<Vec<_>>();
        let mut data = vec![0; sizes.iter().sum()];
        let mut cursors = starts.clone();
        for (kind, column) in kinds.iter().zip(columns) {
            kind.write(column, 0..rows, &mut data, &mut cursors).unwrap();
        }
        starts.iter().zip(&sizes).map(|(start, size)| data[*start..start + size].to_vec()).collect()
    }

    fn columns() -> [Column; 4] {
        let shape = RowShape::Leading { offsets: vec![0, 2, 2, 3], inner: vec![2] };
        [
            Column { rows: 3, shape: RowShape::Fixed(vec![]), values: Values::from_vec(vec![7u8, 8, 9]) },
            Column {
                rows: 3,
                shape: RowShape::Fixed(vec![2]),
                values: Values::from_vec((0..6i64).collect()),
            },
            Column {
                rows: 3,
                shape: shape.clone(),
                values: Values::from_vec((0..6).map(f64::from).collect()),
            },
            Column { rows: 3, shape, values: Values::from_strings(["ab", "", "c", "def", "", "g"]) },
        ]
    }

    #[test]
    fn rows_become_columns_in_any_order() {
        let columns = columns();
        let kinds = columns.iter().map(|column| RowKind::of(column).unwrap()).collect::<Vec<_>>();
        let rows = written(&kinds, &columns);
        for order in [vec![0, 1, 2], vec![2, 0], vec![1, 1, 0, 2], vec![]] {
            let picked = order.iter().map(|row: &usize| rows[*row].as_slice()).collect::<Vec<_>>();
            let made = columns_of(&kinds, &picked, &mut vec![0; picked.len()]).unwrap();
            for (made, column) in made.iter().zip(&columns) {
                let expected = column.take(&order).unwrap();
                assert_eq!(
                    (made.rows, &made.shape, &made.values),
                    (order.len(), &expected.shape, &expected.values)
                );
            }
        }
    }

    #[test]
    fn rows_that_are_cut_off_become_nothing() {
        let columns = columns();
        let kinds = columns.iter().map(|column| RowKind::of(column).unwrap()).collect::<Vec<_>>();
        let row = &written(&kinds, &columns)[0];
        for end in 0..row.len() {
            assert!(columns_of(&kinds, &[&row[..end]], &mut [0]).is_none(), "{end} of {} bytes", row.len());
        }
    }

    #[test]
    fn kinds_of_several_columns() {
        let [scalar, fixed, leading, strings] = columns().map(|column| RowKind::of(&column).unwrap());
        let mut joined = fixed.clone();
        assert!(joined.join(&fixed).is_some() && joined == fixed);
        let other = Column {
            rows: 1,
            shape: RowShape::Fixed(vec![3]),
            values: Values::from_vec((0..3i64).collect()),
        };
        joined.join(&RowKind::of(&other).unwrap()).unwrap();
        assert_eq!(joined.steps, None);
        for other in [&scalar, &leading, &strings] {
            assert!(fixed.clone().join(other).is_none());
        }
    }
}
