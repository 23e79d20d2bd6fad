//! Some rows of a column.

use std::ops::Range;

use super::{Column, RowShape, gather};

impl Column {
    /// A column of these rows, in this order; `None` if one of them does not exist.
    pub(crate) fn take(&self, rows: &[usize]) -> Option<Self> {
        if rows.iter().any(|row| *row >= self.rows) {
            return None;
        }
        match &self.shape {
            RowShape::Fixed(shape) => {
                let cells = shape.iter().try_fold(1usize, |cells, &size| cells.checked_mul(size))?;
                let ranges = rows.iter().map(|row| row * cells..(row + 1) * cells);
                let values = gather(&self.values, rows.len() * cells, ranges)?;
                Some(Self { rows: rows.len(), shape: self.shape.clone(), values })
            }
            RowShape::Leading { .. } => {
                let ranges = rows.iter().map(|&row| self.steps(row..row + 1)).collect::<Option<Vec<_>>>()?;
                let ends = ranges.iter().scan(0, |end, range| {
                    *end += range.len();
                    Some(*end)
                });
                self.take_steps(&ranges, &[0].into_iter().chain(ends).collect::<Vec<_>>())
            }
        }
    }

    /// A column of these steps of all rows one after the other, in new rows that `offsets` delimit; `None` if one of
    /// them does not exist.
    pub(crate) fn take_steps(&self, ranges: &[Range<usize>], offsets: &[usize]) -> Option<Self> {
        let inner = self.inner().to_vec();
        let cells = inner.iter().try_fold(1usize, |cells, &size| cells.checked_mul(size))?;
        let count = offsets.last()?.checked_mul(cells)?;
        let element = |step: usize| step.saturating_mul(cells);
        let elements = ranges.iter().map(|range| element(range.start)..element(range.end));
        let values = gather(&self.values, count, elements)?;
        let shape = RowShape::Leading { offsets: offsets.to_vec(), inner };
        Some(Self { rows: offsets.len().checked_sub(1)?, shape, values })
    }

    /// The bytes of its values.
    pub(crate) fn memory(&self) -> usize {
        match self.values.as_strings() {
            Some(strings) => strings.data().len().saturating_add(self.values.len().saturating_mul(8)),
            None => self.values.buffer().map_or(0, |buffer| buffer.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use tensor_repr::Values;

    use crate::column::{Column, RowShape};

    #[test]
    fn rows_are_taken_in_any_order() {
        let values = Values::from_vec((0..12i32).collect());
        let column = Column { rows: 3, shape: RowShape::Fixed(vec![2, 2]), values };
        let taken = column.take(&[2, 0]).unwrap();
        assert_eq!((taken.rows, &taken.shape), (2, &RowShape::Fixed(vec![2, 2])));
        assert_eq!(taken.values, Values::from_vec(vec![8i32, 9, 10, 11, 0, 1, 2, 3]));
        assert!(column.take(&[3]).is_none());
        assert_eq!(column.take(&[]).unwrap().values.len(), 0);
    }

    #[test]
    fn steps_are_taken_of_any_rows() {
        let values = Values::from_vec((0..12i32).collect());
        let fixed = Column { rows: 2, shape: RowShape::Fixed(vec![3, 2]), values: values.clone() };
        let shape = RowShape::Leading { offsets: vec![0, 1, 1, 6], inner: vec![2] };
        for column in [fixed, Column { rows: 3, shape, values }] {
            let taken = column.take_steps(&[1..2, 4..6], &[0, 1, 3]).unwrap();
            assert_eq!(taken.shape, RowShape::Leading { offsets: vec![0, 1, 3], inner: vec![2] });
            assert_eq!((taken.rows, taken.values), (2, Values::from_vec(vec![2i32, 3, 8, 9, 10, 11])));
            assert!(column.take_steps(&[0..1, 5..7], &[0, 1, 3]).is_none());
            assert_eq!(column.memory(), 48);
        }
    }

    #[test]
    fn sequences_and_strings_too() {
        let shape = RowShape::Leading { offsets: vec![0, 2, 2, 3], inner: vec![2] };
        let values = Values::from_strings(["a", "b", "c", "d", "e", "f"]);
        let taken = Column { rows: 3, shape, values }.take(&[2, 1, 0]).unwrap();
        assert_eq!(taken.shape, RowShape::Leading { offsets: vec![0, 1, 1, 3], inner: vec![2] });
        assert_eq!(taken.values, Values::from_strings(["e", "f", "a", "b", "c", "d"]));
    }
}
