//! Data of structs and other types of [`serde`](https://serde.rs), by their schema.
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use avro_path::datum::{DatumReader, from_datum, to_datum};
//! use avro_path::{AvroSchema, Limits};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Debug, PartialEq, Deserialize, Serialize)]
//! struct Card {
//!     suit: Suit,
//!     owner: Option<String>,
//!     counts: BTreeMap<String, i32>,
//! }
//!
//! #[derive(Debug, PartialEq, Deserialize, Serialize)]
//! #[serde(rename_all = "lowercase")]
//! enum Suit {
//!     Hearts,
//!     Spades,
//! }
//!
//! let schema = AvroSchema::parse(
//!     r#"{"type": "record", "name": "card", "fields": [
//!         {"name": "suit", "type": {"type": "enum", "name": "suit", "symbols": ["hearts", "spades"]}},
//!         {"name": "owner", "type": ["null", "string"]},
//!         {"name": "counts", "type": {"type": "map", "values": "int"}}]}"#,
//! )?;
//! let card = Card { suit: Suit::Spades, owner: Some("Kai".to_owned()), counts: BTreeMap::from([("won".to_owned(), 3)]) };
//! let mut bytes = Vec::new();
//! to_datum(&schema, &card, &mut bytes)?;
//! let read: Card = from_datum(&schema, &mut DatumReader::new(&bytes), &Limits::default())?;
//! assert_eq!(read, card);
//! # Ok::<(), avro_path::Error>(())
//! ```

mod collected;
mod de;
mod items;
mod ser;

use std::fmt;

use serde_core::{Deserialize, Serialize};
use tfxio_core::Limits;

use self::de::{Value, Walk};
use self::ser::ValueSerializer;
use super::DatumReader;
use crate::schema::AvroSchema;
use crate::{Error, Kind, Result};

/// Maximum nesting of records, arrays and maps, whatever the limits allow: the visitors of each take a part of the stack.
const MOST_NESTING: u32 = 200;

/// Reads a datum as a type of serde. Text and bytes may be borrowed from the datum.
///
/// | Avro | serde |
/// | --- | --- |
/// | record | struct, map, or tuple of its fields; fields that the type does not have are passed over |
/// | enum | enum by its symbols, or text |
/// | union | `Option` of a union with null; an enum with a variant for each branch, called as the branch (`long`, `card`; the full name where two have the same short one); an untagged enum; else the type of the branch |
/// | array, map | sequence, map; of a key that a map has twice, serde's maps keep the last value |
/// | bytes, fixed | bytes, or a sequence of `u8` |
/// | int, long, float, double | a number that is the same: what does not fit is an error, but for `f32` in untagged and flattened types, which serde rounds |
///
/// Values of logical types are read as the types below them.
///
/// # Errors
/// When the bytes are not a datum of the schema, and when the type does not fit it (`ValueMismatch`); the position has the path of
/// the value. When a limit is reached: [`nesting`](Limits::nesting), at most 200, or [`empty_items`](Limits::empty_items).
pub fn from_datum<'de, T: Deserialize<'de>>(
    schema: &AvroSchema,
    reader: &mut DatumReader<'de>,
    limits: &Limits,
) -> Result<T> {
    let (nesting, empty_items) = (limits.nesting.min(MOST_NESTING), limits.empty_items);
    let mut walk = Walk { schema, reader, empty_items };
    T::deserialize(Value { walk: &mut walk, id: schema.root(), nesting }).map_err(|SerdeError(error)| error)
}

/// Appends a value of a type of serde as a datum, by the rules of [`from_datum`].
///
/// A field that the value does not have gets the default of the schema. A union gets the first branch that has the value as it is, so that
/// an integer is an int where it fits one.
///
/// # Errors
/// `ValueMismatch` for a value that is not one of the schema, for a field without a default that the value lacks, and for one that the
/// record does not have; the position has the path of the value. What was appended until then stays.
pub fn to_datum<T: Serialize + ?Sized>(schema: &AvroSchema, value: &T, out: &mut Vec<u8>) -> Result<()> {
    let serializer = ValueSerializer { schema, id: schema.root(), out };
    value.serialize(serializer).map_err(|SerdeError(error)| error)
}

/// An error of this crate as one of serde.
#[derive(Debug)]
struct SerdeError(Error);

impl SerdeError {
    fn within(self, step: &str) -> Self {
        Self(self.0.within(step))
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
        mismatch(message.to_string())
    }
}

impl serde_core::ser::Error for SerdeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        mismatch(message.to_string())
    }
}

#[cold]
fn mismatch(what: impl Into<String>) -> SerdeError {
    SerdeError(Error::new(Kind::ValueMismatch, what))
}
