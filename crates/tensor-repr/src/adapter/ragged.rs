//! Ragged tensors.

mod partition;

use arrow_array::RecordBatch;
use arrow_schema::DataType;
use tfxio_core::{Count, DType};

use self::partition::Lengths;
use super::cursor::{Cursor, Lists};
use super::route::{Route, RouteStep, SchemaColumns};
use super::splits::Splits;
use super::{TensorRun, batch};
use crate::kind::Locate as _;
use crate::{
    Error, Kind, RaggedPartition, RaggedRepresentation, RaggedTensor, RowSplitsDType, TensorSpec,
    VarLenRaggedRepresentation,
};

#[derive(Debug)]
pub(super) struct RaggedPlan {
    route: Route,
    dtype: DType,
    /// The partitions that need row splits, from the outside in.
    divided: Vec<Divided>,
    inner_shape: Vec<usize>,
    row_splits: RowSplitsDType,
}

/// A partition that needs row splits.
#[derive(Debug)]
pub(super) enum Divided {
    Lengths(Route),
    Uniform(usize),
}

impl RaggedPlan {
    pub(super) fn of_lists(
        columns: &SchemaColumns<'_>,
        representation: &VarLenRaggedRepresentation,
    ) -> Result<(Self, TensorSpec), Error> {
        let VarLenRaggedRepresentation { column, dtype } = representation.clone();
        Self::of(columns, &RaggedRepresentation { column, dtype, ..RaggedRepresentation::default() })
    }

    pub(super) fn of(
        columns: &SchemaColumns<'_>,
        representation: &RaggedRepresentation,
    ) -> Result<(Self, TensorSpec), Error> {
        let route = Route::find(columns, &representation.column)?;
        let dtype = route.dtype(representation.dtype)?;
        let lists = if route.is_null() { route.lists().max(1) } else { route.lists() };
        if lists == 0 {
            let message =
                format!("a ragged tensor needs a list on the path, the values are bare {}", route.end);
            return Err(Error::new(Kind::TypeMismatch, message).in_column(&route.path));
        }
        let invalid =
            |message: String| Err(Error::new(Kind::InvalidRepresentation, message).in_column(&route.path));
        let partitions = &representation.partitions;
        let is_uniform =
            |partition: &&RaggedPartition| matches!(partition, RaggedPartition::UniformRowLength(_));
        let trailing = partitions.iter().rev().take_while(is_uniform).count();
        let (mut divided, mut inner_shape) = (Vec::new(), Vec::new());
        for (at, partition) in partitions.iter().enumerate() {
            match partition {
                RaggedPartition::UniformRowLength(length) => {
                    let Some(length) = usize::try_from(*length).ok().filter(|&length| length > 0) else {
                        return invalid(format!(
                            "a uniform row length of {length} leaves the number of rows open; it must be at least 1"
                        ));
                    };
                    if at >= partitions.len() - trailing {
                        inner_shape.push(length);
                    } else {
                        divided.push(Divided::Uniform(length));
                    }
                }
                RaggedPartition::RowLengths(name) => {
                    divided.push(Divided::Lengths(lengths_route(columns, &route, name)?));
                }
            }
        }
        if inner_shape.iter().try_fold(1usize, |cells, &size| cells.checked_mul(size)).is_none() {
            return invalid("the uniform row lengths hold more values than can be counted".to_owned());
        }
        let ragged_rank = lists + divided.len();
        let mut shape = vec![None; ragged_rank + 1];
        shape.extend(inner_shape.iter().map(|&size| Some(size)));
        let row_splits = representation.row_splits;
        let spec = TensorSpec::Ragged { dtype, shape, ragged_rank, row_splits };
        Ok((Self { route, dtype, divided, inner_shape, row_splits }, spec))
    }

    pub(super) fn run(&self, batch: &RecordBatch, run: &mut TensorRun<'_>) -> Result<RaggedTensor, Error> {
        let mut inner = || {
            let column = batch::column(batch, &self.route)?;
            self.of_cursor(Cursor::new(column), batch, run)
        };
        inner().map_err(|error: Error| {
            if error.position().column.is_some() { error } else { error.in_column(&self.route.path) }
        })
    }

