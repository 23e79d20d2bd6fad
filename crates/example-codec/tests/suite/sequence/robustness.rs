//! Bytes that are not a sequence example: an error, and a decoder as it was before them.

use example_codec::{
    ExampleSchema, FeatureField, FeatureKind, Kind, OffsetWidth, SequenceExampleDecoderBuilder,
    SequenceExampleSchema,
};
use golden_cases::proto::tensorflow::SequenceExample;
use proptest::prelude::*;
use prost::Message as _;
use tfxio_core::{Limits, Origin};

use super::damage::{Make, flipped, leaves_no_trace, make, truncated};
use super::model;
use super::rows::builder;
use super::wire::{self, bytes, floats, ints, sequence_example};

/// Returns a record with a context and feature lists of each kind, with null and empty steps.
fn small() -> Vec<u8> {
    sequence_example(
        &[("i", ints(&[5, -1])), ("b", bytes(&[b"xy"]))],
        &[
            ("i", &[ints(&[5, 300]), Vec::new(), ints(&[1 << 40, -1])]),
            ("f", &[floats(&[0.5, 1.5]), floats(&[])]),
            ("b", &[bytes(&[b"xy", b""]), bytes(&[b"z"])]),
            ("e", &[]),
        ],
    )
}

/// Returns the way without options.
fn plain() -> Make {
    make(builder(), SequenceExampleDecoderBuilder::build)
}

/// Returns every way to decode that a test of damage should go.
fn builders() -> Vec<Make> {
    let schema = |specs: [(&str, FeatureKind); 2]| {
        ExampleSchema::new(specs.map(|(name, kind)| FeatureField::new(name, kind))).unwrap()
    };
    let schema = SequenceExampleSchema::new(
        schema([("i", FeatureKind::Int64), ("b", FeatureKind::Bytes)]),
        schema([("f", FeatureKind::Float), ("i", FeatureKind::Int64)]),
    );
    let builders = [
        builder(),
        builder().projection(["b"], ["b", "i"]),
        builder().schema(schema.clone()),
        builder().schema(schema).offsets(OffsetWidth::Bits32),
        builder().raw_record_column("raw").source_column("source"),
    ];
    builders.map(|builder| make(builder, SequenceExampleDecoderBuilder::build)).into()
}

#[test]
fn truncated_at_every_byte() {
    truncated(&builders(), &small(), |part| SequenceExample::decode(part).is_ok());
}

#[test]
fn a_bit_flipped_at_every_position() {
    let noticed = flipped(&builders(), &small());
    assert!(noticed > 500, "{noticed} of the flips were noticed");
}

#[test]
fn lengths_that_reach_beyond_the_record() {
    let list = |list: Vec<u8>| {
        wire::field(2, &wire::field(1, &[wire::field(1, b"i"), wire::field(2, &list)].concat()))
    };
    for length in [2, 127, 1 << 14, 1 << 31, u64::from(u32::MAX), 1 << 34, 1 << 62, u64::MAX] {
        let claim = |tag: u8| [vec![tag], wire::varint(length), vec![0]].concat();
        for record in [
            claim(0x12),
            wire::field(2, &claim(0x0a)),
            list(claim(0x0a)),
            list(wire::field(1, &claim(0x1a))),
            list(wire::field(1, &wire::field(3, &claim(0x0a)))),
            list(wire::field(1, &wire::field(1, &claim(0x0a)))),
        ] {
            for builder in builders() {
                assert!(leaves_no_trace(&builder, &small(), &record), "length {length} in {record:02x?}");
            }
        }
    }
}

#[test]
fn the_last_list_fails_after_others_were_appended() {
    for bad in [
        sequence_example(
            &[],
            &[("i", &[ints(&[1])]), ("b", &[bytes(&[b"x"])]), ("f", &[floats(&[1.0]), ints(&[1])])],
        ),
        sequence_example(
            &[],
            &[
                ("f", &[floats(&[1.0])]),
                ("b", &[bytes(&[b"long enough to count"])]),
                ("i", &[ints(&[1]), bytes(&[b"x"])]),
            ],
        ),
        // A list that is good, and a context that is not.
        sequence_example(&[("i", floats(&[1.0]))], &[("i", &[ints(&[1, 2]), Vec::new()])]),
        sequence_example(&[("b", ints(&[1]))], &[("new", &[ints(&[1])])]),
    ] {
        for builder in builders() {
            leaves_no_trace(&builder, &small(), &bad);
        }
        assert!(leaves_no_trace(&plain(), &small(), &bad));
    }
}

