//! Specs as JSON.

use serde::{Serialize, Serializer};

use crate::spec::{
    FeatureSpec, FixedLen, FixedLenSequence, Lengths, RaggedFeature, SparseFeature, SpecDefault, VarLen,
};
use crate::{ColumnPath, Partition, RowSplitsDType, Scalar};

/// The members of every kind.
#[derive(Serialize)]
#[serde(tag = "kind")]
enum Form<'a> {
    FixedLen {
        #[serde(skip_serializing_if = "Option::is_none")]
        key: &'a Option<ColumnPath>,
        shape: &'a [Option<usize>],
        dtype: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        default: Option<Nested<'a>>,
    },
    VarLen {
        #[serde(skip_serializing_if = "Option::is_none")]
        key: &'a Option<ColumnPath>,
        dtype: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        rank: Option<usize>,
    },
    FixedLenSequence {
        #[serde(skip_serializing_if = "Option::is_none")]
        key: &'a Option<ColumnPath>,
        shape: &'a [usize],
        dtype: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        default: &'a Option<Scalar>,
        allow_missing: bool,
    },
    Sparse {
        #[serde(skip_serializing_if = "Option::is_none")]
        key: &'a Option<ColumnPath>,
        index_key: &'a [ColumnPath],
        value_key: &'a ColumnPath,
        dtype: &'static str,
        size: &'a [Option<u64>],
        already_sorted: bool,
    },
    Ragged {
        #[serde(skip_serializing_if = "Option::is_none")]
        value_key: &'a Option<ColumnPath>,
        dtype: &'static str,
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        partitions: &'a [Partition],
        row_splits: RowSplitsDType,
    },
    Lengths {
        #[serde(skip_serializing_if = "Option::is_none")]
        key: &'a Option<ColumnPath>,
        dtype: &'static str,
    },
}

/// Nested lists of scalars.
#[derive(Serialize)]
#[serde(untagged)]
enum Nested<'a> {
    Scalar(&'a Scalar),
    List(Vec<Nested<'a>>),
}

impl<'a> Nested<'a> {
    fn of(default: &'a SpecDefault) -> Self {
        match default {
            SpecDefault::Scalar(scalar) => Self::Scalar(scalar),
            SpecDefault::Full { shape, values } => Self::build(shape, &mut values.iter()),
        }
    }

    fn build(shape: &[usize], values: &mut std::slice::Iter<'a, Scalar>) -> Self {
        match shape.split_first() {
            None => Self::Scalar(values.next().unwrap_or(&Scalar::Int(0))),
            Some((&size, rest)) => {
                // A shape that claims more than there are values ends with them.
                let size = if rest.contains(&0) { size.min(1) } else { size.min(values.len()) };
                Self::List((0..size).map(|_| Self::build(rest, values)).collect())
            }
        }
    }
}

impl Serialize for FeatureSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let form = match self {
            Self::FixedLen(FixedLen { key, shape, dtype, default }) => {
                Form::FixedLen { key, shape, dtype: dtype.name(), default: default.as_ref().map(Nested::of) }
            }
            Self::VarLen(VarLen { key, dtype, rank }) => {
                Form::VarLen { key, dtype: dtype.name(), rank: *rank }
            }
            Self::Lengths(Lengths { key, dtype }) => Form::Lengths { key, dtype: dtype.name() },
            Self::FixedLenSequence(spec) => {
                let FixedLenSequence { key, shape, dtype, default, allow_missing } = spec;
                Form::FixedLenSequence {
                    key,
                    shape,
                    dtype: dtype.name(),
                    default,
                    allow_missing: *allow_missing,
                }
            }
            Self::Sparse(SparseFeature { key, index_keys, value_key, dtype, size, already_sorted }) => {
                Form::Sparse {
                    key,
                    index_key: index_keys,
                    value_key,
                    dtype: dtype.name(),
                    size,
                    already_sorted: *already_sorted,
                }
            }
            Self::Ragged(RaggedFeature { value_key, dtype, partitions, row_splits }) => {
                Form::Ragged { value_key, dtype: dtype.name(), partitions, row_splits: *row_splits }
            }
        };
        form.serialize(serializer)
    }
}
