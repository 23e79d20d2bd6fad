//! Round trips of every kind of records through every pair of formats, compared with the guide.
//!
//! Formats and kinds are listed once, and every cell is made of them: from a file of the one format to one of the
//! other, and back. The records are the same afterwards, or the conversion reports the loss, or refuses with the words
//! in this file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use arrow_array::RecordBatch;
use serde_json::Value;
use tfxio::convert::{Conversion, ConversionBuilder};
use tfxio::example_codec::{Example, Feature, SequenceExample};
use tfxio::prelude::*;
use tfxio::tfrecord_io::FileWriter;
use tfxio::{OpenOptions, OptionValue};

use crate::pairs::has_table;
use crate::run::{json_lines, path, root, tfxio};

/// The formats that can be written, by the endings of their files.
const FORMATS: [&str; 7] = ["tfrecord", "avro", "parquet", "arrow", "arrows", "csv", "jsonl"];

/// A kind of records.
struct Kind {
    name: &'static str,
    /// Makes a file of them in a folder, and returns its name and the options to read it with.
    make: fn(&tempfile::TempDir) -> (String, Flags),
    /// Options for its records in TFRecord files, on the way there and back.
    in_records: &'static [(&'static str, &'static str)],
    /// Whether features become plain columns where that loses nothing.
    is_scalar: bool,
}

