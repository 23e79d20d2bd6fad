//! Bytes that are not an example: an error, and a decoder as it was before them.

use crate::damage;
use crate::model;
use crate::wire;

use damage::{Make, flipped, leaves_no_trace, make, truncated};
use example_codec::{
    ExampleDecoder, ExampleDecoderBuilder, ExampleSchema, FeatureField, FeatureKind, Kind, OffsetWidth,
};
use golden_cases::proto::tensorflow::Example;
use proptest::prelude::*;
use prost::Message as _;
use tfxio_core::{Limits, Origin};
use wire::{bytes, example, floats, ints};

/// Returns a record with a feature of each kind, an empty list, and one without a list.
fn small() -> Vec<u8> {
    example(&[
        ("i", ints(&[5, -1, 300])),
        ("f", floats(&[0.5])),
        ("b", bytes(&[b"xy", b""])),
        ("e", ints(&[])),
        ("n", Vec::new()),
    ])
}

/// Returns the way without options.
fn plain() -> Make {
    make(ExampleDecoder::builder(), ExampleDecoderBuilder::build)
}

/// Returns every way to decode that a test of damage should go.
fn builders() -> Vec<Make> {
    let specs = || {
        [
            FeatureField::new("i", FeatureKind::Int64),
            FeatureField::new("f", FeatureKind::Float).fixed_len(1),
            FeatureField::new("b", FeatureKind::Bytes),
        ]
    };
    let schema = ExampleSchema::new(specs()).unwrap();
    let builder = ExampleDecoder::builder;
    let builders = [
        builder(),
        builder().projection(["b", "i"]),
        builder().schema(schema.clone()),
        builder().schema(schema).fixed_size_lists(true).offsets(OffsetWidth::Bits32),
        builder().raw_record_column("raw").source_column("source"),
    ];
    builders.map(|builder| make(builder, ExampleDecoderBuilder::build)).into()
}

#[test]
fn truncated_at_every_byte() {
    truncated(&builders(), &small(), |part| Example::decode(part).is_ok());
}

#[test]
fn a_bit_flipped_at_every_position() {
    let noticed = flipped(&builders(), &small());
    assert!(noticed > 300, "{noticed} of the flips were noticed");
}

#[test]
fn lengths_that_reach_beyond_the_record() {
    for length in [2, 127, 1 << 14, 1 << 31, u64::from(u32::MAX), 1 << 34, 1 << 62, u64::MAX] {
        for record in [
            [vec![0x0a], wire::varint(length)].concat(),
            wire::field(1, &[vec![0x0a], wire::varint(length), vec![0]].concat()),
            example(&[("i", [vec![0x1a], wire::varint(length), vec![0]].concat())]),
            example(&[("i", wire::field(3, &[vec![0x0a], wire::varint(length), vec![0]].concat()))]),
            example(&[("b", wire::field(1, &[vec![0x0a], wire::varint(length), vec![0]].concat()))]),
            example(&[("i", wire::field(2, &[vec![0x0a], wire::varint(length), vec![0; 4]].concat()))]),
        ] {
            for builder in builders() {
                assert!(leaves_no_trace(&builder, &small(), &record), "length {length} in {record:02x?}");
            }
        }
    }
}

#[test]
fn the_last_column_fails_after_others_were_appended() {
    // Whichever order the decoder goes in, one of the two records fails after the other feature was read.
    for bad in [
        example(&[("i", ints(&[1, 2])), ("f", floats(&[9.0])), ("b", ints(&[1]))]),
        example(&[
            ("b", bytes(&[b"longer than sixteen bytes"])),
            ("f", floats(&[9.0])),
            ("i", floats(&[1.0])),
        ]),
        example(&[("b", bytes(&[b"x"])), ("i", ints(&[1])), ("f", wire::field(2, b"\x0a\x03abc"))]),
        example(&[("new", bytes(&[b"x"])), ("newer", ints(&[])), ("i", floats(&[1.0]))]),
    ] {
        for builder in builders() {
            leaves_no_trace(&builder, &small(), &bad);
        }
        assert!(leaves_no_trace(&plain(), &small(), &bad));
    }
}

#[test]
fn a_refused_record_fixes_no_kind_and_no_column() {
    let mut decoder = ExampleDecoder::builder().build().unwrap();
    decoder.push(&example(&[("a", ints(&[1]))]), Origin::record(0)).unwrap();
    let bad = example(&[("a", floats(&[1.0])), ("b", ints(&[1])), ("c", Vec::new())]);
    decoder.push(&bad, Origin::record(1)).unwrap_err();
    decoder.push(&example(&[("b", floats(&[1.0]))]), Origin::record(2)).unwrap();
    let schema = decoder.flush().unwrap().schema();
    let names = schema.fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>();
    assert_eq!(names, ["a", "b"]);
}

/// Two values of one map entry, the first cut in a tag that the second would end.
#[test]
fn each_piece_of_a_merged_value_must_be_whole() {
    let pieces = |first: &[u8]| {
        let second = [&[0x12, 0x03, 0x07][..], &[0x0a, 0x00]].concat();
        let entry = [wire::field(1, b"a"), wire::field(2, first), wire::field(2, &second)].concat();
        wire::field(1, &wire::field(1, &entry))
    };
    let mut decoder = ExampleDecoder::builder().build().unwrap();
    let error = decoder.push(&pieces(&[0x90]), Origin::record(0)).unwrap_err();
    assert!(matches!(error.detail(), Some(Kind::Malformed(_))), "{error}");
    assert_eq!(decoder.rows(), 0);
}

