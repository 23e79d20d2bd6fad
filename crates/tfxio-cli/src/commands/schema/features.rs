//! Tables of the features that were seen.

use std::io::Write as _;

use tfxio::Inferred;
use tfxio::example_codec::{FeatureKind, FeatureStatistics, SequenceFeatureStatistics};

use crate::Done;
use crate::args::Schema;
use crate::failure::{self, Failure};
use crate::json::Object;
use crate::output::Output;
use crate::table::{Table, count, counted};

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
                    kind(feature.kind, &feature.kinds),
                    range(feature.min_steps, feature.max_steps),
                    range(feature.min_values, feature.max_values),
                    present(feature.present, seen.records()),
                    if feature.is_mixed() { String::new() } else { steps(feature.kind) },
                ]);
            }
            (table, seen.records())
        }
        _ => return Ok(()),
    };
    let mut out = Output::new();
    table.write_fitting(&mut out, "feature")?;
    let files = tfxio::expand_files(&args.files)?.len();
    let of = if args.sample.is_some_and(|most| most <= records) { "the first " } else { "" };
    writeln!(out, "{of}{} of {}", counted(records, "record"), counted(files as u64, "file"))?;
    out.finish()?;
    marked(seen)
}

/// Says which features have several kinds, so that they make no column.
fn marked(seen: &Inferred) -> Done {
    let mixed = seen.all_mixed_kinds();
    for error in &mixed {
        failure::say(format_args!("error: {error}"));
    }
    if mixed.is_empty() { Ok(()) } else { Err(Failure::Reported(failure::DATA)) }
}

fn context(feature: &FeatureStatistics<'_>, records: u64, steps: Option<String>) -> Vec<String> {
    let mut row = vec![feature.name.to_owned(), kind(feature.kind, &feature.kinds)];
    row.extend(steps);
    row.extend([
        range(feature.min_values, feature.max_values),
        present(feature.present, records),
        if feature.is_mixed() { String::new() } else { arrow(feature.kind).to_owned() },
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
    out.finish()?;
    marked(seen)
}

fn context_json(feature: &FeatureStatistics<'_>, records: u64) -> String {
    let mut line = String::new();
    let mut object = Object::new(&mut line);
    object.text("name", Some(feature.name));
    kind_json(&mut object, feature.kind, &feature.kinds, feature.is_mixed(), arrow(feature.kind));
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
    kind_json(&mut object, feature.kind, &feature.kinds, feature.is_mixed(), &steps(feature.kind));
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

/// Of a feature with several kinds `kind` is "mixed", there is no column, and `kinds` counts its records by kind.
fn kind_json(
    object: &mut Object<'_>,
    kind: Option<FeatureKind>,
    kinds: &[u64; FeatureKind::ALL.len()],
    is_mixed: bool,
    arrow: &str,
) {
    if !is_mixed {
        object.text("kind", kind.map(FeatureKind::name));
        object.text("arrow", Some(arrow));
        return;
    }
    object.text("kind", Some("mixed"));
    object.text("arrow", None);
    let mut counts = Object::new(object.key("kinds"));
    for (kind, records) in FeatureKind::ALL.iter().zip(kinds).filter(|(_, records)| **records > 0) {
        counts.number(kind.name(), *records);
    }
    counts.finish();
}

/// The kind, or the records of each.
fn kind(kind: Option<FeatureKind>, kinds: &[u64; FeatureKind::ALL.len()]) -> String {
    let found = FeatureKind::ALL.iter().zip(kinds).filter(|(_, records)| **records > 0).collect::<Vec<_>>();
    if found.len() < 2 {
        return kind.map_or("none", FeatureKind::name).to_owned();
    }
    found.iter().map(|(kind, records)| format!("{kind} {}", count(**records))).collect::<Vec<_>>().join(", ")
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
