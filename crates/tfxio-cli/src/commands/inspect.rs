//! `tfxio inspect`: facts of files by their format, and damage.

use std::io::Write as _;

use tfxio::{Fact, FactValue, FileReport, FileState, LostRange, Total};

use super::for_each_file;
use crate::args::Inspect;
use crate::context::Context;
use crate::failure::{self, Failure, paragraph};
use crate::json::{self, Object};
use crate::output::Output;
use crate::table::{Table, count, counted};
use crate::{Done, progress, verbosity};

pub(crate) fn run(args: &Inspect, context: &Context) -> Done {
    let mut out = Output::new();
    let (mut tables, mut errors): (Vec<Vec<FileReport>>, Vec<String>) = (Vec::new(), Vec::new());
    let _progress = context.watch("looking at", &args.files);
    let done = for_each_file(&args.files, context, |path| {
        progress::title(format!("looking at {path}"));
        let mut worst = 0;
        for report in inspect(path, context)? {
            let texts = texts(&report);
            let code = report.errors.iter().map(failure::exit_code).max().unwrap_or_default();
            if args.shown.is_json() {
                writeln!(out, "{}", json(&report, &texts))?;
                // A reader of the pipe gets each object when it is there.
                out.flush()?;
            } else {
                errors.extend(texts);
                // Files of which nothing is known are listed with the others.
                let fits = |reports: &Vec<FileReport>| {
                    report.facts.is_empty()
                        || reports.first().is_some_and(|first| keys(first).eq(keys(&report)))
                };
                match tables.iter_mut().find(|reports| fits(reports)) {
                    Some(reports) => reports.push(report),
                    None => tables.push(vec![report]),
                }
            }
            worst = worst.max(code);
        }
        if worst == 0 { Ok(()) } else { Err(Failure::Reported(worst)) }
    });
    if let Err(closed @ (Failure::Closed | Failure::Output(_))) = done {
        return Err(closed);
    }
    for (number, reports) in tables.iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        table(reports).write_fitting(&mut out, "file")?;
    }
    out.finish()?;
    for error in errors {
        failure::say(format_args!("error: {error}"));
    }
    done
}

/// Looks into a file. One whose format is not certain has a report, too.
fn inspect(path: &str, context: &Context) -> Result<Vec<FileReport>, Failure> {
    let found = match context.open_options()?.find(path) {
        Ok(found) => found,
        Err(error) if error.kind().is_io() || failure::exit_code(&error) == failure::USAGE => {
            return Err(error.into());
        }
        Err(error) => {
            let mut report = FileReport::new(path);
            report.state = FileState::NotRead;
            report.errors.push(error);
            return Ok(vec![report]);
        }
    };
    verbosity::tell(format_args!("{path}: of the format {}", found.format.name()));
    Ok(found.inspect()?)
}

/// The errors of a file, and the losses after the first, which is an error.
pub(super) fn texts(report: &FileReport) -> Vec<String> {
    let file = &report.file;
    let mut texts = report.errors.iter().map(paragraph).collect::<Vec<_>>();
    texts.extend(report.lost.iter().map(|lost| describe(file, lost)));
    if report.unlisted > 0 {
        texts.push(format!("{file}: {}", counted(report.unlisted, "further damage")));
    }
    texts
}

fn describe(file: &str, lost: &LostRange) -> String {
    let bytes = if lost.compressed { "compressed bytes" } else { "bytes" };
    let (start, end, before) = (lost.start, lost.end, counted(lost.records_before, "good record"));
    let (records, why) = (lost_records(lost), lost.why());
    format!("{file}, {bytes} {start} to {end}, after {before}: lost as well: {records} ({why})")
}

/// Returns the number of lost records, in words.
pub(super) fn lost_records(lost: &LostRange) -> String {
    match lost.records {
        None => "an unknown number of records".to_owned(),
        Some(records) => counted(records, "record"),
    }
}

pub(super) fn json(report: &FileReport, texts: &[String]) -> String {
    let mut out = String::new();
    let mut object = Object::new(&mut out);
    object.text("file", Some(&report.file));
    if report.facts.is_empty() {
        object.text("format", None);
    }
    report.facts.iter().for_each(|each| fact(&mut object, each));
    json::strings(object.key("errors"), texts);
    object.finish();
    out
}

