//! Columns that rows are appended to, and rows of several of these in any order.

use std::ops::Range;

use arrow_array::LargeBinaryArray;
use arrow_buffer::{ArrowNativeType, Buffer, OffsetBuffer, ScalarBuffer};
use bytemuck::AnyBitPattern;
use tensor_repr::Values;
use tfxio_core::DType;

use super::{Column, RowShape, end_before};

/// A column that rows are appended to.
#[derive(Debug)]
pub(crate) struct Growing {
    dtype: DType,
    rows: usize,
    shape: RowShape,
    cells: Cells,
}

/// The values of all rows, by their width.
#[derive(Debug)]
enum Cells {
    Bytes1(Vec<u8>),
    Bytes2(Vec<u16>),
    Bytes4(Vec<u32>),
    Bytes8(Vec<u64>),
    /// Strings: the byte at which each ends, after a 0, and their bytes.
    Strings(Vec<usize>, Vec<u8>),
}

/// A row of one of several columns.
pub(crate) type Pick = (u32, u32);

impl Growing {
    /// A column without rows, of the kind of another.
    pub(crate) fn like(column: &Column) -> Self {
        let dtype = column.values.dtype();
        let shape = match &column.shape {
            RowShape::Fixed(shape) => RowShape::Fixed(shape.clone()),
            RowShape::Leading { inner, .. } => RowShape::Leading { offsets: vec![0], inner: inner.clone() },
        };
        let cells = match dtype.width() {
            Some(1) => Cells::Bytes1(Vec::new()),
            Some(2) => Cells::Bytes2(Vec::new()),
            Some(4) => Cells::Bytes4(Vec::new()),
            Some(_) => Cells::Bytes8(Vec::new()),
            None => Cells::Strings(vec![0], Vec::new()),
        };
        Self { dtype, rows: 0, shape, cells }
    }

    /// Appends rows of a column; `None` if they do not exist or are of another kind.
    pub(crate) fn append(&mut self, column: &Column, rows: Range<usize>) -> Option<()> {
        let steps = column.steps(rows.clone())?;
        let cells = column.inner().iter().try_fold(1usize, |cells, &size| cells.checked_mul(size))?;
        let elements = steps.start.checked_mul(cells)?..steps.end.checked_mul(cells)?;
        self.append_shapes(column, rows.clone())?;
        self.rows = self.rows.checked_add(rows.len())?;
        match &mut self.cells {
            Cells::Bytes1(cells) => append(cells, &column.values, elements),
            Cells::Bytes2(cells) => append(cells, &column.values, elements),
            Cells::Bytes4(cells) => append(cells, &column.values, elements),
            Cells::Bytes8(cells) => append(cells, &column.values, elements),
            Cells::Strings(ends, bytes) => {
                let strings = column.values.as_strings()?;
                let (first, last) =
                    (end_before(strings, elements.start)?, end_before(strings, elements.end)?);
                let before = bytes.len();
                bytes.extend_from_slice(strings.data().as_slice().get(first..last)?);
                ends.reserve(elements.len());
                for at in elements {
                    let end = end_before(strings, at.checked_add(1)?)?;
                    ends.push(before.checked_add(end.checked_sub(first)?)?);
                }
                Some(())
            }
        }
    }

    fn append_shapes(&mut self, column: &Column, rows: Range<usize>) -> Option<()> {
        if let (RowShape::Fixed(own), RowShape::Fixed(shape)) = (&self.shape, &column.shape)
            && own == shape
        {
            return Some(());
        }
        if let RowShape::Fixed(own) = &self.shape {
            // Rows of other lengths follow.
            let (&steps, inner) = own.split_first()?;
            let offsets = (0..=self.rows).map(|row| row.checked_mul(steps)).collect::<Option<_>>()?;
            self.shape = RowShape::Leading { offsets, inner: inner.to_vec() };
        }
        let RowShape::Leading { offsets, inner } = &mut self.shape else { return None };
        if inner.as_slice() != column.inner() {
            return None;
        }
        let mut end = *offsets.last()?;
        offsets.reserve(rows.len());
        match &column.shape {
            RowShape::Fixed(shape) => {
                let steps = *shape.first()?;
                for _ in rows {
                    end = end.checked_add(steps)?;
                    offsets.push(end);
                }
            }
            RowShape::Leading { offsets: own, .. } => {
                let own = own.get(rows.start..=rows.end)?;
                let first = *own.first()?;
                for &at in own.get(1..)? {
                    offsets.push(end.checked_add(at.checked_sub(first)?)?);
                }
            }
        }
        Some(())
    }

