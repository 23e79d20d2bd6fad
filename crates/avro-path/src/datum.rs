//! The binary encoding of single values.
//!
//! A [`DatumReader`] reads the primitives from a slice, checked and without allocation; a [`SkipPlan`] passes over
//! whole values in as few steps as their types allow; [`check`] looks at all of them; [`write_json`] shows a datum as JSON; [`mod@write`] is the way
//! back. [`from_datum`] and [`to_datum`] are for types of serde. [`single_object`] has the form that names the schema with each datum.
//!
//! ```
//! use avro_path::datum::{DatumReader, write};
//!
//! let mut bytes = Vec::new();
//! write::string(&mut bytes, "Kai");
//! write::long(&mut bytes, -3);
//!
//! let mut reader = DatumReader::new(&bytes);
//! assert_eq!(reader.string()?, "Kai");
//! assert_eq!(reader.long()?, -3);
//! assert!(reader.is_empty());
//! # Ok::<(), avro_path::Error>(())
//! ```

mod at;
mod check;
mod default;
mod ends;
mod json;
mod reader;
mod serde;
pub mod single_object;
mod skip;
mod skip_fields;
pub mod write;

pub(crate) use at::{At, ShortText};
pub use check::check;
pub(crate) use check::pass_over_items;
pub(crate) use default::write_default;
pub use json::write_json;
pub use reader::{DatumReader, ItemBlock};
pub use serde::{from_datum, to_datum};
pub use skip::SkipPlan;
pub(crate) use skip::SkipRun;
pub(crate) use skip_fields::SkipFields;