type Flags = Vec<(&'static str, OptionValue)>;

const KINDS: [Kind; 8] = [
    Kind { name: "tf.Example", make: examples, in_records: &[], is_scalar: false },
    Kind { name: "tf.Example of single values", make: single_values, in_records: &[], is_scalar: true },
    Kind { name: "tf.SequenceExample", make: sequences, in_records: &[], is_scalar: false },
    Kind {
        name: "tf.SequenceExample without a context",
        make: only_steps,
        in_records: &[],
        is_scalar: false,
    },
    Kind { name: "messages", make: messages, in_records: MESSAGES, is_scalar: false },
    Kind { name: "raw records", make: raw, in_records: &[("records", "raw")], is_scalar: false },
    Kind {
        name: "raw records of UTF-8",
        make: raw_texts,
        in_records: &[("records", "raw")],
        is_scalar: false,
    },
    Kind { name: "columns of key expressions", make: keys, in_records: &[], is_scalar: false },
];

const MESSAGES: &[(&str, &str)] = &[
    ("records", "proto"),
    ("descriptor", concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/messages/rides.proto")),
    ("message", "rides.Ride"),
];

fn write(folder: &tempfile::TempDir, records: impl IntoIterator<Item = Vec<u8>>) -> (String, Flags) {
    let file = path(folder, "made.tfrecord");
    let mut writer = FileWriter::create(&file).unwrap();
    records.into_iter().for_each(|record| writer.write(&record).unwrap());
    writer.finish().unwrap();
    (file, Vec::new())
}

fn empty_of_each_kind() -> [Feature; 3] {
    [Feature::Int64(vec![]), Feature::Float(vec![]), Feature::Bytes(vec![])]
}

/// Features of each kind: several values, one, none, not set, absent, and an empty list of another kind.
fn examples(folder: &tempfile::TempDir) -> (String, Flags) {
    let full = Example::new()
        .int64("ints", [i64::MIN, 0, i64::MAX])
        .float("floats", [0.1, -0.0, f32::INFINITY])
        .bytes("strings", [&b"\xff\x00"[..], b"", b"text"])
        .int64("always empty", [0_i64; 0]);
    let one = Example::new().int64("ints", [7]).float("floats", [1.5]).bytes("strings", [b"x"]);
    let others = empty_of_each_kind().into_iter().map(|empty| {
        let features = ["ints", "floats", "strings", "always empty"].map(|name| (name, empty.clone()));
        features.into_iter().collect::<Example>()
    });
    let unset = Example::new().feature("ints", Feature::Unset).int64("sometimes", [1]);
    let records =
        [full.clone(), one, unset, Example::new().int64("sometimes", [2])].into_iter().chain(others);
    write(folder, records.chain([full]).map(|record| record.to_vec()))
}

fn single_values(folder: &tempfile::TempDir) -> (String, Flags) {
    let records = (0..4_i64).map(|row| {
        let record = Example::new().int64("int", [row - 2]).float("float", [row as f32 / 4.0]);
        let record = record.bytes("text", [format!("é {row}")]).bytes("category", ["a"]);
        if row == 1 { record } else { record.int64("sometimes", [row]) }
    });
    write(folder, records.map(|record| record.to_vec()))
}

/// Feature lists: of each kind, without steps, with steps that are empty, not set, or of another kind without values; absent.
fn steps(context: Example) -> Vec<SequenceExample> {
    let [ints, floats, strings] = empty_of_each_kind();
    let of = |steps: Vec<Feature>| SequenceExample::new().steps("ints", steps);
    vec![
        of(vec![Feature::int64([1, i64::MIN]), ints.clone(), Feature::Unset, Feature::int64([3])])
            .context(context.clone())
            .steps("floats", [Feature::float([0.1]), floats.clone()])
            .steps("strings", [Feature::bytes([&b"\xff"[..], b""]), Feature::bytes([b"x"])])
            .steps("unset", [Feature::Unset, Feature::Unset]),
        of(vec![]).context(context.clone()).steps("strings", [strings.clone()]),
        of(vec![floats, strings.clone(), Feature::int64([5]), Feature::Unset])
            .steps("floats", [ints, strings]),
        SequenceExample::new().context(context),
        of(vec![Feature::Unset]),
    ]
}

fn sequences(folder: &tempfile::TempDir) -> (String, Flags) {
    let context = Example::new().int64("user", [7]).bytes("tags", ["a", "b"]).float("scores", [0.0; 0]);
    write(folder, steps(context).iter().map(SequenceExample::to_vec))
}

fn only_steps(folder: &tempfile::TempDir) -> (String, Flags) {
    write(folder, steps(Example::new()).iter().map(SequenceExample::to_vec))
}

fn fixture(name: &str) -> String {
    root().join("fixtures").join(name).to_str().unwrap().to_owned()
}

fn of_records(flags: &[(&'static str, &'static str)]) -> Flags {
    flags.iter().map(|(key, value)| (*key, (*value).into())).collect()
}

fn messages(_: &tempfile::TempDir) -> (String, Flags) {
    (fixture("messages/rides.tfrecord"), of_records(MESSAGES))
}

fn raw(_: &tempfile::TempDir) -> (String, Flags) {
    (fixture("tfrecord/mixed-sizes.tfrecord"), of_records(&[("records", "raw")]))
}

fn raw_texts(_: &tempfile::TempDir) -> (String, Flags) {
    (fixture("tfrecord/six-records.tfrecord"), of_records(&[("records", "raw")]))
}

/// Columns of key expressions of a nested Avro file: of one value, and of lists of one and of two levels.
fn keys(folder: &tempfile::TempDir) -> (String, Flags) {
    let rows = r#"{"id": 1, "name": {"first": "A"}, "friends": [{"age": 1, "tags": ["x", "y"]}, {"age": 2, "tags": []}]}
{"id": 2, "name": {"first": ""}, "friends": []}
{"id": 3, "name": {"first": "é"}, "friends": [{"age": -5, "tags": ["z"]}]}
"#;
    let (lines, avro) = (path(folder, "nested.jsonl"), path(folder, "nested.avro"));
    std::fs::write(&lines, rows).unwrap();
    Conversion::builder([lines.as_str()], &avro).build().unwrap().run(|_| {}).unwrap();
    let keys = ["id", "first=name.first", "friends[*].age", "friends[*].tags[*]"];
    (avro, vec![("keys", keys.map(str::to_owned).to_vec().into())])
}

/// Sets the options of one conversion.
fn with(mut builder: ConversionBuilder, flags: &Flags) -> ConversionBuilder {
    for (key, value) in flags {
        builder = builder.set(key, value.clone()).unwrap();
    }
    builder
}

impl Kind {
    /// Returns the options for reading or writing its records in these files.
    fn flags(&self, files: [&str; 2]) -> Flags {
        let is_in_records = files.iter().any(|file| file.ends_with(".tfrecord"));
        if is_in_records { of_records(self.in_records) } else { Vec::new() }
    }

    /// Converts; returns the columns of which something is lost, each with what.
    fn convert(&self, from: &str, to: &str, flags: &Flags) -> tfxio::Result<Vec<(String, String)>> {
        let is_scalar = self.is_scalar && from.ends_with(".tfrecord") && !to.ends_with(".tfrecord");
        let builder = Conversion::builder([from], to).scalars(is_scalar).text(is_scalar);
        let summary = with(builder, flags).build()?.run(|_| {})?;
        Ok(summary.losses.into_iter().map(|loss| (loss.column, loss.what)).collect())
    }

    /// The columns of a file, and its rows as JSON by column.
    fn read(&self, folder: &tempfile::TempDir, file: &str) -> (RecordBatch, BTreeMap<String, Vec<Value>>) {
        let flags = self.flags([file, ""]);
        let mut options = OpenOptions::new().prefer("layout", "plain");
        for (key, value) in &flags {
            options = options.set(key, value.clone()).unwrap();
        }
        let mut batches = options.open(file).unwrap().read(ScanRequest::new()).unwrap();
        let batch = batches.next().unwrap().unwrap();
        assert!(batches.next().is_none(), "few rows are one batch");
        let shown = path(folder, "shown.jsonl");
        with(Conversion::builder([file], &shown), &flags).build().unwrap().run(|_| {}).unwrap();
        let mut columns = BTreeMap::<_, Vec<_>>::new();
        for (number, row) in json_lines(&std::fs::read_to_string(shown).unwrap()).into_iter().enumerate() {
            for field in batch.schema().fields() {
                let value = row.get(field.name()).cloned().unwrap_or_default();
                columns.entry(field.name().clone()).or_default().push(value);
            }
            assert!(number < batch.num_rows());
        }
        (batch, columns)
    }
}

/// Outcome of a round trip of records from a file of one format through another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Same,
    OtherTypes,
    Said,
    Refused,
    /// The first format holds no such records.
    NotHeld,
}

impl Outcome {
    /// The word of the guide.
    fn word(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::OtherTypes => "other types",
            Self::Said => "said",
            Self::Refused => "error",
            Self::NotHeld => "–",
        }
    }
}

