//! The JSON form of feature specs.

mod default;
mod read;

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::ser::SerializeSeq as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{FeatureSpec, SpecDefault};
use crate::json_form::Subject;
use crate::json_form::members::Members;
use crate::json_form::text::Text;
use crate::{Error, ScalarValue};

impl FeatureSpec {
    /// Reads a spec from JSON: an object whose `kind` is `FixedLen`, `VarLen`, `FixedLenSequence`, `Sparse`, `Ragged`
    /// or `Lengths`, and whose other members are these. Members in brackets may be left out.
    ///
    /// | kind | members |
    /// | --- | --- |
    /// | `FixedLen` | `shape`, `dtype`, \[`key`\], \[`default`\] |
    /// | `VarLen` | `dtype`, \[`key`\], \[`rank`\] |
    /// | `FixedLenSequence` | `shape`, `dtype`, \[`key`\], \[`default`\], \[`allow_missing`\] |
    /// | `Sparse` | `index_key`, `value_key`, `dtype`, `size`, \[`key`\], \[`already_sorted`\] |
    /// | `Ragged` | `dtype`, \[`value_key`\], \[`partitions`\], \[`row_splits`\] |
    /// | `Lengths` | `dtype`, \[`key`\] |
    ///
    /// A key is the name of a column, or the list of the steps to a field inside of it; `index_key` is one
    /// name or a list of keys; the `value_key` of a `Ragged` may be called `key` too; `size` is one number or
    /// a list. A shape is a list of numbers, with null for what is not known. A default is one scalar or nested
    /// lists of the shape. Scalars, partitions and `row_splits` are written as in [`crate::json`].
    ///
    /// ```
    /// use tensor_repr::FeatureSpec;
    ///
    /// let error = FeatureSpec::from_json(r#"{"kind": "VarLen", "dtype": "int64", "rank": -1}"#).unwrap_err();
    /// assert_eq!(error.to_string(), "line 1, column 46: \"rank\" is -1; it must be a whole number from 0 on");
    /// ```
    ///
    /// # Errors
    /// `MalformedText` if the text is not JSON, or not a spec. The message contains line and column, the member, the text
    /// found there, and the allowed forms.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        Text::new(text)?.read(Subject::Spec, read::spec)
    }

    /// Returns the spec as JSON. [`FeatureSpec::from_json`] reads it back.
    #[must_use]
    pub fn to_json(&self) -> String {
        // No key is anything but a string, and no value is refused: there is nothing to fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Reads feature specs from JSON: an object from the tensor's name to its spec.
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
/// `MalformedText` if the text is not JSON, or something in it is not a spec, as for [`FeatureSpec::from_json`], with the
/// name of the tensor; if a name occurs twice, or if the object is empty.
pub fn feature_specs_from_json(text: &str) -> Result<BTreeMap<String, FeatureSpec>, Error> {
    let text = Text::new(text)?;
    let specs = text.read_named(Subject::Spec, read::spec)?;
    if specs.is_empty() {
        return Err(
            text.refused("no features are named; give an object with a spec for the name of each feature")
        );
    }
    Ok(specs)
}

/// Returns feature specs by tensor name as JSON. [`feature_specs_from_json`] reads it back.
#[must_use]
pub fn feature_specs_to_json(specs: &BTreeMap<String, FeatureSpec>) -> String {
    serde_json::to_string(specs).unwrap_or_default()
}

impl<'de> Deserialize<'de> for FeatureSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        Members::of(value, Subject::Spec).and_then(|members| read::spec(&members)).map_err(D::Error::custom)
    }
}

/// Nested lists of scalars, or one scalar.
struct Nested<'a>(&'a [usize], &'a [ScalarValue]);

impl Serialize for Nested<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some((&size, rest)) = self.0.split_first() else {
            return self.1.first().unwrap_or(&ScalarValue::Int(0)).serialize(serializer);
        };
        let each = rest.iter().fold(1, |cells: usize, size| cells.saturating_mul(*size));
        let mut list = serializer.serialize_seq(None)?;
        // A shape that claims more than there are values ends with them.
        for at in 0..if each == 0 { size.min(1) } else { size.min(self.1.len().div_ceil(each)) } {
            list.serialize_element(&Nested(rest, self.1.get(at.saturating_mul(each)..).unwrap_or_default()))?;
        }
        list.end()
    }
}

impl Serialize for SpecDefault {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Scalar(scalar) => scalar.serialize(serializer),
            Self::Full { shape, values } => Nested(shape, values).serialize(serializer),
        }
    }
}
