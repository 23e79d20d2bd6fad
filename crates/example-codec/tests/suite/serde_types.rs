//! Records of types of serde: what comes back, what the derive reads of them, and what is refused.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;

use example_codec::serde::{from_example, to_example};
use example_codec::{Error, Example, ExampleView, Feature, Kind};
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

fn read<'de, T: Deserialize<'de>>(record: &'de [u8]) -> Result<T, Error> {
    from_example(&ExampleView::parse(record).unwrap())
}

fn comes_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) -> Example {
    let example = to_example(value).unwrap();
    assert_eq!(&read::<T>(&example.to_vec()).unwrap(), value);
    example
}

/// Returns the text of the error, its place included.
fn refused<T: Serialize>(value: &T) -> String {
    let error = to_example(value).unwrap_err();
    assert_eq!(error.detail::<Kind>(), Some(&Kind::InvalidValue));
    error.to_string()
}

fn unread<T: DeserializeOwned + Debug>(example: &Example) -> String {
    read::<T>(&example.to_vec()).unwrap_err().to_string()
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Suit {
    Hearts,
    Spades,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Meters(f32);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Everything {
    flag: bool,
    tiny: u8,
    small: i16,
    large: u64,
    half: f32,
    whole: f64,
    text: String,
    sign: char,
    raw: Vec<u8>,
    hash: [u8; 3],
    suit: Suit,
    height: Meters,
    flags: Vec<bool>,
    numbers: Vec<i64>,
    weights: (f32, f32),
    names: Vec<String>,
    images: Vec<Vec<u8>>,
    heights: Vec<Meters>,
    suits: Vec<Suit>,
    perhaps: Option<i32>,
    perhaps_many: Option<Vec<u16>>,
}

fn everything() -> impl Strategy<Value = Everything> {
    let numbers = (any::<bool>(), any::<u8>(), any::<i16>(), 0..=i64::MAX as u64, -1e9f32..1e9, -1e9f32..1e9);
    let texts = (".{0,5}", any::<char>(), any::<Vec<u8>>(), any::<[u8; 3]>(), any::<bool>());
    let lists = (
        any::<Vec<bool>>(),
        any::<Vec<i64>>(),
        prop::collection::vec(".{0,3}", 0..4),
        prop::collection::vec(any::<Vec<u8>>(), 0..4),
        prop::collection::vec(-1e9f32..1e9, 0..4),
        any::<Option<i32>>(),
        any::<Option<(u16, Vec<u16>)>>(),
    );
    (numbers, texts, lists).prop_map(|(numbers, texts, lists)| {
        let suit = |is_red: bool| if is_red { Suit::Hearts } else { Suit::Spades };
        Everything {
            flag: numbers.0,
            tiny: numbers.1,
            small: numbers.2,
            large: numbers.3,
            half: numbers.4,
            whole: f64::from(numbers.5),
            text: texts.0,
            sign: texts.1,
            raw: texts.2,
            hash: texts.3,
            suit: suit(texts.4),
            height: Meters(numbers.4),
            suits: lists.0.iter().map(|is_red| suit(*is_red)).collect(),
            flags: lists.0,
            numbers: lists.1,
            weights: (numbers.4, numbers.5),
            names: lists.2,
            images: lists.3,
            heights: lists.4.into_iter().map(Meters).collect(),
            perhaps: lists.5,
            perhaps_many: lists.6.map(|(first, mut rest)| {
                rest.push(first);
                rest
            }),
        }
    })
}

proptest! {
    #[test]
    fn values_come_back(value in everything()) {
        comes_back(&value);
    }

    /// Reading ends with a value or an error, whatever the record has under the names.
    #[test]
    fn other_features_are_errors(
        value in everything(),
        name in prop::sample::select(vec!["flag", "tiny", "text", "sign", "raw", "hash", "suit", "weights", "images", "perhaps"]),
        feature in prop_oneof![
            any::<Vec<i64>>().prop_map(Feature::Int64),
            prop::collection::vec(any::<f32>(), 0..4).prop_map(Feature::Float),
            prop::collection::vec(any::<Vec<u8>>(), 0..4).prop_map(Feature::Bytes),
            Just(Feature::Unset),
        ],
    ) {
        let mut example = to_example(&value).unwrap();
        example.insert(name, feature);
        let record = example.to_vec();
        if let Err(error) = read::<Everything>(&record) {
            prop_assert_eq!(error.position().column.as_deref(), Some(name), "{}", error);
        }
    }
}

#[test]
fn features_are_those_of_the_table() {
    #[derive(Serialize)]
    struct Row<'a> {
        id: &'a str,
        label: u8,
        score: f64,
        raw: &'a [u8],
        lengths: [i32; 2],
        empty: Vec<i64>,
        absent: Option<i64>,
    }
    let row = Row {
        id: "a",
        label: 7,
        score: 0.5,
        raw: b"\xff\x00",
        lengths: [3, -4],
        empty: vec![],
        absent: None,
    };
    let expected = Example::new()
        .bytes("id", [b"a"])
        .int64("label", [7])
        .float("score", [0.5])
        .bytes("raw", [b"\xff\x00"])
        .int64("lengths", [3, -4])
        .feature("empty", Feature::Unset);
    assert_eq!(to_example(&row).unwrap(), expected);
}

#[test]
fn text_and_bytes_are_borrowed() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Row<'a> {
        id: &'a str,
        raw: &'a [u8],
    }
    let record = Example::new().bytes("id", [b"abc"]).bytes("raw", [b"\xff"]).to_vec();
    let row: Row<'_> = read(&record).unwrap();
    assert_eq!(row, Row { id: "abc", raw: b"\xff" });
    assert!(record.as_ptr_range().contains(&row.id.as_ptr()));
    assert!(record.as_ptr_range().contains(&row.raw.as_ptr()));
}

