//! The JSON form of representations, which can express all of them.
//!
//! A set of representations is an object from tensor name to representation. A representation is an object whose `kind` is
//! `dense`, `varlen_sparse`, `sparse`, `ragged`, `varlen_ragged`, `structured`, `lengths`, `sequence` or `converted`; its
//! other members are the fields of the Rust type of that kind, by their names. A member that is left out has the default of
//! its type; an unknown one is an error, and so is a duplicate name.
//!
//! | value | JSON |
//! | --- | --- |
//! | column path | the name of the column, or the list of the steps |
//! | size | a number, or null for unknown |
//! | dtype | its name, as `"int64"` |
//! | fill | `"absent_rows"` or `"shortfall"` |
//! | row splits | `"int32"` or `"int64"` |
//! | partition | `{"row_lengths": "column"}` or `{"uniform_row_length": 2}` |
//! | default | one scalar, or a list with a scalar for each cell |
//! | padding | one scalar |
//! | raw | `{"dtype": "float32", "endian": "little" or "big", "shape": [2]}`, of which only the dtype is required |
//! | scalar | true or false; an integer; a number with a fraction or an exponent for floats; a string for bytes that are UTF-8; `{"hex": "ff00"}` for any bytes; `{"float": "NaN"}`, `"Infinity"` or `"-Infinity"`; `{"uint": 1}` for an integer that is to count as unsigned |

mod read;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tfxio_core::DType;

use super::{Representation, ScalarValue};
use crate::Error;
use crate::json_form::Subject;
use crate::json_form::members::Members;
use crate::json_form::text::Text;

impl Representation {
    /// Reads a representation from JSON.
    ///
    /// ```
    /// use tensor_repr::{ColumnPath, Representation};
    /// let text = r#"{"kind": "dense", "column": "age", "shape": [2], "default": -1, "fill": "shortfall"}"#;
    /// let representation = Representation::from_json(text)?;
    /// assert_eq!(representation.value_column(), Some(&ColumnPath::from("age")));
    /// assert_eq!(Representation::from_json(&representation.to_json())?, representation);
    /// # Ok::<(), tensor_repr::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `MalformedText` if the text is not JSON, or not a representation. The message contains line and column, the member,
    /// the text found there, and the allowed forms.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        Text::new(text)?.read(Subject::Representation, read::representation)
    }

    /// Returns the representation as JSON. [`Representation::from_json`] reads it back.
    #[must_use]
    pub fn to_json(&self) -> String {
        // No key is anything but a string, and no value is refused: there is nothing to fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Reads representations by tensor name from JSON.
///
/// # Errors
///
/// `MalformedText` if the text is not JSON, or something in it is not a representation, as for
/// [`Representation::from_json`], with the name of the tensor; or if a name occurs twice.
pub fn representations_from_json(text: &str) -> Result<BTreeMap<String, Representation>, Error> {
    Text::new(text)?.read_named(Subject::Representation, read::representation)
}

/// Representations by tensor name as JSON, laid out for people.
#[must_use]
pub fn representations_to_json(representations: &BTreeMap<String, Representation>) -> String {
    serde_json::to_string_pretty(representations).unwrap_or_default()
}

impl<'de> Deserialize<'de> for Representation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        let members = Members::of(value, Subject::Representation);
        members.and_then(|members| read::representation(&members)).map_err(D::Error::custom)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "true, false, a number, a string, or an object with the one member `hex`, `float` or `uint`"
)]
enum ScalarForm {
    Bool(bool),
    Int(i64),
    Large(u64),
    Float(f64),
    Text(String),
    Bytes { hex: String },
    Special { float: String },
    UInt { uint: u64 },
}

impl Serialize for ScalarValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let form = match self {
            Self::Bool(value) => ScalarForm::Bool(*value),
            Self::Int(value) => ScalarForm::Int(*value),
            Self::UInt(value) if i64::try_from(*value).is_err() => ScalarForm::Large(*value),
            Self::UInt(value) => ScalarForm::UInt { uint: *value },
            Self::Float(value) if value.is_finite() => ScalarForm::Float(*value),
            Self::Float(value) => ScalarForm::Special { float: special(*value).to_owned() },
            Self::Bytes(value) => match std::str::from_utf8(value) {
                Ok(text) => ScalarForm::Text(text.to_owned()),
                Err(_) => ScalarForm::Bytes { hex: value.iter().map(|byte| format!("{byte:02x}")).collect() },
            },
        };
        form.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ScalarValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match ScalarForm::deserialize(deserializer)? {
            ScalarForm::Bool(value) => Self::Bool(value),
            ScalarForm::Int(value) => Self::Int(value),
            ScalarForm::Large(value) | ScalarForm::UInt { uint: value } => Self::UInt(value),
            ScalarForm::Float(value) => Self::Float(value),
            ScalarForm::Text(value) => Self::Bytes(value.into_bytes()),
            ScalarForm::Bytes { hex } => Self::Bytes(bytes(&hex).ok_or_else(|| {
                D::Error::custom(format!("{hex:?} is not hex: two of 0-9 and a-f for each byte"))
            })?),
            ScalarForm::Special { float } => Self::Float(match float.as_str() {
                "NaN" => f64::NAN,
                "Infinity" => f64::INFINITY,
                "-Infinity" => f64::NEG_INFINITY,
                _ => {
                    let text = format!("{float:?} is not \"NaN\", \"Infinity\" or \"-Infinity\"");
                    return Err(D::Error::custom(text));
                }
            }),
        })
    }
}

fn special(value: f64) -> &'static str {
    if value.is_nan() {
        "NaN"
    } else if value > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    }
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        hex.chars().map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    Some(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

/// Writes a dtype by its name.
pub(super) fn dtype<S: Serializer>(dtype: &Option<DType>, serializer: S) -> Result<S::Ok, S::Error> {
    dtype.map(DType::name).serialize(serializer)
}

/// Writes the name of a dtype.
pub(crate) fn dtype_name<S: Serializer>(dtype: &DType, serializer: S) -> Result<S::Ok, S::Error> {
    dtype.name().serialize(serializer)
}

/// Writes a list of names, of which some are missing.
pub(super) fn names<S: Serializer>(names: &[Option<Arc<str>>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(names.iter().map(Option::as_deref))
}