    /// Returns the steps of a row.
    #[inline(always)]
    fn steps(&self, row: usize) -> Option<Range<usize>> {
        match &self.shape {
            RowShape::Fixed(shape) => {
                let steps = shape.first().copied().unwrap_or(1);
                Some(row.checked_mul(steps)?..row.checked_add(1)?.checked_mul(steps)?)
            }
            RowShape::Leading { offsets, .. } => Some(*offsets.get(row)?..*offsets.get(row + 1)?),
        }
    }

    fn inner(&self) -> &[usize] {
        match &self.shape {
            RowShape::Fixed(shape) => shape.get(1..).unwrap_or_default(),
            RowShape::Leading { inner, .. } => inner,
        }
    }
}

fn append<T: AnyBitPattern>(cells: &mut Vec<T>, values: &Values, elements: Range<usize>) -> Option<()> {
    let own = bytemuck::try_cast_slice::<u8, T>(values.buffer()?.as_slice()).ok()?;
    cells.extend_from_slice(own.get(elements)?);
    Some(())
}

/// Returns a column of rows of several columns of one kind; `None` if one of the rows does not exist.
///
/// What is looked up lies anywhere in memory: each loop below does one look-up a row and nothing that waits for it, so that
/// many are under way at a time.
pub(crate) fn pick(columns: &[&Growing], picks: &[Pick]) -> Option<Column> {
    let first = columns.first()?;
    let inner = first.inner().to_vec();
    let cells = inner.iter().try_fold(1usize, |cells, &size| cells.checked_mul(size))?;
    if columns.iter().any(|column| column.inner() != inner || column.dtype != first.dtype) {
        return None;
    }
    let mut ranges = Vec::with_capacity(picks.len());
    for &(column, row) in picks {
        ranges.push(columns.get(column as usize)?.steps(row as usize)?);
    }
    let is_fixed =
        matches!(first.shape, RowShape::Fixed(_)) && columns.iter().all(|column| column.shape == first.shape);
    let mut count = 0usize;
    let shape = if is_fixed {
        count = ranges.iter().map(Range::len).sum();
        first.shape.clone()
    } else {
        let mut offsets = Vec::with_capacity(picks.len() + 1);
        offsets.push(0);
        for range in &ranges {
            count = count.checked_add(range.len())?;
            offsets.push(count);
        }
        RowShape::Leading { offsets, inner }
    };
    let count = count.checked_mul(cells)?;
    if cells != 1 {
        for range in &mut ranges {
            *range = range.start.checked_mul(cells)?..range.end.checked_mul(cells)?;
        }
    }
    macro_rules! fixed {
        ($kind:ident) => {{
            let mut from = Vec::with_capacity(columns.len());
            for column in columns {
                let Cells::$kind(cells) = &column.cells else { return None };
                from.push(cells.as_slice());
            }
            Values::try_new(first.dtype, copied(&from, picks, &ranges, count)?).ok()?
        }};
    }
    let values = match &first.cells {
        Cells::Bytes1(_) => fixed!(Bytes1),
        Cells::Bytes2(_) => fixed!(Bytes2),
        Cells::Bytes4(_) => fixed!(Bytes4),
        Cells::Bytes8(_) => fixed!(Bytes8),
        Cells::Strings(..) => strings(columns, picks, &ranges, count)?,
    };
    Some(Column { rows: picks.len(), shape, values })
}

