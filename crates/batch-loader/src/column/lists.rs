//! Steps that are lists of any number of values, each as one element.
//!
//! The column of a tensor whose steps have different numbers of values has a string for each step: the bytes of the step's values, one
//! after the other; of strings, each after its length. So such steps are moved, drawn and cut as the steps of any other column.

use arrow_array::LargeBinaryArray;
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use tensor_repr::Values;
use tfxio_core::DType;

use super::{Column, RowShape, end_before};

/// Bytes of the length of a string.
const LENGTH: usize = size_of::<u32>();

/// Returns lists of values as an element each. `ends` are the borders of the lists among the values, from 0 on; `None` where
/// they do not fit the values.
pub(crate) fn packed(values: &Values, ends: &[usize]) -> Option<Values> {
    let Some(width) = values.dtype().width() else { return packed_strings(values, ends) };
    let border = |end: &usize| i64::try_from(end.checked_mul(width)?).ok();
    let borders = ends.iter().map(border).collect::<Option<Vec<_>>>()?;
    elements(borders, values.buffer()?.clone())
}

fn packed_strings(values: &Values, ends: &[usize]) -> Option<Values> {
    let strings = values.as_strings()?;
    let mut bytes = Vec::with_capacity(strings.data().len().checked_add(strings.len().checked_mul(LENGTH)?)?);
    let mut borders = Vec::with_capacity(ends.len());
    borders.push(0i64);
    for list in ends.windows(2) {
        let [from, to] = *list else { return None };
        for at in from..to {
            let text = strings.get(at)?;
            bytes.extend_from_slice(&u32::try_from(text.len()).ok()?.to_ne_bytes());
            bytes.extend_from_slice(text);
        }
        borders.push(i64::try_from(bytes.len()).ok()?);
    }
    elements(borders, Buffer::from_vec(bytes))
}

fn elements(borders: Vec<i64>, bytes: Buffer) -> Option<Values> {
    let is_ordered = borders.first() == Some(&0) && borders.is_sorted();
    let fits =
        borders.last().is_some_and(|last| usize::try_from(*last).is_ok_and(|last| last <= bytes.len()));
    if !is_ordered || !fits {
        return None;
    }
    let borders = OffsetBuffer::new(ScalarBuffer::from(borders));
    Values::from_array(&LargeBinaryArray::try_new(borders, bytes, None).ok()?).ok()
}

/// Returns the values of all elements of [`packed`], and the borders of the lists among them.
pub(crate) fn unpacked(lists: &Values, dtype: DType) -> Option<(Values, Vec<usize>)> {
    let steps = lists.as_strings()?;
    let mut ends = Vec::with_capacity(steps.len().checked_add(1)?);
    ends.push(0usize);
    let Some(width) = dtype.width() else {
        let (mut borders, mut bytes) = (vec![0i64], Vec::new());
        for at in 0..steps.len() {
            for text in texts(steps.get(at)?) {
                bytes.extend_from_slice(text?);
                borders.push(i64::try_from(bytes.len()).ok()?);
            }
            ends.push(borders.len().checked_sub(1)?);
        }
        return Some((elements(borders, Buffer::from_vec(bytes))?, ends));
    };
    let (first, last) = (end_before(steps, 0)?, end_before(steps, steps.len())?);
    for at in 1..=steps.len() {
        ends.push(end_before(steps, at)?.checked_sub(first)?.checked_div(width)?);
    }
    // A copy lies as numbers have to.
    let bytes = Buffer::from_slice_ref(steps.data().as_slice().get(first..last)?);
    Some((Values::try_new(dtype, bytes).ok()?, ends))
}

/// Returns the strings of an element; an error ends them as `None`.
pub(crate) fn texts(element: &[u8]) -> impl Iterator<Item = Option<&[u8]>> {
    let mut rest = Some(element);
    std::iter::from_fn(move || {
        let all = rest.filter(|all| !all.is_empty())?;
        let cut = || {
            let (length, after) = all.split_first_chunk::<LENGTH>()?;
            after.split_at_checked(u32::from_ne_bytes(*length) as usize)
        };
        let cut = cut();
        rest = cut.map(|(_, after)| after);
        Some(cut.map(|(text, _)| text))
    })
}

