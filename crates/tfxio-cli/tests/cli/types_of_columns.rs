//! Round trips of every Arrow type through every format that is written, compared with the guide.
//!
//! Types and formats are listed once, and every cell is made of them: a column of Arrow is written in the format, and
//! read back into Arrow. Its values are the same, or the conversion reports the loss and refuses it where nothing may
//! be lost, or it is refused with the name of the column. Values are compared by rules in this test, not by the code
//! that it tests.

mod columns;
mod text;
mod value;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Mutex};

use arrow_array::{Array as _, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use tfxio::convert::{Conversion, Summary};

use self::columns::Column;
use self::value::{Match, Value};
use crate::pairs::has_table;
use crate::run::path;

/// The formats that can be written, by the endings of their files.
const FORMATS: [&str; 7] = ["tfrecord", "avro", "parquet", "arrow", "arrows", "csv", "jsonl"];

/// Outcome of a column's round trip.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// The same values, of another type where one is named.
    Kept {
        as_type: Option<String>,
        is_said: bool,
        match_of: Match,
    },
    /// Other values, which is said.
    Said,
    Refused,
    /// It is written, and reading it back is refused.
    NotRead,
}

impl Outcome {
    /// The words of the guide.
    fn words(&self) -> String {
        let Self::Kept { as_type, is_said, match_of } = self else {
            let words = match self {
                Self::Said => "said",
                Self::NotRead => "error when read",
                _ => "error",
            };
            return words.to_owned();
        };
        let mut words = as_type.clone().unwrap_or_else(|| "same".to_owned());
        words += match match_of {
            Match::Nan => ", any NaN",
            Match::Near => ", rounded",
            _ => "",
        };
        if *is_said {
            words += ", said";
        }
        words
    }
}

fn write(file: &str, field: &Field, column: &ArrayRef) {
    let schema = Arc::new(Schema::new(vec![field.clone()]));
    let batch = RecordBatch::try_new(Arc::clone(&schema), vec![Arc::clone(column)]).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(File::create(file).unwrap(), &schema).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
}

/// Converts; features of examples become plain columns where that loses nothing.
fn convert(from: &str, to: &str, is_lossless: bool) -> tfxio::Result<Summary> {
    let is_records = from.ends_with(".tfrecord");
    let builder = Conversion::builder([from], to).scalars(is_records).text(is_records);
    builder.lossless(is_lossless).build()?.run(|_| {})
}

fn names(column: &str) -> bool {
    column == "c" || column.starts_with("c.") || column.starts_with("c[")
}

/// Returns the outcome of writing a column in a format and reading it back.
///
/// # Errors
/// A fault of the round trip: values that changed without a report, or an error that lacks its column or a hint.
fn there_and_back(
    folder: &tempfile::TempDir,
    format: &str,
    field: &Field,
    column: &ArrayRef,
) -> Result<Outcome, String> {
    let at = |name: &str| path(folder, name);
    let (first, there, back) = (at("first.arrow"), at(&format!("there.{format}")), at("back.arrow"));
    for file in [&there, &back] {
        let _ = std::fs::remove_file(file);
    }
    write(&first, field, column);
    let mut losses = Vec::new();
    for (from, to) in [(&first, &there), (&there, &back)] {
        match convert(from, to, false) {
            Ok(summary) => {
                let mut lost = summary.losses.iter().filter(|loss| names(&loss.column)).peekable();
                if lost.peek().is_some() && convert(from, &at(&format!("lossless.{format}")), true).is_ok() {
                    return Err(format!("{:?} is no error where nothing may be lost", summary.losses));
                }
                losses.extend(lost.map(|loss| loss.what.clone()));
            }
            Err(error) if from == &first => {
                let position = error.position();
                let named = position.column.as_ref().or(position.path.as_ref());
                if !named.is_some_and(|column| names(column)) {
                    return Err(format!("no column: {error}"));
                }
                if error.hint().is_none() {
                    return Err(format!("nothing to do about: {error}"));
                }
                if Path::new(to).exists() {
                    return Err(format!("something is left after: {error}"));
                }
                return Ok(Outcome::Refused);
            }
            // What others read, and this program not, is refused as well.
            Err(error) if error.position().column.is_some() && error.hint().is_some() => {
                return Ok(Outcome::NotRead);
            }
            Err(error) => return Err(format!("is written and not read: {error}")),
        }
        if from == &first && std::fs::metadata(to).is_err() {
            return Err("is not written".to_owned());
        }
    }
    let batch = arrow_ipc::reader::FileReader::try_new(File::open(&back).unwrap(), None).unwrap();
    let schema = batch.schema();
    let batches = batch.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    let rows = batches.iter().map(RecordBatch::num_rows).sum::<usize>();
    if rows != column.len() {
        return Err(format!("{rows} rows of {}", column.len()));
    }
    let mut match_of = Match::Same;
    let mut wrong = None;
    let mut start = 0;
    for batch in &batches {
        for row in 0..batch.num_rows() {
            let was = value::of(column, start + row);
            let found = came_back(batch, row);
            let is = found.as_ref().map_or(Match::Other, |found| found.is(&was));
            // To be near is not to be the same.
            if is >= Match::Near && wrong.is_none() {
                wrong = Some(format!("{was:?} became {found:?} of {schema}"));
            }
            match_of = match_of.max(is);
        }
        start += batch.num_rows();
    }
    let is_said = !losses.is_empty();
    match wrong {
        Some(_) if is_said && match_of == Match::Other => return Ok(Outcome::Said),
        Some(_) if is_said => {}
        Some(wrong) => return Err(wrong),
        None => {}
    }
    let found = schema.field_with_name("c").map(|found| {
        let extension = found.extension_type_name().filter(|name| Some(*name) != field.extension_type_name());
        let lost = field.extension_type_name().is_some() && found.extension_type_name().is_none();
        let is_same = shown(found) == shown(field) && extension.is_none() && !lost;
        (!is_same).then(|| shown(found))
    });
    // A struct that was taken apart.
    let as_type = found.unwrap_or_else(|_| Some("columns".to_owned()));
    Ok(Outcome::Kept { as_type, is_said, match_of })
}

