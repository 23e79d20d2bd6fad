//! Records of any bytes: a push that fails leaves the decoder as it was; what was decoded, encoded and decoded again,
//! is the same; and a projection gives the columns that decoding all gives.

use example_codec::{
    EncodedExamples, ExampleDecoder, ExampleEncoder, OffsetWidth,
};
use crate::input::Input;
use crate::rows::{forgiving, sound, strict};

/// Panics when the law does not hold.
pub fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let options = input.byte();
    let records = input.records();
    let builder = || {
        let width = if options & 1 == 0 { OffsetWidth::Bits64 } else { OffsetWidth::Bits32 };
        ExampleDecoder::builder().offsets(width)
    };
    let Some((batch, good)) = forgiving(builder().build(), &records, |_, _, _| {}) else { return };
    assert_eq!(strict(builder().build(), &good), batch, "a failed push left something behind");

    // The records, each encoded from its row.
    let encoder = sound(ExampleEncoder::builder(&batch.schema()).build());
    let mut encoded = EncodedExamples::new();
    sound(encoder.encode(&batch, &mut encoded));
    let again: Vec<&[u8]> = encoded.iter().collect();
    // Without columns there is nothing in a record; with them the rows say how many there are.
    assert_eq!(strict(builder().build(), &again), batch, "decode, encode, decode");

    // Every second column, from the last to the first.
    let schema = batch.schema();
    let chosen: Vec<usize> = (0..batch.num_columns()).rev().step_by(2).collect();
    let names: Vec<&str> = chosen.iter().map(|&column| schema.field(column).name().as_str()).collect();
    let projected = strict(builder().projection(names).build(), &good);
    let wanted = batch.project(&chosen).ok();
    assert_eq!(Some(projected), wanted, "projection");
}

/// Returns records of every kind, packed and unpacked, merged, overridden, empty and damaged.
pub fn seeds() -> Vec<Vec<u8>> {
    let entries: [&[u8]; 10] = [
        b"\x0a\x01a\x12\x05\x1a\x03\x0a\x01\x05",     // a: int64 [5], packed
        b"\x0a\x01a\x12\x06\x1a\x04\x08\x05\x08\x06", // a: int64 [5, 6], not packed
        b"\x0a\x01b\x12\x08\x12\x06\x0a\x04\x00\x00\x80\x3f", // b: float [1.0]
        b"\x0a\x01b\x12\x07\x12\x05\x0d\x00\x00\x80\x3f", // b: float [1.0], not packed
        b"\x0a\x01c\x12\x07\x0a\x05\x0a\x01x\x0a\x00", // c: bytes ["x", ""]
        b"\x0a\x01a\x12\x00",                         // a: no kind
        b"\x0a\x01a\x12\x02\x1a\x00",                 // a: int64 []
        b"\x0a\x01a\x12\x07\x1a\x05\x0a\x01\x05\x08\x06", // a: packed and not
        b"\x0a\x01a\x12\x09\x12\x00\x1a\x05\x0a\x03\x01\x02\x03", // a: float [], then int64 [1, 2, 3]
        b"\x12\x05\x1a\x03\x0a\x01\x05",              // no name: int64 [5]
    ];
    let field = |bytes: &[u8]| [&[0x0a, bytes.len() as u8], bytes].concat();
    let example =
        |entries: &[&[u8]]| field(&entries.iter().flat_map(|entry| field(entry)).collect::<Vec<_>>());
    let chunk = |record: Vec<u8>| [&(record.len() as u16).to_le_bytes(), &record[..]].concat();
    let mut seeds: Vec<Vec<u8>> = entries
        .windows(3)
        .map(|some| {
            let parts =
                [vec![0], chunk(example(&some[..1])), chunk(example(some)), chunk(example(&some[1..]))];
            parts.concat()
        })
        .collect();
    let two = example(&[entries[0], entries[0]]);
    let damaged = two[..two.len() - 1].to_vec();
    seeds.push([vec![1], chunk(two), chunk(damaged), chunk(Vec::new())].concat());
    // Values of every length of varint, and a long packed run.
    let mut values = Vec::new();
    for bytes in 1..=10 {
        values.extend(std::iter::repeat_n(0x81, bytes - 1));
        values.push(1);
    }
    let list = field(&values);
    let feature = [&[0x1a, list.len() as u8], &list[..]].concat();
    let entry = [&b"\x0a\x04long\x12"[..], &[feature.len() as u8], &feature].concat();
    seeds.push([vec![1], chunk(example(&[&entry])), chunk(example(&[entries[2], &entry]))].concat());
    seeds
}
