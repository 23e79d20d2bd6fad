//! Errors at compile time, and their positions.
#![allow(clippy::unwrap_used, reason = "a test")]

use proc_macro2::TokenStream;

use crate::case::Case;
use crate::{Implementation, expand, from, to};

/// Returns the errors of both derives, which are the same.
fn errors(input: &str) -> Vec<String> {
    errors_of(input, [to::implementation, from::implementation])
}

fn errors_of(input: &str, [to, from]: [Implementation; 2]) -> Vec<String> {
    let input: TokenStream = input.parse().unwrap();
    let of = |implementation| {
        let expanded = expand(input.clone(), "::example_codec", implementation);
        expanded.err().into_iter().flatten().map(|error| error.to_string()).collect::<Vec<_>>()
    };
    let errors = of(to);
    assert_eq!(of(from), errors);
    errors
}

#[test]
fn what_is_refused() {
    let not = "is not a tf.Example; a struct with named fields is";
    let f64 =
        "a tf.Example has floats of 32 bits: take `f32`, or say `#[example(lossy)]` to have `f64` rounded";
    let cases: &[(&str, &[&str])] = &[
        ("struct A { a: i64, #[example(skip)] b: u8 }", &[]),
        ("struct A;", &[&format!("a struct without fields {not}")]),
        ("struct A(i64);", &[&format!("a struct without names of fields {not}")]),
        ("enum A { B }", &[&format!("an enum {not}")]),
        ("union A { b: u8 }", &[&format!("a union {not}")]),
        ("struct A { a: f64 }", &[f64]),
        ("struct A { a: Option<Vec<f64>>, b: [f64; 2] }", &[f64, f64]),
        ("struct A { #[example(lossy)] a: f64, #[example(with = \"m\")] b: f64 }", &[]),
        (
            "struct A { #[example(renam = \"x\")] a: i64 }",
            &[
                "this is not an attribute of a field; they are `rename`, `default`, `skip`, `lossy`, `flatten`, `prefix`, `with`, `steps`",
            ],
        ),
        (
            "#[example(deny_unknown_fields)] struct A { a: i64 }",
            &[
                "this is not an attribute of a struct; they are `rename_all`, `deny_unknown_features`, `crate`",
            ],
        ),
        (
            "#[example(rename_all = \"Camel\")] struct A { a: i64 }",
            &[
                "\"Camel\" is not a case; they are \"lowercase\", \"UPPERCASE\", \"PascalCase\", \"camelCase\", \"snake_case\", \
               \"SCREAMING_SNAKE_CASE\", \"kebab-case\", \"SCREAMING-KEBAB-CASE\"",
            ],
        ),
        ("struct A { #[example(rename = \"a\", rename = \"b\")] a: i64 }", &["this is said twice"]),
        ("struct A { #[example(skip)] #[example(skip)] a: i64 }", &["this is said twice"]),
        ("struct A { #[example(rename)] a: i64 }", &["expected `=`"]),
        ("struct A { #[example(with = \"a b\")] a: i64 }", &["unexpected token"]),
        ("struct A { #[example(skip, lossy)] a: i64 }", &["`skip` leaves nothing for `lossy` to do"]),
        (
            "struct A { #[example(flatten, rename = \"x\")] a: B }",
            &["`flatten` is for a struct, whose features `rename` does not concern"],
        ),
        ("struct A { #[example(prefix = \"x\")] a: B }", &["`prefix` needs `flatten`"]),
        (
            "struct A { a: i64, #[example(rename = \"a\")] b: i64 }",
            &["the fields `a` and `b` are both the feature \"a\""],
        ),
        (
            "struct A { a: i64, #[example(steps)] b: Vec<i64> }",
            &["a tf.Example has no steps: derive `ToSequenceExample` and `FromSequenceExample`"],
        ),
    ];
    for (input, expected) in cases {
        assert_eq!(errors(input), *expected, "{input}");
    }
}

#[test]
fn what_is_refused_of_sequences() {
    let cases: &[(&str, &[&str])] = &[
        (
            "struct A { a: i64, #[example(steps, rename = \"a\")] b: Vec<i64>, #[example(steps, default)] c: Vec<f32> }",
            &[],
        ),
        (
            "struct A { #[example(steps)] a: Vec<i64>, #[example(steps, rename = \"a\")] b: Vec<i64> }",
            &["the fields `a` and `b` are both the feature list \"a\""],
        ),
        (
            "struct A { #[example(steps, with = \"m\")] a: Vec<i64> }",
            &["`steps` is for values of features, which `with` does not convert"],
        ),
        (
            "struct A { #[example(flatten, steps)] a: B }",
            &["`flatten` is for a struct, whose features `steps` does not concern"],
        ),
        (
            "struct A { #[example(steps)] a: Vec<f64> }",
            &[
                "a tf.Example has floats of 32 bits: take `f32`, or say `#[example(lossy)]` to have `f64` rounded",
            ],
        ),
    ];
    for (input, expected) in cases {
        assert_eq!(errors_of(input, [to::sequence, from::sequence]), *expected, "{input}");
    }
}

#[test]
fn an_error_points_at_what_is_wrong() {
    let input: TokenStream = "struct A { good: i64, bad: Vec<f64> }".parse().unwrap();
    let error = expand(input, "::example_codec", to::implementation).err().unwrap();
    let (start, end) = (error.span().start(), error.span().end());
    assert_eq!((start.column, end.column), (27, 35));
}

#[test]
fn cases_of_names() {
    let names = Case::ALL.map(|(_, case)| case.apply("image_format_2"));
    assert_eq!(
        names,
        [
            "image_format_2",
            "IMAGE_FORMAT_2",
            "ImageFormat2",
            "imageFormat2",
            "image_format_2",
            "IMAGE_FORMAT_2",
            "image-format-2",
            "IMAGE-FORMAT-2"
        ]
    );
}
