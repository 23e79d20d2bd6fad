//! Schemas as documents: both forms, and what is not known of them.

use golden_cases::proto::metadata::v0 as tfmd;
use proptest::prelude::*;
use prost::Message as _;
use prost::encoding::{WireType, encode_key, encode_varint};
use tensor_repr::{Kind, TfmdSchema};

/// Returns the message of a schema.
fn proto(schema: &TfmdSchema) -> tfmd::Schema {
    golden_cases::proto::schema(schema.as_binary())
}

fn bytes(number: u32, content: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    encode_key(number, WireType::LengthDelimited, &mut out);
    encode_varint(content.len() as u64, &mut out);
    out.extend_from_slice(content);
    out
}

fn number(number: u32, value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    encode_key(number, WireType::Varint, &mut out);
    encode_varint(value, &mut out);
    out
}

fn fixed(number: u32, wire_type: WireType, value: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    encode_key(number, wire_type, &mut out);
    out.extend_from_slice(value);
    out
}

/// Returns a schema with unknown fields of every wire type, at the top and inside of a representation.
fn with_unknown() -> Vec<u8> {
    let group = [
        fixed(900, WireType::StartGroup, &[]),
        number(1, 5),
        bytes(2, b"x\xff"),
        fixed(900, WireType::EndGroup, &[]),
    ]
    .concat();
    let domain = [number(3, 0), number(4, 9), bytes(1234, b"deep \"unknown\"")].concat();
    let feature = [bytes(1, b"a"), number(777, u64::MAX), bytes(9, &domain), number(6, 2)].concat();
    let sparse = [bytes(1, b"a"), number(60_000, 1)].concat();
    let representation = bytes(2, &sparse);
    let entry = [bytes(1, b"t"), bytes(2, &representation), number(55, 3)].concat();
    let map_entry = [bytes(1, b""), bytes(2, &bytes(1, &entry))].concat();
    [
        fixed(901, WireType::ThirtyTwoBit, &[1, 2, 3, 0xf4]),
        bytes(1, &feature),
        fixed(902, WireType::SixtyFourBit, &[0; 8]),
        group,
        bytes(13, &map_entry),
    ]
    .concat()
}

#[test]
fn unknown_fields_survive_bytes_and_text() {
    let wire = with_unknown();
    let schema = TfmdSchema::from_binary(wire.clone()).unwrap();
    assert_eq!(proto(&schema).feature[0].name(), "a");
    assert_eq!(schema.as_binary(), wire);
    assert_ne!(proto(&schema).encode_to_vec(), wire, "prost drops them");

    let text = schema.to_text();
    assert_eq!(
        text,
        r#"feature {
  name: "a"
  type: INT
  int_domain {
    min: 0
    max: 9
    1234: "deep \"unknown\""
  }
  777: 18446744073709551615
}
tensor_representation_group {
  key: ""
  value {
    tensor_representation {
      key: "t"
      value {
        varlen_sparse_tensor {
          column_name: "a"
          60000: 1
        }
      }
      55: 3
    }
  }
}
901: 0xf4030201
902: 0x0000000000000000
900 {
  1: 5
  2: "x\377"
}
"#
    );
    // In another order, but all of it.
    let again = TfmdSchema::from_text(&text).unwrap();
    assert_eq!(proto(&again), proto(&schema));
    assert_eq!(again.as_binary().len(), wire.len());
    assert_eq!(again.to_text(), text);
}

#[test]
fn parts_of_a_message_are_one_message_and_the_last_scalar_counts() {
    let presence = bytes(14, &number(2, 1));
    let more = bytes(14, &number(2, 7));
    let replaced = [bytes(5, &number(1, 1)), bytes(23, b"")].concat();
    let feature = [bytes(1, b"old"), bytes(1, b"new"), presence, more, replaced].concat();
    let schema = TfmdSchema::from_binary(bytes(1, &feature)).unwrap();
    let text = schema.to_text();
    assert_eq!(text, "feature {\n  name: \"new\"\n  presence {\n    min_count: 7\n  }\n  shape {\n  }\n}\n");
    assert_eq!(proto(&TfmdSchema::from_text(&text).unwrap()), proto(&schema));
}

