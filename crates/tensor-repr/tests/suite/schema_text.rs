//! Schemas as text protobuf.

use golden_cases::proto::metadata::v0::{self as tfmd, FeatureType, feature};
use proptest::prelude::*;
use prost::Message as _;
use tensor_repr::{Kind, TfmdSchema};

/// Returns the message of a schema.
fn proto(schema: &TfmdSchema) -> tfmd::Schema {
    golden_cases::proto::schema(schema.as_binary())
}

fn read(text: &str) -> tfmd::Schema {
    proto(&TfmdSchema::from_text(text).unwrap_or_else(|error| panic!("{error}\n{text}")))
}

#[track_caller]
fn name(text: &str) -> String {
    read(&format!("feature {{ name: {text} }}")).feature[0].name().to_owned()
}

#[test]
fn what_protobuf_reads_is_read() {
    let plain = read(r#"feature { name: "a" type: INT } feature { name: "b" }"#);
    for text in [
        "feature: { name: 'a', type: INT, }, feature < name: \"b\"; >;",
        "feature [{ name: \"a\" type: 2 }, < name: \"b\" >]",
        "feature: [ { name: \"a\" # the first\n type \n:\n INT }, { name: 'b' } ]\n# the end",
        "# proto-message: Schema\r\nfeature{name:\"a\"type:INT}feature{name:\"\" 'b'}default_environment: []",
        "1 { 1: \"a\" 6: INT } feature { name: \"b\" }",
        "\u{feff}feature { name: \"a\" type: 0x2 } feature { name: \"b\" }",
    ] {
        assert_eq!(read(text), plain, "{text}");
    }
    assert_eq!(read(""), tfmd::Schema::default());
    assert_eq!(read("default_environment: ['a', \"b\" 'c']").default_environment, ["a", "bc"]);
}

#[test]
fn strings_have_the_escapes_of_protobuf() {
    assert_eq!(name(r#""\a\b\f\n\r\t\v\?\'\"\\""#), "\u{7}\u{8}\u{c}\n\r\t\u{b}?'\"\\");
    assert_eq!(name(r#""\0\18\101x\x4a\X4B\xAg""#), "\0\u{1}8AxJK\ng");
    assert_eq!(name(r#""\u00e4\U0001F600""#), "ä😀");
    assert_eq!(name(r#""\ud83d\ude00 \303\244""#), "😀 ä");
    assert_eq!(name("'tab\there ä'"), "tab\there ä");
    let text = r#"tensor_representation_group { key: "" value { tensor_representation { key: "t" value {
        dense_tensor { default_value { bytes_value: "\377\x00" "\n" } } } } } }"#;
    let bytes = tfmd::tensor_representation::default_value::Kind::BytesValue(vec![0xff, 0, b'\n']);
    assert!(format!("{:?}", read(text)).contains(&format!("{bytes:?}")));
}

#[test]
fn numbers_have_the_forms_of_protobuf() {
    let min =
        |text: &str| match read(&format!("feature {{ int_domain {{ min: {text} }} }}")).feature.remove(0) {
            tfmd::Feature { domain_info: Some(feature::DomainInfo::IntDomain(domain)), .. } => domain.min(),
            other => panic!("{other:?}"),
        };
    assert_eq!([min("0"), min("-  1"), min("0x1F"), min("-017")], [0, -1, 31, -15]);
    assert_eq!([min("9223372036854775807"), min("-9223372036854775808")], [i64::MAX, i64::MIN]);
    let fraction = |text: &str| match read(&format!("feature {{ presence {{ min_fraction: {text} }} }}"))
        .feature[0]
        .presence_constraints
    {
        Some(feature::PresenceConstraints::Presence(presence)) => presence.min_fraction(),
        ref other => panic!("{other:?}"),
    };
    let floats = [
        ("1", 1.0),
        ("0.5", 0.5),
        ("0e1", 0.0),
        ("0f", 0.0),
        ("1.", 1.0),
        (".5", 0.5),
        ("1e-3", 1e-3),
        ("1.5f", 1.5),
        ("2F", 2.0),
        ("-1E+2", -100.0),
    ];
    for (text, value) in floats {
        assert_eq!(fraction(text), value, "{text}");
    }
    assert_eq!(
        [fraction("inf"), fraction("-Infinity"), fraction("1e999")],
        [f64::INFINITY, -f64::INFINITY, f64::INFINITY]
    );
    assert!(fraction("nan").is_nan() && fraction("nan").is_sign_positive());
    assert!(fraction("-nan").is_nan() && fraction("-nan").is_sign_negative());
    for text in ["nan", "-nan"] {
        let shown = format!("feature {{\n  presence {{\n    min_fraction: {text}\n  }}\n}}\n");
        assert_eq!(TfmdSchema::from_text(&shown).unwrap().to_text(), shown, "the sign of a NaN comes back");
    }
    for (text, value) in
        [("true", true), ("t", true), ("1", true), ("False", false), ("f", false), ("0", false)]
    {
        assert_eq!(
            read(&format!("represent_variable_length_as_ragged: {text}"))
                .represent_variable_length_as_ragged(),
            value
        );
    }
    // An enum value that is newer than this crate.
    assert_eq!(read("feature { type: 77 }").feature[0].r#type, Some(77));
}

#[test]
fn an_error_says_line_column_what_is_needed_and_what_is_found() {
    let cases = [
        (
            "feature {\n  nam: \"a\"\n}",
            "line 2, column 3: Feature has no field `nam`; did you mean \"name\"?",
        ),
        ("feature {\n  name \"a\"\n}", "line 2, column 8: `:` is needed after `name`, found `\"a\"`"),
        ("feature {\n\n  name: a }", "line 3, column 9: `name` needs a string in quotes, found `a`"),
        ("feature: 3", "line 1, column 10: `feature` needs a message in { }, found `3`"),
        (
            "feature { type: INTEGER }",
            "line 1, column 17: `type` needs a FeatureType: TYPE_UNKNOWN, BYTES, INT, FLOAT, STRUCT, found `INTEGER`",
        ),
        (
            "feature { type: \"INT\" }",
            "line 1, column 17: `type` needs the name of an enum value, found `\"INT\"`",
        ),
        ("feature {", "line 1, column 9: the message has no `}` at its end"),
        ("feature { name: \"a\" >", "line 1, column 21: a field of Feature is needed, found `>`"),
        ("}", "line 1, column 1: a field of Schema is needed, found `}`"),
        ("feature { name: \"a\n\" }", "line 1, column 17: the string does not end on its line"),
        ("feature { name: 'ab", "line 1, column 17: the string has no end"),
        ("feature { name: 'ä\\q' }", "line 1, column 19: there is no escape \\q"),
        ("feature { name: '\\400' }", "line 1, column 18: an octal escape ends at \\377"),
        ("feature { name: '\\x' }", "line 1, column 18: \\x needs one or two hexadecimal digits"),
        ("feature { name: '\\u12' }", "line 1, column 18: \\u needs 4 hexadecimal digits"),
        ("feature { name: '\\ud800' }", "line 1, column 18: the escape is not a character"),
        ("feature { name: '\\", "line 1, column 18: the text ends within an escape"),
        (
            "feature { presence { min_fraction: 010 } }",
            "line 1, column 36: `min_fraction` needs a number, found `010`",
        ),
        (
            "feature { presence { min_fraction: -00.5 } }",
            "line 1, column 36: `min_fraction` needs a number, found `-` before `00.5`",
        ),
        (
            "feature { presence { min_fraction: 09 } }",
            "line 1, column 36: `min_fraction` needs a number, found `09`",
        ),
        (
            "annotation { extra_metadata { [a/b/tensorflow.metadata.v0.Path] { step: 'a' } } }",
            "line 1, column 31: `[a/b/tensorflow.metadata.v0.Path]` has more than one `/`: write the domain and the \
             message, as [domain/name]",
        ),
        ("feature { name: '\\377' }", "line 1, column 17: `name` is text, and must be UTF-8"),
        (
            "feature { value_count { min: 99999999999999999999 } }",
            "line 1, column 30: `min` is -9223372036854775808 to 9223372036854775807, found `99999999999999999999`",
        ),
        (
            "feature { value_count { min: -9223372036854775809 } }",
            "line 1, column 30: `min` is -9223372036854775808 to 9223372036854775807, found `-9223372036854775809`",
        ),
        ("feature { value_count { min: 1.5 } }", "line 1, column 30: `min` needs an integer, found `1.5`"),
        ("feature { value_count { min: 08 } }", "line 1, column 30: `min` needs an integer, found `08`"),
        (
            "feature { value_count { min: 1max: 2 } }",
            "line 1, column 30: `min` needs an integer, found `1max`",
        ),
        (
            "feature { value_count { min: -x } }",
            "line 1, column 30: `min` needs an integer, found `-` before `x`",
        ),
        (
            "feature { presence { min_fraction: 0x1 } }",
            "line 1, column 36: `min_fraction` needs a number, found `0x1`",
        ),
        (
            "represent_variable_length_as_ragged: 2",
            "line 1, column 38: `represent_variable_length_as_ragged` is 0 to 1, found `2`",
        ),
        ("feature { name: \"a\" name: \"b\" }", "line 1, column 21: `name` has a value already"),
        (
            "feature { shape { } value_count { } }",
            "line 1, column 21: `value_count` cannot stand beside `shape`: only one of the two may be set",
        ),
        ("feature { name: [\"a\"] }", "line 1, column 17: `name` has one value, found `[`"),
        ("feature [{ } { }]", "line 1, column 14: the list needs `,` or `]`, found `{`"),
        ("feature [{ },", "line 1, column 14: `feature` needs a message in { }, found the end of the text"),
        ("[a.b.c]: 3", "line 1, column 1: Schema has no extension `[a.b.c]`"),
        ("[a.\"b\"]: 3", "line 1, column 4: a name in [ ] needs `]`, found `\"b\"`"),
        (
            "annotation { extra_metadata { [type.googleapis.com/a.B] { } } }",
            "line 1, column 31: the message `a.B` is not known here: write its type_url and value",
        ),
        ("0: 1", "line 1, column 1: the number of a field is 1 to 536870911, found `0`"),
        (
            "99 { name: 1 }",
            "line 1, column 6: the number of a field is needed where its message is unknown, found `name`",
        ),
        ("99: inf", "line 1, column 5: an unknown field needs an integer, a string or a group, found `inf`"),
        ("// a comment", "line 1, column 1: a field of Schema is needed, found `/`"),
        (
            "feature { name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa }",
            "line 1, column 17: `name` needs a string in quotes, found `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…`",
        ),
    ];
    for (text, message) in cases {
        let error = TfmdSchema::from_text(text).expect_err(text);
        assert_eq!(
            (*error.detail::<Kind>().unwrap(), error.to_string().as_str()),
            (Kind::MalformedText, message),
            "{text}"
        );
    }
}

#[test]
fn messages_are_nested_a_hundred_deep_and_no_deeper() {
    let nested = |depth: usize| {
        // Two messages a level: the feature and its domain.
        let open = "feature { struct_domain {".repeat(depth);
        format!("{open}{}", "}}".repeat(depth))
    };
    assert_eq!(read(&nested(50)).feature.len(), 1);
    let error = TfmdSchema::from_text(&nested(51)).unwrap_err();
    assert_eq!(error.to_string(), "line 1, column 1259: more than 100 messages are inside of each other");
    for open in ["feature { struct_domain {", "99 {", "["] {
        assert_eq!(
            TfmdSchema::from_text(&open.repeat(100_000)).unwrap_err().detail(),
            Some(&Kind::MalformedText)
        );
    }
}

#[test]
fn a_large_text_is_read_or_refused() {
    const LARGE: usize = 10 << 20;
    let comment = format!("#{}\nfeature {{ name: 'a' }}", "x".repeat(10 * LARGE));
    assert_eq!(read(&comment).feature[0].name(), "a");
    let string = format!("feature {{ name: '{}' }}", "x".repeat(LARGE));
    assert_eq!(read(&string).feature[0].name().len(), LARGE);
    let error = |text: String| TfmdSchema::from_text(&text).unwrap_err().to_string();
    let digits = error(format!("feature {{ value_count {{ min: {} }} }}", "9".repeat(LARGE)));
    assert!(digits.contains("column 30: `min` is ") && digits.len() < 200, "{digits:.300}");
    let name = error(format!("feature {{ {}: 1 }}", "x".repeat(LARGE)));
    assert!(name.contains("Feature has no field `xxx") && name.len() < 200, "{name:.300}");
    assert_eq!(
        error("feature{}".repeat(1_000_001)),
        "the bytes are no schema: tensorflow.metadata.v0.Schema: it has more than 1000000 messages"
    );
}

#[test]
fn printed_text_looks_like_protobufs_own() {
    let text = r#"feature {
  name: "a \"quoted\" \\ name\n"
  type: FLOAT
  presence {
    min_fraction: 1.0
    min_count: 1
  }
  lifecycle_stage: BETA
  shape {
    dim {
      size: -2
    }
    dim {
    }
  }
}
default_environment: "Größe"
represent_variable_length_as_ragged: true
generate_legacy_feature_spec: false
"#;
    let text = text.replace("  lifecycle_stage: BETA\n", "");
    let schema = TfmdSchema::from_text(&text).unwrap();
    // Fields stand in the order of their numbers: 1, 6, 14, 23.
    assert_eq!(schema.to_text(), text);
}

#[test]
fn an_any_may_be_written_as_the_message_that_it_holds() {
    let text =
        "annotation { extra_metadata { [type.googleapis.com/tensorflow.metadata.v0.Path] { step: 'a' } } }";
    let annotation = read(text).annotation.unwrap();
    assert_eq!(annotation.extra_metadata[0].type_url, "type.googleapis.com/tensorflow.metadata.v0.Path");
    assert_eq!(annotation.extra_metadata[0].value, [10, 1, b'a']);
}

#[test]
fn an_entry_of_a_map_is_a_message() {
    // Field 13, the groups, as the number 14, and as a group; the 14 bytes behind it are no value of anything.
    let refused = |tag: u8| {
        let bytes = b"?\x0e\x52\x0c\x1d\x00\x80\xbb\xc4\x25\x00\x00\x80\x7f\x28\x01";
        let bytes = std::iter::once(tag).chain(bytes.iter().skip(1).copied());
        TfmdSchema::from_binary(bytes.collect::<Vec<_>>()).unwrap_err().to_string()
    };
    assert_eq!(
        refused(0x68),
        "the bytes are no schema: tensorflow.metadata.v0.Schema: an entry of the map `tensor_representation_group` is not a message"
    );
    assert_eq!(
        refused(0x6b),
        "the bytes are no schema: tensorflow.metadata.v0.Schema: failed to decode Protobuf message: invalid wire type value: 6"
    );
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "[a-z{}<>\\[\\]:;,'\"\\\\0-9.#\n -]{0,60}") {
        let _ = TfmdSchema::from_text(&text);
        let _ = TfmdSchema::from_text(&format!("feature {{ name: \"x\" {text}"));
    }

    #[test]
    fn any_string_and_number_comes_back(
        name in ".{0,20}",
        bytes in proptest::collection::vec(any::<u8>(), 0..20),
        float in any::<f64>(),
        int in any::<i64>(),
        min in any::<f32>(),
    ) {
        use tfmd::tensor_representation::{self as message, default_value};
        let default = |kind| tfmd::TensorRepresentation {
            kind: Some(message::Kind::DenseTensor(message::DenseTensor {
                column_name: Some(name.clone()),
                shape: None,
                default_value: Some(message::DefaultValue { kind: Some(kind) }),
            })),
        };
        let representations = [
            ("b", default(default_value::Kind::BytesValue(bytes))),
            ("f", default(default_value::Kind::FloatValue(float))),
            ("i", default(default_value::Kind::IntValue(int))),
            ("u", default(default_value::Kind::UintValue(int as u64))),
        ];
        let group = tfmd::TensorRepresentationGroup {
            tensor_representation: representations.map(|(name, message)| (name.to_owned(), message)).into(),
        };
        let domain = tfmd::FloatDomain { min: Some(min), ..Default::default() };
        let feature = tfmd::Feature {
            name: Some(name.clone()),
            r#type: Some(FeatureType::Float.into()),
            domain_info: Some(feature::DomainInfo::FloatDomain(domain)),
            ..Default::default()
        };
        let message = tfmd::Schema {
            feature: vec![feature],
            tensor_representation_group: [(name, group)].into(),
            ..Default::default()
        };
        let schema = TfmdSchema::from_binary(message.encode_to_vec()).unwrap();
        let again = TfmdSchema::from_text(&schema.to_text()).unwrap();
        // NaN has no one form in text.
        if !float.is_nan() && !min.is_nan() {
            prop_assert_eq!(proto(&again), proto(&schema));
        }
    }
}