/// Refused conversions: the kind of records, the format that is written, and the words. Each occurs, and nothing else
/// is refused.
const REFUSED: [(&str, &str, &str); 7] = [
    (
        "tf.Example",
        "csv",
        "column \"always empty\": the list is empty, which a cell cannot tell from one that is missing",
    ),
    (
        "tf.SequenceExample",
        "csv",
        "column \"##SEQUENCE##.floats\": the format csv does not take a column of the type LargeList(",
    ),
    (
        "tf.SequenceExample without a context",
        "csv",
        "column \"##SEQUENCE##.floats\": the format csv does not take a column of the type LargeList(",
    ),
    ("messages", "csv", "column \"stops\": the format csv does not take a column of the type LargeList("),
    ("raw records", "csv", "column \"raw_record\": the bytes are not UTF-8, and CSV is text"),
    (
        "columns of key expressions",
        "csv",
        "column \"friends[*].tags[*]\": the format csv does not take a column of the type LargeList(LargeList(",
    ),
    (
        "columns of key expressions",
        "tfrecord",
        "column \"friends[*].tags[*]\": the format tfrecord does not take a column of the type LargeList(LargeList(",
    ),
];

/// Checks that an error is among the known ones, and notes it.
fn refuse(kind: &Kind, to: &str, error: &tfxio::Error, met: &mut BTreeSet<usize>) {
    let is_known = |(name, format, _): &(&str, &str, &str)| *name == kind.name && *format == to;
    let known = REFUSED.iter().position(is_known);
    let text = error.to_string();
    let words = known.and_then(|at| REFUSED.get(at)).map(|(.., words)| *words);
    assert!(words.is_some_and(|words| text.contains(words)), "{} to {to}: {text}", kind.name);
    assert!(error.hint().is_some(), "what can be done: {text}");
    met.extend(known);
}

