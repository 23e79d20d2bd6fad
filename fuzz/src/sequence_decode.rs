//! SequenceExamples of any bytes: a push that fails leaves the decoder as it was; what was decoded, encoded and decoded
//! again, is the same; a projection gives the columns that decoding all gives; and the schema that is inferred from the
//! records is the one they decode with.

use arrow_array::RecordBatch;
use example_codec::{
    EncodedExamples, OffsetWidth, SequenceExampleDecoder,
    SequenceExampleEncoder, SequenceExampleSchemaInference,
};
use tfxio_core::Origin;

use crate::input::Input;
use crate::rows::{forgiving, sound, strict};

/// A name that no input of a few kilobytes happens to hold.
const COLUMN: &str = "the column of the sequence features";

/// Panics when the law does not hold.
pub fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let options = input.byte();
    let records = input.records();
    let builder = || {
        let width = if options & 1 == 0 { OffsetWidth::Bits64 } else { OffsetWidth::Bits32 };
        SequenceExampleDecoder::builder().offsets(width).sequence_column(COLUMN)
    };
    let mut schema = SequenceExampleSchemaInference::default();
    let also = |record: &[u8], origin: Origin<'_>, is_good| {
        assert_eq!(schema.push(record, origin).is_ok(), is_good, "inference and decoder differ");
    };
    let Some((batch, good)) = forgiving(builder().build(), &records, also) else { return };
    assert_eq!(strict(builder().build(), &good), batch, "a failed push left something behind");

    // The records, each encoded from its row. A list that no record has is no column without a schema.
    let with_schema = || builder().schema(schema.finish()).build();
    let batch = strict(with_schema(), &good);
    let encoder = sound(SequenceExampleEncoder::builder(&batch.schema(), COLUMN).build());
    let mut encoded = EncodedExamples::new();
    sound(encoder.encode(&batch, &mut encoded));
    let again: Vec<&[u8]> = encoded.iter().collect();
    assert_eq!(strict(with_schema(), &again), batch, "decode, encode, decode");

    // Only the first feature list.
    let Some(first) = schema.finish().sequence().features().first().map(|first| first.name.clone()) else {
        return;
    };
    let projected = strict(builder().projection([""; 0], [first.clone()]).build(), &good);
    let whole = strict(builder().build(), &good);
    let list = |batch: &RecordBatch| {
        let lists = batch.column_by_name(COLUMN)?.as_any().downcast_ref::<arrow_array::StructArray>()?;
        lists.column_by_name(&first).cloned()
    };
    assert_eq!(list(&projected), list(&whole), "projection");
}

/// Returns steps of every kind, packed and unpacked, merged, empty, without a kind, mixed and damaged.
pub fn seeds() -> Vec<Vec<u8>> {
    let steps: [&[u8]; 10] = [
        b"\x1a\x03\x0a\x01\x05",                                     // int64 [5], packed
        b"\x1a\x04\x08\x05\x08\x06",                                 // int64 [5, 6], not packed
        b"\x1a\x06\x0a\x04\x80\x80\x80\x01",                         // int64 of four bytes
        b"\x1a\x0c\x0a\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", // int64 [-1]
        b"",                                                         // no kind
        b"\x1a\x00",                                                 // int64 []
        b"\x1a\x03\x0a\x01\x05\x1a\x03\x0a\x01\x06",                 // two lists
        b"\x12\x06\x0a\x04\x00\x00\x80\x3f",                         // float [1.0]
        b"\x0a\x08\x0a\x01x\x0a\x00\x0a\x01y",                       // bytes ["x", "", "y"]
        b"\x0a\x03\x0a\x01x",                                        // bytes ["x"]
    ];
    let field = |tag: u8, bytes: &[u8]| [&[tag, bytes.len() as u8], bytes].concat();
    let list = |name: &[u8], steps: &[&[u8]]| {
        let steps: Vec<u8> = steps.iter().flat_map(|step| field(0x0a, step)).collect();
        field(0x0a, &[field(0x0a, name), field(0x12, &steps)].concat())
    };
    let context = field(0x0a, b"\x0a\x0a\x0a\x01a\x12\x05\x1a\x03\x0a\x01\x05");
    let record = |lists: &[Vec<u8>]| [context.clone(), field(0x12, &lists.concat())].concat();
    let chunk = |record: Vec<u8>| [&(record.len() as u16).to_le_bytes(), &record[..]].concat();
    let mut seeds: Vec<Vec<u8>> = steps
        .windows(3)
        .map(|some| {
            let lists = [list(b"s", some), list(b"t", &some[1..])];
            [vec![0], chunk(record(&lists)), chunk(record(&lists[..1])), chunk(record(&[]))].concat()
        })
        .collect();
    let ints = record(&[list(b"s", &steps[..6]), list(b"s", &steps[..1])]);
    let damaged = ints[..ints.len() - 1].to_vec();
    seeds.push([vec![1], chunk(ints), chunk(damaged), chunk(Vec::new())].concat());
    seeds.push([vec![1], chunk(record(&[list(b"s", &steps[8..]), list(b"t", &steps[7..8])]))].concat());
    seeds
}
