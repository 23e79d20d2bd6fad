//! Encoder of primitives in Avro's binary encoding.

/// Appends a boolean.
pub fn boolean(out: &mut Vec<u8>, value: bool) {
    out.push(u8::from(value));
}

/// Appends an int or a long, the number of an enum's symbol or of a union's branch, or a count.
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