    fn of_cursor(
        &self,
        cursor: Cursor,
        batch: &RecordBatch,
        run: &mut TensorRun<'_>,
    ) -> Result<RaggedTensor, Error> {
        let mut lists = Lists::of(cursor, &self.route, 1, run)?;
        let values = lists.values(self.dtype, run)?;
        let mut inner_splits = Vec::new();
        if !(self.divided.is_empty() && self.inner_shape.is_empty()) {
            let outer = lists.levels.split_off(lists.levels.len().saturating_sub(1));
            let Some(innermost) = outer.into_iter().next() else {
                return Err(Error::new(Kind::TypeMismatch, "a ragged tensor needs a list on the path"));
            };
            let mut lengths = Vec::new();
            for partition in &self.divided {
                lengths.push(match partition {
                    Divided::Uniform(length) => Lengths::Uniform(*length),
                    Divided::Lengths(route) => {
                        let of = Lists::of(Cursor::new(batch::column(batch, route)?), route, 1, run)?;
                        Lengths::read(of, route, run)?
                    }
                });
            }
            let (row, divided) = partition::divide(&innermost, &lengths, &self.inner_shape, &lists.levels)?;
            lists.levels.push(row);
            inner_splits = divided;
        }
        let all = lists.levels.iter().chain(&inner_splits);
        let row_splits =
            all.map(|splits| splits.row_splits(self.row_splits, run)).collect::<Result<Vec<_>, _>>()?;
        Ok(RaggedTensor::of_parts(row_splits, self.inner_shape.clone(), values))
    }
}

/// Returns the route to the row lengths in the column beside the values.
fn lengths_route(columns: &SchemaColumns<'_>, values: &Route, name: &str) -> Result<Route, Error> {
    let path = values.path.parent()?.child(name);
    let route = Route::find(columns, &path)?;
    let mismatch = |message: String| Err(Error::new(Kind::TypeMismatch, message).in_column(&path));
    if !(route.end.is_integer() || route.is_null()) {
        return mismatch(format!("row lengths must be integers, these are {}", route.end));
    }
    let own = |route: &Route| {
        let after = route.steps.iter().rev().take_while(|step| !matches!(step, RouteStep::Field(_)));
        after.count()
    };
    if !route.is_null() && own(&route) != 1 {
        return mismatch(format!(
            "row lengths must be a list of integers, these are {} deep",
            Count::of(own(&route), "list")
        ));
    }
    if !values.is_null() && !route.is_null() && own(values) != 1 {
        let message = format!(
            "row lengths divide a list of values, these values are {} deep",
            Count::of(own(values), "list")
        );
        return Err(Error::new(Kind::TypeMismatch, message).in_column(&values.path));
    }
    Ok(route)
}

/// Returns the lists of a field of structs as a ragged tensor, for structured tensors.
pub(super) fn of_lists(
    lists: &Lists,
    dtype: DType,
    row_splits: RowSplitsDType,
    run: &mut TensorRun<'_>,
) -> Result<RaggedTensor, Error> {
    let values = lists.values(dtype, run)?;
    let all = lists.levels.iter().map(|splits: &Splits| splits.row_splits(row_splits, run));
    Ok(RaggedTensor::of_parts(all.collect::<Result<Vec<_>, _>>()?, Vec::new(), values))
}

/// Integers of any width as `i64`; `None` for one beyond `i64`.
pub(super) fn integers(values: &crate::Values) -> Option<Vec<i64>> {
    macro_rules! widen {
        ($($t:ty),*) => {$(
            if let Some(values) = values.as_slice::<$t>() {
                return values.iter().map(|&value| i64::try_from(value).ok()).collect();
            }
        )*};
    }
    widen!(i64, i32, i16, i8, u64, u32, u16, u8);
    None
}

/// Returns the dtype of integers, for columns of them.
pub(super) fn integer_dtype(end: &DataType) -> DType {
    crate::Values::dtype_of(end).unwrap_or(DType::Int64)
}
