//! Tables of the features that were seen.

use std::io::Write as _;

use tfxio::Inferred;
use tfxio::example_codec::{FeatureKind, FeatureStatistics, SequenceFeatureStatistics};

use crate::Done;
use crate::args::Schema;
use crate::json::Object;
use crate::output::Output;
use crate::table::{Table, count};

/// A line a feature, and how many records there were.
pub(super) fn table(args: &Schema, seen: &Inferred) -> Done {
    let (table, records) = match seen {
        Inferred::Example(seen) => {
            let mut table = Table::new(["feature", "kind", "values", "present", "Arrow"]);
            for feature in seen.features() {
                table.push(context(&feature, seen.records(), None));
            }
            (table, seen.records())
        }
        Inferred::SequenceExample(seen) => {
            let mut table = Table::new(["feature", "kind", "steps", "values", "present", "Arrow"]);
            for feature in seen.context_features() {
                table.push(context(&feature, seen.records(), Some(String::new())));
            }
            for feature in seen.sequence_features() {
                table.push(vec![
                    format!("{}.{}", args.records.sequence_column, feature.name),
                    kind(feature.kind).to_owned(),
                    range(feature.min_steps, feature.max_steps),
                    range(feature.min_values, feature.max_values),
                    present(feature.present, seen.records()),
                    steps(feature.kind),
                ]);
            }
            (table, seen.records())
        }
        _ => return Ok(()),
    };
    let mut out = Output::new();
    table.write(&mut out)?;
    let files = tfxio::expand_files(&args.files)?.len();
    let of = if args.sample.is_some_and(|most| most <= records) { "the first " } else { "" };
    let plural = if files == 1 { "file" } else { "files" };
    writeln!(out, "{of}{} records of {files} {plural}", count(records))?;
    Ok(out.finish()?)
}

fn context(feature: &FeatureStatistics<'_>, records: u64, steps: Option<String>) -> Vec<String> {
    let mut row = vec![feature.name.to_owned(), kind(feature.kind).to_owned()];
    row.extend(steps);
    row.extend([
        range(feature.min_values, feature.max_values),
        present(feature.present, records),
        arrow(feature.kind).to_owned(),
    ]);
    row
}

/// An object a feature.
pub(super) fn json(args: &Schema, seen: &Inferred) -> Done {
    let mut out = Output::new();
    match seen {
        Inferred::Example(seen) => {
            for feature in seen.features() {
                writeln!(out, "{}", context_json(&feature, seen.records()))?;
            }
        }
        Inferred::SequenceExample(seen) => {
            for feature in seen.context_features() {
                writeln!(out, "{}", context_json(&feature, seen.records()))?;
            }
            for feature in seen.sequence_features() {
                writeln!(out, "{}", list_json(&args.records.sequence_column, &feature, seen.records()))?;
            }
        }
        _ => {}
    }
    Ok(out.finish()?)
}

fn context_json(feature: &FeatureStatistics<'_>, records: u64) -> String {
    let mut line = String::new();
    let mut object = Object::new(&mut line);
    object.text("name", Some(feature.name));
    object.text("kind", feature.kind.map(FeatureKind::name));
    object.text("arrow", Some(arrow(feature.kind)));
    object.number("present", feature.present);
    object.number("records", records);
    object.number("values", feature.values);
    object.number("min_values", feature.min_values);
    object.number("max_values", feature.max_values);
    object.finish();
    line
}

/// Steps too; its values are counted by step.
fn list_json(column: &str, feature: &SequenceFeatureStatistics<'_>, records: u64) -> String {
    let mut line = String::new();
    let mut object = Object::new(&mut line);
    object.text("name", Some(&format!("{column}.{}", feature.name)));
    object.text("kind", feature.kind.map(FeatureKind::name));
    object.text("arrow", Some(&steps(feature.kind)));
    object.number("present", feature.present);
    object.number("records", records);
    object.number("steps", feature.steps);
    object.number("min_steps", feature.min_steps);
    object.number("max_steps", feature.max_steps);
    object.number("values", feature.values);
    object.number("min_values", feature.min_values);
    object.number("max_values", feature.max_values);
    object.finish();
    line
}

fn kind(kind: Option<FeatureKind>) -> &'static str {
    kind.map_or("none", FeatureKind::name)
}

fn range(min: u64, max: u64) -> String {
    if min == max { count(min) } else { format!("{} to {}", count(min), count(max)) }
}

fn present(present: u64, records: u64) -> String {
    if present == records {
        return "all".to_owned();
    }
    let share = 100.0 * present as f64 / records.max(1) as f64;
    format!("{} ({share:.1} %)", count(present))
}

/// The type of the column, as the decoder makes it by default.
fn arrow(kind: Option<FeatureKind>) -> &'static str {
    match kind {
        Some(FeatureKind::Bytes) => "large_list<large_binary>",
        Some(FeatureKind::Float) => "large_list<float32>",
        Some(FeatureKind::Int64) => "large_list<int64>",
        None => "null",
    }
}

/// The same for a sequence feature, a list of such lists.
fn steps(kind: Option<FeatureKind>) -> String {
    format!("large_list<{}>", arrow(kind))
}
