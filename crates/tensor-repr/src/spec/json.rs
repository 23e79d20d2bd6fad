//! The JSON form of feature specs.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tfxio_core::DType;

use super::{FeatureSpec, FixedLen, FixedLenSequence, RaggedFeature, SparseFeature, SpecDefault, VarLen};
use crate::{ColumnPath, Error, ErrorKind, Partition, RowSplitsDType, Scalar};

impl FeatureSpec {
    /// The spec that JSON describes: an object whose `kind` is `FixedLen`, `VarLen`, `FixedLenSequence`,
    /// `Sparse` or `Ragged`, and whose other members are these. What stands in brackets may be left out.
    ///
    /// | kind | members |
    /// | --- | --- |
    /// | `FixedLen` | `shape`, `dtype`, \[`key`\], \[`default`\] |
    /// | `VarLen` | `dtype`, \[`key`\], \[`rank`\] |
    /// | `FixedLenSequence` | `shape`, `dtype`, \[`key`\], \[`default`\], \[`allow_missing`\] |
    /// | `Sparse` | `index_key`, `value_key`, `dtype`, `size`, \[`key`\], \[`already_sorted`\] |
    /// | `Ragged` | `dtype`, \[`value_key`\], \[`partitions`\], \[`row_splits`\] |
    ///
    /// A key is the name of a column, or the list of the steps to a field inside of it; `index_key` is one
    /// name or a list of keys; the `value_key` of a `Ragged` may be called `key` too; `size` is one number or
    /// a list. A shape is a list of numbers, with null for what is not known. A default is one scalar or nested
    /// lists of the shape. Scalars, partitions and `row_splits` are written as in [`crate::json`].
    ///
    /// # Errors
    /// `MalformedText` if the text is not JSON, or no spec.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        serde_json::from_str(text).map_err(malformed)
    }

    /// The spec as JSON. [`FeatureSpec::from_json`] reads it back.
    #[must_use]
    pub fn to_json(&self) -> String {
        // No key is anything but a string, and no value is refused: there is nothing to fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The feature specs that JSON describes: an object from the tensor's name to its spec.
///
/// ```
/// let specs = tensor_repr::feature_specs_from_json(
///     r#"{"tags": {"kind": "VarLen", "dtype": "string", "key": "user[*].tags[*]", "rank": 2}}"#,
/// )?;
/// let tags = specs["tags"].representation("tags")?;
/// assert_eq!(tags.value_column().map(ToString::to_string).as_deref(), Some("user[*].tags[*]"));
/// # Ok::<(), tensor_repr::Error>(())
/// ```
///
/// # Errors
/// `MalformedText` if the text is not JSON, or something in it is no spec.
pub fn feature_specs_from_json(text: &str) -> Result<BTreeMap<String, FeatureSpec>, Error> {
    serde_json::from_str(text).map_err(malformed)
}

fn malformed(error: serde_json::Error) -> Error {
    Error::new(ErrorKind::MalformedText, format!("not the JSON of a feature spec: {error}")).because(error)
}

/// The members of every kind.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", deny_unknown_fields)]
enum Form {
    FixedLen {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<ColumnPath>,
        shape: Vec<Option<usize>>,
        dtype: Name,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        default: Option<Nested>,
    },
    VarLen {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<ColumnPath>,
        dtype: Name,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rank: Option<usize>,
    },
    FixedLenSequence {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<ColumnPath>,
        shape: Vec<usize>,
        dtype: Name,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        default: Option<Scalar>,
        #[serde(default = "yes")]
        allow_missing: bool,
    },
    Sparse {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<ColumnPath>,
        index_key: Several<String, ColumnPath>,
        value_key: ColumnPath,
        dtype: Name,
        size: Several<u64, Option<u64>>,
        #[serde(default)]
        already_sorted: bool,
    },
    Ragged {
        #[serde(default, alias = "key", skip_serializing_if = "Option::is_none")]
        value_key: Option<ColumnPath>,
        dtype: Name,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        partitions: Vec<Partition>,
        #[serde(default = "int32")]
        row_splits: RowSplitsDType,
    },
}

fn yes() -> bool {
    true
}

fn int32() -> RowSplitsDType {
    RowSplitsDType::Int32
}

/// A dtype by its name.
struct Name(DType);

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name())
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = || DType::ALL.map(DType::name).join(", ");
        let unknown = || D::Error::custom(format!("no dtype {name:?}; there are {}", known()));
        DType::from_name(&name).map(Self).ok_or_else(unknown)
    }
}

