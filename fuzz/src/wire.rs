//! The wire reader moves forward and never beyond its input; packed runs decode as one value after the other does; and
//! what was read, written again, reads the same.

use proto_wire::{Reader, Tag, WireType, Writer, count_varints, decode_varints, single_varint, varint_size};

use crate::input::Input;

/// Panics when the law does not hold.
pub fn check(data: &[u8]) {
    walk(data);
    packed(data);
}

/// Field, as it is in the input.
#[derive(Debug, PartialEq)]
enum Field<'a> {
    Varint(Tag, u64),
    Bytes(Tag, &'a [u8]),
    Fixed32(Tag, [u8; 4]),
    Fixed64(Tag, [u8; 8]),
    Group(Tag),
}

fn walk(data: &[u8]) {
    let mut skipping = Reader::new(data);
    let mut reading = Reader::new(data);
    let mut fields = Vec::new();
    loop {
        let before = reading.position();
        let field = match reading.tag() {
            Ok(Some(tag)) => one(&mut reading, tag),
            Ok(None) => break,
            Err(_) => return,
        };
        let skipped = skipping.tag().and_then(|tag| tag.map_or(Ok(()), |tag| skipping.skip(tag)));
        assert_eq!(field.is_ok(), skipped.is_ok(), "{field:?} but {skipped:?}");
        let Ok(field) = field else { return };
        assert_eq!(reading.position(), skipping.position());
        assert!(reading.position() > before && reading.position() <= data.len());
        fields.push(field);
    }
    rewritten(&fields, data.len());
}

fn one<'a>(reader: &mut Reader<'a>, tag: Tag) -> Result<Field<'a>, proto_wire::Error> {
    Ok(match tag.wire {
        WireType::Varint => Field::Varint(tag, reader.varint()?),
        WireType::Len => Field::Bytes(tag, reader.bytes()?),
        WireType::I32 => Field::Fixed32(tag, reader.fixed32()?),
        WireType::I64 => Field::Fixed64(tag, reader.fixed64()?),
        WireType::StartGroup | WireType::EndGroup => {
            reader.skip(tag)?;
            Field::Group(tag)
        }
    })
}

/// Checks that a message without groups is written again: no longer than before, and with the same fields.
fn rewritten(fields: &[Field<'_>], longest: usize) {
    let mut buffer = vec![0; longest];
    let mut writer = Writer::new(&mut buffer);
    for field in fields {
        let before = writer.position();
        let (done, size) = match *field {
            Field::Varint(tag, value) => (writer.varint_field(tag.field, value), varint_size(value)),
            Field::Bytes(tag, bytes) => {
                (writer.bytes_field(tag.field, bytes), varint_size(bytes.len() as u64) + bytes.len())
            }
            Field::Fixed32(tag, bytes) => (writer.fixed32_field(tag.field, bytes), 4),
            Field::Fixed64(tag, bytes) => (writer.fixed64_field(tag.field, bytes), 8),
            Field::Group(_) => return,
        };
        assert!(done.is_ok(), "canonical encoding is the shortest");
        let tag = match field {
            Field::Varint(tag, _)
            | Field::Bytes(tag, _)
            | Field::Fixed32(tag, _)
            | Field::Fixed64(tag, _) => tag,
            Field::Group(_) => return,
        };
        assert_eq!(writer.position() - before, varint_size(u64::from(tag.bits())) + size);
    }
    let mut reader = Reader::new(writer.written());
    for field in fields {
        let tag = reader.tag().ok().flatten();
        let again = tag.and_then(|tag| one(&mut reader, tag).ok());
        assert_eq!(again.as_ref(), Some(field));
    }
    assert!(reader.is_empty());
}

fn packed(data: &[u8]) {
    let mut input = Input::new(data);
    let (start, behind) = (usize::from(input.byte() % 80), usize::from(input.byte() % 80));
    let bytes = input.rest;
    let start = start.min(bytes.len());
    let end = (bytes.len() - behind.min(bytes.len())).max(start);
    let run = &bytes[start..end];

    let mut plain = Vec::new();
    let mut reader = Reader::new(run);
    let expected = loop {
        if reader.is_empty() {
            break Ok(());
        }
        match reader.varint() {
            Ok(value) => plain.push(value as i64),
            Err(error) => break Err(error.kind()),
        }
    };
    let count = count_varints(run);
    // With room for no more than the values, and with so much that blocks of them may be written whole.
    for room in [count, count + 1, count + 64] {
        let mut out = vec![7; room];
        match (expected, decode_varints(bytes, start, end, &mut out)) {
            (Ok(()), Ok(values)) => {
                assert_eq!((values, &out[..values]), (plain.len(), &plain[..]));
                assert_eq!(values, count);
            }
            (Err(expected), Err(found)) => assert_eq!(expected, found.kind()),
            (expected, found) => panic!("{expected:?} but {found:?}"),
        }
    }
    if count > 0 {
        let mut out = vec![7; count - 1];
        assert!(decode_varints(bytes, start, end, &mut out).is_err(), "a full buffer is an error");
    }
    if let Some(value) = single_varint(bytes, start, end) {
        assert_eq!((plain.as_slice(), expected), (&[value as i64][..], Ok(())));
    } else if run.len() <= 8 {
        assert!(plain.len() != 1 || expected.is_err());
    }
}

/// Returns every wire type, groups, long values, packed runs of each length.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = vec![
        b"\x08\x96\x01\x12\x02hi\x1d\x01\x02\x03\x04\x21\x01\x02\x03\x04\x05\x06\x07\x08".to_vec(),
        b"\x0b\x08\x01\x13\x14\x0c".to_vec(),
        b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01".to_vec(),
        b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01".to_vec(),
        [0x0b; 101].to_vec(),
    ];
    for bytes in [1, 5, 9, 10, 11] {
        let mut seed = vec![3, 9];
        for i in 0..100u8 {
            seed.extend(std::iter::repeat_n(0x80 | i, bytes - 1));
            seed.push(i);
        }
        seeds.push(seed);
    }
    seeds
}
