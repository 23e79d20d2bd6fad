//! The generated messages against bytes written by hand from the published field numbers.

use std::fmt::Debug;

use golden_cases::proto::google::protobuf::Any;
use golden_cases::proto::metadata::v0 as tfmd;
use golden_cases::proto::tensorflow as tf;
use prost::Message;

/// Checks that the message encodes to exactly these bytes, and that the bytes decode to the message.
#[track_caller]
fn check<M: Message + Default + PartialEq + Debug>(message: &M, bytes: &[u8]) {
    assert_eq!(message.encode_to_vec(), bytes);
    assert_eq!(M::decode(bytes).as_ref(), Ok(message));
}

/// Returns a length-delimited field: tag byte(s), length, content.
fn field(number: u32, content: &[u8]) -> Vec<u8> {
    let mut out = tag(number, 2);
    assert!(content.len() < 128, "the test writes one-byte lengths");
    out.push(content.len() as u8);
    out.extend_from_slice(content);
    out
}

/// Returns a varint field with a value below 128.
fn varint(number: u32, value: u8) -> Vec<u8> {
    let mut out = tag(number, 0);
    out.push(value);
    out
}

fn tag(number: u32, wire_type: u32) -> Vec<u8> {
    let tag = number << 3 | wire_type;
    if tag < 128 { vec![tag as u8] } else { vec![tag as u8 | 0x80, (tag >> 7) as u8] }
}

fn feature(kind: tf::feature::Kind) -> tf::Feature {
    tf::Feature { kind: Some(kind) }
}

#[test]
fn an_example_has_the_published_field_numbers() {
    use tf::feature::Kind;
    let features = [
        ("b", feature(Kind::BytesList(tf::BytesList { value: vec![vec![0xff], vec![]] }))),
        ("f", feature(Kind::FloatList(tf::FloatList { value: vec![1.0, -2.0] }))),
        ("i", feature(Kind::Int64List(tf::Int64List { value: vec![1, 300] }))),
        ("none", tf::Feature { kind: None }),
    ];
    let example = tf::Example {
        features: Some(tf::Features {
            feature: features.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        }),
    };
    #[rustfmt::skip]
    let bytes = [
        0x0a, 57, // Example.features = 1
        // Features.feature = 1: a map entry, key = 1, value = 2
        0x0a, 12, 0x0a, 1, b'b', 0x12, 7,
            0x0a, 5, 0x0a, 1, 0xff, 0x0a, 0, // Feature.bytes_list = 1, BytesList.value = 1
        0x0a, 17, 0x0a, 1, b'f', 0x12, 12,
            0x12, 10, 0x0a, 8, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, // Feature.float_list = 2, packed
        0x0a, 12, 0x0a, 1, b'i', 0x12, 7,
            0x1a, 5, 0x0a, 3, 1, 0xac, 0x02, // Feature.int64_list = 3, packed
        0x0a, 8, 0x0a, 4, b'n', b'o', b'n', b'e', 0x12, 0,
    ];
    // An empty map value may be left out or written with length zero: compare what it decodes to.
    assert_eq!(tf::Example::decode(&bytes[..]).as_ref(), Ok(&example));
    let again = example.encode_to_vec();
    assert_eq!(tf::Example::decode(again.as_slice()).as_ref(), Ok(&example));
}

#[test]
fn unpacked_numbers_are_read_too() {
    let unpacked = [0x08, 1, 0x08, 0xac, 0x02];
    let list = tf::Int64List::decode(&unpacked[..]).unwrap();
    assert_eq!(list.value, [1, 300]);
    check(&list, &[0x0a, 3, 1, 0xac, 0x02]);
}

#[test]
fn a_sequence_example_has_the_published_field_numbers() {
    let list = tf::FeatureList {
        feature: vec![feature(tf::feature::Kind::Int64List(tf::Int64List { value: vec![5] }))],
    };
    let message = tf::SequenceExample {
        context: Some(tf::Features::default()),
        feature_lists: Some(tf::FeatureLists { feature_list: [("s".to_owned(), list)].into() }),
    };
    let step = field(3, &field(1, &[5]));
    let entry = [field(1, b"s"), field(2, &field(1, &step))].concat();
    check(&message, &[field(1, &[]), field(2, &field(1, &entry))].concat());
}

