//! Drift, skew, and numbers of examples.

use prost::Message as _;

use super::{anomalies, integer, pairs};
use crate::proto::tfmd;
use crate::test_data::{counts, dataset, histogram, list, strings};
use crate::{StatisticsList, ValidateOptions};

fn colors(red: f64, blue: f64) -> StatisticsList {
    list(10, vec![strings("a", counts(10, 0, 1, 1), &[("blue", blue), ("red", red)])])
}

#[test]
fn distances() {
    let comparator =
        |name: &str, fields: &str| format!("feature {{ name: \"a\" type: BYTES {name} {{ {fields} }} }}");
    let (new, old) = (colors(8.0, 2.0), colors(5.0, 5.0));
    let drift = ValidateOptions::default().previous(&old);
    let skew = ValidateOptions::default().serving(&old);
    for (field, kind, text) in [
        (
            "infinity_norm { threshold: 0.2 }",
            "COMPARATOR_L_INFTY_HIGH",
            "The largest difference of shares from the earlier data is 0.3, of the value \"red\"; the schema asks for at most 0.2.",
        ),
        (
            "normalized_abs_difference { threshold: 0.1 }",
            "COMPARATOR_NORMALIZED_ABSOLUTE_DIFFERENCE_HIGH",
            "The largest difference of counts, by all counts, from the earlier data is 0.15, of the value \"red\"; the schema asks for at most 0.1.",
        ),
        (
            "jensen_shannon_divergence { threshold: 0.05 }",
            "COMPARATOR_JENSEN_SHANNON_DIVERGENCE_HIGH",
            "The Jensen-Shannon divergence from the earlier data is 0.073104; the schema asks for at most 0.05.",
        ),
        ("infinity_norm { threshold: 0.4 }", "", ""),
    ] {
        let found = anomalies(&comparator("drift_comparator", field), &new, &drift);
        let expected = if kind.is_empty() { vec![] } else { vec![(kind, text.to_owned())] };
        assert_eq!(pairs(&found), expected);
        assert_eq!(found.distances().count(), 1);
    }
    let schema = comparator("skew_comparator", "infinity_norm { threshold: 0.2 }");
    assert_eq!(anomalies(&schema, &new, &skew).len(), 1);
    assert_eq!(anomalies(&schema, &new, &drift).len(), 0);
    // A comparator without other data asks for nothing.
    assert_eq!(anomalies(&schema, &new, &ValidateOptions::default()).len(), 0);

    let found = anomalies(&schema, &new, &skew);
    let message = tfmd::Anomalies::decode(found.to_bytes().as_slice()).unwrap();
    let [info] = message.drift_skew_info.as_slice() else { unreachable!() };
    assert_eq!((info.drift_measurements.len(), info.skew_measurements.len()), (0, 1));
    let (path, kind, value, threshold) = found.distances().next().unwrap();
    assert_eq!((path.to_string().as_str(), kind, threshold), ("a", "L_INFTY", 0.2));
    assert!((value - 0.3).abs() < 1e-12);
}

#[test]
fn nothing_to_compare_with() {
    let schema = r#"feature { name: "a" type: BYTES drift_comparator { infinity_norm { threshold: 0.2 } } }"#;
    let other = list(10, vec![integer("b")]);
    let options = ValidateOptions::default().previous(&other);
    let text = "The feature is to be compared with the earlier data, which does not have it.";
    assert_eq!(
        pairs(&anomalies(schema, &colors(8.0, 2.0), &options)),
        [("COMPARATOR_CONTROL_DATA_MISSING", text.to_owned())]
    );
    let schema = r#"feature { name: "a" type: FLOAT drift_comparator { infinity_norm { threshold: 0.2 } jensen_shannon_divergence { threshold: 0.1 } } }"#;
    let numbers = list(10, vec![histogram("a", &[(0.0, 1.0, 10.0)], 0)]);
    let options = ValidateOptions::default().previous(&numbers);
    let found = anomalies(schema, &numbers, &options);
    assert_eq!(found.iter().map(super::super::Anomaly::kind).collect::<Vec<_>>(), ["STATS_NOT_AVAILABLE"]);
    assert_eq!(
        found.distances().map(|(_, kind, value, _)| (kind, value)).collect::<Vec<_>>(),
        [("JENSEN_SHANNON_DIVERGENCE", 0.0)]
    );
}

#[test]
fn numbers_of_examples() {
    let schema = r#"dataset_constraints {
        num_examples_drift_comparator { min_fraction_threshold: 0.5 max_fraction_threshold: 2 }
        num_examples_version_comparator { min_fraction_threshold: 0.9 }
        min_examples_count: 5
        max_examples_count: 100
    }"#;
    let examples = |count| list(count, vec![]);
    let found = |count, options: &ValidateOptions<'_>| pairs(&anomalies(schema, &examples(count), options));
    assert_eq!(found(5, &ValidateOptions::default()), []);
    let text = "The schema asks for at least 5 examples, there are 4.";
    assert_eq!(found(4, &ValidateOptions::default()), [("DATASET_LOW_NUM_EXAMPLES", text.to_owned())]);
    let text = "The schema asks for at most 100 examples, there are 101.";
    assert_eq!(found(101, &ValidateOptions::default()), [("DATASET_HIGH_NUM_EXAMPLES", text.to_owned())]);
    let old = examples(20);
    let drift = ValidateOptions::default().previous(&old);
    assert_eq!(found(20, &drift), []);
    let text =
        "There are 50 examples, 20 in the earlier data: 2.5 times as many, the schema asks for at most 2.";
    assert_eq!(found(50, &drift), [("COMPARATOR_HIGH_NUM_EXAMPLES", text.to_owned())]);
    let text =
        "There are 8 examples, 20 in the earlier data: 0.4 times as many, the schema asks for at least 0.5.";
    assert_eq!(found(8, &drift), [("COMPARATOR_LOW_NUM_EXAMPLES", text.to_owned())]);
    let version = ValidateOptions::default().previous_version(&old);
    assert_eq!(found(17, &version)[0].0, "COMPARATOR_LOW_NUM_EXAMPLES");
    let none = examples(0);
    let text = "There are 8 examples, none in the earlier data.";
    let options = ValidateOptions::default().previous(&none);
    assert_eq!(found(8, &options), [("COMPARATOR_HIGH_NUM_EXAMPLES", text.to_owned())]);
    let message = anomalies(schema, &examples(4), &ValidateOptions::default()).to_bytes();
    let message = tfmd::Anomalies::decode(message.as_slice()).unwrap();
    assert!(message.dataset_anomaly_info.is_some() && message.anomaly_info.is_empty());
}

#[test]
fn slices() {
    let mut two = list(10, vec![integer("a")]);
    two.0.datasets[0].name = "All Examples".to_owned();
    two.0.datasets.push(dataset("country_de", 3, vec![integer("b")]));
    let schema = r#"feature { name: "a" type: INT }"#;
    assert_eq!(anomalies(schema, &two, &ValidateOptions::default()).len(), 0);
    let found = anomalies(schema, &two, &ValidateOptions::default().slice("country_de"));
    assert_eq!(pairs(&found)[0].0, "SCHEMA_NEW_COLUMN");
}
