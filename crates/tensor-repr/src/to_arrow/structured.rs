//! Structured tensors as columns, one for each field.

use std::sync::Arc;

use arrow_array::{ArrayRef, StructArray};
use arrow_schema::{DataType, Field, FieldRef, Fields};

use super::column;
use crate::{Error, Kind, RowSplitsDType, StructuredTensor, Tensor, TensorSpec};

/// Returns the columns of fields of these specs.
pub(super) fn fields(fields: &[(Arc<str>, TensorSpec)]) -> Result<Vec<FieldRef>, Error> {
    let mut columns: Vec<FieldRef> = Vec::with_capacity(fields.len());
    for (name, spec) in fields {
        if columns.iter().any(|column| *column.name() == **name) {
            let text = format!("two fields are called {name:?}");
            return Err(Error::new(Kind::InvalidArgument, text));
        }
        columns.push(Arc::new(Field::new(name.as_ref(), data_type(name, spec)?, true)));
    }
    Ok(columns)
}

fn data_type(name: &str, spec: &TensorSpec) -> Result<DataType, Error> {
    let unsupported =
        |text: &str| Err(Error::new(Kind::Unsupported, format!("field {name:?}, {spec}: {text}")));
    let wide = |splits: &RowSplitsDType| *splits == RowSplitsDType::Int64;
    match spec {
        TensorSpec::Dense { dtype, shape } if shape.len() == 1 => column::arrow_type(*dtype),
        TensorSpec::Ragged { dtype, ragged_rank, shape, row_splits } => {
            if shape.len() != ragged_rank.saturating_add(1) || *ragged_rank == 0 {
                return unsupported("every dimension of a ragged field but the first has row splits");
            }
            if !wide(row_splits) {
                return unsupported("fields have row splits of 64 bits");
            }
            Ok(column::nested_lists(column::arrow_type(*dtype)?, *ragged_rank))
        }
        TensorSpec::Structured { shape, row_splits, fields: children } if !shape.is_empty() => {
            if shape.len() > 1 && !wide(row_splits) {
                return unsupported("fields have row splits of 64 bits");
            }
            Ok(column::nested_lists(DataType::Struct(fields(children)?.into()), shape.len() - 1))
        }
        _ => unsupported("a field is dense with one value a struct, ragged, or structured"),
    }
}

/// Returns the columns of the fields of a tensor, in order.
pub(super) fn columns(tensor: &StructuredTensor) -> Result<Vec<ArrayRef>, Error> {
    tensor.fields().iter().map(|(_, field)| array(field)).collect()
}

fn array(field: &Tensor) -> Result<ArrayRef, Error> {
    match field {
        Tensor::Dense(tensor) => column::array(tensor.values()),
        Tensor::Ragged(tensor) => column::ragged(tensor),
        Tensor::Structured(tensor) => {
            let columns = columns(tensor)?;
            let names = tensor.fields().iter().zip(&columns);
            let fields: Fields = names
                .map(|((name, _), column)| Field::new(name.as_ref(), column.data_type().clone(), true))
                .collect();
            let structs: ArrayRef =
                Arc::new(StructArray::try_new_with_length(fields, columns, None, tensor.structs())?);
            column::nest(tensor.row_splits(), 1, structs)
        }
        Tensor::Sparse(_) => Err(Error::new(Kind::Unsupported, "a field is not sparse")),
    }
}
