//! Encoder of values in Avro's binary encoding
//! ([specification](https://avro.apache.org/docs/1.12.0/specification/#binary-encoding)).
//!
//! A record is its fields, one after the other; a fixed is its bytes; a null is nothing. A value of a union comes after the [`branch`].
//!
//! ```
//! use avro_path::datum::{DatumReader, write, write_json};
//! use avro_path::{Limits, AvroSchema};
//!
//! let schema = AvroSchema::parse(
//!     r#"{"type": "record", "name": "r", "fields": [
//!         {"name": "suit", "type": {"type": "enum", "name": "e", "symbols": ["hearts", "spades"]}},
//!         {"name": "tags", "type": {"type": "array", "items": "string"}},
//!         {"name": "ages", "type": {"type": "map", "values": "int"}},
//!         {"name": "note", "type": ["null", "string"]}]}"#,
//! )?;
//! let mut datum = Vec::new();
//! write::symbol(&mut datum, 1);
//! write::array(&mut datum, ["a", "b"], write::string);
//! write::map(&mut datum, [("Ada", 36)], write::int);
//! write::branch(&mut datum, 1);
//! write::string(&mut datum, "new");
//!
//! let mut json = Vec::new();
//! write_json(&schema, &mut DatumReader::new(&datum), &Limits::default(), &mut json)?;
//! assert_eq!(json, br#"{"suit":"spades","tags":["a","b"],"ages":{"Ada":36},"note":"new"}"#);
//! # Ok::<(), avro_path::Error>(())
//! ```

/// Appends a boolean.
pub fn boolean(out: &mut Vec<u8>, value: bool) {
    out.push(u8::from(value));
}

/// Appends an int.
pub fn int(out: &mut Vec<u8>, value: i32) {
    long(out, value.into());
}

/// Appends the symbol of an enum, by its number from 0.
pub fn symbol(out: &mut Vec<u8>, number: u32) {
    long(out, number.into());
}

/// Appends the branch of a union, by its number from 0; its value comes next.
pub fn branch(out: &mut Vec<u8>, number: u32) {
    long(out, number.into());
}

/// Appends a long, or a count.
pub fn long(out: &mut Vec<u8>, value: i64) {
    let mut rest = ((value << 1) ^ (value >> 63)).cast_unsigned();
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

/// Appends a float.
pub fn float(out: &mut Vec<u8>, value: f32) {
    out.extend_from_slice(&value.to_le_bytes());
}

/// Appends a double.
pub fn double(out: &mut Vec<u8>, value: f64) {
    out.extend_from_slice(&value.to_le_bytes());
}

/// Appends bytes with their length before them. (A fixed has none: append its bytes themselves.)
pub fn bytes(out: &mut Vec<u8>, value: &[u8]) {
    // A slice has at most `isize::MAX` bytes.
    long(out, value.len() as i64);
    out.extend_from_slice(value);
}

/// Appends a string.
pub fn string(out: &mut Vec<u8>, value: &str) {
    bytes(out, value.as_bytes());
}

/// Appends an array as one block, each item by `item`.
pub fn array<T, I>(out: &mut Vec<u8>, items: I, mut item: impl FnMut(&mut Vec<u8>, T))
where
    I: IntoIterator<Item = T>,
    I::IntoIter: ExactSizeIterator,
{
    block(out, items.into_iter(), |out, value| item(out, value));
}

/// Appends a map as one block: each key, and its value by `value`.
pub fn map<K: AsRef<str>, T, I>(out: &mut Vec<u8>, entries: I, mut value: impl FnMut(&mut Vec<u8>, T))
where
    I: IntoIterator<Item = (K, T)>,
    I::IntoIter: ExactSizeIterator,
{
    block(out, entries.into_iter(), |out, (key, of_key)| {
        string(out, key.as_ref());
        value(out, of_key);
    });
}

/// Appends a block of items, and the end of the blocks. A block without items would be that end.
fn block<T>(
    out: &mut Vec<u8>,
    items: impl ExactSizeIterator<Item = T>,
    mut item: impl FnMut(&mut Vec<u8>, T),
) {
    if items.len() > 0 {
        // A collection has at most `isize::MAX` items.
        long(out, items.len() as i64);
        items.for_each(|value| item(out, value));
    }
    long(out, 0);
}
