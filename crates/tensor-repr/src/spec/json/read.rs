//! Specs of their members.

use super::default::default;
use crate::json_form::members::Members;
use crate::json_form::value;
use crate::spec::{FeatureSpec, FixedLen, FixedLenSequence, Lengths, RaggedFeature, SparseFeature, VarLen};
use crate::{Error, RowSplitsDType};

#[derive(Clone, Copy)]
enum Kind {
    FixedLen,
    VarLen,
    FixedLenSequence,
    Sparse,
    Ragged,
    Lengths,
}

impl Kind {
    const ALL: [Self; 6] =
        [Self::FixedLen, Self::VarLen, Self::FixedLenSequence, Self::Sparse, Self::Ragged, Self::Lengths];

    fn name(self) -> &'static str {
        match self {
            Self::FixedLen => "FixedLen",
            Self::VarLen => "VarLen",
            Self::FixedLenSequence => "FixedLenSequence",
            Self::Sparse => "Sparse",
            Self::Ragged => "Ragged",
            Self::Lengths => "Lengths",
        }
    }

    fn members(self) -> &'static [&'static str] {
        match self {
            Self::FixedLen => &["kind", "shape", "dtype", "key", "default"],
            Self::VarLen => &["kind", "dtype", "key", "rank"],
            Self::Lengths => &["kind", "dtype", "key"],
            Self::FixedLenSequence => &["kind", "shape", "dtype", "key", "default", "allow_missing"],
            Self::Sparse => &["kind", "index_key", "value_key", "dtype", "size", "key", "already_sorted"],
            Self::Ragged => &["kind", "dtype", "value_key", "key", "partitions", "row_splits"],
        }
    }
}

pub(super) fn spec(members: &Members) -> Result<FeatureSpec, Error> {
    let kind = members.required("kind", value::one_of(Kind::ALL, Kind::name))?;
    members.only(kind.members(), &format!("{} feature", kind.name()))?;
    let key = || members.optional("key", value::key);
    let dtype = || members.required("dtype", value::dtype);
    Ok(match kind {
        Kind::FixedLen => FeatureSpec::FixedLen(FixedLen {
            key: key()?,
            shape: members.required("shape", value::partial_shape)?,
            dtype: dtype()?,
            default: members.optional("default", default)?,
        }),
        Kind::VarLen => FeatureSpec::VarLen(VarLen {
            key: key()?,
            dtype: dtype()?,
            rank: members.optional("rank", value::whole)?,
        }),
        Kind::Lengths => FeatureSpec::Lengths(Lengths { key: key()?, dtype: dtype()? }),
        Kind::FixedLenSequence => FeatureSpec::FixedLenSequence(FixedLenSequence {
            key: key()?,
            shape: members.required("shape", value::shape)?,
            dtype: dtype()?,
            default: members.optional("default", value::scalar)?,
            allow_missing: members.if_given("allow_missing", value::flag)?.unwrap_or(true),
        }),
        Kind::Sparse => FeatureSpec::Sparse(SparseFeature {
            key: key()?,
            index_keys: members.required("index_key", value::keys)?,
            value_key: members.required("value_key", value::key)?,
            dtype: dtype()?,
            size: members.required("size", value::sizes)?,
            already_sorted: members.if_given("already_sorted", value::flag)?.unwrap_or(false),
        }),
        Kind::Ragged => {
            let value_key = members.optional("value_key", value::key)?;
            let other = key()?;
            if value_key.is_some() && other.is_some() {
                return Err(members.refused("key", "and \"value_key\" say the same; give one of them"));
            }
            FeatureSpec::Ragged(RaggedFeature {
                value_key: value_key.or(other),
                dtype: dtype()?,
                partitions: members.if_given("partitions", value::partitions)?.unwrap_or_default(),
                row_splits: members
                    .if_given("row_splits", value::row_splits)?
                    .unwrap_or(RowSplitsDType::Int32),
            })
        }
    })
}
