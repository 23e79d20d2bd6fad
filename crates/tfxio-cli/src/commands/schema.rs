//! `tfxio schema`: the features of a data set.

use std::io::Write as _;

use tfxio::example_codec::{FeatureKind, FeatureStatistics};
use tfxio::{ExampleTfxIo, Sample};

use crate::Done;
use crate::args::{Layout, Schema};
use crate::json::Object;
use crate::output::Output;
use crate::progress::Progress;
use crate::table::{Table, count};

pub(crate) fn run(args: &Schema) -> Done {
    let dataset = ExampleTfxIo::builder(args.files.iter().map(String::as_str)).build()?;
    let sample = args.records.map_or(Sample::All, Sample::First);
    let progress = Progress::new(dataset.bytes(), "reading");
    let seen = dataset.infer(sample, |records, bytes| progress.set(bytes, records));
    progress.finish();
    let seen = seen?;

    let mut out = Output::new();
    match args.format {
        Layout::Table => {
            let mut table = Table::new(["feature", "kind", "values", "present", "Arrow"]);
            for feature in seen.features() {
                table.push(vec![
                    feature.name.to_owned(),
                    feature.kind.map_or("none", FeatureKind::name).to_owned(),
                    values(&feature),
                    present(feature.present, seen.records()),
                    arrow(feature.kind).to_owned(),
                ]);
            }
            table.write(&mut out)?;
            let files = dataset.files().len();
            let of = if args.records.is_some_and(|most| most <= seen.records()) { "the first " } else { "" };
            let plural = if files == 1 { "file" } else { "files" };
            writeln!(out, "{of}{} records of {files} {plural}", count(seen.records()))?;
        }
        Layout::Json => {
            for feature in seen.features() {
                let mut line = String::new();
                let mut object = Object::new(&mut line);
                object.text("name", Some(feature.name));
                object.text("kind", feature.kind.map(FeatureKind::name));
                object.text("arrow", Some(arrow(feature.kind)));
                object.number("present", feature.present);
                object.number("records", seen.records());
                object.number("values", feature.values);
                object.number("min_values", feature.min_values);
                object.number("max_values", feature.max_values);
                object.finish();
                writeln!(out, "{line}")?;
            }
        }
    }
    Ok(out.finish()?)
}

fn values(feature: &FeatureStatistics<'_>) -> String {
    match (feature.min_values, feature.max_values) {
        (min, max) if min == max => count(min),
        (min, max) => format!("{} to {}", count(min), count(max)),
    }
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
