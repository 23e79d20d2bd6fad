//! JSON lines with lists of several depths under one key.

use arrow_array::RecordBatch;
use tfxio_formats::DatasetExt as _;
use tfxio_formats::tfxio_core::{Error, ErrorKind, OptionValue, ScanRequest};

use crate::reading::made;

/// Path to a value in its line.
const POSITIONS: [(&str, &str, &str); 4] = [
    ("{\"id\": 1, \"c\": ", "}", "c"),
    ("{\"id\": 1, \"o\": {\"k\": 1, \"c\": ", "}}", "o.c"),
    ("{\"id\": 1, \"o\": {\"p\": {\"k\": 1, \"c\": ", "}}}", "o.p.c"),
    ("{\"id\": 1, \"o\": [{\"c\": ", "}, {}]}", "o.c"),
];

/// Returns values at a depth of lists, each in `within` more lists of one.
fn nested(values: [&str; 3], depth: usize, within: usize) -> String {
    let leaf = |value: &str| format!("{}{value}{}", "[".repeat(within), "]".repeat(within));
    let [first, second, third] = values.map(leaf);
    match depth {
        0 => first,
        1 => format!("[{first}, {second}, null, {third}]"),
        2 => format!("[[{first}], [{second}, {third}], [], null]"),
        depth => {
            let (before, after) = ("[".repeat(depth - 1), "]".repeat(depth - 1));
            format!("{before}[{first}, {second}], [], [{third}]{after}")
        }
    }
}

const NUMBERS: [&str; 3] = ["1.5", "2.5", "-3.5"];
const TEXTS: [&str; 3] = ["\"a\"", "\"b\"", "\"\""];

fn line(position: (&str, &str, &str), value: &str) -> String {
    format!("{}{value}{}\n", position.0, position.1)
}

fn read(text: &str, options: &[(&str, OptionValue)]) -> Result<RecordBatch, Error> {
    read_columns(text, options, ScanRequest::new())
}

fn read_columns(
    text: &str,
    options: &[(&str, OptionValue)],
    request: ScanRequest,
) -> Result<RecordBatch, Error> {
    let made = made("a.jsonl", text, options);
    let batches = made.dataset?.read(request)?.collect::<Result<Vec<_>, _>>()?;
    Ok(arrow_select::concat::concat_batches(&batches[0].schema(), &batches).unwrap())
}

fn losses(text: &str, options: &[(&str, OptionValue)]) -> Vec<(String, String)> {
    let losses = made("a.jsonl", text, options).dataset().losses();
    losses.into_iter().map(|loss| (loss.column, loss.what)).collect()
}

/// All pairs of depths up to three.
fn pairs() -> impl Iterator<Item = (usize, usize)> {
    (0..4).flat_map(|first| (0..4).map(move |other| (first, other)))
}

#[test]
fn values_are_nested_as_deep_as_the_deepest() {
    for position in POSITIONS {
        for (first, other) in pairs() {
            let deepest = first.max(other).max(1);
            let lines = |is_whole: bool| {
                let within = |depth: usize| if is_whole { deepest - depth } else { 0 };
                let mut text = line(position, &nested(NUMBERS, first, within(first)));
                text += &line(position, "null");
                text += &line(position, "[]");
                text += "{\"id\": 2}\n";
                text + &line(position, &nested(NUMBERS, other, within(other)))
            };
            let (found, expected) = (read(&lines(false), &[]).unwrap(), read(&lines(true), &[]).unwrap());
            assert_eq!(found, expected, "{position:?} {first} {other}");
            let is_said = first != other && deepest > 1;
            let lost = losses(&lines(false), &[]);
            assert_eq!(lost.len(), usize::from(is_said), "{position:?} {first} {other}: {lost:?}");
            assert!(losses(&lines(true), &[]).is_empty());
            for (column, what) in lost {
                assert_eq!(column, position.2.split('.').next().unwrap());
                assert!(what.contains(&format!("under the key {:?}", position.2)), "{what}");
                assert!(what.contains("(first record 0)") && what.contains("(first record 4)"), "{what}");
                assert!(what.contains(&format!("lists of depth {deepest}: ")), "{what}");
            }
        }
    }
}

