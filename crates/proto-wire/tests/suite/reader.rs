//! The reader, case by case: what protobuf's C++ implementation reads and refuses.

use proto_wire::{ErrorKind, MAX_NESTING, Reader, WireType};

/// Skips every field; the fields' numbers, or the error's kind and byte.
fn walk(bytes: &[u8], depth: u32) -> Result<Vec<u32>, (ErrorKind, usize)> {
    let mut reader = Reader::at_depth(bytes, depth);
    let mut fields = Vec::new();
    let mut step = || -> Result<bool, proto_wire::Error> {
        let Some(tag) = reader.tag()? else { return Ok(false) };
        reader.skip(tag)?;
        fields.push(tag.field);
        Ok(true)
    };
    loop {
        match step() {
            Ok(true) => {}
            Ok(false) => return Ok(fields),
            Err(error) => return Err((error.kind(), error.byte())),
        }
    }
}

fn groups(levels: usize) -> Vec<u8> {
    let mut bytes = vec![0x0b; levels];
    bytes.extend(vec![0x0c; levels]);
    bytes
}

#[test]
fn fields_of_every_wire_type_are_passed_over() {
    let bytes = [
        0x08, 0x01, // 1: varint
        0x11, 1, 2, 3, 4, 5, 6, 7, 8, // 2: fixed64
        0x1a, 0x01, 0xff, // 3: bytes
        0x23, 0x08, 0x01, 0x24, // 4: group with a varint
        0x2d, 1, 2, 3, 4, // 5: fixed32
    ];
    assert_eq!(walk(&bytes, 0), Ok(vec![1, 2, 3, 4, 5]));
    let ends = [2, 11, 14, 18, 23];
    for cut in 0..bytes.len() {
        let whole = ends.iter().filter(|&&end| end <= cut).count() as u32;
        if cut == 0 || ends.contains(&cut) {
            assert_eq!(walk(&bytes[..cut], 0), Ok((1..=whole).collect()), "cut at {cut}");
        } else {
            assert_eq!(
                walk(&bytes[..cut], 0).map_err(|error| error.0),
                Err(ErrorKind::Truncated),
                "cut at {cut}"
            );
        }
    }
}

#[test]
fn tags_are_bounded() {
    assert_eq!(walk(&[0x88, 0x80, 0x80, 0x80, 0x00, 0x01], 0), Ok(vec![1]), "padded to 5 bytes");
    assert_eq!(walk(&[0x88, 0x80, 0x80, 0x80, 0x80, 0x00, 0x01], 0), Err((ErrorKind::VarintTooLong, 0)));
    assert_eq!(walk(&[0xf8, 0xff, 0xff, 0xff, 0x0f, 0x01], 0), Ok(vec![(1 << 29) - 1]));
    assert_eq!(walk(&[0x88, 0x80, 0x80, 0x80, 0x10, 0x01], 0), Err((ErrorKind::BadTag, 0)), "33 bits");
    assert_eq!(walk(&[0x00, 0x01], 0), Err((ErrorKind::BadTag, 0)), "field 0");
    assert_eq!(walk(&[0x0e], 0), Err((ErrorKind::BadWireType, 0)));
    assert_eq!(walk(&[0x0f], 0), Err((ErrorKind::BadWireType, 0)));
}

#[test]
fn lengths_are_claims() {
    assert_eq!(walk(&[0x0a, 0x81, 0x80, 0x80, 0x80, 0x00, 0x55], 0), Ok(vec![1]), "padded to 5 bytes");
    assert_eq!(
        walk(&[0x0a, 0x81, 0x80, 0x80, 0x80, 0x80, 0x00, 0x55], 0),
        Err((ErrorKind::VarintTooLong, 1))
    );
    assert_eq!(walk(&[0x0a, 0x02, 0x55], 0), Err((ErrorKind::Truncated, 1)));
    assert_eq!(walk(&[0x0a, 0xff, 0xff, 0xff, 0xff, 0x7f], 0), Err((ErrorKind::Truncated, 1)));
}

#[test]
fn values_have_ten_bytes_at_most() {
    let value = |bytes: &[u8]| Reader::new(bytes).varint();
    let nine = [0xff; 9];
    let with = |last: &[u8]| value(&[&nine[..], last].concat());
    assert_eq!(with(&[0x01]), Ok(u64::MAX));
    assert_eq!(with(&[0x7f]), Ok(u64::MAX), "excess bits of the tenth byte are dropped");
    assert_eq!(with(&[0x80, 0x00]).map_err(|error| error.kind()), Err(ErrorKind::VarintTooLong));
    assert_eq!(value(&[0x85, 0x80, 0x00]), Ok(5), "padded");
    assert_eq!(value(&nine).map_err(|error| error.kind()), Err(ErrorKind::Truncated));
}

#[test]
fn groups_must_close_and_may_nest_100_deep() {
    assert_eq!(walk(&groups(MAX_NESTING as usize), 0), Ok(vec![1]));
    assert_eq!(walk(&groups(101), 0).map_err(|error| error.0), Err(ErrorKind::TooDeep));
    assert_eq!(walk(&groups(97), 3), Ok(vec![1]));
    assert_eq!(walk(&groups(98), 3).map_err(|error| error.0), Err(ErrorKind::TooDeep));
    assert_eq!(walk(&[0x0b], 0).map_err(|error| error.0), Err(ErrorKind::Truncated));
    assert_eq!(walk(&[0x0c], 0).map_err(|error| error.0), Err(ErrorKind::UnmatchedEndGroup));
    assert_eq!(walk(&[0x0b, 0x14], 0).map_err(|error| error.0), Err(ErrorKind::UnmatchedEndGroup));
}

#[test]
fn values_come_back_as_written() -> Result<(), proto_wire::Error> {
    let mut buffer = [0u8; 64];
    let mut writer = proto_wire::Writer::new(&mut buffer);
    writer.varint_field(1, u64::MAX)?;
    writer.fixed32_field(2, 1.5f32.to_le_bytes())?;
    writer.fixed64_field(3, (-2.5f64).to_le_bytes())?;
    writer.bytes_field(16, b"xyz")?;
    let mut reader = Reader::new(writer.written());
    assert_eq!(reader.tag()?.map(|tag| (tag.field, tag.wire)), Some((1, WireType::Varint)));
    assert_eq!(reader.varint()?, u64::MAX);
    assert_eq!(reader.tag()?.map(|tag| (tag.field, tag.wire)), Some((2, WireType::I32)));
    assert_eq!(f32::from_le_bytes(reader.fixed32()?), 1.5);
    assert_eq!(reader.tag()?.map(|tag| (tag.field, tag.wire)), Some((3, WireType::I64)));
    assert_eq!(f64::from_le_bytes(reader.fixed64()?), -2.5);
    assert_eq!(reader.tag()?.map(|tag| (tag.field, tag.wire)), Some((16, WireType::Len)));
    assert_eq!(reader.bytes()?, b"xyz");
    assert_eq!(reader.tag()?, None);
    Ok(())
}

#[test]
fn a_full_buffer_is_an_error_that_says_where() {
    let mut buffer = [0u8; 3];
    let mut writer = proto_wire::Writer::new(&mut buffer);
    assert_eq!(writer.varint(300), Ok(()));
    let error = writer.raw(b"ab").unwrap_err();
    assert_eq!(error.to_string(), "byte 2: the output buffer is full");
}
