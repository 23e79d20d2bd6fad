//! Feature specs as representations.

use tfxio_core::{Count, DType};

use super::{FeatureSpec, FixedLen, FixedLenSequence, SparseFeature, SpecDefault};
use crate::kind::Locate as _;
use crate::{
    ColumnPath, DefaultValue, DenseRepresentation, Error, Fill, Kind, LengthsRepresentation,
    RaggedRepresentation, Representation, ScalarValue, SparseRepresentation, VarLenSparseRepresentation,
};

impl FeatureSpec {
    /// Returns the representation that makes the tensor of that name from the columns.
    ///
    /// # Errors
    /// `InvalidRepresentation` if the shape of a default differs from the shape of the feature, if a default has a value
    /// for each cell of a shape that is not known, if index keys are missing, or if there are fewer sizes than index keys.
    pub fn representation(&self, name: &str) -> Result<Representation, Error> {
        let column = |key: &Option<ColumnPath>| key.clone().unwrap_or_else(|| name.into());
        let representation = match self {
            Self::FixedLen(spec) => fixed_len(spec, column(&spec.key)),
            Self::FixedLenSequence(spec) => {
                let shape = [None].into_iter().chain(spec.shape.iter().map(|&size| Some(size)));
                Ok(spec.dense(column(&spec.key), shape.collect()))
            }
            Self::Sparse(spec) => sparse(spec),
            Self::VarLen(spec) => Ok(Representation::VarLenSparse(VarLenSparseRepresentation {
                column: column(&spec.key),
                rank: spec.rank,
                dtype: Some(spec.dtype),
            })),
            Self::Ragged(spec) => Ok(Representation::Ragged(RaggedRepresentation {
                column: column(&spec.value_key),
                partitions: spec.partitions.clone(),
                row_splits: spec.row_splits,
                dtype: Some(spec.dtype),
            })),
            Self::Lengths(spec) => Ok(Representation::Lengths(LengthsRepresentation {
                column: column(&spec.key),
                dtype: Some(spec.dtype),
            })),
        };
        representation.map_err(|error| error.in_tensor(name))
    }
}

fn invalid(message: String) -> Error {
    Error::new(Kind::InvalidRepresentation, message)
}

fn fixed_len(spec: &FixedLen, column: ColumnPath) -> Result<Representation, Error> {
    let mut row = spec.shape.as_slice();
    let default = match &spec.default {
        None => None,
        Some(SpecDefault::Scalar(scalar)) => Some(DefaultValue::Scalar(scalar.clone())),
        Some(SpecDefault::Full { shape, values }) => {
            let fits = |row: &[Option<usize>]| shape.iter().map(|&size| Some(size)).eq(row.iter().copied());
            // A default of one row says that what is open is the number of rows.
            if let [None, rest @ ..] = row
                && !rest.is_empty()
                && fits(rest)
            {
                row = rest;
            } else if !fits(row) {
                let feature = sizes(&spec.shape);
                return Err(invalid(format!(
                    "the default has the shape {shape:?}, the feature {feature}; give a scalar or a value for each cell"
                )));
            }
            let cells = shape.iter().try_fold(1usize, |cells, &size| cells.checked_mul(size));
            if cells != Some(values.len()) {
                return Err(invalid(format!(
                    "the default of shape {shape:?} has {}",
                    Count::of(values.len(), "value")
                )));
            }
            Some(DefaultValue::Full(values.clone()))
        }
    };
    Ok(Representation::Dense(DenseRepresentation {
        column,
        shape: row.to_vec(),
        default,
        fill: Fill::Shortfall,
        dtype: Some(spec.dtype),
        ..DenseRepresentation::default()
    }))
}

impl FixedLenSequence {
    /// Returns the padded tensor of that column and shape. A default pads. Without one zero does, and a null element stays
    /// an error.
    pub(super) fn dense(&self, column: ColumnPath, shape: Vec<Option<usize>>) -> Representation {
        let zero = || match self.dtype {
            DType::Bool => ScalarValue::Bool(false),
            DType::String => ScalarValue::Bytes(Vec::new()),
            DType::Float16 | DType::BFloat16 | DType::Float32 | DType::Float64 => ScalarValue::Float(0.0),
            _ => ScalarValue::Int(0),
        };
        let default = self.default.clone().filter(|_| self.allow_missing);
        let pads = self.allow_missing && default.is_none();
        Representation::Dense(DenseRepresentation {
            column,
            shape,
            default: default.map(DefaultValue::Scalar),
            fill: Fill::Shortfall,
            padding: pads.then(zero),
            dtype: Some(self.dtype),
            ..DenseRepresentation::default()
        })
    }
}

fn sparse(spec: &SparseFeature) -> Result<Representation, Error> {
    let indices = spec.index_keys.len();
    if indices == 0 {
        return Err(invalid("a sparse feature needs at least one index key".to_owned()));
    }
    let Some(kept_dims) = spec.size.len().checked_sub(indices) else {
        let message = format!(
            "{} for {}; give one for each",
            Count::of(spec.size.len(), "size"),
            Count::of(indices, "index key")
        );
        return Err(invalid(message));
    };
    Ok(Representation::Sparse(SparseRepresentation {
        dense_shape: spec.size.clone(),
        index_columns: spec.index_keys.clone(),
        value_column: spec.value_key.clone(),
        sort: !spec.already_sorted,
        already_sorted: spec.already_sorted,
        kept_dims,
        dtype: Some(spec.dtype),
        ..SparseRepresentation::default()
    }))
}

/// Returns a shape with `?` for what is not known.
pub(crate) fn sizes<T: ToString>(shape: &[Option<T>]) -> String {
    let sizes = shape.iter().map(|size| size.as_ref().map_or_else(|| "?".to_owned(), T::to_string));
    format!("[{}]", sizes.collect::<Vec<_>>().join(", "))
}