#[test]
fn a_refused_record_takes_no_columns_from_the_limit() {
    let limits = Limits::default().columns(2);
    let mut decoder = ExampleDecoder::builder().limits(limits).build().unwrap();
    let bad = [example(&[("a", ints(&[1])), ("b", ints(&[1]))]), vec![0xff]].concat();
    decoder.push(&bad, Origin::record(0)).unwrap_err();
    decoder.push(&example(&[("c", ints(&[1])), ("d", ints(&[1]))]), Origin::record(1)).unwrap();
    assert_eq!(decoder.flush().unwrap().num_columns(), 2);
}

#[test]
fn a_batch_has_a_limit_of_columns_not_a_file() {
    let limits = Limits::default().columns(2);
    let mut decoder = ExampleDecoder::builder().limits(limits).build().unwrap();
    for names in [["a", "b"], ["c", "d"], ["e", "f"]] {
        decoder.push(&example(&names.map(|name| (name, ints(&[1])))), Origin::record(0)).unwrap();
        assert_eq!(decoder.flush().unwrap().num_columns(), 2);
    }
}

#[test]
fn limits() {
    let record = example(&[("i", ints(&[1, 2, 3])), ("b", bytes(&[b"x"]))]);
    let length = record.len() as u64;
    let fits = |limits| {
        let mut decoder = ExampleDecoder::builder().limits(limits).build().unwrap();
        match decoder.push(&record, Origin::record(0)) {
            Ok(()) => true,
            Err(error) => {
                assert_eq!(error.detail(), Some(&Kind::LimitExceeded));
                assert_eq!(decoder.rows(), 0);
                assert_eq!(decoder.flush().unwrap().num_rows(), 0);
                false
            }
        }
    };
    let default = Limits::default;
    assert!(fits(default()));
    assert!(fits(default().record_bytes(length)));
    assert!(!fits(default().record_bytes(length - 1)));
    assert!(fits(default().list_items(4)));
    assert!(!fits(default().list_items(3)));
    assert!(fits(default().columns(2)));
    assert!(!fits(default().columns(1)));
    assert!(!fits(default().batch_bytes(16)));
}

#[test]
fn the_limit_of_a_batch_adds_up_and_ends_with_it() {
    let record = example(&[("b", bytes(&[&[b'x'; 1000]]))]);
    let limits = Limits::default().batch_bytes(100_000);
    let mut decoder = ExampleDecoder::builder().limits(limits).build().unwrap();
    for _ in 0..3 {
        let mut rows = 0;
        while decoder.push(&record, Origin::record(rows)).is_ok() {
            rows += 1;
            assert!(rows < 1000, "the limit was never reached");
        }
        assert!(rows > 30, "{rows} rows of a kilobyte are far from the limit");
        assert_eq!(decoder.flush().unwrap().num_rows() as u64, rows);
    }
}

/// Returns whether every field 1 of every `Features` message is length-delimited.
fn entries_are_messages(record: &[u8]) -> bool {
    let mut example = proto_wire::Reader::new(record);
    while let Ok(Some(tag)) = example.tag() {
        if tag != proto_wire::Tag::new(1, proto_wire::WireType::Len) {
            if example.skip(tag).is_err() {
                return true;
            }
            continue;
        }
        let Ok(bytes) = example.bytes() else { return true };
        let mut features = proto_wire::Reader::new(bytes);
        while let Ok(Some(tag)) = features.tag() {
            if tag.field == 1 && tag.wire != proto_wire::WireType::Len {
                return false;
            }
            if features.skip(tag).is_err() {
                break;
            }
        }
    }
    true
}

proptest! {
    #![proptest_config(model::config(2000))]

    #[test]
    fn arbitrary_bytes(bad in prop::collection::vec(any::<u8>(), 0..60)) {
        for builder in builders() {
            leaves_no_trace(&builder, &small(), &bad);
        }
    }

    #[test]
    fn nearly_an_example(record in wire::any_example(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        let mut bad = record.clone();
        if !bad.is_empty() {
            let at = at.index(bad.len());
            bad[at] = byte;
            if cut {
                bad.truncate(at);
            }
        }
        let good = example(&[("b", ints(&[1]))]);
        leaves_no_trace(&plain(), &good, &bad);
        // What is taken is what protobuf reads there. (prost refuses known fields of another wire type,
        // but for map entries, which it reads as if they were of the right one.)
        prop_assume!(entries_are_messages(&bad));
        let mut decoder = ExampleDecoder::builder().build().unwrap();
        match (decoder.push(&bad, Origin::record(0)), Example::decode(bad.as_slice())) {
            (Ok(()), Ok(example)) => {
                let names = example.features.unwrap_or_default().feature.into_keys().collect::<Vec<_>>();
                let schema = decoder.flush().unwrap().schema();
                prop_assert_eq!(schema.fields().iter().map(|f| f.name().clone()).collect::<Vec<_>>(), names);
            }
            (Err(error), Ok(_)) => prop_assert!(false, "prost reads what is refused: {}", error),
            _ => {}
        }
    }
}
