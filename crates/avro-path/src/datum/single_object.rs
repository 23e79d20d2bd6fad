//! Single-object encoding: a datum with the fingerprint of its schema before it, for messages and cells of a table.
//!
//! ```
//! use avro_path::AvroSchema;
//! use avro_path::datum::single_object;
//!
//! let schema = AvroSchema::parse("\"long\"")?;
//! let mut message = Vec::new();
//! single_object::write_header(&mut message, schema.fingerprint());
//! message.push(84);
//!
//! let (fingerprint, datum) = single_object::split(&message)?;
//! assert_eq!(fingerprint, schema.fingerprint());
//! assert_eq!(datum, [84]);
//! # Ok::<(), avro_path::Error>(())
//! ```

use crate::{Error, Kind, Result};

/// The two bytes with which such a message begins.
pub const MARKER: [u8; 2] = [0xc3, 0x01];

/// Appends the marker and the fingerprint; the datum has to follow.
pub fn write_header(out: &mut Vec<u8>, fingerprint: u64) {
    out.extend_from_slice(&MARKER);
    out.extend_from_slice(&fingerprint.to_le_bytes());
}

/// Returns the fingerprint of the schema ([`AvroSchema::fingerprint`](crate::AvroSchema::fingerprint)) and the datum.
///
/// # Errors
/// When the bytes do not begin with the marker, or end within the fingerprint.
pub fn split(message: &[u8]) -> Result<(u64, &[u8])> {
    let rest = message.strip_prefix(&MARKER).ok_or_else(|| {
        Error::new(Kind::NotAvro, "a message in single-object encoding begins with the bytes c3 01")
            .help("for a datum without header, read it with its schema")
            .at_record_byte(0)
    })?;
    match rest.split_first_chunk() {
        Some((fingerprint, datum)) => Ok((u64::from_le_bytes(*fingerprint), datum)),
        None => {
            let what = "the message ends within the fingerprint of its schema";
            Err(Error::new(Kind::Truncated, what).at_record_byte(MARKER.len()))
        }
    }
}
