//! Lines that are ignored, and the cost of looking at lines.

use tfxio_core::{Limits, Result};

use super::{Looked, Members, Seen};
use crate::jsonl::parse::Json;

/// Looks at a line, and keeps its kinds if it is whole and fits the lines before it. Returns how many members were visited for that, and
/// the conflicts.
fn push(members: &mut Members, line: &str, wraps: bool, record: u64) -> (usize, Vec<String>) {
    let limits = Limits::default();
    let mut looked = Looked { at: (None, record), ..Looked::new(&limits, wraps) };
    let mut look = || -> Result<()> {
        let mut json = Json::new(line.as_bytes(), &limits)?;
        json.first()?;
        members.push(&mut json, &mut looked)?;
        json.finish()
    };
    let is_whole = look().is_ok();
    let conflicts = looked.conflicts.iter().map(|(column, error)| format!("{column}: {error}"));
    let conflicts = conflicts.collect::<Vec<_>>();
    (members.settle(is_whole && conflicts.is_empty()), conflicts)
}

/// Returns all that is known after lines: types in both layouts, what is said of several depths, and of values of other kinds.
fn known(members: &mut Members, wraps: bool) -> String {
    let types = (members.fields(&Seen::plain), members.fields(&Seen::structured), members.mixed_columns());
    let fits = members.seen().map(Seen::fits_structured).collect::<Vec<_>>();
    let others = ["true", "\"x\"", "1", "[[true]]", "{\"b\": true, \"n\": \"x\"}"].map(|value| {
        let line =
            format!("{{\"a\": {value}, \"b\": {value}, \"o\": {value}, \"l\": [{value}], \"new\": {value}}}");
        let mut members = members.clone();
        push(&mut members, &line, wraps, 99).1
    });
    format!("{types:?} {fits:?} {others:?}")
}

const LINES: [&str; 7] = [
    r#"{"a": 1, "o": {"n": 1}, "l": []}"#,
    r#"{"a": 2.5, "l": [1], "o": null}"#,
    r#"{"b": "x", "o": {"n": "NaN", "m": [{"k": 1}]}, "l": [[2]]}"#,
    r#"{"o": {"m": [{"k": [1, 2], "j": true}, {}]}, "c": {"base64": "AA=="}}"#,
    r#"{"a": "Infinity", "b": {"base64": "AA=="}, "d": [null, [3, [4]]]}"#,
    r#"{"a": [7], "d": 5, "e": {}}"#,
    r#"{"e": {"f": {"g": [[]]}}, "c": "text"}"#,
];

#[test]
fn a_line_that_is_not_whole_leaves_nothing_behind() {
    for wraps in [false, true] {
        for (at, damaged) in LINES.iter().enumerate() {
            for end in 0..damaged.len() {
                let Some(part) = damaged.get(..end) else { continue };
                let (mut with, mut without) = (Members::default(), Members::default());
                for (record, line) in (0..).zip(LINES) {
                    // Before the line that it is a part of, and twice.
                    for _ in (0..2).filter(|_| record == at as u64) {
                        push(&mut with, part, wraps, 50);
                    }
                    push(&mut with, line, wraps, record);
                    push(&mut without, line, wraps, record);
                }
                assert_eq!(known(&mut with, wraps), known(&mut without, wraps), "{part}");
            }
        }
    }
}

#[test]
fn a_line_with_a_value_of_another_kind_leaves_nothing_behind() {
    let odd = [
        r#"{"new": 1, "a": true}"#,
        r#"{"new": 1, "a": {"x": [1]}}"#,
        r#"{"o": {"n": true, "p": [[1]]}, "z": 1}"#,
        r#"{"l": [{"q": 1}, "x"], "new": {"r": [1]}}"#,
        r#"{"y": [1, "x"], "a": [[[true]]]}"#,
    ];
    for wraps in [false, true] {
        for line in odd {
            let (mut with, mut without) = (Members::default(), Members::default());
            for first in LINES.iter().take(2) {
                push(&mut with, first, wraps, 0);
                push(&mut without, first, wraps, 0);
            }
            assert!(!push(&mut with, line, wraps, 1).1.is_empty(), "{line}");
            assert_eq!(known(&mut with, wraps), known(&mut without, wraps), "{line}");
        }
    }
}

#[test]
fn a_new_key_is_gone_over_by_itself() {
    let mut members = Members::default();
    for record in 0..1_000 {
        let (count, _) = push(&mut members, &format!("{{\"id\": 1, \"key_{record}\": 1}}"), false, record);
        assert!(count <= 2, "{count} members for one new key, after {record}");
    }
    assert_eq!(members.seen().count(), 1_001);
    // A line without anything new, and one that is not whole.
    assert_eq!(push(&mut members, r#"{"id": 1, "key_7": 1}"#, false, 1_000).0, 0);
    assert!(push(&mut members, r#"{"other": 1, "id": "#, false, 1_001).0 <= 1);
    assert_eq!(members.seen().count(), 1_001);
}
