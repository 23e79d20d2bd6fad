//! Sequences of items of one shape, as ragged tensors.

use arrow_array::RecordBatch;
use tfxio_core::DType;

use super::cursor::{Cursor, Lists};
use super::dense::Raw;
use super::route::{Route, SchemaColumns};
use super::splits::Splits;
use super::{TensorRun, batch};
use crate::kind::Locate as _;
use crate::{Error, Kind, RaggedTensor, RowSplitsDType, SequenceRepresentation, TensorSpec};

#[derive(Debug)]
pub(super) struct SequencePlan {
    route: Route,
    dtype: DType,
    shape: Vec<usize>,
    /// The values of one item.
    cells: usize,
    optional: bool,
    row_splits: RowSplitsDType,
}

impl SequencePlan {
    pub(super) fn of(
        columns: &SchemaColumns<'_>,
        representation: &SequenceRepresentation,
    ) -> Result<(Self, TensorSpec), Error> {
        let SequenceRepresentation { column, shape, optional, row_splits, dtype } = representation.clone();
        let route = Route::find(columns, &column)?;
        let dtype = route.dtype(dtype)?;
        if route.lists() == 0 && !route.is_null() {
            let message = format!("a sequence needs a column of lists, the values are bare {}", route.end);
            return Err(Error::new(Kind::TypeMismatch, message).in_column(&route.path));
        }
        let cells = shape.iter().try_fold(1usize, |cells, size| cells.checked_mul(*size));
        let Some(cells) = cells else {
            let message = format!("the shape {shape:?} has more cells than can be counted");
            return Err(Error::new(Kind::InvalidRepresentation, message).in_column(&route.path));
        };
        let dimensions = [None, None].into_iter().chain(shape.iter().copied().map(Some)).collect();
        let spec = TensorSpec::Ragged { dtype, shape: dimensions, ragged_rank: 1, row_splits };
        Ok((Self { route, dtype, shape, cells, optional, row_splits }, spec))
    }

    pub(super) fn run(&self, batch: &RecordBatch, run: &mut TensorRun<'_>) -> Result<RaggedTensor, Error> {
        self.make(batch, run).map_err(|error| error.in_column(&self.route.path))
    }

    fn make(&self, batch: &RecordBatch, run: &mut TensorRun<'_>) -> Result<RaggedTensor, Error> {
        let column = batch::column(batch, &self.route)?;
        if !self.optional {
            let raw = Raw::of(column, &self.route, run)?;
            let absent = |level: &super::dense::Level| (0..raw.rows).find(|row| level.is_null(*row));
            if let Some(row) = raw.levels.first().and_then(absent) {
                let message = "the sequence is absent; the representation does not say that it is optional";
                return Err(Error::new(Kind::AbsentValue, message).in_row(row));
            }
        }
        let lists = Lists::of(Cursor::new(column), &self.route, 1, run)?;
        let Some((rows, inner)) = lists.levels.split_first() else {
            return Err(Error::new(Kind::TypeMismatch, "a sequence needs a column of lists"));
        };
        let items = rows.items();
        let single = Splits::Fixed { size: 1, lists: items };
        let counts = inner.iter().fold(single, |counts, inner| counts.merged(inner));
        let expected = Splits::Fixed { size: self.cells, lists: items };
        if let Some(item) = counts.first_difference(&expected) {
            let (found, cells) = (counts.length(item), self.cells);
            let values = if found == 1 { "value" } else { "values" };
            let message = format!("an item has {found} {values}, the shape {:?} holds {cells}", self.shape);
            return Err(Error::new(Kind::ShapeMismatch, message).in_row(rows.list_of(item)));
        }
        let values = lists.values(self.dtype, run)?;
        let row_splits = rows.row_splits(self.row_splits, run)?;
        Ok(RaggedTensor::of_parts(vec![row_splits], self.shape.clone(), values))
    }
}