#[test]
fn a_schema_has_the_published_field_numbers() {
    let dense = tfmd::tensor_representation::DenseTensor {
        column_name: Some("c".to_owned()),
        shape: Some(tfmd::FixedShape {
            dim: vec![tfmd::fixed_shape::Dim { size: Some(3), name: Some("x".to_owned()) }],
        }),
        default_value: None,
    };
    let group = tfmd::TensorRepresentationGroup {
        tensor_representation: [(
            "t".to_owned(),
            tfmd::TensorRepresentation { kind: Some(tfmd::tensor_representation::Kind::DenseTensor(dense)) },
        )]
        .into(),
    };
    let schema = tfmd::Schema {
        feature: vec![tfmd::Feature {
            name: Some("f".to_owned()),
            r#type: Some(tfmd::FeatureType::Float.into()),
            presence_constraints: Some(tfmd::feature::PresenceConstraints::Presence(tfmd::FeaturePresence {
                min_fraction: Some(1.0),
                min_count: Some(2),
            })),
            shape_type: Some(tfmd::feature::ShapeType::ValueCount(tfmd::ValueCount {
                min: Some(1),
                max: Some(4),
            })),
            lifecycle_stage: Some(tfmd::LifecycleStage::ValidationDerived.into()),
            ..Default::default()
        }],
        default_environment: vec!["TRAINING".to_owned()],
        represent_variable_length_as_ragged: Some(true),
        annotation: Some(tfmd::Annotation {
            extra_metadata: vec![Any { type_url: "u".to_owned(), value: vec![9] }],
            ..Default::default()
        }),
        tensor_representation_group: [(String::new(), group)].into(),
        ..Default::default()
    };

    let one = 1.0f64.to_le_bytes();
    let presence = [&[1 << 3 | 1][..], &one, &varint(2, 2)].concat();
    let the_feature = [
        field(1, b"f"),
        field(5, &[varint(1, 1), varint(2, 4)].concat()),
        varint(6, 3),
        field(14, &presence),
        varint(22, 9),
    ]
    .concat();
    let shape = field(2, &[varint(1, 3), field(2, b"x")].concat());
    let dense = [field(1, b"c"), field(2, &shape)].concat();
    let entry = [field(1, b"t"), field(2, &field(1, &dense))].concat();
    // The key of the group is the empty string, which encoders leave out.
    let group = field(2, &field(1, &entry));
    let any = [field(1, b"u"), field(2, &[9])].concat();
    let parts = [
        field(1, &the_feature),
        field(5, b"TRAINING"),
        field(8, &field(3, &any)),
        field(13, &group),
        varint(14, 1),
    ];
    let decoded = tfmd::Schema::decode(parts.concat().as_slice()).unwrap();
    assert_eq!(decoded, schema);

    // The order of fields on the wire is the encoder's affair; the set of fields is not.
    let encoded = schema.encode_to_vec();
    assert_eq!(encoded.len(), parts.concat().len());
    for part in &parts[1..4] {
        assert!(encoded.windows(part.len()).any(|window| window == part), "{part:?}\n{encoded:?}");
    }
    assert_eq!(tfmd::Schema::decode(encoded.as_slice()).unwrap(), schema);
}

#[test]
fn a_ragged_representation_has_the_published_field_numbers() {
    use tfmd::tensor_representation::{Kind, RaggedTensor, RowPartitionDType, ragged_tensor};
    let partition = |kind| ragged_tensor::Partition { kind: Some(kind) };
    let message = tfmd::TensorRepresentation {
        kind: Some(Kind::RaggedTensor(RaggedTensor {
            feature_path: Some(tfmd::Path { step: vec!["a".to_owned(), "b".to_owned()] }),
            row_partition_dtype: Some(RowPartitionDType::Int32.into()),
            partition: vec![
                partition(ragged_tensor::partition::Kind::UniformRowLength(2)),
                partition(ragged_tensor::partition::Kind::RowLength("n".to_owned())),
            ],
        })),
    };
    let path = [field(1, b"a"), field(1, b"b")].concat();
    let mut numbers = [field(1, &path), varint(2, 2), field(3, &varint(1, 2)), field(3, &field(2, b"n"))];
    let decode =
        |parts: &[Vec<u8>]| tfmd::TensorRepresentation::decode(field(4, &parts.concat()).as_slice()).unwrap();
    assert_eq!(decode(&numbers), message);
    assert_eq!(message.encode_to_vec().len(), field(4, &numbers.concat()).len());
    // Any order of the fields means the same, but for the order within a repeated field.
    numbers.swap(0, 1);
    assert_eq!(decode(&numbers), message);
}

#[test]
fn an_absent_domain_mass_has_the_published_default() {
    assert_eq!(tfmd::DistributionConstraints::default().min_domain_mass(), 1.0);
    let stated = tfmd::DistributionConstraints { min_domain_mass: Some(0.5) };
    assert_eq!(stated.min_domain_mass(), 0.5);
}

#[test]
fn the_same_message_always_encodes_to_the_same_bytes() {
    let group = |names: &[&str]| tfmd::TensorRepresentationGroup {
        tensor_representation: names
            .iter()
            .map(|&name| (name.to_owned(), tfmd::TensorRepresentation::default()))
            .collect(),
    };
    let names = ["q", "a", "z", "m", "b", "k"];
    let mut reversed = names;
    reversed.reverse();
    assert_eq!(group(&names).encode_to_vec(), group(&reversed).encode_to_vec());
}

#[test]
fn a_cut_message_is_an_error() {
    let whole = field(1, &field(1, b"name"));
    for end in [1, 3, whole.len() - 1] {
        assert!(tfmd::Schema::decode(&whole[..end]).is_err(), "{end} bytes");
    }
}
