//! JSON that is accepted, and errors about the rest.

use proptest::prelude::*;

use super::{Data, Located, Value};
use crate::error::Locate as _;
use crate::{Error, Kind};

fn data(text: &str) -> Data {
    Value::parse(text).unwrap().data
}

#[test]
fn values_and_comments_are_read() {
    for (text, expected) in [
        ("null", Data::Null),
        (" true // yes", Data::Bool(true)),
        ("// no\n\r\n\tfalse", Data::Bool(false)),
        ("0", Data::Int(0)),
        ("-0", Data::Int(0)),
        ("-17", Data::Int(-17)),
        ("170141183460469231731687303715884105727", Data::Int(i128::MAX)),
        ("170141183460469231731687303715884105728", Data::Float(2f64.powi(127))),
        ("2.0", Data::Float(2.0)),
        ("-1.5e-3", Data::Float(-0.0015)),
        ("1E2", Data::Float(100.0)),
        (r#""""#, Data::String(String::new())),
        (r#""a//b""#, Data::String("a//b".to_owned())),
        (r#""\"\\\/\b\f\n\r\t""#, Data::String("\"\\/\u{8}\u{c}\n\r\t".to_owned())),
        (r#""h\u00e9 \ud83D\uDe00 é""#, Data::String("hé 😀 é".to_owned())),
        ("[]", Data::Array(Vec::new())),
        ("{ // nothing\n}", Data::Object(Vec::new())),
    ] {
        assert_eq!(data(text), expected, "{text}");
    }
}

#[test]
fn places_count_lines_and_characters() {
    let text = "{\"é\": 1, // 😀\r\n \"b\":\n[null, \"ö\", 3]}";
    let Data::Object(members) = data(text) else { panic!("no object") };
    let places = members.iter().map(|member| (member.place, member.value.place));
    let places = places.map(|(key, value)| (key.line, key.column, value.line, value.column));
    assert_eq!(places.collect::<Vec<_>>(), [(1, 2, 1, 7), (2, 2, 3, 1)]);
    let Data::Array(items) = &members[1].value.data else { panic!("no list") };
    let columns = items.iter().map(|item| item.place.column).collect::<Vec<_>>();
    assert_eq!(columns, [2, 8, 13]);
}

#[test]
fn what_is_no_json_says_where_and_what() {
    let nested = "[".repeat(65);
    for (text, expected) in [
        ("", "line 1, column 1: the text ends, expected a value"),
        ("\n // nothing\n", "line 3, column 1: the text ends, expected a value"),
        ("nul", "line 1, column 1: found `nul`, expected a value"),
        ("nulls", "line 1, column 1: found `nulls`, expected a value"),
        (
            "True",
            "line 1, column 1: found `True`, expected a value; JSON has true, false, null and finite numbers",
        ),
        (
            "NaN",
            "line 1, column 1: found `NaN`, expected a value; JSON has true, false, null and finite numbers",
        ),
        ("1 2", "line 1, column 3: found `2`, expected the end of the text"),
        ("{}\n{}", "line 2, column 1: found `{`, expected the end of the text"),
        ("[1 2]", "line 1, column 4: found `2`, expected `,` or `]`"),
        ("[1,]", "line 1, column 4: found `]`, expected a value; leave out the comma before it"),
        ("[,]", "line 1, column 2: found `,`, expected a value"),
        ("[1", "line 1, column 3: the text ends, expected `,` or `]`"),
        ("{\"a\": 1,}", "line 1, column 9: found `}`, expected a key; leave out the comma before it"),
        ("{a: 1}", "line 1, column 2: found `a`, expected a key, which is a string"),
        (
            "{'a': 1}",
            "line 1, column 2: found `\\'`, expected a key, which is a string; strings are written \"…\"",
        ),
        ("{\"a\" 1}", "line 1, column 6: found `1`, expected `:`"),
        ("{\"a\": 1 \"b\": 2}", "line 1, column 9: found `\\\"`, expected `,` or `}`"),
        ("{\"a\": }", "line 1, column 7: found `}`, expected a value"),
        (
            "{\"a\": 1,\n \"a\": 2}",
            "line 2, column 2: the key \"a\" stands there twice; leave one of the two out",
        ),
        ("{\"a\": 1", "line 1, column 8: the text ends, expected `,` or `}`"),
        ("1 # one", "line 1, column 3: found `#`, expected the end of the text; comments begin with //"),
        (
            "1 /* one */",
            "line 1, column 3: found `/`, expected a comment; comments begin with // and end with the line",
        ),
        ("\"ab", "line 1, column 4: the text ends, expected the closing `\"` of a string"),
        (
            "\"a\nb\"",
            "line 1, column 3: found `\\n`, expected the closing `\"` of a string; write \\n for a line break and \\t for a tab",
        ),
        (
            "\"é\\x\"",
            "line 1, column 3: this is not a JSON escape; one of \\\", \\\\, \\/, \\b, \\f, \\n, \\r, \\t and \\u with four hexadecimal digits",
        ),
        ("01", "line 1, column 1: this is not a JSON number"),
        ("-", "line 1, column 1: this is not a JSON number"),
        ("1.", "line 1, column 1: this is not a JSON number"),
        ("1e", "line 1, column 1: this is not a JSON number"),
        ("[ 1.5.2]", "line 1, column 3: this is not a JSON number"),
        ("1_000", "line 1, column 1: this is not a JSON number"),
        ("+1", "line 1, column 1: found `+`, expected a value"),
        (".5", "line 1, column 1: found `.`, expected a value"),
        ("-1e999", "line 1, column 1: this number is too large for a float64"),
        (&nested, "line 1, column 65: more than 64 arrays and objects inside each other"),
    ] {
        let error = Value::parse(text).unwrap_err();
        assert_eq!(
            (error.detail(), error.to_string().as_str()),
            (Some(&Kind::InvalidJson), expected),
            "{text}"
        );
    }
    for text in ["\"\\ud800\"", "\"\\udc00\\ud800\"", "\"\\ud800\\u0041\"", "\"\\u12g4\"", "\"\\u12", "\"\\"]
    {
        let error = Value::parse(text).unwrap_err();
        assert!(
            error.to_string().starts_with("line 1, column 2: this is not a JSON escape"),
            "{text}: {error}"
        );
    }
}

#[test]
fn no_prefix_of_a_text_makes_the_parser_panic() {
    let text = "{\"a\": [1, -2.5e3, \"\\u00e9é\"], // c\n \"b\": {\"c\": [true, false, null]}}";
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        assert_eq!(Value::parse(&text[..end]).unwrap_err().detail(), Some(&Kind::InvalidJson), "{end}");
    }
    Value::parse(text).unwrap();
}

#[test]
fn errors_find_the_place_of_their_path() {
    let root = Value::parse("{\n\"a\": [\n{\"b\": 1},\n{}\n],\n\"\": 3}").unwrap();
    let places = Located::new((), &root, Some("c.json".into()));
    let located = |path: &str| places.locate(Error::new(Kind::InvalidValue, "no").at_json(path)).to_string();
    assert_eq!(located("a[0].b"), "c.json, line 3, column 7, `a[0].b`: no");
    assert_eq!(located("a[1].b"), "c.json, line 4, column 1, `a[1].b`: no");
    assert_eq!(located("a[2]"), "c.json, line 2, column 6, `a[2]`: no");
    assert_eq!(located("z.y"), "c.json, line 1, column 1, `z.y`: no");
    assert_eq!(places.locate(Error::new(Kind::Io, "no")).to_string(), "no");
    assert_eq!(Located::from(()).locate(Error::new(Kind::Io, "no").at_json("a")).to_string(), "`a`: no");
}

fn as_serde(value: &Value) -> serde_json::Value {
    match &value.data {
        Data::Null => serde_json::Value::Null,
        Data::Bool(value) => (*value).into(),
        Data::Int(value) => i64::try_from(*value).unwrap().into(),
        Data::Float(value) => (*value).into(),
        Data::String(text) => text.as_str().into(),
        Data::Array(items) => items.iter().map(as_serde).collect(),
        Data::Object(members) => {
            members.iter().map(|member| (member.name.clone(), as_serde(&member.value))).collect()
        }
    }
}

const PIECES: [&str; 27] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ",",
    ":",
    "\"a\"",
    "\"b\"",
    "\"\\u00e9\\n\"",
    "\"\\ud800\"",
    "0",
    "-12",
    "2.5e3",
    "01",
    "1.",
    "true",
    "null",
    "nul",
    " ",
    "\n",
    "\t",
    "é",
    "\"a\":",
    "\"b\":1",
    "[1,2]",
    "{}",
];

/// Texts of fragments of JSON, many of which are JSON.
fn texts() -> impl Strategy<Value = String> {
    let any =
        proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..8).prop_map(|all| all.concat());
    let leaf = proptest::sample::select(&["0", "-12", "2.5e3", "\"a\"", "\"\\u00e9\"", "true", "null"][..]);
    let whole = leaf.prop_map(str::to_owned).prop_recursive(4, 24, 4, |inner| {
        let list = proptest::collection::vec(inner.clone(), 0..4)
            .prop_map(|items| format!("[{}]", items.join(" , ")));
        let names = proptest::collection::vec(("[ab]{1,3}", inner), 0..4);
        let object = names.prop_map(|members| {
            let members = members.iter().map(|(name, value)| format!("\n\"{name}\": {value}"));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        });
        prop_oneof![list, object]
    });
    prop_oneof![any, whole]
}

proptest! {
    /// Without comments, JSON is what serde_json takes for JSON, but for double keys.
    #[test]
    fn json_is_what_another_parser_takes_for_it(text in texts()) {
        match (Value::parse(&text), serde_json::from_str::<serde_json::Value>(&text)) {
            (Ok(ours), theirs) => prop_assert_eq!(as_serde(&ours), theirs.unwrap()),
            (Err(error), Ok(_)) => prop_assert!(error.to_string().contains("stands there twice"), "{}", error),
            (Err(_), Err(_)) => {}
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in ".{0,40}") {
        let _ = Value::parse(&text);
    }
}