/// Appends a fact as members of an object.
pub(super) fn fact(object: &mut Object<'_>, fact: &Fact) {
    let key = fact.key;
    match &fact.value {
        FactValue::Text(text) => object.text(key, Some(text)),
        FactValue::Count(count) => object.number(key, *count),
        FactValue::Checksum(crc) => object.number(key, (*crc).into()),
        FactValue::Entries(entries) => {
            let mut members = Object::new(object.key(key));
            entries.iter().for_each(|(key, value)| json::bytes(members.key(key), value));
            members.finish();
        }
        FactValue::Counts(counts) => {
            let mut members = Object::new(object.key(key));
            counts.iter().for_each(|(key, count)| members.number(key, *count));
            members.finish();
        }
        FactValue::Range { sum, min, max } => {
            object.number(key, *sum);
            object.number(&format!("min_{key}"), *min);
            object.number(&format!("max_{key}"), *max);
        }
        FactValue::Share { count, of } => {
            object.number(key, *count);
            object.number("records", *of);
        }
        _ => object.text(key, None),
    }
}

/// The keys of the facts of a table: the format shows in what they are, and the checksum of a file is for `verify`.
fn keys(report: &FileReport) -> impl Iterator<Item = &'static str> {
    report.facts.iter().map(|fact| fact.key).filter(|key| !matches!(*key, "format" | "crc32_of_file"))
}

/// A line a file, and the sums of several.
fn table(reports: &[FileReport]) -> Table {
    let keys = reports.iter().map(|report| keys(report).collect::<Vec<_>>()).max_by_key(Vec::len);
    let keys = keys.unwrap_or_default();
    let head = ["file".to_owned()].into_iter().chain(keys.iter().map(|key| title(key)));
    let mut table = Table::new(head.chain(["state".to_owned()]));
    for report in reports {
        let cells = keys.iter().map(|key| report.get(key).map_or_else(String::new, cell));
        let row = [report.file.clone()].into_iter().chain(cells);
        table.push(row.chain([report.state.name().to_owned()]).collect());
    }
    if reports.len() > 1 {
        let sums = keys.iter().map(|key| total(reports, key));
        let row = [format!("{} files", reports.len())].into_iter().chain(sums);
        table.push(row.chain([String::new()]).collect());
    }
    table
}

/// The title of a column of facts.
pub(super) fn title(key: &str) -> String {
    if key.starts_with("crc32") { "CRC-32".to_owned() } else { key.replace('_', " ") }
}

/// A fact in a table.
pub(super) fn cell(value: &FactValue) -> String {
    match value {
        FactValue::Text(text) => text.clone(),
        FactValue::Count(number) => count(*number),
        FactValue::Checksum(crc) => format!("{crc:08x}"),
        FactValue::Entries(entries) => {
            entries.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>().join(", ")
        }
        FactValue::Counts(counts) => counts
            .iter()
            .map(|(key, number)| format!("{key} {}", count(*number)))
            .collect::<Vec<_>>()
            .join(", "),
        FactValue::Range { min, max, .. } if min == max => count(*min),
        FactValue::Range { min, max, .. } => format!("{} to {}", count(*min), count(*max)),
        FactValue::Share { count, of } if count == of => "all".to_owned(),
        FactValue::Share { count: number, of } => {
            format!("{} ({:.1} %)", count(*number), 100.0 * *number as f64 / (*of).max(1) as f64)
        }
        _ => String::new(),
    }
}

/// Returns the total of a fact over all files.
fn total(reports: &[FileReport], key: &str) -> String {
    let facts = reports.iter().flat_map(|report| report.facts.iter().filter(|fact| fact.key == key));
    let number = |fact: &Fact| match fact.value {
        FactValue::Count(number) => number,
        _ => 0,
    };
    match facts.clone().next().map(|fact| fact.total) {
        Some(Total::Sum) => count(facts.map(number).fold(0, u64::saturating_add)),
        Some(Total::Max) => count(facts.map(number).max().unwrap_or_default()),
        _ => String::new(),
    }
}
