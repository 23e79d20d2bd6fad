//! What is to be done with one tensor.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{Field, FieldRef};

use super::builder::Options;
use super::{column, sparse, structured};
use crate::{
    DenseRepresentation, Error, Kind, Partition, RaggedRepresentation, Representation, SparseRepresentation,
    StructuredRepresentation, Tensor, TensorSpec, VarLenSparseRepresentation,
};

/// The columns that a tensor becomes.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) name: Arc<str>,
    spec: TensorSpec,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    /// All cells of a row in one list.
    Flat(FieldRef),
    /// A list for each dimension.
    Nested(FieldRef),
    VarLen(FieldRef),
    /// The column of the values, and those of the indices.
    Sparse(FieldRef, Vec<FieldRef>),
    Ragged(FieldRef),
    /// A column for each field.
    Structured(Vec<FieldRef>),
}

fn unsupported(text: impl Into<String>) -> Error {
    Error::new(Kind::Unsupported, text)
}

impl Plan {
    pub(super) fn of(name: Arc<str>, spec: TensorSpec, options: &Options) -> Result<Self, Error> {
        let field = |name: &str, data_type| Arc::new(Field::new(name, data_type, true));
        let form = match &spec {
            TensorSpec::Dense { dtype, shape } => {
                let item = column::arrow_type(*dtype)?;
                let Some((_, shape)) = shape.split_first() else {
                    return Err(unsupported("a dense tensor without dimensions has no batch dimension"));
                };
                if shape.iter().all(Option::is_some) {
                    Form::Flat(field(&name, column::nested_lists(item, 1)))
                } else {
                    Form::Nested(field(&name, column::nested_lists(item, shape.len())))
                }
            }
            TensorSpec::Sparse { dtype, shape } => {
                let values = column::nested_lists(column::arrow_type(*dtype)?, 1);
                match shape.as_slice() {
                    [] | [_] => {
                        let text = "a sparse tensor needs a dimension beside the batch to become lists";
                        return Err(unsupported(text));
                    }
                    [_, None] if !options.is_generic(&name) => Form::VarLen(field(&name, values)),
                    [_, inner @ ..] => {
                        let index = column::nested_lists(arrow_schema::DataType::Int64, 1);
                        let index = |at| field(&options.index_column(&name, at), index.clone());
                        Form::Sparse(
                            field(&options.value_column(&name), values),
                            (0..inner.len()).map(index).collect(),
                        )
                    }
                }
            }
            TensorSpec::Ragged { dtype, shape, ragged_rank, .. } => {
                let item = column::arrow_type(*dtype)?;
                if *ragged_rank == 0 || shape.len() <= *ragged_rank {
                    let text = format!(
                        "{spec}: a ragged tensor has at least one level of row splits, each of which is a dimension"
                    );
                    return Err(unsupported(text));
                }
                if let Some(size) =
                    uniform(shape, *ragged_rank).find(|size| size.is_none_or(|size| size == 0))
                {
                    let size = size.map_or("unknown".to_owned(), |size| size.to_string());
                    let text = format!(
                        "{spec}: the size of an inner dimension is {size}, so that lists cannot be divided by it"
                    );
                    return Err(unsupported(text));
                }
                Form::Ragged(field(&name, column::nested_lists(item, *ragged_rank)))
            }
            TensorSpec::Structured { shape, fields, .. } => {
                if shape.len() != 1 || fields.is_empty() {
                    let text =
                        format!("{spec}: a structured tensor has one struct a row, and at least one field");
                    return Err(unsupported(text));
                }
                Form::Structured(structured::fields(fields)?)
            }
        };
        Ok(Self { name, spec, form })
    }

    /// The columns, in order.
    pub(super) fn fields(&self) -> Vec<FieldRef> {
        match &self.form {
            Form::Flat(field) | Form::Nested(field) | Form::VarLen(field) | Form::Ragged(field) => {
                vec![Arc::clone(field)]
            }
            Form::Structured(fields) => fields.clone(),
            Form::Sparse(values, indices) => std::iter::once(values).chain(indices).map(Arc::clone).collect(),
        }
    }

