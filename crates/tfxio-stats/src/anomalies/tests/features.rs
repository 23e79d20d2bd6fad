//! Presence, numbers of values, types.

use prost::Message as _;
use tensor_repr::TfmdSchema;

use super::{anomalies, check, found, integer, pairs};
use crate::proto::tfmd;
use crate::proto::tfmd::custom_statistic::Val;
use crate::test_data::{bytes, counts, custom, floats, integers, list, nested, strings, structs};
use crate::{Severity, ValidateOptions, validate};

#[test]
fn features_of_one_side_only() {
    let schema = r#"
        feature { name: "a" type: INT }
        feature { name: "b" type: INT presence { min_fraction: 0.1 } }
        feature { name: "c" type: INT presence { } }
        feature { name: "d" type: INT presence { min_count: 1 } lifecycle_stage: DEBUG_ONLY }
        feature { name: "e" type: INT presence { min_count: 1 } deprecated: true }"#;
    let statistics = list(
        10,
        vec![integer("new"), integer("a"), integer("d"), structs("s", counts(10, 0, 1, 1)), integer("s/x")],
    );
    let found = anomalies(schema, &statistics, &ValidateOptions::default());
    let shown: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "ERROR feature \"b\": The schema has this feature, the data does not. (SCHEMA_MISSING_COLUMN)",
            "ERROR feature \"new\": The data has this feature, the schema does not. (SCHEMA_NEW_COLUMN)",
            "ERROR feature \"s\": The data has this feature, the schema does not. (SCHEMA_NEW_COLUMN)",
        ]
    );
    assert_eq!(found.to_string().lines().last(), Some("3 anomalies"));
}

