//! Representations in code.

use std::sync::Arc;

use tfxio_core::DType;

use super::{
    ConvertedRepresentation, DefaultValue, DenseRepresentation, Fill, LengthsRepresentation, RaggedPartition,
    RaggedRepresentation, RawBytes, Representation, RowSplitsDType, ScalarValue, SequenceRepresentation,
    SparseRepresentation, StructuredRepresentation, VarLenRaggedRepresentation, VarLenSparseRepresentation,
};
use crate::setters::setters;
use crate::{ColumnPath, Endian};

impl Representation {
    /// Returns a dense tensor of `[batch] + shape`, of the column of the tensor's name.
    ///
    /// ```
    /// use tensor_repr::{DenseRepresentation, Representation};
    ///
    /// let image = Representation::dense([8, 8]);
    /// assert_eq!(image, DenseRepresentation::default().shape(vec![Some(8), Some(8)]).into());
    /// ```
    pub fn dense(shape: impl IntoIterator<Item = usize>) -> Self {
        DenseRepresentation::default().shape(shape.into_iter().map(Some).collect()).into()
    }

    /// Returns a sparse tensor of each value at its position in the row, of the column of the tensor's name.
    #[must_use]
    pub fn varlen_sparse() -> Self {
        VarLenSparseRepresentation::default().into()
    }

    /// Returns a ragged tensor of all nested lists of the column of the tensor's name.
    #[must_use]
    pub fn varlen_ragged() -> Self {
        VarLenRaggedRepresentation::default().into()
    }

    /// Returns a ragged tensor of the lists on the way to a column, and of these partitions below them.
    ///
    /// ```
    /// use tensor_repr::{RaggedPartition, Representation};
    ///
    /// let pairs = Representation::ragged("points", [RaggedPartition::UniformRowLength(2)]);
    /// # let _ = pairs;
    /// ```
    pub fn ragged(
        column: impl Into<ColumnPath>,
        partitions: impl IntoIterator<Item = RaggedPartition>,
    ) -> Self {
        RaggedRepresentation::default().column(column).partitions(partitions.into_iter().collect()).into()
    }

    /// Returns a structured tensor of these columns.
    pub fn structured<I>(columns: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<ColumnPath>,
    {
        let columns: Vec<_> = columns.into_iter().map(Into::into).collect();
        StructuredRepresentation::default().columns(columns).into()
    }

    /// Returns the number of items of each row of the column of the tensor's name.
    #[must_use]
    pub fn lengths() -> Self {
        LengthsRepresentation::default().into()
    }

    /// Returns a sequence of items of a shape in each row, of the column of the tensor's name.
    pub fn sequence(shape: impl IntoIterator<Item = usize>) -> Self {
        SequenceRepresentation::default().shape(shape.into_iter().collect()).into()
    }

    /// Reads the values from raw bytes: each string of the column holds values in the format of `raw`, whose shape follows
    /// the dimensions of this representation.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use arrow_array::{ArrayRef, BinaryArray, RecordBatch};
    /// use tensor_repr::{Adapter, DType, Endian, RawBytes, Representation};
    ///
    /// let bytes: ArrayRef = Arc::new(BinaryArray::from_iter_values([[0u8, 1, 0, 2], [0, 3, 0, 4]]));
    /// let batch = RecordBatch::try_from_iter([("x", bytes)])?;
    /// let raw = RawBytes::new(DType::UInt16).endian(Endian::Big).shape(vec![2]);
    /// let x = Representation::dense([]).raw(raw).cast(DType::Float32);
    /// let tensors = Adapter::builder(batch.schema(), [("x", x)]).build()?.tensors(&batch)?;
    /// let x = tensors.dense("x")?;
    /// assert_eq!((x.shape(), x.values().as_slice::<f32>()), (&[2, 2][..], Some(&[1.0, 2.0, 3.0, 4.0][..])));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn raw(self, raw: RawBytes) -> Self {
        Self::Converted(ConvertedRepresentation { raw: Some(raw), ..self.into_converted() })
    }

    /// Casts the values, after they were read from raw bytes if they are such; see
    /// [`Values::cast`](crate::Values::cast).
    #[must_use]
    pub fn cast(self, dtype: DType) -> Self {
        Self::Converted(ConvertedRepresentation { cast: Some(dtype), ..self.into_converted() })
    }

    fn into_converted(self) -> ConvertedRepresentation {
        match self {
            Self::Converted(converted) => converted,
            other => ConvertedRepresentation { of: Box::new(other), raw: None, cast: None },
        }
    }

    /// Sets the column of the values; a structured tensor, which has one for each field, stays as it is.
    #[must_use]
    pub fn column(mut self, column: impl Into<ColumnPath>) -> Self {
        if let Some((value_column, _)) = self.values_mut() {
            *value_column = column.into();
        }
        self
    }

    /// Sets the dtype of the values. A column of type `Null`, which has none of its own, is taken for one of it. A
    /// structured tensor stays as it is.
    #[must_use]
    pub fn of_dtype(mut self, dtype: DType) -> Self {
        if let Some((_, stated)) = self.values_mut() {
            *stated = Some(dtype);
        }
        self
    }

    /// Takes the column of the tensor's name where none is stated.
    pub(crate) fn of_tensor(self, name: &Arc<str>) -> Self {
        if self.value_column().is_some_and(ColumnPath::is_empty) { self.column(name.as_ref()) } else { self }
    }
}

