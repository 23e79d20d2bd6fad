//! The text form as a law: every predicate that can be printed is read as the same one.

use proptest::collection::vec;
use proptest::num::f64::ANY;
use proptest::prelude::*;
use proptest::sample::select;

use crate::{ColumnPath, Comparison, Literal, Predicate};

/// Names that are words, keywords, numbers of the literals, and none of these.
fn paths() -> impl Strategy<Value = ColumnPath> {
    let known = select(vec![
        "a",
        "NOT",
        "in",
        "inf",
        "NaN",
        "-inf",
        "null",
        "7a",
        "_",
        "",
        "\"",
        "'",
        "a.b",
        "two words",
        "é",
        "½",
        "##S##",
    ]);
    let step = prop_oneof![known.prop_map(str::to_owned), ".{0,4}"];
    vec(step, 1..4).prop_map(ColumnPath::new)
}

fn comparisons() -> impl Strategy<Value = Comparison> {
    select(vec![
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Less,
        Comparison::LessOrEqual,
        Comparison::Greater,
        Comparison::GreaterOrEqual,
    ])
}

fn literals() -> impl Strategy<Value = Literal> {
    let floats = vec![
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        -f64::NAN,
        0.0,
        -0.0,
        f64::MAX,
        f64::MIN,
        f64::MIN_POSITIVE,
        5e-324,
        2f64.powi(53),
        2f64.powi(127),
        -2f64.powi(127),
        1e16,
        1e23,
    ];
    // Numbers in digits that no float is.
    let decimal = "-?[0-9]{20,40}\\.[0-9]*[1-9]|-?[1-9]e(-4|4|30|-99999999999999)[0-9]{2}";
    prop_oneof![
        any::<bool>().prop_map(Literal::Boolean),
        any::<i128>().prop_map(Literal::Integer),
        (-9i128..9).prop_map(Literal::Integer),
        ANY.prop_map(Literal::Float),
        select(floats).prop_map(Literal::Float),
        decimal.prop_map(|text| Literal::number(&text).expect("a number")),
        ".{0,6}".prop_map(Literal::from),
        select(vec!["inf", "NaN", "'", "''", "it's", "", "true"]).prop_map(Literal::from),
    ]
}

fn predicates() -> impl Strategy<Value = Predicate> {
    let test = prop_oneof![
        (paths(), comparisons(), literals()).prop_map(|(path, comparison, value)| Predicate::Compare {
            path,
            comparison,
            value
        }),
        (paths(), vec(literals(), 0..4)).prop_map(|(path, values)| Predicate::In { path, values }),
        paths().prop_map(|path| Predicate::IsNull { path }),
    ];
    test.prop_recursive(5, 24, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Predicate::And),
            vec(inner.clone(), 0..4).prop_map(Predicate::Or),
            inner.prop_map(Predicate::not),
        ]
    })
}

/// Returns the predicate without `and` and `or` of a single operand, which the text form cannot express.
fn without_single(predicate: Predicate) -> Predicate {
    let inner = |all: Vec<Predicate>| all.into_iter().map(without_single).collect::<Vec<_>>();
    match predicate {
        Predicate::And(mut all) | Predicate::Or(mut all) if all.len() == 1 => without_single(all.remove(0)),
        Predicate::And(all) => Predicate::And(inner(all)),
        Predicate::Or(any) => Predicate::Or(inner(any)),
        Predicate::Not(one) => without_single(*one).not(),
        other => other,
    }
}

proptest! {
    #[test]
    fn what_is_printed_is_read_as_the_same(predicate in predicates()) {
        let text = predicate.to_string();
        let again = text.parse::<Predicate>();
        prop_assert!(again.is_ok(), "{again:?}");
        // `Debug` tells 0.0 from -0.0, and has one NaN.
        prop_assert_eq!(format!("{:?}", again?), format!("{:?}", without_single(predicate)), "{}", text);
    }
}

/// Infinities and NaN have words of their own, which are values only: columns may have these names.
#[test]
fn infinities_and_nan_are_words() {
    for (text, value) in [
        ("inf", f64::INFINITY),
        ("-inf", f64::NEG_INFINITY),
        ("+Infinity", f64::INFINITY),
        ("NaN", f64::NAN),
        ("nan", f64::NAN),
    ] {
        let Ok(Predicate::Compare { path, value: Literal::Float(found), .. }) =
            format!("inf = {text}").parse()
        else {
            panic!("{text} is not a float");
        };
        assert_eq!(path, ColumnPath::from("inf"));
        assert!(found == value || found.is_nan() && value.is_nan(), "{text}");
    }
}
