//! Plans for single tensors.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{Field, FieldRef};
use tfxio_core::Count;

use super::builder::Options;
use super::{column, sparse, structured};
use crate::{
    ColumnPath, DenseRepresentation, Error, Kind, RaggedPartition, RaggedRepresentation, Representation,
    SparseRepresentation, StructuredRepresentation, Tensor, TensorSpec, VarLenSparseRepresentation,
};

/// The columns that a tensor becomes.
#[derive(Clone, Debug)]
pub(super) struct TensorPlan {
    pub(super) name: Arc<str>,
    spec: TensorSpec,
    /// The columns, in order.
    pub(super) fields: Vec<FieldRef>,
    /// Representation that makes the tensor from the columns again.
    pub(super) representation: Representation,
}

fn unsupported(text: impl Into<String>) -> Error {
    Error::new(Kind::Unsupported, text)
}

impl TensorPlan {
    pub(super) fn of(name: Arc<str>, spec: TensorSpec, options: &Options) -> Result<Self, Error> {
        let field = |name: &str, data_type| Arc::new(Field::new(name, data_type, true));
        let path = |field: &FieldRef| ColumnPath::from(field.name().as_str());
        let inner = spec.shape().get(1..).unwrap_or_default().to_vec();
        let (fields, representation) = match &spec {
            TensorSpec::Dense { dtype, shape } => {
                let item = column::arrow_type(*dtype)?;
                if shape.is_empty() {
                    return Err(unsupported("a dense tensor without dimensions has no batch dimension"));
                }
                let levels = if is_flat(&inner) { 1 } else { inner.len() };
                let field = field(&name, column::nested_lists(item, levels));
                let dense = DenseRepresentation::default().column(path(&field)).shape(inner);
                (vec![field], dense.into())
            }
            TensorSpec::Sparse { dtype, shape } => {
                let values = column::nested_lists(column::arrow_type(*dtype)?, 1);
                match shape.as_slice() {
                    [] | [_] => {
                        let text = "a sparse tensor needs a dimension beside the batch to become lists";
                        return Err(unsupported(text));
                    }
                    [_, None] if !options.is_generic(&name) => {
                        let field = field(&name, values);
                        let sparse = VarLenSparseRepresentation::default().column(path(&field));
                        (vec![field], sparse.into())
                    }
                    _ => {
                        let index = column::nested_lists(arrow_schema::DataType::Int64, 1);
                        let index = |at| field(&options.index_column(&name, at), index.clone());
                        let indices: Vec<_> = (0..inner.len()).map(index).collect();
                        let values = field(&options.value_column(&name), values);
                        let sparse = SparseRepresentation::default()
                            .dense_shape(inner.iter().map(|size| size.map(|size| size as u64)).collect())
                            .index_columns(indices.iter().map(path).collect())
                            .value_column(path(&values));
                        (std::iter::once(values).chain(indices).collect(), sparse.into())
                    }
                }
            }
            TensorSpec::Ragged { dtype, shape, ragged_rank, row_splits } => {
                let item = column::arrow_type(*dtype)?;
                if *ragged_rank == 0 || shape.len() <= *ragged_rank {
                    let text = format!(
                        "{spec}: a ragged tensor has at least one level of row splits, each of which is a dimension"
                    );
                    return Err(unsupported(text));
                }
                let uniform = || shape.iter().skip(ragged_rank.saturating_add(1)).copied();
                if let Some(size) = uniform().find(|size| size.is_none_or(|size| size == 0)) {
                    let size = size.map_or("unknown".to_owned(), |size| size.to_string());
                    let text = format!(
                        "{spec}: the size of an inner dimension is {size}, so that lists cannot be divided by it"
                    );
                    return Err(unsupported(text));
                }
                let field = field(&name, column::nested_lists(item, *ragged_rank));
                let lengths = uniform().flatten().map(|size| RaggedPartition::UniformRowLength(size as u64));
                let ragged = RaggedRepresentation::default().column(path(&field)).row_splits(*row_splits);
                (vec![field], ragged.partitions(lengths.collect()).into())
            }
            TensorSpec::Structured { shape, fields, .. } => {
                if shape.len() != 1 || fields.is_empty() {
                    let text =
                        format!("{spec}: a structured tensor has one struct a row, and at least one field");
                    return Err(unsupported(text));
                }
                let fields = structured::fields(fields)?;
                let columns = fields.iter().map(path).collect();
                (fields, StructuredRepresentation::default().columns(columns).into())
            }
        };
        Ok(Self { name, spec, fields, representation })
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
            let text = format!("{}, and the tensors before it have {rows}", Count::of(tensor.rows(), "row"));
            return Err(Error::new(Kind::ShapeMismatch, text));
        }
        match (&self.representation, tensor) {
            (Representation::Dense(dense), Tensor::Dense(tensor)) => {
                columns.push(match dense.shape.as_slice() {
                    shape if is_flat(shape) => column::flat(tensor)?,
                    _ => column::nested(tensor)?,
                })
            }
            (Representation::VarLenSparse(_), Tensor::Sparse(tensor)) => columns.push(sparse::lists(tensor)?),
            (Representation::Sparse(_), Tensor::Sparse(tensor)) => sparse::with_indices(tensor, columns)?,
            (Representation::Ragged(_), Tensor::Ragged(tensor)) => columns.push(column::ragged(tensor)?),
            (Representation::Structured(_), Tensor::Structured(tensor)) => {
                columns.extend(structured::columns(tensor)?);
            }
            // `accepts` has seen to it that the kinds are the same.
            _ => return Err(unsupported("the tensor is of another kind than its spec")),
        }
        Ok(())
    }
}

/// Returns whether all cells of a row are in one list: if no size differs by batch, the dimensions need no lists of their
/// own.
fn is_flat(shape: &[Option<usize>]) -> bool {
    shape.iter().all(Option::is_some)
}

/// Returns the spec of a tensor, with the number of its rows.
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
