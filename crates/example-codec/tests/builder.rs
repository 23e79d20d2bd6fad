//! Examples of Rust values.
#![allow(clippy::unwrap_used, reason = "a test")]

use example_codec::{EncoderOptions, ExampleBuilder, ExampleDecoder, ExampleEncoder, Origin};

#[test]
fn the_bytes_are_those_of_protobuf() {
    assert_eq!(ExampleBuilder::new().build(), b"");
    let label = ExampleBuilder::new().int64("label", [5]);
    assert_eq!(label.build(), b"\x0a\x10\x0a\x0e\x0a\x05label\x12\x05\x1a\x03\x0a\x01\x05");
    // Lists without values have their kind.
    assert_eq!(
        ExampleBuilder::new().int64("a", [0_i64; 0]).build(),
        b"\x0a\x09\x0a\x07\x0a\x01a\x12\x02\x1a\x00"
    );
    assert_eq!(ExampleBuilder::new().float("a", []).build(), b"\x0a\x09\x0a\x07\x0a\x01a\x12\x02\x12\x00");
    assert_eq!(
        ExampleBuilder::new().bytes("a", [""; 0]).build(),
        b"\x0a\x09\x0a\x07\x0a\x01a\x12\x02\x0a\x00"
    );
    // Names are in order, and the last of one name stays.
    let twice = ExampleBuilder::new().int64("b", [1]).bytes("a", ["x"]).float("b", [1.5]);
    assert_eq!(twice, ExampleBuilder::new().bytes("a", [b"x"]).float("b", [1.5]));
    assert_eq!(twice.build(), ExampleBuilder::new().float("b", [1.5]).bytes("a", ["x"]).build());
}

#[test]
fn what_is_decoded_is_encoded_the_same() {
    let examples = [
        ExampleBuilder::new()
            .int64("ints", [i64::MIN, -1, 0, 127, 128, i64::MAX])
            .int64("small", [7_u8, 8])
            .float("floats", [f32::MIN, -0.0, f32::INFINITY])
            .bytes("bytes", [vec![0_u8; 300], vec![]])
            .bytes("text", ["ä"]),
        ExampleBuilder::new().int64("ints", Vec::<i64>::new()).float("floats", [0.5; 1000]),
    ];
    let mut decoder = ExampleDecoder::builder().build().unwrap();
    for example in &examples {
        decoder.push(&example.build(), Origin::record(0)).unwrap();
    }
    let batch = decoder.flush().unwrap();
    assert_eq!(batch.num_columns(), 5);
    let encoder = ExampleEncoder::try_new(&batch.schema(), EncoderOptions::default()).unwrap();
    let encoded = encoder.encode_to_vec(&batch).unwrap();
    let again = |records: &[Vec<u8>]| {
        let mut decoder = ExampleDecoder::builder().build().unwrap();
        records.iter().for_each(|record| decoder.push(record, Origin::record(0)).unwrap());
        decoder.flush().unwrap()
    };
    assert_eq!(again(&encoded), batch);
}
