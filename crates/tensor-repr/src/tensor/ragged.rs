//! Ragged tensors: rows of different lengths.

use arrow_buffer::ScalarBuffer;
use tfxio_core::{Count, DType};

use super::values::Values;
use crate::{Error, Kind, RowSplitsDType};

/// Offsets of the rows of one dimension: row `i` is `splits[i]..splits[i + 1]` of the level below. One more split than
/// rows; the first is 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowSplits {
    /// 32-bit splits.
    Int32(ScalarBuffer<i32>),
    /// 64-bit splits.
    Int64(ScalarBuffer<i64>),
}

impl RowSplits {
    /// Returns the integer type of the splits.
    #[must_use]
    pub fn dtype(&self) -> RowSplitsDType {
        match self {
            Self::Int32(_) => RowSplitsDType::Int32,
            Self::Int64(_) => RowSplitsDType::Int64,
        }
    }

    /// Returns the number of splits, one more than there are rows.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Int32(splits) => splits.len(),
            Self::Int64(splits) => splits.len(),
        }
    }

    /// Returns whether there are zero splits, which is never so for valid row splits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.len().saturating_sub(1)
    }

    /// Returns one split, if it exists.
    #[must_use]
    pub fn get(&self, at: usize) -> Option<i64> {
        match self {
            Self::Int32(splits) => splits.get(at).map(|&split| i64::from(split)),
            Self::Int64(splits) => splits.get(at).copied(),
        }
    }

    /// Returns all splits, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = i64> + '_ {
        (0..self.len()).map(|at| self.get(at).unwrap_or_default())
    }

    /// Returns the end of the last row: how many items the rows hold together.
    pub(crate) fn total(&self) -> usize {
        let last = self.len().checked_sub(1).and_then(|last| self.get(last));
        last.and_then(|last| usize::try_from(last).ok()).unwrap_or_default()
    }

    /// Returns the row of an item.
    pub(crate) fn row_of(&self, item: usize) -> usize {
        let rows = match self {
            Self::Int32(splits) => {
                splits.partition_point(|&split| usize::try_from(split).is_ok_and(|split| split <= item))
            }
            Self::Int64(splits) => {
                splits.partition_point(|&split| usize::try_from(split).is_ok_and(|split| split <= item))
            }
        };
        rows.saturating_sub(1)
    }

    /// Returns the fault of invalid row splits.
    fn fault(&self) -> Option<String> {
        fn fault<T: PartialOrd + Copy + Into<i64>>(splits: &[T]) -> Option<String> {
            match splits.first() {
                None => return Some("there are no row splits".to_owned()),
                Some(&first) if first.into() != 0 => {
                    return Some(format!("the first row split is {}, not 0", first.into()));
                }
                Some(_) => {}
            }
            let row = splits.windows(2).position(|pair| pair[0] > pair[1])?;
            Some(format!("row {row} ends before it begins"))
        }
        match self {
            Self::Int32(splits) => fault(splits),
            Self::Int64(splits) => fault(splits),
        }
    }
}

/// Checks row splits from the outside in; answers how many items the innermost rows hold.
pub(super) fn check_splits(rows: Option<usize>, row_splits: &[RowSplits]) -> Result<usize, Error> {
    let bad = |level: usize, message: String| {
        Error::new(Kind::InvalidTensor, format!("row splits {level}: {message}"))
    };
    let mut items = rows;
    for (level, splits) in row_splits.iter().enumerate() {
        if let Some(fault) = splits.fault() {
            return Err(bad(level, fault));
        }
        if row_splits.first().is_some_and(|first| first.dtype() != splits.dtype()) {
            return Err(bad(level, "32-bit and 64-bit row splits in one tensor".to_owned()));
        }
        if let Some(items) = items
            && splits.rows() != items
        {
            return Err(bad(
                level,
                format!("{}, the level above holds {items}", Count::of(splits.rows(), "row")),
            ));
        }
        items = Some(splits.total());
    }
    Ok(items.unwrap_or_default())
}

/// Rows of different lengths, in one or more dimensions: flat values and where the rows begin.
///
/// The shape is `[rows]`, then a dimension for each level of row splits, then the inner shape.
#[derive(Clone, Debug, PartialEq)]
pub struct RaggedTensor {
    row_splits: Vec<RowSplits>,
    inner_shape: Vec<usize>,
    values: Values,
}

impl RaggedTensor {
    /// Returns a tensor of row splits, outermost first, and flat values, each of the inner shape.
    ///
    /// # Errors
    /// `InvalidTensor` if row splits are missing, if they do not begin with 0 or fall, if they are of different types, if a
    /// level does not have as many rows as the level above it holds, or if the values are not as many as the innermost rows
    /// hold.
    pub fn try_new(
        row_splits: Vec<RowSplits>,
        inner_shape: Vec<usize>,
        values: Values,
    ) -> Result<Self, Error> {
        if row_splits.is_empty() {
            return Err(Error::new(Kind::InvalidTensor, "a ragged tensor needs row splits"));
        }
        let items = check_splits(None, &row_splits)?;
        let expected = inner_shape.iter().try_fold(items, |cells, &size| cells.checked_mul(size));
        if expected != Some(values.len()) {
            let shape =
                if inner_shape.is_empty() { String::new() } else { format!(" of shape {inner_shape:?}") };
            let (items, values) = (Count::of(items, "item"), Count::of(values.len(), "value"));
            let are = values.verb("is", "are");
            let message = format!("the innermost rows hold {items}{shape}, there {are} {values}");
            return Err(Error::new(Kind::InvalidTensor, message));
        }
        Ok(Self { row_splits, inner_shape, values })
    }

    /// Returns a tensor whose parts are known to fit.
    pub(crate) fn of_parts(row_splits: Vec<RowSplits>, inner_shape: Vec<usize>, values: Values) -> Self {
        debug_assert!(Self::try_new(row_splits.clone(), inner_shape.clone(), values.clone()).is_ok());
        Self { row_splits, inner_shape, values }
    }

    /// Returns the dtype of the values.
    #[must_use]
    pub fn dtype(&self) -> DType {
        self.values.dtype()
    }

    /// Returns the row splits, outermost first; at least one.
    #[must_use]
    pub fn row_splits(&self) -> &[RowSplits] {
        &self.row_splits
    }

    /// Returns the uniform dimensions inside of the rows.
    #[must_use]
    pub fn inner_shape(&self) -> &[usize] {
        &self.inner_shape
    }

    /// Returns the values, in row-major order: `[items of the innermost rows] + inner shape`.
    #[must_use]
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// Returns the size of the first dimension.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.row_splits.first().map_or(0, RowSplits::rows)
    }
}
