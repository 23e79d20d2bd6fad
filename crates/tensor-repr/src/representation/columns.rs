//! The columns that a representation reads, and the dtype that it demands of them.

use tfxio_core::DType;

use super::{RaggedPartition, Representation};
use crate::ColumnPath;

impl Representation {
    /// Returns every column that the tensor is made of: values, indices and row lengths. A row-length column is beside the
    /// values' one, and so has the same parent.
    ///
    /// ```
    /// use tensor_repr::{ColumnPath, RaggedPartition, RaggedRepresentation, Representation};
    /// let ragged = RaggedRepresentation::default()
    ///     .column(ColumnPath::new(["s", "values"]))
    ///     .partitions(vec![RaggedPartition::RowLengths("lengths".into())]);
    /// let ragged = Representation::from(ragged);
    /// let columns: Vec<_> = ragged.source_columns().iter().map(ToString::to_string).collect();
    /// assert_eq!(columns, ["s.values", "s.lengths"]);
    /// ```
    #[must_use]
    pub fn source_columns(&self) -> Vec<ColumnPath> {
        match self {
            Self::Sparse(sparse) => {
                sparse.index_columns.iter().chain([&sparse.value_column]).cloned().collect()
            }
            Self::Ragged(ragged) => {
                let mut columns = vec![ragged.column.clone()];
                for partition in &ragged.partitions {
                    if let RaggedPartition::RowLengths(name) = partition {
                        // An empty path has no column beside it; the adapter refuses it.
                        columns.push(ragged.column.parent().unwrap_or_default().child(name.clone()));
                    }
                }
                columns
            }
            Self::Structured(structured) => structured.columns.clone(),
            Self::Converted(converted) => converted.of.source_columns(),
            one => one.value_column().into_iter().cloned().collect(),
        }
    }

    /// Returns the column of the values, from which the tensor has its dtype (lengths are int64 whatever it holds). A
    /// structured tensor has one for each field, and so none here.
    #[must_use]
    pub fn value_column(&self) -> Option<&ColumnPath> {
        self.values().map(|(column, _)| column)
    }

    /// Returns the dtype that the values must have; `None` takes the column's. A structured tensor demands none.
    #[must_use]
    pub fn dtype(&self) -> Option<DType> {
        self.values().and_then(|(_, dtype)| *dtype)
    }

    /// Returns the column of the values, and the dtype that they must have. A structured tensor has none.
    fn values(&self) -> Option<(&ColumnPath, &Option<DType>)> {
        Some(match self {
            Self::Dense(dense) => (&dense.column, &dense.dtype),
            Self::VarLenSparse(sparse) => (&sparse.column, &sparse.dtype),
            Self::Sparse(sparse) => (&sparse.value_column, &sparse.dtype),
            Self::Ragged(ragged) => (&ragged.column, &ragged.dtype),
            Self::VarLenRagged(ragged) => (&ragged.column, &ragged.dtype),
            Self::Lengths(lengths) => (&lengths.column, &lengths.dtype),
            Self::Sequence(sequence) => (&sequence.column, &sequence.dtype),
            Self::Converted(converted) => return converted.of.values(),
            Self::Structured(_) => return None,
        })
    }

    /// Returns [`values`](Self::values), to be set.
    pub(super) fn values_mut(&mut self) -> Option<(&mut ColumnPath, &mut Option<DType>)> {
        Some(match self {
            Self::Dense(dense) => (&mut dense.column, &mut dense.dtype),
            Self::VarLenSparse(sparse) => (&mut sparse.column, &mut sparse.dtype),
            Self::Sparse(sparse) => (&mut sparse.value_column, &mut sparse.dtype),
            Self::Ragged(ragged) => (&mut ragged.column, &mut ragged.dtype),
            Self::VarLenRagged(ragged) => (&mut ragged.column, &mut ragged.dtype),
            Self::Lengths(lengths) => (&mut lengths.column, &mut lengths.dtype),
            Self::Sequence(sequence) => (&mut sequence.column, &mut sequence.dtype),
            Self::Converted(converted) => return converted.of.values_mut(),
            Self::Structured(_) => return None,
        })
    }
}
