//! Schemas that make no sense, and features that are made of others.

use super::{check, found, integer};
use crate::proto::tfmd::DerivedFeatureSource;
use crate::proto::tfmd::custom_statistic::Val;
use crate::test_data::{counts, custom, ranks, strings, with_custom};

#[test]
fn faults_of_the_schema() {
    for (field, kind, text) in [
        (
            "presence { min_fraction: -1 }",
            "INVALID_SCHEMA_SPECIFICATION",
            "presence.min_fraction is -1; it must be from 0 to 1.",
        ),
        (
            "shape { dim { size: 0 } }",
            "INVALID_SCHEMA_SPECIFICATION",
            "shape has a dimension of size 0; it must be above 0.",
        ),
        (
            "value_count { min: -1 }",
            "INVALID_SCHEMA_SPECIFICATION",
            "value_count has min -1; it must not be negative.",
        ),
        (
            "value_count { min: 1 max: 0 }",
            "INVALID_SCHEMA_SPECIFICATION",
            "value_count has max 0 below min 1.",
        ),
        (
            "string_domain { }",
            "DOMAIN_INVALID_FOR_TYPE",
            "The schema has a string_domain for values of type INT.",
        ),
        ("domain: \"x\"", "INVALID_DOMAIN_SPECIFICATION", "The schema has no domain \"x\"."),
        (
            "distribution_constraints { min_domain_mass: 0.5 }",
            "INVALID_SCHEMA_SPECIFICATION",
            "distribution_constraints are for domains of strings alone.",
        ),
        ("", "", ""),
    ] {
        check(&format!("feature {{ name: \"a\" type: INT {field} }}"), integer("a"), kind, text);
    }
    let text = "The schema has no type, so nothing else was looked at.";
    check("feature { name: \"a\" }", integer("a"), "FEATURE_MISSING_TYPE", text);
    let text = "The schema has no type; BYTES was taken, as the domain is one of strings.";
    let values = strings("a", counts(10, 0, 1, 1), &[("x", 10.0)]);
    check("feature { name: \"a\" string_domain { value: \"x\" } }", values, "FEATURE_MISSING_TYPE", text);
}

#[test]
fn sparse_features() {
    let schema = r#"sparse_feature { name: "a" index_feature { name: "i" } value_feature { name: "v" } }"#;
    let index = |count| Val::RankHistogram(ranks(&[("i", count)]));
    let clean = vec![("missing_value", Val::Num(0.0)), ("missing_index", index(0.0))];
    check(schema, custom("a", clean), "", "");
    let values = vec![("missing_value", Val::Num(3.0))];
    check(schema, custom("a", values), "SPARSE_FEATURE_MISSING_VALUE", "3 examples lack the values.");
    let values = vec![("missing_index", index(2.0))];
    check(schema, custom("a", values), "SPARSE_FEATURE_MISSING_INDEX", "2 examples lack the index \"i\".");
    let values = vec![("min_length_diff", index(-2.0))];
    let text = "There are more or fewer values than indices \"i\": the least difference is -2.";
    check(schema, custom("a", values), "SPARSE_FEATURE_LENGTH_MISMATCH", text);
    let schema = format!("{schema} feature {{ name: \"a\" type: INT }}");
    check(
        &schema,
        integer("a"),
        "SPARSE_FEATURE_NAME_COLLISION",
        "The schema has another feature of the same name.",
    );
}

#[test]
fn weighted_features() {
    let schema = r#"weighted_feature { name: "a" feature { step: "v" } weight_feature { step: "w" } }"#;
    check(schema, custom("a", vec![("missing_value", Val::Num(0.0))]), "", "");
    let values = vec![("missing_weight", Val::Num(3.0))];
    check(schema, custom("a", values), "WEIGHTED_FEATURE_MISSING_WEIGHT", "3 examples lack the weights.");
    let values = vec![("min_weight_length_diff", Val::Num(-1.0)), ("max_weight_length_diff", Val::Num(2.0))];
    let text = "There are more or fewer values than weights: the difference is from -1 to 2.";
    check(schema, custom("a", values), "WEIGHTED_FEATURE_LENGTH_MISMATCH", text);
    let schema = format!("{schema} feature {{ name: \"a\" type: INT }}");
    let text = "The schema has another feature of the same name.";
    check(&schema, integer("a"), "WEIGHTED_FEATURE_NAME_COLLISION", text);
}

#[test]
fn derived_and_suggested() {
    let mut derived = integer("a");
    derived.validation_derived_source = Some(DerivedFeatureSource::default());
    let schema = r#"feature { name: "a" type: INT }"#;
    assert_eq!(found(schema, derived.clone())[0].0, "DERIVED_FEATURE_INVALID_SOURCE");
    let schema = r#"feature { name: "a" type: INT validation_derived_source { } }"#;
    assert_eq!(found(schema, derived.clone())[0].0, "DERIVED_FEATURE_BAD_LIFECYCLE");
    let schema = r#"feature { name: "a" type: INT validation_derived_source { } lifecycle_stage: VALIDATION_DERIVED }"#;
    check(schema, derived, "", "");
    let suggested = with_custom(integer("a"), vec![("domain_info", Val::Str("time_domain { }".to_owned()))]);
    let schema = r#"feature { name: "a" type: INT }"#;
    let text = "The values suggest a domain that the schema does not have.";
    check(schema, suggested, "SEMANTIC_DOMAIN_UPDATE", text);
}
