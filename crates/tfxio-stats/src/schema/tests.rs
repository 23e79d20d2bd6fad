//! Schemas of statistics that were made for a rule each.
#![allow(clippy::unwrap_used, reason = "tests")]

use tensor_repr::Representation;
use tfxio_base::ErrorKind;

use crate::proto::tfmd::custom_statistic::Val;
use crate::proto::tfmd::feature_name_statistics::{FieldId, Stats, Type};
use crate::proto::tfmd::{DatasetFeatureStatisticsList, FeatureNameStatistics, WeightedCommonStatistics};
use crate::test_data::{
    bytes, counts, custom, dataset, floats, integers, list, nested, strings, structs, with_custom,
};
use crate::{InferOptions, Kind, StatisticsList, infer_schema, propose_representations};

/// Returns the schema of one feature, on one line.
fn inferred(feature: FeatureNameStatistics) -> String {
    one_line(&infer_schema(&list(10, vec![feature]), &InferOptions::default()).unwrap().to_text())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn presence_and_shape() {
    for (common, expected) in [
        (counts(10, 0, 1, 1), "presence { min_fraction: 1.0 min_count: 1 } shape { dim { size: 1 } }"),
        (counts(9, 1, 2, 2), "value_count { min: 2 max: 2 } type: INT presence { min_count: 1 }"),
        (counts(10, 0, 1, 3), "value_count { min: 1 } type: INT presence { min_fraction: 1.0 min_count: 1 }"),
        (counts(10, 0, 0, 3), "type: INT presence { min_fraction: 1.0 min_count: 1 }"),
        (counts(0, 10, 0, 0), "type: INT presence { min_count: 0 }"),
        (nested(&[(10, 0, 2, 2), (20, 0, 3, 3)]), "shape { dim { size: 2 } dim { size: 3 } }"),
        (
            nested(&[(10, 0, 2, 2), (19, 1, 0, 3)]),
            "presence { min_fraction: 1.0 min_count: 1 } value_counts { value_count { min: 2 max: 2 } value_count { } }",
        ),
    ] {
        let text = inferred(integers("a", common, 3.0, 7.0));
        assert!(text.contains(expected), "{text}");
    }
    let options = InferOptions::default().feature_shape(false);
    let statistics = list(10, vec![integers("a", counts(10, 0, 1, 1), 3.0, 7.0)]);
    let text = one_line(&infer_schema(&statistics, &options).unwrap().to_text());
    assert!(text.contains("value_count { min: 1 max: 1 }") && !text.contains("shape"), "{text}");
}

#[test]
fn domains() {
    let text = |values: &[(&str, f64)]| strings("a", counts(10, 0, 1, 1), values);
    let mut not_text = text(&[("b", 1.0)]);
    let Some(Stats::StringStats(stats)) = &mut not_text.stats else { unreachable!() };
    stats.invalid_utf8_count = 1;
    let mut categories = text(&[("3", 1.0), ("7", 1.0)]);
    categories.r#type = Type::Int.into();
    let info =
        |info: &str| with_custom(text(&[("b", 1.0)]), vec![("domain_info", Val::Str(info.to_owned()))]);
    for (feature, expected) in [
        (integers("a", counts(10, 0, 1, 1), 0.0, 1.0), Some("bool_domain { }")),
        (integers("a", counts(10, 0, 1, 1), 1.0, 1.0), Some("bool_domain { }")),
        (integers("a", counts(10, 0, 1, 1), 0.0, 0.0), None),
        (floats("a", counts(10, 0, 1, 1), 0.0, 1.0), None),
        (bytes("a", counts(10, 0, 1, 1), 7), None),
        (
            text(&[("true", 5.0), ("false", 5.0)]),
            Some(r#"bool_domain { true_value: "true" false_value: "false" }"#),
        ),
        (text(&[("CLEAR", 5.0)]), Some(r#"bool_domain { false_value: "CLEAR" }"#)),
        (text(&[("true", 5.0), ("1", 5.0)]), Some(r#"domain: "a""#)),
        (text(&[("1", 5.0), ("-2", 5.0)]), Some("int_domain { }")),
        (text(&[("b", 6.0), ("a", 4.0)]), Some(r#"string_domain { name: "a" value: "a" value: "b" }"#)),
        (not_text, None),
        (categories, Some("int_domain { is_categorical: true }")),
        (info("mid_domain {}"), Some("mid_domain { }")),
        // Not a domain, or more than one field: the strings count.
        (info("type: INT"), Some(r#"domain: "a""#)),
        (info("mid_domain {} type: INT"), Some(r#"domain: "a""#)),
        (info("mid_domain {} } feature {"), Some(r#"domain: "a""#)),
    ] {
        let text = inferred(feature);
        match expected {
            Some(expected) => assert!(text.contains(expected), "{text}"),
            None => assert!(!text.contains("domain"), "{text}"),
        }
    }
}

#[test]
fn a_feature_of_many_strings_has_no_domain() {
    let statistics = list(10, vec![strings("a", counts(10, 0, 1, 1), &[("x", 6.0), ("y", 4.0)])]);
    let options = InferOptions::default().max_string_domain_size(1);
    assert!(!infer_schema(&statistics, &options).unwrap().to_text().contains("domain"));
}

#[test]
fn structs_and_names_of_domains() {
    let common = || counts(10, 0, 1, 1);
    let values = [("x", 10.0)];
    let statistics = list(
        10,
        vec![
            strings("s/b", common(), &values),
            structs("s", common()),
            integers("s/a", common(), 3.0, 4.0),
            strings("s.b", common(), &values),
            // Made of others, and of no features.
            custom("sparse", vec![("missing_value", Val::Num(0.0))]),
        ],
    );
    let text = one_line(&infer_schema(&statistics, &InferOptions::default()).unwrap().to_text());
    let names: Vec<&str> = text.split("name: ").skip(1).filter_map(|rest| rest.split(' ').next()).collect();
    assert_eq!(names, [r#""s""#, r#""a""#, r#""b""#, r#""s.b""#, r#""s.b""#, r#""\'s.b\'""#]);
}

#[test]
fn names_that_continue_those_of_structs_are_fields() {
    let name = |mut feature: FeatureNameStatistics, name: &str| {
        feature.field_id = Some(FieldId::Name(name.to_owned()));
        feature
    };
    let common = || counts(10, 0, 1, 1);
    let statistics = list(
        10,
        vec![
            name(structs("", common()), "a"),
            name(structs("", common()), "a.b.c"),
            name(integers("", common(), 2.0, 3.0), "a.b.c.d"),
            name(integers("", common(), 2.0, 3.0), "x.y"),
        ],
    );
    let schema = infer_schema(&statistics, &InferOptions::default()).unwrap();
    let names: Vec<_> = schema.features().map(|feature| feature.name()).collect();
    assert_eq!(names, ["a", "x.y"]);
    let inner = schema.features().next().unwrap().children().next().unwrap();
    assert_eq!((inner.name(), inner.children().next().unwrap().name()), ("b.c", "d"));
}

#[test]
fn weights_count_where_every_feature_has_them() {
    let mut common = counts(10, 0, 1, 2);
    common.weighted_common_stats =
        Some(WeightedCommonStatistics { num_non_missing: 0.5, num_missing: 0.25, ..Default::default() });
    let mut statistics = list(10, vec![integers("a", common, 3.0, 7.0)]);
    let text = |statistics: &StatisticsList| {
        one_line(&infer_schema(statistics, &InferOptions::default()).unwrap().to_text())
    };
    assert!(text(&statistics).contains("min_fraction: 1.0 min_count: 1"));
    statistics.0.datasets[0].weighted_num_examples = 0.75;
    assert!(text(&statistics).contains("presence { min_count: 0 }"), "{}", text(&statistics));
    statistics.0.datasets[0].features.push(integers("b", counts(10, 0, 1, 1), 3.0, 7.0));
    assert!(text(&statistics).contains("min_fraction: 1.0 min_count: 1"));
}

#[test]
fn tensors() {
    let statistics = list(
        10,
        vec![
            integers("always", counts(10, 0, 2, 2), 3.0, 7.0),
            integers("sometimes", counts(9, 1, 1, 1), 3.0, 7.0),
            strings("words", counts(10, 0, 1, 4), &[("x", 10.0)]),
            floats("never", counts(0, 10, 0, 0), 0.0, 0.0),
            integers("grid", nested(&[(10, 0, 2, 2), (20, 0, 3, 3)]), 3.0, 7.0),
            integers("lists", nested(&[(10, 0, 2, 2), (20, 0, 0, 3)]), 3.0, 7.0),
            structs("s", counts(10, 0, 1, 1)),
            floats("s/x", counts(10, 0, 1, 1), 0.0, 0.5),
        ],
    );
    let schema = propose_representations(&statistics, &InferOptions::default()).unwrap();
    let tensors = schema.required_group("").unwrap();
    let shown: Vec<String> = tensors
        .iter()
        .map(|(name, representation)| {
            let kind = match representation {
                Representation::Dense(dense) => format!("{:?} {:?}", dense.shape, dense.default),
                Representation::VarLenSparse(_) => "sparse".to_owned(),
                Representation::Ragged(_) => "ragged".to_owned(),
                other => format!("{other:?}"),
            };
            format!("{name}: {kind}")
        })
        .collect();
    assert_eq!(
        shown,
        [
            "always: [Some(2)] None",
            "grid: [Some(2), Some(3)] None",
            "lists: ragged",
            "never: sparse",
            "s.x: ragged",
            "sometimes: [Some(1)] Some(Scalar(Int(-1)))",
            "words: sparse",
        ]
    );
}

#[test]
fn what_is_refused() {
    let infer = |statistics: &StatisticsList, slice: Option<&str>| {
        infer_schema(statistics, &InferOptions::default().slice(slice.map(str::to_owned))).unwrap_err()
    };
    let check = |statistics: &StatisticsList, slice: Option<&str>, kind: Kind, text: &str| {
        let error = infer(statistics, slice);
        assert_eq!((error.detail::<Kind>(), error.to_string().as_str()), (Some(&kind), text));
    };
    let empty = StatisticsList::default();
    let text = "the statistics are of no data set; give statistics of at least one";
    check(&empty, None, Kind::NoDataset, text);
    assert_eq!(infer(&empty, None).kind(), ErrorKind::InvalidArgument);

    let datasets = vec![dataset("train", 1, vec![]), dataset("eval", 1, vec![])];
    let two = StatisticsList(DatasetFeatureStatisticsList { datasets });
    let text = "the statistics are of 2 data sets, and none is called \"All Examples\"; say which slice is meant; the slices are \"train\", \"eval\"";
    check(&two, None, Kind::UnknownSlice, text);
    let text = "the statistics have no slice \"tran\"; did you mean \"train\"?";
    check(&two, Some("tran"), Kind::UnknownSlice, text);
    infer_schema(&two, &InferOptions::default().slice("eval".to_owned())).unwrap();

    let feature = || integers("a", counts(10, 0, 1, 1), 3.0, 7.0);
    let text = "the statistics have the feature \"a\" twice; merge shards of statistics with DatasetListAccumulator first";
    check(&list(10, vec![feature(), feature()]), None, Kind::MalformedStatistics, text);
    let mut wrong = feature();
    wrong.r#type = Type::Struct.into();
    let text = "at a: statistics of numbers for values of type STRUCT";
    check(&list(10, vec![wrong.clone()]), None, Kind::MalformedStatistics, text);
    wrong.r#type = 17;
    let text = "at a: values of type 17, which is unknown";
    check(&list(10, vec![wrong.clone()]), None, Kind::MalformedStatistics, text);
    wrong.field_id = None;
    let text = "a feature of the statistics has neither a name nor a path";
    check(&list(10, vec![wrong]), None, Kind::MalformedStatistics, text);
}