#[test]
fn packed_numbers_are_printed_one_by_one() {
    // FeatureCoverageConstraints.excluded_int_tokens, packed, inside of a natural_language_domain.
    let coverage = bytes(2, &bytes(4, &[1, 0xac, 0x02]));
    let schema = TfmdSchema::from_binary(bytes(1, &bytes(24, &coverage))).unwrap();
    let text = schema.to_text();
    assert!(text.contains("excluded_int_tokens: 1\n      excluded_int_tokens: 300\n"), "{text}");
    assert_eq!(proto(&TfmdSchema::from_text(&text).unwrap()), proto(&schema));
}

#[test]
fn either_form_is_told_from_the_other() {
    let text = "\r\n\tfeature { name: \"ä\" }";
    let schema = TfmdSchema::from_text(text).unwrap();
    assert_eq!(TfmdSchema::from_either(text.as_bytes()).unwrap(), schema);
    assert_eq!(TfmdSchema::from_either(schema.as_binary()).unwrap(), schema);
    assert_eq!(TfmdSchema::from_either(&with_unknown()).unwrap().as_binary(), with_unknown());
    assert_eq!(TfmdSchema::from_either(b"").unwrap(), TfmdSchema::default());
}

#[test]
fn bytes_that_are_no_schema_are_refused() {
    for cut in 1..with_unknown().len() {
        // Whatever ends between two fields is a whole message.
        if let Err(error) = TfmdSchema::from_binary(&with_unknown()[..cut]) {
            assert_eq!(*error.detail::<Kind>().unwrap(), Kind::MalformedProto);
            assert!(error.to_string().starts_with("the bytes are no schema: "), "{error}");
        }
    }
    assert!(TfmdSchema::from_binary(&with_unknown()[..20]).is_err());
    let mut nested = Vec::new();
    for _ in 0..200 {
        nested = bytes(1, &bytes(29, &nested));
    }
    assert_eq!(TfmdSchema::from_binary(nested).unwrap_err().detail(), Some(&Kind::MalformedProto));
    // Two bytes each, from which decoding makes an object of about a kilobyte.
    let many = [0x0a, 0].repeat(1_000_001);
    assert_eq!(
        TfmdSchema::from_binary(many).unwrap_err().to_string(),
        "the bytes are no schema: tensorflow.metadata.v0.Schema: it has more than 1000000 messages"
    );
}

#[test]
fn a_message_becomes_a_document() {
    let message = tfmd::Schema {
        feature: vec![tfmd::Feature { name: Some("a".to_owned()), ..Default::default() }],
        ..Default::default()
    };
    let schema = TfmdSchema::from_binary(message.encode_to_vec()).unwrap();
    assert_eq!(proto(&schema), message);
    assert_eq!(schema.as_binary(), message.encode_to_vec());
    assert_eq!(format!("{schema:?}"), r#"Schema("feature {\n  name: \"a\"\n}\n")"#);
}

proptest! {
    /// Bytes are a schema or not; of one that is, the text means the same.
    #[test]
    fn whatever_the_bytes_their_text_means_the_same(
        at in 0usize..150,
        byte in any::<u8>(),
        more in proptest::collection::vec(any::<u8>(), 0..12),
    ) {
        let mut bytes = with_unknown();
        let at = at % bytes.len();
        bytes[at] = byte;
        bytes.extend(more);
        if let Ok(schema) = TfmdSchema::from_binary(bytes) {
            let again = TfmdSchema::from_text(&schema.to_text()).unwrap();
            prop_assert_eq!(again.to_text(), schema.to_text());
            prop_assert_eq!(format!("{:?}", proto(&again)), format!("{:?}", proto(&schema)));
        }
    }
}

/// Files of other writers, where the environment names a folder with some.
#[test]
fn real_schemas_are_read_printed_and_read_again() {
    let Some(folder) = std::env::var_os("TFXIO_REALDATA_DIR").filter(|folder| !folder.is_empty()) else {
        println!("TFXIO_REALDATA_DIR is not set: no real schema was read");
        return;
    };
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "pbtxt") {
            let text = std::fs::read(&path).unwrap();
            let schema = TfmdSchema::from_either(&text).unwrap();
            assert!(!proto(&schema).feature.is_empty(), "{}", path.display());
            assert_eq!(proto(&TfmdSchema::from_text(&schema.to_text()).unwrap()), proto(&schema));
            count += 1;
        }
    }
    assert!(count > 0, "the folder has no .pbtxt file");
}