fn there_and_back(kind: &Kind, from: &str, to: &str, met: &mut BTreeSet<usize>) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let (made, read_with) = (kind.make)(&folder);
    let at = |name: String| path(&folder, &name);
    let (first, there, back) =
        (at(format!("a.{from}")), at(format!("there.{to}")), at(format!("back.{from}")));
    // As this format writes what there is: what it cannot hold is refused here, and no file of it can be converted.
    let more = kind.flags([&made, &first]).into_iter();
    let is_new = |(key, _): &(&str, OptionValue)| read_with.iter().all(|(known, _)| known != key);
    let flags = read_with.iter().cloned().chain(more.filter(is_new)).collect();
    if let Err(error) = kind.convert(&made, &first, &flags) {
        refuse(kind, from, &error, met);
        return Outcome::NotHeld;
    }
    let mut losses = Vec::new();
    for (read, written, format) in [(&first, &there, to), (&there, &back, from)] {
        match kind.convert(read, written, &kind.flags([read, written])) {
            Ok(lost) => losses.extend(lost),
            Err(error) => {
                refuse(kind, format, &error, met);
                assert!(!Path::new(written).exists(), "nothing is left of it");
                return Outcome::Refused;
            }
        }
    }
    let ((before, rows), (after, rows_after)) = (kind.read(&folder, &first), kind.read(&folder, &back));
    assert_eq!(after.num_rows(), before.num_rows());
    let is_same = before.schema().fields() == after.schema().fields() && before.columns() == after.columns();
    for (name, values) in &rows {
        let within = format!("{name}.");
        let is_said = losses.iter().any(|(column, _)| column == name || column.starts_with(&within));
        let found = rows_after.get(name).map(|values| values.iter().map(in_a_cell).collect::<Vec<_>>());
        let values = values.iter().map(in_a_cell).collect::<Vec<_>>();
        // Nothing is lost without a word.
        assert!(
            is_same || is_said || found.as_ref() == Some(&values),
            "{} {from} {to} {name}: {values:?}, {found:?}",
            kind.name
        );
    }
    match (losses.is_empty(), is_same) {
        (false, _) => Outcome::Said,
        (true, true) => Outcome::Same,
        (true, false) => Outcome::OtherTypes,
    }
}

/// A list of one value is what a cell of CSV has for it: the value.
fn in_a_cell(value: &Value) -> Value {
    match value {
        Value::Array(values) if values.len() == 1 && !values[0].is_array() => values[0].clone(),
        other => other.clone(),
    }
}

#[test]
fn the_guide_says_what_comes_back_of_every_kind() {
    let mut met = BTreeSet::new();
    let mut table = format!(
        "| records | from | {} |\n| --- | --- |{}\n",
        FORMATS.join(" | "),
        " --- |".repeat(FORMATS.len())
    );
    for kind in &KINDS {
        // Formats of which the same comes back from everywhere have one line.
        let mut lines: Vec<(Vec<&str>, [Outcome; FORMATS.len()])> = Vec::new();
        for from in FORMATS {
            let outcomes = FORMATS.map(|to| there_and_back(kind, from, to, &mut met));
            match lines.iter_mut().find(|(_, known)| *known == outcomes) {
                Some((formats, _)) => formats.push(from),
                None => lines.push((vec![from], outcomes)),
            }
        }
        for (formats, outcomes) in lines {
            let outcomes = outcomes.map(Outcome::word).join(" | ");
            let _ = writeln!(table, "| {} | {} | {outcomes} |", kind.name, formats.join(", "));
        }
    }
    let unmet = (0..REFUSED.len()).filter(|at| !met.contains(at)).map(|at| REFUSED[at]).collect::<Vec<_>>();
    assert!(unmet.is_empty(), "not refused: {unmet:?}");
    has_table("kinds", &table);
}

/// The files of the repository, by the command itself: from the one format to the other and back.
#[test]
fn feature_lists_come_back_from_every_format_that_holds_them() {
    const SESSIONS: &str = "fixtures/tensors/sessions.tfrecord";
    let rows = |file: &str| tfxio(["head", file, "-n", "100", "--format", "json"]).ok();
    let folder = tempfile::tempdir().unwrap();
    for (number, ending) in FORMATS.into_iter().filter(|ending| *ending != "csv").enumerate() {
        let (there, back) =
            (path(&folder, &format!("s.{ending}")), path(&folder, &format!("{number}.tfrecord")));
        tfxio(["convert", SESSIONS, &there]).ok();
        tfxio(["convert", &there, &back]).ok();
        assert_eq!(rows(&back), rows(SESSIONS), "{ending}");
        assert!(
            tfxio(["schema", &back]).ok().contains("##SEQUENCE##.clicks   int64_list  1 to 3"),
            "{ending}"
        );
        // Under another name, there and back.
        let named = path(&folder, &format!("named.{ending}"));
        tfxio(["convert", SESSIONS, &named, "--sequence-column", "lists"]).ok();
        tfxio(["convert", &named, &back, "--sequence-column", "lists"]).ok();
        assert_eq!(rows(&back), rows(SESSIONS), "{ending}, lists");
    }
}
