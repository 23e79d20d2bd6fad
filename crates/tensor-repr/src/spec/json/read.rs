//! Specs of their members.

use super::default::default;
use crate::json_form::members::Members;
use crate::json_form::value;
use crate::spec::{FeatureSpec, FixedLen, FixedLenSequence, Lengths, RaggedFeature, SparseFeature, VarLen};
use crate::{Error, RowSplitsDType};

/// The kinds, and the members of each beside `kind`.
const KINDS: &[(&str, &[&str])] = &[
    ("FixedLen", &["shape", "dtype", "key", "default"]),
    ("VarLen", &["dtype", "key", "rank"]),
    ("FixedLenSequence", &["shape", "dtype", "key", "default", "allow_missing"]),
    ("Sparse", &["index_key", "value_key", "dtype", "size", "key", "already_sorted"]),
    ("Ragged", &["dtype", "value_key", "key", "partitions", "row_splits"]),
    ("Lengths", &["dtype", "key"]),
];

pub(super) fn spec(members: &Members) -> Result<FeatureSpec, Error> {
    let kind = members.kind(KINDS, "feature")?;
    let key = || members.optional("key", value::key);
    let dtype = || members.required("dtype", value::dtype);
    Ok(match kind {
        "FixedLen" => FeatureSpec::FixedLen(FixedLen {
            key: key()?,
            shape: members.required("shape", value::partial_shape)?,
            dtype: dtype()?,
            default: members.optional("default", default)?,
        }),
        "VarLen" => FeatureSpec::VarLen(VarLen {
            key: key()?,
            dtype: dtype()?,
            rank: members.optional("rank", value::whole)?,
        }),
        "Lengths" => FeatureSpec::Lengths(Lengths { key: key()?, dtype: dtype()? }),
        "FixedLenSequence" => FeatureSpec::FixedLenSequence(FixedLenSequence {
            key: key()?,
            shape: members.required("shape", value::shape)?,
            dtype: dtype()?,
            default: members.optional("default", value::scalar)?,
            allow_missing: members.if_given("allow_missing", value::flag)?.unwrap_or(true),
        }),
        "Sparse" => FeatureSpec::Sparse(SparseFeature {
            key: key()?,
            index_keys: members.required("index_key", value::keys)?,
            value_key: members.required("value_key", value::key)?,
            dtype: dtype()?,
            size: members.required("size", value::sizes)?,
            already_sorted: members.if_given("already_sorted", value::flag)?.unwrap_or(false),
        }),
        _ => {
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
