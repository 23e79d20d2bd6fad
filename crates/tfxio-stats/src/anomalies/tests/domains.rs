//! Values outside of domains.

use super::{check, found, integer};
use crate::proto::tfmd::custom_statistic::Val;
use crate::proto::tfmd::feature_name_statistics::Stats;
use crate::proto::tfmd::natural_language_statistics::{TokenStatistics, token_statistics::Token};
use crate::proto::tfmd::{FeatureNameStatistics, NaturalLanguageStatistics};
use crate::test_data::{bytes, counts, floats, histogram, integers, ranks, strings, with_custom};
use prost::Message as _;
use tfxio_tfmd::google::protobuf::Any;

fn text(values: &[(&str, f64)]) -> FeatureNameStatistics {
    strings("a", counts(10, 0, 1, 1), values)
}

#[test]
fn vocabularies() {
    let kind = "ENUM_TYPE_UNEXPECTED_STRING_VALUES";
    for schema in [
        r#"feature { name: "a" type: BYTES string_domain { value: "x" value: "y" } }"#,
        r#"feature { name: "a" type: BYTES domain: "d" } string_domain { name: "d" value: "x" value: "y" }"#,
    ] {
        check(schema, text(&[("y", 10.0)]), "", "");
        let expected = "The data has strings that the domain does not have: \"q\\n\" (20%), \"p\" (10%).";
        check(schema, text(&[("x", 7.0), ("p", 1.0), ("q\n", 2.0)]), kind, expected);
    }
    let schema = r#"feature { name: "a" type: BYTES string_domain { value: "x" } distribution_constraints { min_domain_mass: 0.75 } }"#;
    check(schema, text(&[("x", 8.0), ("y", 2.0)]), "", "");
    let expected =
        "The data has strings that the domain does not have: 0.3 of values, above 0.25: \"y\" (30%).";
    check(schema, text(&[("x", 7.0), ("y", 3.0)]), kind, expected);
    let values: Vec<String> = (0..12).map(|value| format!("v{value:02}")).collect();
    let values: Vec<(&str, f64)> = values.iter().map(|value| (value.as_str(), 1.0)).collect();
    let many = found(r#"feature { name: "a" type: BYTES string_domain { } }"#, text(&values));
    assert!(many[0].1.ends_with("\"v09\" (10%) and 2 more."), "{}", many[0].1);

    let mut not_text = text(&[("x", 10.0)]);
    let Some(Stats::StringStats(stats)) = &mut not_text.stats else { unreachable!() };
    stats.invalid_utf8_count = 2;
    check(
        schema,
        not_text,
        "ENUM_TYPE_INVALID_UTF8",
        "The schema has a domain of strings, and some are not UTF-8.",
    );
}

#[test]
fn integers_outside() {
    let schema = r#"feature { name: "a" type: INT int_domain { min: 4 max: 6 } }"#;
    let both = found(schema, integer("a"));
    assert_eq!(
        both,
        [
            ("INT_TYPE_SMALL_INT", "The domain begins at 4, and the data has 3.".to_owned()),
            ("INT_TYPE_BIG_INT", "The domain ends at 6, and the data has 7.".to_owned()),
        ]
    );
    let named = r#"feature { name: "a" type: INT domain: "d" } int_domain { name: "d" max: 6 }"#;
    check(named, integer("a"), "INT_TYPE_BIG_INT", "The domain ends at 6, and the data has 7.");
    check(r#"feature { name: "a" type: INT int_domain { } }"#, integer("a"), "", "");
    let huge = || integers("a", counts(10, 0, 1, 1), 0.0, 2e19);
    let expected = "The domain is one of 64-bit integers, and the data has 2e19.";
    check(schema, huge(), "DOMAIN_INVALID_FOR_TYPE", expected);
    check(r#"feature { name: "a" type: INT int_domain { } }"#, huge(), "", "");

    let schema = r#"feature { name: "a" type: BYTES int_domain { max: 6 } }"#;
    check(schema, text(&[("6", 1.0), ("-3", 1.0)]), "", "");
    check(schema, text(&[("8", 10.0)]), "INT_TYPE_BIG_INT", "The domain ends at 6, and the data has 8.");
    let expected = "The domain is one of integers, and the data has \"x\".";
    check(schema, text(&[("6", 9.0), ("x", 1.0)]), "INT_TYPE_NOT_INT_STRING", expected);
}

#[test]
fn floats_outside() {
    let schema = r#"feature { name: "a" type: FLOAT float_domain { min: 0 max: 1 } }"#;
    let both = found(schema, floats("a", counts(10, 0, 1, 1), -0.5, 1.25));
    assert_eq!(
        both,
        [
            ("FLOAT_TYPE_SMALL_FLOAT", "The domain begins at 0, and the data has -0.5.".to_owned()),
            ("FLOAT_TYPE_BIG_FLOAT", "The domain ends at 1, and the data has 1.25.".to_owned()),
        ]
    );
    let schema =
        r#"feature { name: "a" type: FLOAT float_domain { disallow_nan: true disallow_inf: true } }"#;
    check(schema, histogram("a", &[(0.0, 1.0, 10.0)], 0), "", "");
    let expected = "The domain is one without NaN, and the data has it.";
    check(schema, histogram("a", &[(0.0, 1.0, 9.0)], 1), "FLOAT_TYPE_HAS_NAN", expected);
    let expected = "The domain is one without infinities, and the data has one.";
    check(schema, floats("a", counts(10, 0, 1, 1), 0.0, f64::INFINITY), "FLOAT_TYPE_HAS_INF", expected);
    let schema = r#"feature { name: "a" type: BYTES float_domain { max: 1 disallow_nan: true } }"#;
    check(schema, text(&[("0.5", 10.0)]), "", "");
    check(schema, text(&[("2", 10.0)]), "FLOAT_TYPE_BIG_FLOAT", "The domain ends at 1, and the data has 2.");
    check(
        schema,
        text(&[("nan", 10.0)]),
        "FLOAT_TYPE_HAS_NAN",
        "The domain is one without NaN, and the data has it.",
    );
    let expected = "The domain is one of floats, and the data has \"x\".";
    check(schema, text(&[("x", 10.0)]), "FLOAT_TYPE_STRING_NOT_FLOAT", expected);
}

#[test]
fn booleans() {
    let schema = r#"feature { name: "a" type: INT bool_domain { } }"#;
    let with = |min, max| integers("a", counts(10, 0, 1, 1), min, max);
    check(schema, with(0.0, 1.0), "", "");
    check(schema, with(-1.0, 1.0), "BOOL_TYPE_SMALL_INT", "The data has -1; the domain is 0 and 1.");
    check(schema, with(0.0, 2.0), "BOOL_TYPE_BIG_INT", "The data has 2; the domain is 0 and 1.");
    let schema = r#"feature { name: "a" type: FLOAT bool_domain { } }"#;
    let kind = "BOOL_TYPE_UNEXPECTED_FLOAT";
    check(schema, floats("a", counts(10, 0, 1, 1), 0.0, 1.0), "", "");
    check(
        schema,
        floats("a", counts(10, 0, 1, 1), 0.0, 0.5),
        kind,
        "The data has 0.5; the domain is 0 and 1.",
    );
    check(schema, histogram("a", &[(0.0, 1.0, 9.0)], 1), kind, "The data has NaN; the domain is 0 and 1.");
    let schema = r#"feature { name: "a" type: BYTES bool_domain { true_value: "yes" false_value: "no" } }"#;
    check(schema, text(&[("yes", 5.0), ("no", 5.0)]), "", "");
    let expected = "The data has \"maybe\"; the domain is \"yes\" and \"no\".";
    check(schema, text(&[("yes", 5.0), ("maybe", 5.0)]), "BOOL_TYPE_UNEXPECTED_STRING", expected);
}

#[test]
fn different_values() {
    let schema = r#"feature { name: "a" type: BYTES unique_constraints { min: 2 max: 3 } }"#;
    let with = |count: usize| {
        let values = [("p", 1.0), ("q", 1.0), ("r", 1.0), ("s", 1.0)];
        text(&values[..count])
    };
    check(schema, with(3), "", "");
    let expected = "The schema asks for at least 2 different values, there are 1.";
    check(schema, with(1), "FEATURE_TYPE_LOW_UNIQUE", expected);
    let expected = "The schema asks for at most 3 different values, there are 4.";
    check(schema, with(4), "FEATURE_TYPE_HIGH_UNIQUE", expected);
    check(r#"feature { name: "a" type: BYTES unique_constraints { min: 2 } }"#, with(4), "", "");
    let schema = r#"feature { name: "a" type: INT unique_constraints { min: 2 } }"#;
    assert_eq!(found(schema, integer("a"))[0].0, "FEATURE_TYPE_NO_UNIQUE");
}

#[test]
fn images() {
    let schema = r#"feature { name: "a" type: BYTES image_domain { minimum_supported_image_fraction: 0.9 max_image_byte_size: 100 } }"#;
    let with = |unknown: f64, largest| {
        let formats = ranks(&[("JPEG", 10.0 - unknown), ("UNKNOWN", unknown)]);
        with_custom(
            bytes("a", counts(10, 0, 1, 1), largest),
            vec![("image_format_histogram", Val::RankHistogram(formats))],
        )
    };
    check(schema, with(1.0, 100), "", "");
    let expected = "The schema asks for images in 0.9 of values, 0.8 are.";
    check(schema, with(2.0, 100), "LOW_SUPPORTED_IMAGE_FRACTION", expected);
    let expected = "The schema asks for images of at most 100 bytes, one has 101.";
    check(schema, with(1.0, 101), "MAX_IMAGE_BYTE_SIZE_EXCEEDED", expected);
    let expected = "The schema asks for images, and the statistics have no \"image_format_histogram\".";
    check(schema, bytes("a", counts(10, 0, 1, 1), 1), "STATS_NOT_AVAILABLE", expected);
}

#[test]
fn natural_language() {
    let schema = r#"feature { name: "a" type: BYTES natural_language_domain {
        coverage { min_coverage: 0.5 min_avg_token_length: 4 }
        token_constraints { string_value: "[UNK]" max_fraction_of_sequences: 0.25 min_per_sequence: 1 }
        token_constraints { int_value: 7 }
    } }"#;
    let counted = NaturalLanguageStatistics {
        feature_coverage: 0.25,
        avg_token_length: 3.0,
        token_statistics: vec![TokenStatistics {
            token: Some(Token::StringToken("[UNK]".to_owned())),
            fraction_of_sequences: 0.5,
            ..Default::default()
        }],
        ..Default::default()
    };
    let any = Any {
        type_url: "type.googleapis.com/tensorflow.metadata.v0.NaturalLanguageStatistics".to_owned(),
        value: counted.encode_to_vec(),
    };
    let feature = with_custom(text(&[("x", 10.0)]), vec![("nl_statistics", Val::Any(any))]);
    let kinds: Vec<_> = found(schema, feature).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(
        kinds,
        [
            "FEATURE_COVERAGE_TOO_LOW",
            "FEATURE_COVERAGE_TOO_SHORT_AVG_TOKEN_LENGTH",
            "SEQUENCE_VALUE_TOO_LARGE_FRACTION",
            "SEQUENCE_VALUE_TOO_FEW_OCCURRENCES",
            "STATS_NOT_AVAILABLE",
        ]
    );
    let expected = "The schema has constraints on tokens, and the statistics have no \"nl_statistics\".";
    check(schema, text(&[("x", 10.0)]), "STATS_NOT_AVAILABLE", expected);
}
