//! SequenceExamples of any bytes: a push that fails leaves the decoder as it was; what was decoded, encoded and decoded
//! again, is the same; a projection gives the columns that decoding all gives; and the schema that is inferred from the
//! records is the one they decode with.

use arrow_array::RecordBatch;
use example_codec::{
    EncodedExamples, EncoderOptions, OffsetWidth, SequenceExampleDecoder, SequenceExampleDecoderBuilder,
    SequenceExampleEncoder, SequenceSchemaInference,
};
use tfxio_core::Origin;

use crate::input::Input;

/// A name that no input of a few kilobytes happens to hold.
const COLUMN: &str = "the column of the sequence features";

/// Panics when the law does not hold.
pub fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let options = input.byte();
    let mut records = Vec::new();
    while !input.rest.is_empty() && records.len() < 64 {
        let length = input.short();
        records.push(if length >> 15 == 1 { input.rest } else { input.take(length & 0x3ff) });
    }
    let builder = || {
        let width = if options & 1 == 0 { OffsetWidth::Bits64 } else { OffsetWidth::Bits32 };
        SequenceExampleDecoder::builder().offsets(width).sequence_column(COLUMN)
    };
    let Some((batch, good, schema)) = forgiving(builder(), &records) else { return };
    assert_eq!(strict(builder(), &good), batch, "a failed push left something behind");

    // The records, each encoded from its row. A list that no record has is no column without a schema.
    let with_schema = || builder().schema(schema.finish());
    let batch = strict(with_schema(), &good);
    let Ok(encoder) = SequenceExampleEncoder::try_new(&batch.schema(), COLUMN, EncoderOptions::default())
    else {
        panic!("the decoder's own schema was refused");
    };
    let mut encoded = EncodedExamples::new();
    if let Err(error) = encoder.encode(&batch, &mut encoded) {
        panic!("the decoder's own batch was refused: {error}");
    }
    let again: Vec<&[u8]> = encoded.iter().collect();
    assert_eq!(strict(with_schema(), &again), batch, "decode, encode, decode");

    // Only the first feature list.
    let Some(first) = schema.finish().sequence().features().first().map(|first| first.name.clone()) else {
        return;
    };
    let projected = strict(builder().projection([""; 0], [first.clone()]), &good);
    let whole = strict(builder(), &good);
    let list = |batch: &RecordBatch| {
        let lists = batch.column_by_name(COLUMN)?.as_any().downcast_ref::<arrow_array::StructArray>()?;
        lists.column_by_name(&first).cloned()
    };
    assert_eq!(list(&projected), list(&whole), "projection");
}

/// Decodes what can be decoded: the batch, the records that are in it, and what is inferred from them.
fn forgiving<'a>(
    builder: SequenceExampleDecoderBuilder,
    records: &[&'a [u8]],
) -> Option<(RecordBatch, Vec<&'a [u8]>, SequenceSchemaInference)> {
    let mut decoder = builder.build().ok()?;
    let mut schema = SequenceSchemaInference::default();
    let mut good = Vec::new();
    for (index, record) in records.iter().enumerate() {
        let before = decoder.rows();
        let origin = Origin::record(index as u64);
        let result = decoder.push(record, origin);
        assert_eq!(decoder.rows(), before + usize::from(result.is_ok()));
        assert_eq!(schema.push(record, origin).is_ok(), result.is_ok(), "inference and decoder differ");
        match result {
            Ok(()) => good.push(*record),
            // The text of an error is made from input, too.
            Err(error) => assert!(error.to_string().contains(&index.to_string()), "{error}"),
        }
    }
    Some((decoder.flush().ok()?, good, schema))
}

/// Decodes records that must be good.
fn strict(builder: SequenceExampleDecoderBuilder, records: &[&[u8]]) -> RecordBatch {
    let decoded = builder.build().and_then(|mut decoder| {
        for (index, record) in records.iter().enumerate() {
            decoder.push(record, Origin::record(index as u64))?;
        }
        decoder.flush()
    });
    match decoded {
        Ok(batch) => batch,
        Err(error) => panic!("good records were refused: {error}"),
    }
}

/// Steps of every kind, packed and unpacked, merged, empty, without a kind, mixed and damaged.
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