#[test]
fn a_list_that_another_of_its_name_replaces_must_be_well_formed() {
    let entry = |list: &[u8]| wire::field(1, &[wire::field(1, b"i"), wire::field(2, list)].concat());
    let good = wire::steps_of(&[ints(&[1])]);
    for (shadowed, fits) in [
        (wire::steps_of(&[floats(&[1.0]), bytes(&[b"x"])]), true),
        (wire::field(1, b"\x1a\x02\x0a\x05"), false),
        (wire::field(1, b"\x12\x05\x0a\x03abc"), false),
        (vec![0x0a], false),
    ] {
        let record = wire::field(2, &[entry(&shadowed), entry(&good)].concat());
        assert_eq!(!leaves_no_trace(&plain(), &small(), &record), fits, "{shadowed:02x?}");
    }
}

#[test]
fn groups_nest_as_deep_as_protobuf_lets_them() {
    // Four messages lie around what is in a step: the feature lists, the entry, the list, the step.
    let group = |depth: usize| [vec![0x23; depth], vec![0x24; depth]].concat();
    let record = |depth| sequence_example(&[], &[("i", &[[group(depth), ints(&[1])].concat()])]);
    assert!(!leaves_no_trace(&plain(), &small(), &record(96)));
    assert!(leaves_no_trace(&plain(), &small(), &record(97)));
}

#[test]
fn limits() {
    let record = sequence_example(
        &[("i", ints(&[7]))],
        &[("i", &[ints(&[1, 2]), Vec::new()]), ("b", &[bytes(&[b"x"])])],
    );
    let length = record.len() as u64;
    let fits = |limits| {
        let mut decoder = builder().limits(limits).build().unwrap();
        match decoder.push(&record, Origin::record(0)) {
            Ok(()) => true,
            Err(error) => {
                assert_eq!(error.detail(), Some(&Kind::LimitExceeded));
                assert_eq!(decoder.rows(), 0);
                assert_eq!(decoder.flush().unwrap().num_columns(), 0);
                false
            }
        }
    };
    let default = Limits::default;
    assert!(fits(default()));
    assert!(fits(default().record_bytes(length)));
    assert!(!fits(default().record_bytes(length - 1)));
    // Four values and three steps.
    assert!(fits(default().list_items(7)));
    assert!(!fits(default().list_items(6)));
    assert!(fits(default().columns(2)));
    assert!(!fits(default().columns(1)));
    assert!(!fits(default().batch_bytes(64)));
}

#[test]
fn names_that_change_all_the_time_do_not_fill_the_memory() {
    let limits = Limits::default().columns(2);
    let mut decoder = builder().limits(limits).build().unwrap();
    for names in [["a", "b"], ["c", "d"], ["e", "f"], ["a", "f"]] {
        let [first, second] = names.map(|name| (name, &[] as &[Vec<u8>]));
        decoder.push(&sequence_example(&[], &[first, second]), Origin::record(0)).unwrap();
        assert_eq!(decoder.flush().unwrap().num_columns(), 1);
    }
}

proptest! {
    #![proptest_config(model::config(500))]

    #[test]
    fn arbitrary_bytes(bad in prop::collection::vec(any::<u8>(), 0..60)) {
        for builder in builders() {
            leaves_no_trace(&builder, &small(), &bad);
        }
    }

    #[test]
    fn nearly_a_sequence_example(record in wire::any_sequence_example(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        let mut bad = record;
        if !bad.is_empty() {
            let at = at.index(bad.len());
            bad[at] = byte;
            if cut {
                bad.truncate(at);
            }
        }
        for builder in builders() {
            leaves_no_trace(&builder, &small(), &bad);
        }
    }
}