fn copied<T: ArrowNativeType>(
    from: &[&[T]],
    picks: &[Pick],
    ranges: &[Range<usize>],
    count: usize,
) -> Option<Buffer> {
    let mut out = Vec::with_capacity(count);
    for (&(column, _), range) in picks.iter().zip(ranges) {
        match from.get(column as usize)?.get(range.clone())? {
            // A call for one element costs more than its copy.
            [one] => out.push(*one),
            run => out.extend_from_slice(run),
        }
    }
    Some(Buffer::from_vec(out))
}

fn strings(columns: &[&Growing], picks: &[Pick], ranges: &[Range<usize>], count: usize) -> Option<Values> {
    let mut from = Vec::with_capacity(columns.len());
    for column in columns {
        let Cells::Strings(ends, bytes) = &column.cells else { return None };
        from.push((ends.as_slice(), bytes.as_slice()));
    }
    let mut ends = Vec::with_capacity(count.checked_add(1)?);
    let mut spans = Vec::with_capacity(picks.len());
    ends.push(0i64);
    let mut size = 0usize;
    for (&(column, _), range) in picks.iter().zip(ranges) {
        let own = from.get(column as usize)?.0.get(range.start..=range.end)?;
        let (first, last) = (*own.first()?, *own.last()?);
        for &end in own.get(1..)? {
            ends.push(i64::try_from(size.checked_add(end.checked_sub(first)?)?).ok()?);
        }
        size = size.checked_add(last.checked_sub(first)?)?;
        spans.push(first..last);
    }
    let mut out = Vec::with_capacity(size);
    for (&(column, _), span) in picks.iter().zip(spans) {
        out.extend_from_slice(from.get(column as usize)?.1.get(span)?);
    }
    let ends = OffsetBuffer::new(ScalarBuffer::from(ends));
    Values::from_array(&LargeBinaryArray::try_new(ends, Buffer::from_vec(out), None).ok()?).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails so")]
mod tests {
    use tensor_repr::Values;

    use super::{Growing, pick};
    use crate::column::{Column, RowShape};

    #[test]
    fn rows_come_from_several_columns() {
        let fixed = Column {
            rows: 3,
            shape: RowShape::Fixed(vec![2]),
            values: Values::from_vec((0..6i32).collect()),
        };
        let shape = RowShape::Leading { offsets: vec![0, 1, 1, 4], inner: Vec::new() };
        let leading = Column { rows: 3, shape, values: Values::from_vec(vec![10i32, 11, 12, 13]) };
        let (mut one, mut other) = (Growing::like(&fixed), Growing::like(&fixed));
        one.append(&fixed, 1..3).unwrap();
        other.append(&fixed, 0..1).unwrap();
        let both = pick(&[&one, &other], &[(1, 0), (0, 1), (0, 0)]).unwrap();
        assert_eq!((both.rows, both.shape), (3, RowShape::Fixed(vec![2])));
        assert_eq!(both.values, Values::from_vec(vec![0i32, 1, 4, 5, 2, 3]));
        // Rows of other lengths.
        other.append(&leading, 1..3).unwrap();
        let both = pick(&[&one, &other], &[(1, 2), (1, 1), (0, 0)]).unwrap();
        assert_eq!(both.shape, RowShape::Leading { offsets: vec![0, 3, 3, 5], inner: Vec::new() });
        assert_eq!(both.values, Values::from_vec(vec![11i32, 12, 13, 2, 3]));
        assert!(pick(&[&one], &[(0, 2)]).is_none());
        assert!(pick(&[&one], &[(1, 0)]).is_none());
        assert!(one.append(&leading, 2..4).is_none());
    }

    #[test]
    fn strings_too() {
        let shape = RowShape::Leading { offsets: vec![0, 2, 2, 3], inner: Vec::new() };
        let column = Column { rows: 3, shape, values: Values::from_strings(["ab", "", "c"]) };
        let mut growing = Growing::like(&column);
        growing.append(&column, 0..3).unwrap();
        growing.append(&column, 2..3).unwrap();
        let picked = pick(&[&growing], &[(0, 3), (0, 1), (0, 0)]).unwrap();
        assert_eq!(picked.shape, RowShape::Leading { offsets: vec![0, 1, 1, 3], inner: Vec::new() });
        assert_eq!(picked.values, Values::from_strings(["c", "ab", ""]));
    }
}