#[test]
fn maps_and_types_without_a_schema_are_records() {
    comes_back(&BTreeMap::from([("a".to_owned(), vec![1_i64, 2]), ("b".to_owned(), vec![3])]));
    let example = Example::new().int64("a", [1, 2]).float("b", [0.5]).bytes("c", ["x", "y"]);
    let map: HashMap<String, serde_json::Value> =
        read(&example.clone().feature("e", Feature::Unset).to_vec()).unwrap();
    assert_eq!(map["a"], serde_json::json!([1, 2]));
    assert_eq!(map["b"], serde_json::json!([0.5]));
    assert_eq!(map["c"], serde_json::json!(["x", "y"]));
    assert_eq!(map["e"], serde_json::json!([]));
    let record = to_example(&serde_json::json!({"a": [1, 2], "b": 0.5, "c": ["x", "y"], "f": null})).unwrap();
    assert_eq!(record, Example::new().int64("a", [1, 2]).float("b", [0.5]).bytes("c", ["x", "y"]));
}

#[test]
fn flattened_fields_are_beside_the_others() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Row {
        id: i64,
        #[serde(flatten)]
        rest: BTreeMap<String, Vec<f32>>,
    }
    let row =
        Row { id: 5, rest: BTreeMap::from([("x".to_owned(), vec![0.5]), ("y".to_owned(), vec![1.5, 2.5])]) };
    assert_eq!(comes_back(&row).len(), 3);
}

#[test]
fn features_that_the_type_does_not_have_are_passed_over() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Row {
        id: i64,
        #[serde(default)]
        label: i64,
    }
    let example = Example::new().int64("id", [5]).float("other", [1.0, 2.0]);
    assert_eq!(read::<Row>(&example.to_vec()).unwrap(), Row { id: 5, label: 0 });
}

#[test]
fn integers_of_other_writers_are_bytes_where_they_fit() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Row {
        raw: Vec<u8>,
    }
    assert_eq!(
        read::<Row>(&Example::new().int64("raw", [1, 255]).to_vec()).unwrap(),
        Row { raw: vec![1, 255] }
    );
    let error = unread::<Row>(&Example::new().int64("raw", [1, 256]));
    assert_eq!(error, "column \"raw\": invalid value: integer `256`, expected u8");
}

fn of<T>(value: T) -> BTreeMap<&'static str, T> {
    BTreeMap::from([("x", value)])
}

#[derive(Serialize)]
struct Nothing;

