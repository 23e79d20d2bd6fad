//! The columns that a representation reads, and the dtype that it demands of them.

use tfxio_core::DType;

use super::{Partition, Representation};
use crate::ColumnPath;

impl Representation {
    /// Every column that the tensor is made of, those of values, indices and row lengths. A row-length
    /// column stands beside the values' one, and so has the same parent.
    ///
    /// ```
    /// use tensor_repr::{ColumnPath, Partition, RaggedRepresentation, Representation};
    /// let ragged = RaggedRepresentation::default()
    ///     .column(ColumnPath::new(["s", "values"]))
    ///     .partitions(vec![Partition::RowLengths("lengths".into())]);
    /// let ragged = Representation::from(ragged);
    /// let columns: Vec<_> = ragged.source_columns().iter().map(ToString::to_string).collect();
    /// assert_eq!(columns, ["s.values", "s.lengths"]);
    /// ```
    #[must_use]
    pub fn source_columns(&self) -> Vec<ColumnPath> {
        match self {
            Self::Dense(dense) => vec![dense.column.clone()],
            Self::VarLenSparse(sparse) => vec![sparse.column.clone()],
            Self::VarLenRagged(ragged) => vec![ragged.column.clone()],
            Self::Sparse(sparse) => {
                sparse.index_columns.iter().chain([&sparse.value_column]).cloned().collect()
            }
            Self::Ragged(ragged) => {
                let mut columns = vec![ragged.column.clone()];
                for partition in &ragged.partitions {
                    if let Partition::RowLengths(name) = partition {
                        // An empty path has no column beside it; the adapter refuses it.
                        columns.push(ragged.column.parent().unwrap_or_default().child(name.clone()));
                    }
                }
                columns
            }
            Self::Structured(structured) => structured.columns.clone(),
            Self::Lengths(lengths) => vec![lengths.column.clone()],
            Self::Sequence(sequence) => vec![sequence.column.clone()],
            Self::Converted(converted) => converted.of.source_columns(),
        }
    }

    /// The column of the values, from which the tensor has its dtype (lengths are int64 whatever it holds). A structured tensor has one for
    /// each field, and so none here.
    #[must_use]
    pub fn value_column(&self) -> Option<&ColumnPath> {
        match self {
            Self::Dense(dense) => Some(&dense.column),
            Self::VarLenSparse(sparse) => Some(&sparse.column),
            Self::VarLenRagged(ragged) => Some(&ragged.column),
            Self::Sparse(sparse) => Some(&sparse.value_column),
            Self::Ragged(ragged) => Some(&ragged.column),
            Self::Lengths(lengths) => Some(&lengths.column),
            Self::Sequence(sequence) => Some(&sequence.column),
            Self::Converted(converted) => converted.of.value_column(),
            Self::Structured(_) => None,
        }
    }

    /// Returns the dtype that the values must have; `None` takes the column's. A structured tensor demands none.
    #[must_use]
    pub fn dtype(&self) -> Option<DType> {
        match self {
            Self::Dense(dense) => dense.dtype,
            Self::VarLenSparse(sparse) => sparse.dtype,
            Self::Sparse(sparse) => sparse.dtype,
            Self::Ragged(ragged) => ragged.dtype,
            Self::VarLenRagged(ragged) => ragged.dtype,
            Self::Lengths(lengths) => lengths.dtype,
            Self::Sequence(sequence) => sequence.dtype,
            Self::Converted(converted) => converted.of.dtype(),
            Self::Structured(_) => None,
        }
    }
}
