//! Examples of Rust values.
#![allow(clippy::unwrap_used, reason = "a test")]

use example_codec::{EncoderOptions, Example, ExampleDecoder, ExampleEncoder, Origin};

#[test]
fn the_bytes_are_those_of_protobuf() {
    assert_eq!(Example::new().to_vec(), b"");
    let label = Example::new().int64("label", [5]);
    assert_eq!(label.to_vec(), b"\x0a\x10\x0a\x0e\x0a\x05label\x12\x05\x1a\x03\x0a\x01\x05");
    // Lists without values have their kind.
    assert_eq!(Example::new().int64("a", [0_i64; 0]).to_vec(), b"\x0a\x09\x0a\x07\x0a\x01a\x12\x02\x1a\x00");
    assert_eq!(Example::new().float("a", []).to_vec(), b"\x0a\x09\x0a\x07\x0a\x01a\x12\x02\x12\x00");
    assert_eq!(Example::new().bytes("a", [""; 0]).to_vec(), b"\x0a\x09\x0a\x07\x0a\x01a\x12\x02\x0a\x00");
    // Names are in order, and the last of one name stays.
    let twice = Example::new().int64("b", [1]).bytes("a", ["x"]).float("b", [1.5]);
    assert_eq!(twice, Example::new().bytes("a", [b"x"]).float("b", [1.5]));
    assert_eq!(twice.to_vec(), Example::new().float("b", [1.5]).bytes("a", ["x"]).to_vec());
}

#[test]
fn what_is_decoded_is_encoded_the_same() {
    let examples = [
        Example::new()
            .int64("ints", [i64::MIN, -1, 0, 127, 128, i64::MAX])
            .int64("small", [7_u8, 8])
            .float("floats", [f32::MIN, -0.0, f32::INFINITY])
            .bytes("bytes", [vec![0_u8; 300], vec![]])
            .bytes("text", ["ä"]),
        Example::new().int64("ints", Vec::<i64>::new()).float("floats", [0.5; 1000]),
    ];
    let mut decoder = ExampleDecoder::builder().build().unwrap();
    for example in &examples {
        decoder.push(&example.to_vec(), Origin::record(0)).unwrap();
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

#[test]
fn all_at_once() {
    let records = vec![
        Example::new().int64("label", [5]).bytes("id", [b"a"]).to_vec(),
        Example::new().float("scores", []).to_vec(),
    ];
    let batch = example_codec::decode_all(&records).unwrap();
    let names = batch.schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
    assert_eq!(names, ["id", "label", "scores"]);
    let again: Vec<Vec<u8>> = example_codec::encode_all(&batch).unwrap();
    assert_eq!(example_codec::decode_all(&again).unwrap(), batch);

    assert_eq!(example_codec::decode_all::<&[u8]>(&[]).unwrap().num_rows(), 0);
    let error = example_codec::decode_all(&[&records[0][..], b"\xff"]).unwrap_err();
    assert_eq!(error.position().record, Some(1));
}
