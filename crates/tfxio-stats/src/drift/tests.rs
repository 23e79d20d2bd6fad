//! Distances of distributions whose distance is known.
#![allow(clippy::unwrap_used, reason = "tests")]

use tensor_repr::TfmdSchema;

use crate::proto::tfmd::FeatureNameStatistics;
use crate::test_data::{counts, floats, histogram, integers, list, strings};
use crate::{DriftOptions, FeatureDrift, drift};

fn measured(before: FeatureNameStatistics, after: FeatureNameStatistics) -> FeatureDrift {
    let (before, after) = (list(10, vec![before]), list(10, vec![after]));
    drift(&before, &after, &DriftOptions::default()).unwrap().features.remove(0)
}

fn near(found: Option<f64>, expected: f64) {
    assert!((found.unwrap() - expected).abs() < 1e-9, "{found:?} and {expected}");
}

/// Returns the share of one bit that a choice of `p` carries.
fn entropy(p: f64) -> f64 {
    if p == 0.0 || p == 1.0 { 0.0 } else { -p * p.log2() - (1.0 - p) * (1.0 - p).log2() }
}

#[test]
fn categories() {
    let text = |values: &[(&str, f64)]| strings("a", counts(10, 0, 1, 1), values);
    let found = measured(text(&[("x", 5.0), ("y", 5.0)]), text(&[("x", 80.0), ("y", 20.0)]));
    near(found.l_infinity, 0.3);
    // The divergence is the entropy of the mean without the mean of the entropies.
    near(found.jensen_shannon, entropy(0.65) - f64::midpoint(entropy(0.5), entropy(0.8)));
    assert!(found.is_drifted());
    let other = measured(text(&[("x", 5.0), ("y", 5.0)]), text(&[("x", 8.0), ("y", 1.0), ("z", 1.0)]));
    assert_eq!(other.most_different.as_deref(), Some("y"));
    let found = measured(text(&[("x", 5.0)]), text(&[("y", 5.0)]));
    near(found.l_infinity, 1.0);
    near(found.jensen_shannon, 1.0);
    let found = measured(text(&[("x", 5.0), ("y", 1.0)]), text(&[("y", 10.0), ("x", 50.0)]));
    near(found.l_infinity, 0.0);
    near(found.jensen_shannon, 0.0);
    assert!(!found.is_drifted() && found.most_different.is_none());
}

#[test]
fn numbers() {
    let distance = |a: &[(f64, f64, f64)], b: &[(f64, f64, f64)]| {
        let found = measured(histogram("a", a, 0), histogram("a", b, 0));
        assert_eq!(found.l_infinity, None);
        found.jensen_shannon
    };
    // The same values in other buckets.
    near(distance(&[(0.0, 4.0, 8.0)], &[(0.0, 1.0, 2.0), (1.0, 4.0, 6.0)]), 0.0);
    near(distance(&[(0.0, 1.0, 8.0)], &[(1.0, 2.0, 3.0)]), 1.0);
    // Half of the first is where all of the second is.
    near(distance(&[(0.0, 2.0, 10.0)], &[(1.0, 2.0, 7.0)]), entropy(0.75) - 0.5 * entropy(0.5));
    // A value by itself is not spread.
    near(distance(&[(1.0, 1.0, 10.0)], &[(0.0, 2.0, 10.0)]), 1.0);
    near(distance(&[(0.0, 0.0, 5.0), (0.0, 2.0, 5.0)], &[(-0.0, 0.0, 1.0), (0.0, 2.0, 1.0)]), 0.0);
    // A gap between buckets.
    near(distance(&[(0.0, 1.0, 5.0), (2.0, 3.0, 5.0)], &[(1.0, 2.0, 5.0)]), 1.0);
    let infinite = [(f64::NEG_INFINITY, 0.0, 5.0), (0.0, 1.0, 5.0)];
    near(distance(&infinite, &infinite), 0.5);
    let wide = [(f64::MIN, f64::MAX, 1.0)];
    near(distance(&wide, &wide), 0.0);
    // Buckets that overlap, or hold nothing, are not measured.
    assert_eq!(distance(&[(0.0, 2.0, 1.0), (1.0, 3.0, 1.0)], &[(0.0, 1.0, 1.0)]), None);
    assert_eq!(distance(&[(0.0, 2.0, -1.0)], &[(0.0, 1.0, 1.0)]), None);
    assert_eq!(distance(&[(0.0, 2.0, 0.0)], &[(0.0, 1.0, 1.0)]), None);
    let with_nan = || histogram("a", &[(0.0, 1.0, 10.0)], 10);
    near(measured(with_nan(), with_nan()).jensen_shannon, 0.5);
}

#[test]
fn a_report_is_sorted_and_says_what_is_missing() {
    let text = |path: &str, red: f64| strings(path, counts(10, 0, 1, 1), &[("red", red), ("x", 10.0 - red)]);
    let before = list(
        10,
        vec![
            text("a", 5.0),
            text("b", 5.0),
            integers("t", counts(10, 0, 1, 1), 0.0, 3.0),
            text("old", 1.0),
            floats("none", counts(10, 0, 1, 1), 0.0, 1.0),
        ],
    );
    let after = list(
        10,
        vec![
            text("b", 9.0),
            text("a", 5.0),
            text("t", 5.0),
            text("new", 1.0),
            floats("none", counts(5, 5, 1, 1), 0.0, 1.0),
        ],
    );
    let report = drift(&before, &after, &DriftOptions::default()).unwrap();
    assert!(report.is_drifted());
    assert_eq!(report.features[3].present_after, Some(0.5));
    let text = report.to_string();
    let lines: Vec<String> =
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(
        lines,
        [
            "feature L-infinity Jensen-Shannon drift",
            "t - - yes, another type",
            "b 0.4 0.146793 yes, most in \"x\"",
            "a 0 0 no",
            "none - - no",
            "only before: old",
            "only after: new",
        ]
    );
    // The schema's bounds replace those of the options.
    let schema = TfmdSchema::from_text(
        r#"feature { name: "b" drift_comparator { infinity_norm { threshold: 0.5 } jensen_shannon_divergence { threshold: 0.2 } } }"#,
    )
    .unwrap();
    let report = drift(&before, &after, &DriftOptions::default().schema(&schema)).unwrap();
    assert!(!report.features[1].is_drifted());
}