fn shown(field: &Field) -> String {
    field.data_type().to_string()
}

/// The value of a row of what came back: of the column, or of the columns of its fields.
fn came_back(batch: &RecordBatch, row: usize) -> Option<Value> {
    if let Some(column) = batch.column_by_name("c") {
        return Some(value::of(column, row));
    }
    let mut fields = Vec::new();
    for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
        fields.push((field.name().strip_prefix("c.")?.to_owned(), value::of(column, row)));
    }
    (!fields.is_empty()).then_some(Value::Fields(fields))
}

/// Returns everything that comes back of a column in a format: of its common values first, then of others.
fn outcomes(column: &Column, format: &str, faults: &mut Vec<String>) -> Vec<Outcome> {
    let folder = tempfile::tempdir().unwrap();
    let mut found = Vec::new();
    let each = (0..column.extreme.len()).map(|row| column.extreme.slice(row, 1));
    let each = each.filter(|values| !matches!(value::of(values, 0), Value::Null));
    for values in [Arc::clone(&column.common), Arc::clone(&column.extreme)].into_iter().chain(each) {
        match there_and_back(&folder, format, &column.field, &values) {
            Ok(outcome) if !found.contains(&outcome) => found.push(outcome),
            Ok(_) => {}
            Err(fault) => {
                let values = (0..values.len()).map(|row| value::of(&values, row)).collect::<Vec<_>>();
                let mut values = format!("{values:?}");
                values.truncate(values.char_indices().nth(200).map_or(values.len(), |(end, _)| end));
                faults.push(format!("{} to {format}: {values}: {fault}", column.name));
            }
        }
    }
    found
}

fn cell(outcomes: &[Outcome]) -> String {
    let mut found: Vec<Outcome> = Vec::new();
    for outcome in outcomes {
        let like = |known: &&mut Outcome| match (known, outcome) {
            (
                Outcome::Kept { as_type, is_said, .. },
                Outcome::Kept { as_type: other, is_said: is_other, .. },
            ) => as_type == other && is_said == is_other,
            _ => false,
        };
        // What is so of some values, such as NaN, stands for all of the type.
        match found.iter_mut().find(like) {
            Some(known) => *known = known.clone().max(outcome.clone()),
            None => found.push(outcome.clone()),
        }
    }
    found.sort();
    found.iter().map(Outcome::words).collect::<Vec<_>>().join(" or ")
}

/// Does something with each of some things, on two threads; returns the results in order.
fn of_each<T: Sync, R: Send>(things: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (next, results) = (Mutex::new(0..things.len()), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(at) = { next.lock().unwrap().next() } {
                    let result = work(&things[at]);
                    results.lock().unwrap().insert(at, result);
                }
            });
        }
    });
    results.into_inner().unwrap().into_values().collect()
}

