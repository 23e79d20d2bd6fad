//! Errors of a validation, and their texts.

use tensor_repr::TfmdSchema;

use super::integer;
use crate::test_data::list;
use crate::{Kind, Severity, StatisticsList, ValidateOptions, validate};

fn refused(
    statistics: &StatisticsList,
    schema: &str,
    options: &ValidateOptions<'_>,
    kind: &Kind,
    text: &str,
) {
    let error = validate(statistics, &TfmdSchema::from_text(schema).unwrap(), options).unwrap_err();
    assert_eq!((error.detail::<Kind>(), error.to_string().as_str()), (Some(kind), text));
}

#[test]
fn schemas_and_options() {
    let statistics = list(10, vec![integer("a")]);
    let none = ValidateOptions::default();
    let schema = r#"feature { name: "a" type: INT } feature { name: "a" type: FLOAT }"#;
    let text = "the schema has the feature \"a\" twice; remove one, or rename it";
    refused(&statistics, schema, &none, &Kind::InvalidSchema, text);
    let schema =
        r#"feature { name: "s" type: STRUCT struct_domain { feature { name: "x" } feature { name: "x" } } }"#;
    let text = "the schema has the feature \"s.x\" twice; remove one, or rename it";
    refused(&statistics, schema, &none, &Kind::InvalidSchema, text);
    let schema = r#"sparse_feature { name: "p" } sparse_feature { name: "p" }"#;
    let text = "the schema has the sparse feature \"p\" twice; remove one, or rename it";
    refused(&statistics, schema, &none, &Kind::InvalidSchema, text);
    let schema = r#"weighted_feature { name: "w" } weighted_feature { name: "w" }"#;
    let text = "the schema has the weighted feature \"w\" twice; remove one, or rename it";
    refused(&statistics, schema, &none, &Kind::InvalidSchema, text);

    let schema =
        r#"default_environment: "TRAINING" feature { name: "a" type: INT not_in_environment: "SERVING" }"#;
    let options = ValidateOptions::default().environment("SERVNG");
    let text = "the schema has no environment \"SERVNG\"; did you mean \"SERVING\"?";
    refused(&statistics, schema, &options, &Kind::UnknownEnvironment, text);
    let text = "the schema has no environment \"SERVNG\"; there are no environments";
    refused(&statistics, "", &options, &Kind::UnknownEnvironment, text);

    let options = ValidateOptions::default().severity("SCHEMA_NEW_COLUM", Severity::Warning);
    let text = "no anomaly is called \"SCHEMA_NEW_COLUM\"; did you mean \"SCHEMA_NEW_COLUMN\"?";
    refused(&statistics, "", &options, &Kind::UnknownAnomaly, text);

    let text = "the statistics are of no data set; give statistics of at least one";
    refused(&StatisticsList::default(), "", &none, &Kind::NoDataset, text);
    let empty = StatisticsList::default();
    let options = ValidateOptions::default().previous(&empty);
    refused(&statistics, "", &options, &Kind::NoDataset, text);
}