#[test]
fn what_features_cannot_hold_is_refused() {
    let texts = [
        refused(&of(u64::MAX)),
        refused(&of(0.1)),
        refused(&of(Some(Vec::<i64>::new()))),
        refused(&of(Some(None::<i64>))),
        refused(&of(vec![Some(1), None])),
        refused(&of(vec![vec![1_i64]])),
        refused(&of(vec![vec![vec![1_u8]]])),
        refused(&of((1_i64, 2.0_f32))),
        refused(&of((1_u8, 2_i64))),
        refused(&of((1_i64, 2_u8))),
        refused(&of((1_u8, b"a".to_vec()))),
        refused(&of(of(1_i64))),
        refused(&of(Nothing)),
        refused(&vec![1_i64]),
        refused(&5),
        refused(&BTreeMap::from([(5, 1_i64)])),
        refused(&BTreeMap::from([(("a", "b"), 1_i64)])),
    ];
    let expected = [
        "column \"x\": the integer 18446744073709551615 does not fit the 64 bits, with a sign, of a tf.Example",
        "column \"x\": the 32 bits of a tf.Example's float do not hold 0.1; convert it to an `f32`, which rounds it",
        "column \"x\": an empty list within an `Option` would be read as `None`",
        "column \"x\": `Some(None)` would be read as `None`",
        "column \"x\": a list of a tf.Example has no nulls",
        "column \"x\": a feature has no lists within its list",
        "column \"x\": a feature has no lists within its list",
        "column \"x\": the list has values of several kinds, of which a feature has one; `u8` are bytes, not integers",
        "column \"x\": the list has values of several kinds, of which a feature has one; `u8` are bytes, not integers",
        "column \"x\": the list has values of several kinds, of which a feature has one; `u8` are bytes, not integers",
        "column \"x\": the list has values of several kinds, of which a feature has one; `u8` are bytes, not integers",
        "column \"x\": a feature is a list of values, not a struct or a map; `#[serde(flatten)]` has those within a record",
        "column \"x\": a feature is a list of integers, 32-bit floats or byte strings",
        "a tf.Example is a struct, or a map whose keys are texts",
        "a tf.Example is a struct, or a map whose keys are texts",
        "a tf.Example is a struct, or a map whose keys are texts",
        "a tf.Example is a struct, or a map whose keys are texts",
    ];
    assert_eq!(texts.each_ref().map(String::as_str), expected);
}

#[test]
fn what_does_not_fit_the_type_is_refused() {
    #[derive(Debug, Deserialize)]
    struct Pair {
        _a: i64,
        _b: i64,
    }
    #[derive(Debug, Deserialize)]
    struct Row<T> {
        #[serde(rename = "x")]
        _x: T,
    }
    let int = |values: &[i64]| Example::new().int64("x", values.to_vec());
    let strings = |values: &[&str]| Example::new().bytes("x", values);
    let texts = [
        unread::<Row<i64>>(&Example::new()),
        unread::<Row<i64>>(&int(&[1, 2])),
        unread::<Row<i64>>(&strings(&["1"])),
        unread::<Row<i64>>(&Example::new().feature("x", Feature::Unset)),
        unread::<Row<u8>>(&int(&[256])),
        unread::<Row<bool>>(&int(&[2])),
        unread::<Row<Vec<bool>>>(&int(&[2])),
        unread::<Row<String>>(&Example::new().bytes("x", [b"\xff"])),
        unread::<Row<Suit>>(&strings(&["clubs"])),
        unread::<Row<(i64,)>>(&int(&[1, 2])),
        unread::<Row<(String,)>>(&strings(&["a", "b"])),
        unread::<Row<[u8; 1]>>(&strings(&["abc"])),
        unread::<Row<[u8; 3]>>(&strings(&["a"])),
        unread::<Row<Vec<u8>>>(&strings(&["a", "b"])),
        unread::<Row<Pair>>(&int(&[1, 2])),
        unread::<Row<Vec<Pair>>>(&int(&[1, 2])),
        unread::<Vec<i64>>(&int(&[1, 2])),
    ];
    let expected = [
        "column \"x\": the record lacks the feature; `#[serde(default)]` on the field allows it",
        "column \"x\": the number of values is 2, where 1 is expected",
        "column \"x\": the value is a bytes_list, not an int64_list",
        "column \"x\": the feature has no values, where an int64_list is expected",
        "column \"x\": invalid value: integer `256`, expected u8",
        "column \"x\": the value 2 does not fit `bool`",
        "column \"x\": the value 2 does not fit `bool`",
        "column \"x\": the byte string is not UTF-8, and so bytes, not text: invalid utf-8 sequence of 1 bytes from index 0",
        "column \"x\": unknown variant `clubs`, expected `hearts` or `spades`",
        "column \"x\": the list has 1 value more than the type takes",
        "column \"x\": the list has 1 value more than the type takes",
        "column \"x\": the list has 2 values more than the type takes",
        "column \"x\": invalid length 1, expected an array of length 3",
        "column \"x\": the feature has several byte strings, and a list of `u8` is one",
        "column \"x\": a feature is a list of values, not a struct or a map; `#[serde(flatten)]` has those within a record",
        "column \"x\": a feature is a list of values, not a struct or a map; `#[serde(flatten)]` has those within a record",
        "invalid type: map, expected a sequence",
    ];
    assert_eq!(texts.each_ref().map(String::as_str), expected);
}
