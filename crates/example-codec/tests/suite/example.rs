//! Examples of Rust values.

use example_codec::{Example, ExampleDecoder, ExampleEncoder, ExampleView, Feature, Origin, SequenceExample};

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
    let encoder = ExampleEncoder::builder(&batch.schema()).build().unwrap();
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

#[test]
fn what_is_written_is_read() {
    let examples = [
        Example::new(),
        Example::new()
            .int64("ints", [i64::MIN, -1, 0, 127, 128, i64::MAX])
            .int64("one", [5])
            .float("floats", [f32::MIN, -0.0, f32::INFINITY])
            .bytes("bytes", [vec![0_u8; 300], vec![]])
            .feature("unset", Feature::Unset)
            .bytes("", ["ä"]),
        Example::new().int64("a", [0_i64; 0]).float("b", []).bytes("c", [""; 0]),
        Example::new().int64("long", (0..1000_i64).map(|value| value << 40)).float("floats", [0.5; 1000]),
    ];
    for example in examples {
        let record = example.to_vec();
        assert_eq!(Example::parse(&record).unwrap(), example);
        let view = ExampleView::parse(&record).unwrap();
        assert_eq!(view.to_example(), example);
        assert_eq!(view.len(), example.len());
        for ((name, feature), (other, values)) in view.iter().zip(example.iter()) {
            assert_eq!((name, feature.kind(), feature.len()), (other, values.kind(), values.len()));
        }
    }
}

#[test]
fn values_are_changed() {
    let mut example = Example::parse(&Example::new().int64("a", [1]).int64("b", [2]).to_vec()).unwrap();
    assert_eq!(example.remove("a"), Some(Feature::int64([1])));
    assert_eq!(example.remove("a"), None);
    assert_eq!(example.insert("b", Feature::float([0.5])), Some(Feature::int64([2])));
    assert_eq!(example.to_vec(), Example::new().float("b", [0.5]).to_vec());
}

#[test]
fn what_protobuf_allows() {
    // Two maps, two entries of a name, two values of an entry, packed and unpacked, an unknown field: the last wins, lists
    // of one kind are merged.
    let old = b"\x0a\x0a\x0a\x08\x0a\x01a\x12\x03\x12\x01\x00"; // would be a damaged float_list
    assert!(ExampleView::parse(old).is_err());
    let one = b"\x0a\x0c\x0a\x0a\x0a\x01a\x12\x05\x1a\x03\x0a\x01\x05";
    let other = b"\x0a\x13\x0a\x11\x0a\x01a\x12\x04\x1a\x02\x08\x07\x12\x06\x1a\x04\x0a\x02\x08\x09";
    let record = [&one[..], other, b"\x7a\x01x"].concat();
    let view = ExampleView::parse(&record).unwrap();
    assert_eq!((view.len(), view.get("a").unwrap().to_int64().unwrap()), (1, vec![7, 8, 9]));
}

#[test]
fn values_that_are_not_copied() {
    let record = Example::new().bytes("a", ["red", "shoes"]).to_vec();
    let values = ExampleView::parse(&record).unwrap().get("a").unwrap().to_bytes().unwrap();
    let record = record.as_ptr_range();
    assert!(values.iter().all(|value| record.contains(&value.as_ptr())));
}

#[test]
fn what_is_wrong_is_said() {
    let example = Example::new().int64("label", [5]).feature("unset", Feature::Unset);
    let record = example.to_vec();
    let view = ExampleView::parse(&record).unwrap();
    let feature = |name| view.get(name).unwrap();
    let errors = [
        (
            example.get_int64("lable").unwrap_err(),
            "column \"lable\": the record lacks the feature; did you mean \"label\"?",
        ),
        (
            view.get("x").unwrap_err(),
            "column \"x\": the record lacks the feature; the features are \"label\", \"unset\"",
        ),
        (
            example.get_float("label").unwrap_err(),
            "column \"label\": the value is an int64_list, not a float_list",
        ),
        (
            feature("label").to_bytes().unwrap_err(),
            "column \"label\": the value is an int64_list, not a bytes_list",
        ),
        (
            example.get_bytes("unset").unwrap_err(),
            "column \"unset\": the feature has no values, where a bytes_list is expected",
        ),
        (
            feature("unset").to_float().unwrap_err(),
            "column \"unset\": the feature has no values, where a float_list is expected",
        ),
        (
            ExampleView::parse(&record[..record.len() - 1]).unwrap_err(),
            "byte of the data 1: the record is not a tf.Example: the bytes end before the message does",
        ),
        (
            Example::parse(b"\x0a\x08\x0a\x06\x0a\x01a\x12\x01\x12").unwrap_err(),
            "byte of the data 10, column \"a\": the record is not a tf.Example: the bytes end before the message does",
        ),
        (
            Example::parse(b"\x0a\x05\x0a\x03\x0a\x01\xff").unwrap_err(),
            "the feature name \"\u{fffd}\" is not UTF-8",
        ),
        (
            Example::parse(b"\x09\x00\x00\x00\x00\x00\x00\x00\x00").unwrap_err(),
            "the record is not a tf.Example: no feature comes from its 9 bytes, whose fields are those of another message",
        ),
        (
            Example::parse(&SequenceExample::new().steps("a", []).to_vec()).unwrap_err(),
            "the record has feature lists, which a tf.Example does not have, and which would be left out; read it as a \
             `SequenceExample`",
        ),
        (
            SequenceExample::new().steps("frames", []).get("frame").unwrap_err(),
            "column \"frame\": the record lacks the feature; did you mean \"frames\"?",
        ),
    ];
    for (error, text) in errors {
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn any_cut_is_an_error_or_a_part() {
    let sequence = SequenceExample::new()
        .context(Example::new().int64("a", [300, 5]).bytes("b", ["red", ""]).float("c", [0.5]))
        .steps("d", [Feature::int64([300]), Feature::Unset, Feature::bytes(["x"])]);
    let whole = sequence.to_vec();
    let context = sequence.context.to_vec().len();
    for cut in 0..whole.len() {
        let read = SequenceExample::parse(&whole[..cut]);
        assert_eq!(read.is_ok(), cut == 0 || cut == context, "cut at {cut}");
    }
    assert_eq!(SequenceExample::parse(&whole).unwrap(), sequence);
}

#[test]
fn what_is_shown_is_short() {
    let example = Example::new()
        .int64("ints", 0..100)
        .bytes("png", [&b"\x89PNG"[..], &[b'x'; 100]])
        .bytes("text", ["rot\n"])
        .float("score", [0.5])
        .feature("unset", Feature::Unset);
    let text = "Example {\"ints\": Int64([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] and 84 more), \
                \"png\": Bytes([b\"\\x89PNG\", b\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\" and 36 bytes]), \
                \"score\": Float([0.5]), \"text\": Bytes([\"rot\\n\"]), \"unset\": Unset}";
    assert_eq!(format!("{example:?}"), text);
}