/// One, or a list.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "one, or a list of them")]
enum Several<O, M> {
    One(O),
    Many(Vec<M>),
}

/// Nested lists of scalars.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "a scalar, or nested lists of scalars")]
enum Nested {
    Scalar(Scalar),
    List(Vec<Nested>),
}

impl Nested {
    fn of(default: &SpecDefault) -> Self {
        match default {
            SpecDefault::Scalar(scalar) => Self::Scalar(scalar.clone()),
            SpecDefault::Full { shape, values } => Self::build(shape, &mut values.iter()),
        }
    }

    fn build(shape: &[usize], values: &mut std::slice::Iter<'_, Scalar>) -> Self {
        match shape.split_first() {
            None => Self::Scalar(values.next().cloned().unwrap_or(Scalar::Int(0))),
            Some((&size, rest)) => {
                // A shape that claims more than there are values ends with them.
                let size = if rest.contains(&0) { size.min(1) } else { size.min(values.len()) };
                Self::List((0..size).map(|_| Self::build(rest, values)).collect())
            }
        }
    }

    fn into_default(self) -> Result<SpecDefault, String> {
        if let Self::Scalar(scalar) = self {
            return Ok(SpecDefault::Scalar(scalar));
        }
        let (mut shape, mut values) = (Vec::new(), Vec::new());
        let mut first = &self;
        while let Self::List(items) = first {
            shape.push(items.len());
            let Some(item) = items.first() else { break };
            first = item;
        }
        self.flatten(&shape, &mut values)?;
        Ok(SpecDefault::Full { shape, values })
    }

    fn flatten(self, shape: &[usize], values: &mut Vec<Scalar>) -> Result<(), String> {
        match (self, shape.split_first()) {
            (Self::Scalar(scalar), None) => values.push(scalar),
            (Self::List(items), Some((&size, rest))) if items.len() == size => {
                for item in items {
                    item.flatten(rest, values)?;
                }
            }
            _ => return Err("the lists of the default are not all of one length and depth".to_owned()),
        }
        Ok(())
    }
}

impl Serialize for FeatureSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let form = match self.clone() {
            Self::FixedLen(FixedLen { key, shape, dtype, default }) => {
                Form::FixedLen { key, shape, dtype: Name(dtype), default: default.as_ref().map(Nested::of) }
            }
            Self::VarLen(VarLen { key, dtype, rank }) => Form::VarLen { key, dtype: Name(dtype), rank },
            Self::FixedLenSequence(FixedLenSequence { key, shape, dtype, default, allow_missing }) => {
                Form::FixedLenSequence { key, shape, dtype: Name(dtype), default, allow_missing }
            }
            Self::Sparse(SparseFeature { key, index_keys, value_key, dtype, size, already_sorted }) => {
                Form::Sparse {
                    key,
                    index_key: Several::Many(index_keys),
                    value_key,
                    dtype: Name(dtype),
                    size: Several::Many(size),
                    already_sorted,
                }
            }
            Self::Ragged(RaggedFeature { value_key, dtype, partitions, row_splits }) => {
                Form::Ragged { value_key, dtype: Name(dtype), partitions, row_splits }
            }
        };
        form.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for FeatureSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Form::deserialize(deserializer)? {
            Form::FixedLen { key, shape, dtype: Name(dtype), default } => {
                let default = default.map(Nested::into_default).transpose().map_err(D::Error::custom)?;
                Self::FixedLen(FixedLen { key, shape, dtype, default })
            }
            Form::VarLen { key, dtype: Name(dtype), rank } => Self::VarLen(VarLen { key, dtype, rank }),
            Form::FixedLenSequence { key, shape, dtype: Name(dtype), default, allow_missing } => {
                Self::FixedLenSequence(FixedLenSequence { key, shape, dtype, default, allow_missing })
            }
            Form::Sparse { key, index_key, value_key, dtype: Name(dtype), size, already_sorted } => {
                let index_keys = match index_key {
                    Several::One(key) => vec![key.into()],
                    Several::Many(keys) => keys,
                };
                let size = match size {
                    Several::One(size) => vec![Some(size)],
                    Several::Many(sizes) => sizes,
                };
                Self::Sparse(SparseFeature { key, index_keys, value_key, dtype, size, already_sorted })
            }
            Form::Ragged { value_key, dtype: Name(dtype), partitions, row_splits } => {
                Self::Ragged(RaggedFeature { value_key, dtype, partitions, row_splits })
            }
        })
    }
}
