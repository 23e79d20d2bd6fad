//! Avro: object containers, schemas, and key expressions that name columns in nested records.

pub mod datum;
pub mod error;
pub mod schema;

pub use error::{Error, ErrorKind, Position, Result};
pub use schema::Schema;
pub use tfxio_core::Limits;
