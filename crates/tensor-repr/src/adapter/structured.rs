//! Structured tensors of columns and of lists of structs.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::DataType;
use tfxio_core::DType;

use super::cursor::{Cursor, Lists};
use super::ragged;
use super::route::{Route, SchemaColumns};
use super::{TensorRun, batch};
use crate::kind::Locate as _;
use crate::{
    DenseTensor, Error, Kind, RowSplitsDType, StructuredRepresentation, StructuredTensor, Tensor, TensorSpec,
};

/// Type of the splits of structured tensors; `LargeList` columns share their offsets.
const ROW_SPLITS: RowSplitsDType = RowSplitsDType::Int64;

#[derive(Debug)]
pub(super) struct StructuredPlan {
    fields: Vec<Field>,
}

#[derive(Debug)]
struct Field {
    name: Arc<str>,
    route: Route,
    kind: FieldKind,
}

#[derive(Debug)]
enum FieldKind {
    /// One value a struct.
    Dense(DType),
    /// Lists of values.
    Ragged(DType),
    /// Structs, in lists or not.
    Structs(Vec<Field>),
}

impl StructuredPlan {
    pub(super) fn of(
        columns: &SchemaColumns<'_>,
        representation: &StructuredRepresentation,
    ) -> Result<(Self, TensorSpec), Error> {
        if representation.columns.is_empty() {
            let message = "a structured tensor needs at least one column";
            return Err(Error::new(Kind::InvalidRepresentation, message));
        }
        let (mut fields, mut specs) = (Vec::new(), Vec::new());
        for path in &representation.columns {
            let route = Route::find(columns, path)?;
            let (field, spec) = Field::of(path.to_string().into(), route)?;
            if fields.iter().any(|other: &Field| other.name == field.name) {
                let message = "the column is named twice";
                return Err(Error::new(Kind::InvalidRepresentation, message).in_column(path));
            }
            specs.push((field.name.clone(), spec));
            fields.push(field);
        }
        let spec = TensorSpec::Structured { shape: vec![None], row_splits: ROW_SPLITS, fields: specs };
        Ok((Self { fields }, spec))
    }

    pub(super) fn run(
        &self,
        batch: &RecordBatch,
        run: &mut TensorRun<'_>,
    ) -> Result<StructuredTensor, Error> {
        let mut fields = Vec::with_capacity(self.fields.len());
        for field in &self.fields {
            let cursor = Cursor::new(batch::column(batch, &field.route)?);
            fields.push((field.name.clone(), field.run(cursor, run)?));
        }
        StructuredTensor::try_new(batch.num_rows(), Vec::new(), fields)
    }
}

impl Field {
    fn of(name: Arc<str>, route: Route) -> Result<(Self, TensorSpec), Error> {
        let lists = route.lists();
        let shape = vec![None; lists + 1];
        let (kind, spec) = match &route.end {
            DataType::Struct(children) => {
                let (mut fields, mut specs) = (Vec::new(), Vec::new());
                for child in children {
                    let path = route.path.child(child.name().as_str());
                    let (field, spec) =
                        Self::of(child.name().as_str().into(), Route::inside(path, child.data_type()))?;
                    specs.push((field.name.clone(), spec));
                    fields.push(field);
                }
                let spec = TensorSpec::Structured { shape, row_splits: ROW_SPLITS, fields: specs };
                (FieldKind::Structs(fields), spec)
            }
            _ if lists == 0 => {
                let dtype = route.dtype(None)?;
                (FieldKind::Dense(dtype), TensorSpec::Dense { dtype, shape })
            }
            _ => {
                let dtype = route.dtype(None)?;
                let spec = TensorSpec::Ragged { dtype, shape, ragged_rank: lists, row_splits: ROW_SPLITS };
                (FieldKind::Ragged(dtype), spec)
            }
        };
        Ok((Self { name, route, kind }, spec))
    }

    fn run(&self, cursor: Cursor, run: &mut TensorRun<'_>) -> Result<Tensor, Error> {
        let rows = cursor.len();
        let lists =
            Lists::of(cursor, &self.route, 0, run).map_err(|error| error.in_column(&self.route.path))?;
        let tensor = match &self.kind {
            FieldKind::Dense(dtype) => {
                let values = lists.values(*dtype, run);
                values.and_then(|values| DenseTensor::try_new(vec![rows], values)).map(Tensor::Dense)
            }
            FieldKind::Ragged(dtype) => ragged::of_lists(&lists, *dtype, ROW_SPLITS, run).map(Tensor::Ragged),
            FieldKind::Structs(children) => {
                let mut fields = Vec::with_capacity(children.len());
                for (at, child) in children.iter().enumerate() {
                    // An error counts structs; the caller counts what they lie in.
                    let field = child.run(lists.end.field(at), run).map_err(|error| {
                        match error.position().row.and_then(|item| usize::try_from(item).ok()) {
                            Some(item) => error.in_row(lists.row_of(item)),
                            None => error,
                        }
                    })?;
                    fields.push((child.name.clone(), field));
                }
                let row_splits = lists.levels.iter().map(|splits| splits.row_splits(ROW_SPLITS, run));
                let row_splits = row_splits.collect::<Result<Vec<_>, _>>();
                row_splits
                    .and_then(|row_splits| StructuredTensor::try_new(rows, row_splits, fields))
                    .map(Tensor::Structured)
            }
        };
        tensor.map_err(|error| {
            if error.position().column.is_some() { error } else { error.in_column(&self.route.path) }
        })
    }
}