    /// How the columns become the tensor again.
    pub(super) fn representation(&self) -> Representation {
        let inner = self.spec.shape().get(1..).unwrap_or_default();
        let path = |field: &FieldRef| field.name().as_str().into();
        match &self.form {
            Form::Flat(field) | Form::Nested(field) => Representation::Dense(DenseRepresentation {
                column: path(field),
                shape: inner.to_vec(),
                ..DenseRepresentation::default()
            }),
            Form::VarLen(field) => Representation::VarLenSparse(VarLenSparseRepresentation {
                column: path(field),
                ..VarLenSparseRepresentation::default()
            }),
            Form::Sparse(values, indices) => Representation::Sparse(SparseRepresentation {
                dense_shape: inner.iter().map(|size| size.map(|size| size as u64)).collect(),
                index_columns: indices.iter().map(path).collect(),
                value_column: path(values),
                ..SparseRepresentation::default()
            }),
            Form::Ragged(field) => {
                let mut ragged =
                    RaggedRepresentation { column: path(field), ..RaggedRepresentation::default() };
                if let TensorSpec::Ragged { shape, ragged_rank, row_splits, .. } = &self.spec {
                    let sizes = uniform(shape, *ragged_rank).flatten();
                    ragged.partitions = sizes.map(|size| Partition::UniformRowLength(size as u64)).collect();
                    ragged.row_splits = *row_splits;
                }
                Representation::Ragged(ragged)
            }
            Form::Structured(fields) => Representation::Structured(StructuredRepresentation {
                columns: fields.iter().map(path).collect(),
            }),
        }
    }

    /// Appends the columns of a tensor, which must have `rows` rows.
    pub(super) fn convert(
        &self,
        tensor: &Tensor,
        rows: usize,
        columns: &mut Vec<ArrayRef>,
    ) -> Result<(), Error> {
        if !self.spec.accepts(tensor) {
            let text = format!("{} does not fit the spec {}", described(tensor), self.spec);
            return Err(Error::new(Kind::TypeMismatch, text));
        }
        if tensor.rows() != rows {
            let text = format!("{} rows, and the tensors before it have {rows}", tensor.rows());
            return Err(Error::new(Kind::ShapeMismatch, text));
        }
        match (&self.form, tensor) {
            (Form::Flat(_), Tensor::Dense(tensor)) => columns.push(column::flat(tensor)?),
            (Form::Nested(_), Tensor::Dense(tensor)) => columns.push(column::nested(tensor)?),
            (Form::VarLen(_), Tensor::Sparse(tensor)) => columns.push(sparse::lists(tensor)?),
            (Form::Sparse(..), Tensor::Sparse(tensor)) => sparse::with_indices(tensor, columns)?,
            (Form::Ragged(_), Tensor::Ragged(tensor)) => columns.push(column::ragged(tensor)?),
            (Form::Structured(_), Tensor::Structured(tensor)) => columns.extend(structured::columns(tensor)?),
            // `accepts` has seen to it that the kinds are the same.
            _ => return Err(unsupported("the tensor is of another kind than its spec")),
        }
        Ok(())
    }
}

/// The sizes of the dimensions inside of ragged rows.
fn uniform(shape: &[Option<usize>], ragged_rank: usize) -> impl Iterator<Item = Option<usize>> {
    shape.iter().skip(ragged_rank.saturating_add(1)).copied()
}

/// The spec of a tensor, with the number of its rows.
fn described(tensor: &Tensor) -> String {
    let mut spec = tensor.spec();
    let (TensorSpec::Dense { shape, .. }
    | TensorSpec::Sparse { shape, .. }
    | TensorSpec::Ragged { shape, .. }
    | TensorSpec::Structured { shape, .. }) = &mut spec;
    if let Some(batch) = shape.first_mut() {
        *batch = Some(tensor.rows());
    }
    spec.to_string()
}