/// Returns how many values an element has; `None` if its bytes are not values of that dtype.
pub(crate) fn count(element: &[u8], dtype: DType) -> Option<usize> {
    match dtype.width() {
        Some(width) => (element.len().checked_rem(width)? == 0).then_some(element.len() / width),
        None => texts(element).try_fold(0usize, |count, text| text.and(count.checked_add(1))),
    }
}

impl Column {
    /// Returns the steps of all rows, which are lists of values of a dtype and of these further dimensions, as a row each.
    pub(crate) fn lists(&self, dtype: DType, inner: &[usize]) -> Option<Self> {
        let (values, ends) = unpacked(&self.values, dtype)?;
        let cells = inner.iter().try_fold(1usize, |cells, &size| cells.checked_mul(size))?;
        let offsets = match cells {
            1 => ends,
            // Without cells nothing tells how many values there are.
            _ => ends.into_iter().map(|end| end.checked_div(cells)).collect::<Option<_>>()?,
        };
        let rows = offsets.len().checked_sub(1)?;
        Some(Self { rows, shape: RowShape::Leading { offsets, inner: inner.to_vec() }, values })
    }

    /// Returns the rows of a column, which are lists, as elements.
    pub(crate) fn packed_rows(&self) -> Option<Values> {
        let cells = self.inner().iter().try_fold(1usize, |cells, &size| cells.checked_mul(size))?;
        let end = |row: usize| match row {
            0 => Some(0),
            _ => self.steps(0..row)?.end.checked_mul(cells),
        };
        packed(&self.values, &(0..=self.rows).map(end).collect::<Option<Vec<_>>>()?)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails so")]
mod tests {
    use super::*;

    #[test]
    fn lists_come_back_as_they_were() {
        let ends = [0, 2, 2, 3, 6];
        for values in [
            Values::from_vec((0..6i64).collect()),
            Values::from_vec((0..6u8).collect()),
            Values::from_strings(["a", "", "bcd", "", "", "é"]),
        ] {
            let lists = packed(&values, &ends).unwrap();
            assert_eq!(lists.len(), 4);
            assert_eq!(unpacked(&lists, values.dtype()), Some((values.clone(), ends.to_vec())));
            let counts = lists.as_strings().unwrap().iter().map(|list| count(list, values.dtype()).unwrap());
            assert_eq!(counts.collect::<Vec<_>>(), [2, 0, 1, 3]);
            let tail = Column {
                rows: 2,
                shape: RowShape::Leading { offsets: vec![0, 3, 4], inner: vec![] },
                values: lists,
            };
            let steps = tail.lists(values.dtype(), &[]).unwrap();
            assert_eq!((steps.rows, &steps.values), (4, &values));
            assert_eq!(steps.packed_rows(), Some(tail.values));
        }
        let part = packed(&Values::from_vec((0..6i64).collect()), &ends).unwrap().slice(1, 2).unwrap();
        assert_eq!(unpacked(&part, DType::Int64), Some((Values::from_vec(vec![2i64]), vec![0, 0, 1])));
        assert_eq!(packed(&Values::from_vec(vec![1u8]), &[0, 2]), None);
        assert_eq!(packed(&Values::from_vec(vec![1u8]), &[0, 1, 0]), None);
    }

    #[test]
    fn an_element_that_is_cut_off_is_none() {
        let lists = packed(&Values::from_strings(["abc", "d"]), &[0, 2]).unwrap();
        let element = lists.as_strings().unwrap().get(0).unwrap();
        for end in [1, 4, 6, 8, 11] {
            assert_eq!(count(&element[..end], DType::String), None, "{end} bytes");
        }
        assert_eq!(count(element, DType::String), Some(2));
        assert_eq!(count(&[0; 12], DType::Int64), None);
    }
}
