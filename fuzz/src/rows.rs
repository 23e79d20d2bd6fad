//! Decoding of records of any bytes into rows.

use std::fmt::Display;

use arrow_array::RecordBatch;
use tfxio_core::{Origin, RecordDecoder, Result};

/// Decodes what can be decoded: the batch, and the records that are in it. `also` learns of each record and whether it
/// was taken.
pub(crate) fn forgiving<'a>(
    decoder: Result<impl RecordDecoder>,
    records: &[&'a [u8]],
    mut also: impl FnMut(&[u8], Origin<'_>, bool),
) -> Option<(RecordBatch, Vec<&'a [u8]>)> {
    let mut decoder = decoder.ok()?;
    let mut good = Vec::new();
    for (index, record) in records.iter().enumerate() {
        let before = decoder.rows();
        let origin = Origin::record(index as u64);
        let result = decoder.push(record, origin);
        assert_eq!(decoder.rows(), before + usize::from(result.is_ok()));
        also(record, origin, result.is_ok());
        match result {
            Ok(()) => good.push(*record),
            // The text of an error is made from input, too.
            Err(error) => assert!(error.to_string().contains(&index.to_string()), "{error}"),
        }
    }
    Some((decoder.flush().ok()?, good))
}

/// Decodes records that must be good.
pub(crate) fn strict(decoder: Result<impl RecordDecoder>, records: &[&[u8]]) -> RecordBatch {
    let mut decoder = sound(decoder);
    for (index, record) in records.iter().enumerate() {
        sound(decoder.push(record, Origin::record(index as u64)));
    }
    sound(decoder.flush())
}

/// Takes what must not fail.
pub(crate) fn sound<T, E: Display>(result: std::result::Result<T, E>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("what is good was refused: {error}"),
    }
}
