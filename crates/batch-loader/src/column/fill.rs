//! Rows that are replaced.

use std::ops::Range;

use arrow_buffer::{MutableBuffer, NullBuffer};
use tensor_repr::Values;

use super::{Column, RowShape, gather};

impl Column {
    /// Returns a column in which each null row has the values of `row`; `None` if the values do not fit a row.
    pub(crate) fn filled(&self, valid: &NullBuffer, row: &Values) -> Option<Self> {
        let cells = |shape: &[usize]| shape.iter().try_fold(1usize, |cells, &size| cells.checked_mul(size));
        let (mut ranges, mut count) = (Vec::<Range<usize>>::new(), 0usize);
        let given = self.values.len()..self.values.len().checked_add(row.len())?;
        let mut add = |range: Range<usize>| {
            count = count.checked_add(range.len())?;
            match ranges.last_mut() {
                // Rows that follow each other are copied at once.
                Some(last) if last.end == range.start => last.end = range.end,
                _ => ranges.push(range),
            }
            Some(())
        };
        let shape = match &self.shape {
            RowShape::Fixed(shape) => {
                let cells = cells(shape)?;
                for at in 0..self.rows {
                    let own = at.checked_mul(cells)?;
                    let own = own..own.checked_add(cells)?;
                    add(if valid.is_valid(at) { own } else { given.clone() })?;
                }
                self.shape.clone()
            }
            RowShape::Leading { offsets: own, inner } => {
                let cells = cells(inner)?;
                let steps = row.len().checked_div(cells)?;
                let mut offsets = Vec::with_capacity(own.len());
                offsets.push(0usize);
                for at in 0..self.rows {
                    let (start, end) = (*own.get(at)?, *own.get(at.checked_add(1)?)?);
                    let (range, steps) = match valid.is_valid(at) {
                        true => (start.checked_mul(cells)?..end.checked_mul(cells)?, end.checked_sub(start)?),
                        false => (given.clone(), steps),
                    };
                    add(range)?;
                    offsets.push(offsets.last()?.checked_add(steps)?);
                }
                RowShape::Leading { offsets, inner: inner.clone() }
            }
        };
        let values = gather(&joined(&self.values, row)?, count, ranges.into_iter())?;
        Some(Self { rows: self.rows, shape, values })
    }
}

/// The elements of one and then of the other.
fn joined(first: &Values, second: &Values) -> Option<Values> {
    if let (Some(before), Some(after)) = (first.buffer(), second.buffer()) {
        let mut all = MutableBuffer::new(before.len().checked_add(after.len())?);
        all.extend_from_slice(before.as_slice());
        all.extend_from_slice(after.as_slice());
        return Values::try_new(first.dtype(), all.into()).ok();
    }
    let (first, second) = (first.as_strings()?, second.as_strings()?);
    Some(Values::from_strings(first.iter().chain(second.iter())))
}

#[cfg(test)]
mod tests {
    use arrow_buffer::NullBuffer;
    use tensor_repr::Values;

    use crate::column::{Column, RowShape};

    #[test]
    fn null_rows_are_replaced() {
        let valid = NullBuffer::from(vec![true, false, true, false]);
        let values = Values::from_vec(vec![1i32, 2, 0, 0, 3, 4, 0, 0]);
        let column = Column { rows: 4, shape: RowShape::Fixed(vec![2]), values };
        let filled = column.filled(&valid, &Values::from_vec(vec![8i32, 9])).unwrap();
        assert_eq!(filled.values, Values::from_vec(vec![1i32, 2, 8, 9, 3, 4, 8, 9]));
        assert!(
            column.filled(&valid, &Values::from_vec(vec![8i32])).is_none_or(|column| column.values.len() < 8)
        );
    }

    #[test]
    fn null_sequences_get_steps() {
        let valid = NullBuffer::from(vec![false, true, false]);
        let shape = RowShape::Leading { offsets: vec![0, 0, 2, 2], inner: vec![1] };
        let column = Column { rows: 3, shape, values: Values::from_strings(["a", "b"]) };
        for (row, offsets, all) in [
            (vec!["x"], vec![0, 1, 3, 4], vec!["x", "a", "b", "x"]),
            (vec![], vec![0, 0, 2, 2], vec!["a", "b"]),
        ] {
            let filled = column.filled(&valid, &Values::from_strings(row)).unwrap();
            assert_eq!(filled.shape, RowShape::Leading { offsets, inner: vec![1] });
            assert_eq!(filled.values, Values::from_strings(all));
        }
    }
}
