//! The lengths of the rows of a column.

use arrow_array::RecordBatch;
use tfxio_core::DType;

use super::dense::Raw;
use super::route::{Route, SchemaColumns};
use super::{TensorRun, batch};
use crate::kind::Locate as _;
use crate::{DenseTensor, Error, Kind, LengthsRepresentation, TensorSpec, Values};

#[derive(Debug)]
pub(super) struct LengthsPlan {
    route: Route,
}

impl LengthsPlan {
    pub(super) fn of(
        columns: &SchemaColumns<'_>,
        representation: &LengthsRepresentation,
    ) -> Result<(Self, TensorSpec), Error> {
        let route = Route::find(columns, &representation.column)?;
        if let Some(dtype) = representation.dtype {
            route.dtype(Some(dtype))?;
        }
        if route.lists() == 0 && !route.is_null() {
            let message =
                "the column has single values, of which there are no lengths; name a column of lists";
            return Err(Error::new(Kind::TypeMismatch, message).in_column(&route.path));
        }
        Ok((Self { route }, TensorSpec::Dense { dtype: DType::Int64, shape: vec![None] }))
    }

    pub(super) fn run(&self, batch: &RecordBatch, run: &mut TensorRun<'_>) -> Result<DenseTensor, Error> {
        let mut inner = || {
            let column = batch::column(batch, &self.route)?;
            let raw = Raw::of(column, &self.route, run)?;
            let mut room = run.room::<i64>(raw.rows)?;
            for (row, length) in room.values::<i64>().iter_mut().enumerate() {
                let outer = raw.levels.first().filter(|level| !level.is_null(row));
                let (from, to) = outer.map_or((0, 0), |level| level.bounds(row));
                *length = i64::try_from(to.saturating_sub(from)).unwrap_or(i64::MAX);
            }
            run.count.computed += raw.rows as u64 * 8;
            DenseTensor::try_new(vec![raw.rows], Values::plain(DType::Int64, run.finish(room)))
        };
        inner().map_err(|error: Error| error.in_column(&self.route.path))
    }
}