#[test]
fn presence() {
    let schema = r#"feature { name: "a" type: INT presence { min_count: 5 min_fraction: 0.5 } }"#;
    check(schema, integers("a", counts(5, 5, 1, 1), 3.0, 7.0), "", "");
    let few = found(schema, integers("a", counts(4, 6, 1, 1), 3.0, 7.0));
    assert_eq!(
        few,
        [
            (
                "FEATURE_TYPE_LOW_NUMBER_PRESENT",
                "The schema asks for 5 examples with the feature, 4 have it.".to_owned()
            ),
            (
                "FEATURE_TYPE_LOW_FRACTION_PRESENT",
                "The schema asks for the feature in 0.5 of all examples, 0.4 have it (6 lack it).".to_owned()
            ),
        ]
    );
    let kind = "FEATURE_TYPE_NOT_PRESENT";
    check(schema, integers("a", counts(0, 10, 0, 0), 0.0, 0.0), kind, "No example has this feature.");
    check(r#"feature { name: "a" type: INT }"#, integers("a", counts(0, 10, 0, 0), 0.0, 0.0), "", "");
    // One of very many.
    let schema = r#"feature { name: "a" type: INT presence { min_fraction: 1 } }"#;
    let many = 1 << 60;
    let statistics = list(many, vec![integers("a", counts(many - 1, 1, 1, 1), 3.0, 7.0)]);
    let found = pairs(&anomalies(schema, &statistics, &ValidateOptions::default()));
    assert_eq!(found[0].0, "FEATURE_TYPE_LOW_FRACTION_PRESENT");
    let kind = "STATS_NOT_AVAILABLE";
    let text = "The statistics have no counts of this feature, so nothing was compared with the schema.";
    check(schema, custom("a", vec![("x", Val::Num(1.0))]), kind, text);
}

#[test]
fn numbers_of_values() {
    let schema = r#"feature { name: "a" type: INT value_count { min: 2 max: 3 } }"#;
    let with = |common| integers("a", common, 3.0, 7.0);
    check(schema, with(counts(10, 0, 2, 3)), "", "");
    let text = "The schema asks for at least 2 values, an example has 1.";
    check(schema, with(counts(10, 0, 1, 3)), "FEATURE_TYPE_LOW_NUMBER_VALUES", text);
    let text = "The schema asks for at most 3 values, an example has 4.";
    check(schema, with(counts(10, 0, 2, 4)), "FEATURE_TYPE_HIGH_NUMBER_VALUES", text);
    let text = "The schema has 1 level of lists, the data has 2.";
    let grid = || with(nested(&[(10, 0, 2, 2), (20, 0, 3, 3)]));
    check(schema, grid(), "VALUE_NESTEDNESS_MISMATCH", text);

    let schema = r#"feature { name: "a" type: INT value_counts { value_count { } value_count { min: 4 } } }"#;
    let text = "The schema asks for at least 4 values on level 1, an example has 3.";
    check(schema, grid(), "FEATURE_TYPE_LOW_NUMBER_VALUES", text);
    let text = "The schema has 2 levels of lists, the data has 1.";
    check(schema, with(counts(10, 0, 2, 3)), "VALUE_NESTEDNESS_MISMATCH", text);
}

#[test]
fn shapes() {
    let kind = "INVALID_FEATURE_SHAPE";
    let schema = r#"feature { name: "a" type: INT shape { dim { size: 2 } dim { size: 3 } } }"#;
    let with = |common| integers("a", common, 3.0, 7.0);
    check(schema, with(nested(&[(10, 0, 2, 2), (20, 0, 3, 3)])), "", "");
    check(schema, with(counts(10, 0, 6, 6)), "", "");
    check(
        schema,
        with(counts(10, 0, 5, 5)),
        kind,
        "The schema has the shape [2, 3], examples have 5 values.",
    );
    let text = "The schema has the shape [2, 3], examples have 1 to 6 values.";
    check(schema, with(counts(10, 0, 1, 6)), kind, text);
    let text = "The schema has the shape [2, 3], the feature is missing 1 times.";
    check(schema, with(counts(9, 1, 6, 6)), kind, text);
    let schema = format!("{schema} generate_legacy_feature_spec: true");
    check(&schema, with(counts(9, 1, 6, 6)), "", "");
}

#[test]
fn types() {
    let schema = r#"feature { name: "a" type: INT }"#;
    let text = "The schema has values of type INT, the data has FLOAT.";
    check(schema, floats("a", counts(10, 0, 1, 1), 0.0, 1.0), "UNEXPECTED_DATA_TYPE", text);
    let text = "The schema has values of type INT, the data has STRING.";
    check(schema, strings("a", counts(10, 0, 1, 1), &[("x", 10.0)]), "UNEXPECTED_DATA_TYPE", text);
    let schema = r#"feature { name: "a" type: BYTES string_domain { value: "x" } }"#;
    let text = "The values are bytes, which cannot have a string_domain.";
    check(schema, bytes("a", counts(10, 0, 1, 1), 4), "DOMAIN_INVALID_FOR_TYPE", text);
}

#[test]
fn what_is_in_structs() {
    let schema = r#"feature {
        name: "s" type: STRUCT presence { min_count: 1 }
        struct_domain {
            feature { name: "x" type: INT int_domain { max: 5 } }
            feature { name: "y" type: INT presence { min_count: 1 } }
        }
    }"#;
    let statistics = list(10, vec![structs("s", counts(10, 0, 1, 1)), integer("s/x"), integer("s/new")]);
    let found = anomalies(schema, &statistics, &ValidateOptions::default());
    let shown: Vec<_> =
        found.iter().map(|anomaly| format!("{} {}", anomaly.path(), anomaly.kind())).collect();
    assert_eq!(shown, ["s.new SCHEMA_NEW_COLUMN", "s.x INT_TYPE_BIG_INT", "s.y SCHEMA_MISSING_COLUMN"]);
    // Of a struct that became something else, nothing that was in it is looked at.
    let found = anomalies(schema, &list(10, vec![integer("s"), integer("s/x")]), &ValidateOptions::default());
    let kinds: Vec<_> = found.iter().map(super::super::Anomaly::kind).collect();
    assert_eq!(kinds, ["UNEXPECTED_DATA_TYPE", "SCHEMA_MISSING_COLUMN"]);
}