impl Default for Representation {
    /// Returns a dense tensor of single values, of the column of the tensor's name.
    fn default() -> Self {
        Self::Dense(DenseRepresentation::default())
    }
}

impl RawBytes {
    /// Returns single values of a dtype, the lowest byte first.
    #[must_use]
    pub fn new(dtype: DType) -> Self {
        Self { dtype, endian: Endian::Little, shape: Vec::new() }
    }
}

/// Makes the default of all cells of values of Rust.
macro_rules! defaults {
    ($($type:ty => $variant:ident;)*) => {$(
        impl From<$type> for DefaultValue {
            fn from(value: $type) -> Self {
                Self::Scalar(ScalarValue::$variant(value.into()))
            }
        }
    )*};
}

defaults! {
    bool => Bool;
    i32 => Int;
    i64 => Int;
    f32 => Float;
    f64 => Float;
    &str => Bytes;
    &[u8] => Bytes;
}

impl DenseRepresentation {
    /// Sets what fills absent cells, the field `default`, whose name is that of [`Default::default`].
    #[must_use]
    pub fn default_value(mut self, value: impl Into<Option<DefaultValue>>) -> Self {
        self.default = value.into();
        self
    }
}

/// Defines the conversion of each kind to [`Representation`].
macro_rules! kinds {
    ($($kind:ident($type:ident),)*) => {$(
        impl From<$type> for Representation {
            fn from(representation: $type) -> Self {
                Self::$kind(representation)
            }
        }
    )*};
}

kinds! {
    Dense(DenseRepresentation),
    VarLenSparse(VarLenSparseRepresentation),
    Sparse(SparseRepresentation),
    Ragged(RaggedRepresentation),
    VarLenRagged(VarLenRaggedRepresentation),
    Structured(StructuredRepresentation),
    Lengths(LengthsRepresentation),
    Sequence(SequenceRepresentation),
    Converted(ConvertedRepresentation),
}

setters! {
    DenseRepresentation {
        /// Sets the column of the values.
        column: impl Into<ColumnPath> => column.into(),
        /// Sets the shape of one row.
        shape: Vec<Option<usize>> => shape,
        /// Sets whether nested lists are taken for one.
        flat: bool => flat,
        /// Sets which cells the default fills.
        fill: Fill => fill,
        /// Sets what pads short lists.
        padding: impl Into<Option<ScalarValue>> => padding.into(),
        /// Sets the names of the dimensions.
        dim_names: Vec<Option<Arc<str>>> => dim_names,
        /// Sets the dtype that the column must have.
        dtype: impl Into<Option<DType>> => dtype.into(),
    }
    VarLenSparseRepresentation {
        /// Sets the column of the values.
        column: impl Into<ColumnPath> => column.into(),
        /// Sets the number of list levels that the column must have.
        rank: impl Into<Option<usize>> => rank.into(),
        /// Sets the dtype that the column must have.
        dtype: impl Into<Option<DType>> => dtype.into(),
    }
    SparseRepresentation {
        /// Sets the shape of one row.
        dense_shape: Vec<Option<u64>> => dense_shape,
        /// Sets the columns of the indices.
        index_columns: Vec<ColumnPath> => index_columns,
        /// Sets the column of the values.
        value_column: impl Into<ColumnPath> => value_column.into(),
        /// Sets whether the entries of each row are put in order.
        sort: bool => sort,
        /// Sets whether the entries are said to be in order.
        already_sorted: bool => already_sorted,
        /// Sets the names of the dimensions.
        dim_names: Vec<Option<Arc<str>>> => dim_names,
        /// Sets how many outer list levels stay as dimensions.
        kept_dims: usize => kept_dims,
        /// Sets the dtype that the value column must have.
        dtype: impl Into<Option<DType>> => dtype.into(),
    }
    RaggedRepresentation {
        /// Sets the path to the values.
        column: impl Into<ColumnPath> => column.into(),
        /// Sets the partitions inside of a row.
        partitions: Vec<RaggedPartition> => partitions,
        /// Sets the integer type of the row splits.
        row_splits: RowSplitsDType => row_splits,
        /// Sets the dtype that the column must have.
        dtype: impl Into<Option<DType>> => dtype.into(),
    }
    VarLenRaggedRepresentation {
        /// Sets the column.
        column: impl Into<ColumnPath> => column.into(),
        /// Sets the dtype that the column must have.
        dtype: impl Into<Option<DType>> => dtype.into(),
    }
    StructuredRepresentation {
        /// Sets the columns.
        columns: Vec<ColumnPath> => columns,
    }
    LengthsRepresentation {
        /// Sets the column.
        column: impl Into<ColumnPath> => column.into(),
        /// Sets the dtype that the values of the column must have.
        dtype: impl Into<Option<DType>> => dtype.into(),
    }
    SequenceRepresentation {
        /// Sets the column.
        column: impl Into<ColumnPath> => column.into(),
        /// Sets the shape of one item.
        shape: Vec<usize> => shape,
        /// Sets whether an absent row is an empty sequence.
        optional: bool => optional,
        /// Sets the integer type of the row splits.
        row_splits: RowSplitsDType => row_splits,
        /// Sets the dtype that the column must have.
        dtype: impl Into<Option<DType>> => dtype.into(),
    }
    RawBytes {
        /// Sets the order of the bytes of a value.
        endian: Endian => endian,
        /// Sets the shape.
        shape: Vec<usize> => shape,
    }
}