#[test]
fn values_after_those_that_types_are_inferred_from_are_nested_as_well() {
    for position in POSITIONS {
        for (first, later) in pairs() {
            let deepest = first.max(1);
            let text =
                line(position, &nested(NUMBERS, first, 0)) + &line(position, &nested(NUMBERS, later, 0));
            let few = [("infer_records", 1_u64.into())];
            let found = read(&text, &few);
            if later <= deepest {
                let whole = line(position, &nested(NUMBERS, first, deepest - first))
                    + &line(position, &nested(NUMBERS, later, deepest - later));
                assert_eq!(found.unwrap(), read(&whole, &[]).unwrap(), "{position:?} {first} {later}");
                continue;
            }
            let error = found.unwrap_err().to_string();
            assert!(error.contains("record 1") && error.contains(position.2), "{error}");
            assert!(error.contains("infer the types from more records"), "{error}");
            // As it says.
            read(&text, &[("infer_records", 2_u64.into())]).unwrap();
        }
    }
}

#[test]
fn the_plain_layout_names_both_and_what_reads_them() {
    let plain = [("layout", "plain".into())];
    for position in POSITIONS {
        for (first, other) in pairs() {
            let text =
                line(position, &nested(NUMBERS, first, 0)) + &line(position, &nested(NUMBERS, other, 0));
            let found = read(&text, &plain);
            if first == other {
                found.unwrap();
                continue;
            }
            let error = found.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Malformed);
            let error = error.to_string();
            assert!(error.contains(&format!("column {:?}", position.2)), "{position:?} {error}");
            assert!(error.contains("record 1") && error.contains("(record 0)"), "{error}");
            let depth = first.min(other);
            let at = match depth {
                0 => "the value is ".to_owned(),
                1 => " in a list".to_owned(),
                depth => format!(" in lists of depth {depth}"),
            };
            assert!(error.contains(&at), "{first} {other}: {error}");
            assert!(error.contains("set the option layout to structured"), "{error}");
            read(&text, &[("layout", "structured".into())]).unwrap();
        }
    }
}

#[test]
fn kinds_that_do_not_fit_are_final_at_every_depth() {
    for position in POSITIONS {
        for (first, other) in pairs() {
            for (values, others) in
                [(NUMBERS, TEXTS), (TEXTS, NUMBERS), (NUMBERS, ["true"; 3]), (TEXTS, ["{}"; 3])]
            {
                let text = line(position, &nested(values, first, 0))
                    + &line(position, &nested(others, other, 0))
                    + &line(position, "null");
                for layout in ["structured", "plain"] {
                    let options = [("layout", layout.into())];
                    let error = read(&text, &options).unwrap_err().to_string();
                    assert!(error.contains("record 1") && error.contains("(record 0)"), "{error}");
                    assert!(error.contains(&format!("column {:?}", position.2)), "{error}");
                    assert!(
                        error.ends_with("write one kind of values under a key, or convert without it"),
                        "{layout} {first} {other} {values:?} {others:?}: {error}"
                    );
                    // As it says.
                    let without = read_columns(&text, &options, ScanRequest::new().columns(["id"])).unwrap();
                    assert_eq!(without.num_rows(), 3);
                }
            }
        }
    }
}

#[test]
fn lists_of_several_depths_of_objects_are_final() {
    for (first, other) in
        [("{\"a\": 1}", "[{\"a\": 1}]"), ("[{\"a\": 1}]", "[[{\"a\": 1}]]"), ("[1]", "[[{\"a\": 1}]]")]
    {
        for text in [
            format!("{{\"c\": {first}}}\n{{\"c\": {other}}}\n"),
            format!("{{\"c\": {other}}}\n{{\"c\": {first}}}\n"),
        ] {
            for layout in ["structured", "plain"] {
                let error = read(&text, &[("layout", layout.into())]).unwrap_err().to_string();
                assert!(error.contains("record 1") && error.contains("(record 0)"), "{error}");
                assert!(error.contains("write one kind of values under a key"), "{layout} {text}: {error}");
            }
        }
    }
}