#[test]
fn the_guide_says_what_comes_back_of_every_type() {
    let columns = columns::all();
    let made = of_each(&columns, |column| {
        let mut faults = Vec::new();
        let cells = FORMATS.map(|format| cell(&outcomes(column, format, &mut faults)));
        (cells, faults)
    });
    let faults = made.iter().flat_map(|(_, faults)| faults.iter().map(String::as_str)).collect::<Vec<_>>();
    // Types of which the same comes back from every format have one line.
    let mut lines: Vec<(Vec<&str>, [String; FORMATS.len()])> = Vec::new();
    for (column, (cells, _)) in columns.iter().zip(&made) {
        match lines.iter_mut().find(|(_, known)| known == cells) {
            Some((names, _)) => names.push(&column.name),
            None => lines.push((vec![&column.name], cells.clone())),
        }
    }
    let mut table =
        format!("| type | {} |\n| --- |{}\n", FORMATS.join(" | "), " --- |".repeat(FORMATS.len()));
    for (names, cells) in lines {
        let _ = writeln!(table, "| {} | {} |", names.join(", "), cells.join(" | "));
    }
    assert!(faults.is_empty(), "{table}\n{} faults\n{}", faults.len(), faults.join("\n"));
    has_table("types", &table);
}

/// Returns the number of a family of types, from 0 on.
fn family(data_type: &DataType) -> usize {
    match data_type {
        DataType::Null => 0,
        DataType::Boolean => 1,
        DataType::Int8 => 2,
        DataType::Int16 => 3,
        DataType::Int32 => 4,
        DataType::Int64 => 5,
        DataType::UInt8 => 6,
        DataType::UInt16 => 7,
        DataType::UInt32 => 8,
        DataType::UInt64 => 9,
        DataType::Float16 => 10,
        DataType::Float32 => 11,
        DataType::Float64 => 12,
        DataType::Timestamp(..) => 13,
        DataType::Date32 => 14,
        DataType::Date64 => 15,
        DataType::Time32(_) => 16,
        DataType::Time64(_) => 17,
        DataType::Duration(_) => 18,
        DataType::Interval(_) => 19,
        DataType::Binary => 20,
        DataType::FixedSizeBinary(_) => 21,
        DataType::LargeBinary => 22,
        DataType::BinaryView => 23,
        DataType::Utf8 => 24,
        DataType::LargeUtf8 => 25,
        DataType::Utf8View => 26,
        DataType::List(_) => 27,
        DataType::ListView(_) => 28,
        DataType::FixedSizeList(..) => 29,
        DataType::LargeList(_) => 30,
        DataType::LargeListView(_) => 31,
        DataType::Struct(_) => 32,
        DataType::Union(..) => 33,
        DataType::Dictionary(..) => 34,
        DataType::Decimal32(..) => 35,
        DataType::Decimal64(..) => 36,
        DataType::Decimal128(..) => 37,
        DataType::Decimal256(..) => 38,
        DataType::Map(..) => 39,
        DataType::RunEndEncoded(..) => 40,
    }
}

/// A type that Arrow has one day does not compile here before it has a number, and fails before it has a line in the table.
#[test]
fn no_type_is_left_out() {
    let found = columns::all().iter().map(|column| family(column.field.data_type())).collect::<BTreeSet<_>>();
    assert!(found.iter().copied().eq(0..=40), "{found:?}");
}

/// Every type within another: nothing is lost without a word there, either.
#[test]
fn nothing_of_a_type_within_another_is_lost_without_a_word() {
    let columns = columns::all();
    let faults = of_each(&columns, |column| {
        let folder = tempfile::tempdir().unwrap();
        let (common, field) = (&column.common, &column.field);
        let mut within = vec![
            ("a list", columns::lists_of(field, common)),
            ("a struct", columns::structs_of(field, common)),
            ("a map", columns::maps_of(field, common)),
        ];
        if !matches!(common.data_type(), DataType::Null | DataType::Union(..)) {
            within.push(("runs", columns::runs_of(common)));
            if !matches!(common.data_type(), DataType::Dictionary(..)) {
                within.push(("a dictionary", columns::dictionary_of(&column.name, common)));
            }
        }
        let mut faults = Vec::new();
        for (name, values) in within {
            let field = Field::new("c", values.data_type().clone(), true);
            for format in FORMATS {
                if let Err(fault) = there_and_back(&folder, format, &field, &values) {
                    faults.push(format!("{} in {name} to {format}: {fault}", column.name));
                }
            }
        }
        faults
    });
    let faults = faults.into_iter().flatten().collect::<Vec<_>>();
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}
