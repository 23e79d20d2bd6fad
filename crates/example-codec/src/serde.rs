//! tf.Examples of any type of [`serde`](https://serde.rs), for types that cannot derive [`ToExample`](crate::ToExample) and
//! [`FromExample`](crate::FromExample): types of other crates, maps, and data that are known only while the program runs.
//!
//! ```
//! use example_codec::ExampleView;
//! use example_codec::serde::{from_example, to_example};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Debug, PartialEq, Deserialize, Serialize)]
//! struct Visit {
//!     page: String,
//!     seconds: Option<f32>,
//!     clicks: Vec<i64>,
//! }
//!
//! let visit = Visit { page: "/home".to_owned(), seconds: None, clicks: vec![3, 5] };
//! let record = to_example(&visit)?.to_vec();
//! assert_eq!(from_example::<Visit>(&ExampleView::parse(&record)?)?, visit);
//! # Ok::<(), example_codec::Error>(())
//! ```
//!
//! | serde | feature |
//! | --- | --- |
//! | integer, `bool` | `int64_list` of one value |
//! | `f32` | `float_list` of one value; an `f64` is written if 32 bits hold it, and read from any |
//! | text, `char`, variant of an enum without values | `bytes_list` of one value |
//! | bytes, sequence of `u8` | `bytes_list` of one value |
//! | sequence or tuple of these | the list of all values |
//! | empty sequence | a feature without a kind, since serde tells none; other readers take it for an absent one |
//! | `None`, `()` | no feature; what is read may also be one without a kind |
//!
//! A record is a struct, or a map whose keys are texts. Features have no structs within: `#[serde(flatten)]` writes their fields beside the
//! others. A flattened field, an untagged enum and a type that takes what there is are given every feature as a sequence.

mod read;
mod write;

use std::fmt;

use serde_core::{Deserialize, Serialize};

use crate::error::Locate as _;
use crate::{Error, Example, ExampleView, Kind};

type Result<T> = std::result::Result<T, SerdeError>;

/// Text of the error for a type that is not the one of a feature.
const NO_STRUCT: &str =
    "a feature is a list of values, not a struct or a map; `#[serde(flatten)]` has those within a record";

/// Returns a record as a value of a type of serde. Text and bytes may be borrowed from the record.
///
/// # Errors
/// `MissingFeature`, `KindMismatch`, `WrongLength` and `InvalidValue` where the features do not fit the type; the position has the feature.
pub fn from_example<'de, T: Deserialize<'de>>(record: &ExampleView<'de>) -> std::result::Result<T, Error> {
    T::deserialize(read::Record(record)).map_err(|SerdeError(error)| error)
}

/// Returns a value of a type of serde as an example.
///
/// # Errors
/// `InvalidValue` for what features cannot hold: integers beyond 64 bits, an `f64` that 32 bits do not hold, lists within lists, items of
/// several kinds, structs within structs, and an empty list within `Some`, which would be read as `None`. The position has the feature.
pub fn to_example<T: Serialize + ?Sized>(value: &T) -> std::result::Result<Example, Error> {
    let mut draft = write::Draft::default();
    let record = write::ValueSerializer { draft: &mut draft, level: write::Level::Record };
    value.serialize(record).map_err(|SerdeError(error)| error)?;
    Ok(draft.example)
}

/// An error of this crate as one of serde.
#[derive(Debug)]
struct SerdeError(Error);

impl SerdeError {
    fn in_feature(self, name: &str) -> Self {
        Self(self.0.in_feature(name))
    }
}

impl From<Error> for SerdeError {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl fmt::Display for SerdeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for SerdeError {}

impl serde_core::de::Error for SerdeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        invalid(message.to_string())
    }

    fn missing_field(field: &'static str) -> Self {
        let error = Error::new(Kind::MissingFeature, "the record lacks the feature");
        Self(error.help("`#[serde(default)]` on the field allows it").in_feature(field))
    }
}

impl serde_core::ser::Error for SerdeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        invalid(message.to_string())
    }
}

#[cold]
fn invalid(what: impl Into<String>) -> SerdeError {
    SerdeError(Error::new(Kind::InvalidValue, what))
}