#[test]
fn environments() {
    let schema = r#"
        default_environment: "TRAINING" default_environment: "SERVING"
        feature { name: "a" type: INT presence { min_count: 1 } }
        feature { name: "label" type: INT presence { min_count: 1 } not_in_environment: "SERVING" }
        feature { name: "debug" type: INT presence { min_count: 1 } in_environment: "DEBUG" not_in_environment: "TRAINING" not_in_environment: "SERVING" }"#;
    let kinds = |features, environment: Option<&str>| {
        let options = ValidateOptions::default().environment(environment);
        let found = anomalies(schema, &list(10, features), &options);
        found.iter().map(|anomaly| format!("{} {}", anomaly.path(), anomaly.kind())).collect::<Vec<_>>()
    };
    assert_eq!(kinds(vec![integer("a"), integer("label")], Some("TRAINING")), [""; 0]);
    assert_eq!(kinds(vec![integer("a")], Some("SERVING")), [""; 0]);
    assert_eq!(kinds(vec![integer("a")], Some("TRAINING")), ["label SCHEMA_MISSING_COLUMN"]);
    assert_eq!(kinds(vec![integer("a"), integer("label")], Some("SERVING")), ["label SCHEMA_NEW_COLUMN"]);
    assert_eq!(
        kinds(vec![integer("a")], Some("DEBUG")),
        ["a SCHEMA_NEW_COLUMN", "debug SCHEMA_MISSING_COLUMN"]
    );
    assert_eq!(
        kinds(vec![integer("a")], None),
        ["debug SCHEMA_MISSING_COLUMN", "label SCHEMA_MISSING_COLUMN"]
    );
}

#[test]
fn the_message_has_all_of_it() {
    // Field 49999 is unknown.
    let mut bytes = TfmdSchema::from_text(
        r#"feature { name: "b.c" type: INT int_domain { max: 5 } value_count { min: 2 } }"#,
    )
    .unwrap()
    .as_binary()
    .to_vec();
    prost::encoding::int64::encode(49_999, &7, &mut bytes);
    let schema = TfmdSchema::from_binary(bytes.clone()).unwrap();
    let statistics = list(10, vec![integer("b.c"), integer("a")]);
    let options = ValidateOptions::default().severity("SCHEMA_NEW_COLUMN", Severity::Warning);
    let found = validate(&statistics, &schema, &options).unwrap();
    assert_eq!((found.len(), found.is_empty(), found.has_errors()), (3, false, true));

    let encoded = found.to_bytes();
    assert!(encoded.windows(bytes.len()).any(|window| window == bytes));
    let message = tfmd::Anomalies::decode(encoded.as_slice()).unwrap();
    assert_eq!(message.anomaly_info.keys().collect::<Vec<_>>(), ["'b.c'", "a"]);
    let info = &message.anomaly_info["'b.c'"];
    assert_eq!(info.path.as_ref().unwrap().step, ["b.c"]);
    assert_eq!(info.reason.len(), 2);
    assert_eq!((info.short_description(), info.severity().as_str_name()), ("Multiple errors", "ERROR"));
    let info = &message.anomaly_info["a"];
    assert_eq!((info.short_description(), info.severity().as_str_name()), ("New column", "WARNING"));
    assert_eq!(info.reason[0].r#type().as_str_name(), "SCHEMA_NEW_COLUMN");

    let only = list(10, vec![integer("a")]);
    let warned = validate(&only, &TfmdSchema::default(), &options).unwrap();
    assert!(!warned.is_empty() && !warned.has_errors());
}

#[test]
fn no_examples() {
    let found =
        anomalies(r#"feature { name: "a" type: INT }"#, &list(0, vec![]), &ValidateOptions::default());
    assert!(
        found.is_data_missing() && !found.is_empty() && found.has_errors() && found.iter().next().is_none()
    );
    assert_eq!(found.to_string(), "no examples, so nothing was compared with the schema\n");
    assert!(tfmd::Anomalies::decode(found.to_bytes().as_slice()).unwrap().data_missing());
}
