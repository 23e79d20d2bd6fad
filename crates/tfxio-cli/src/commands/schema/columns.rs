//! Tables of columns, with the facts that the format reports of them.

use std::io::Write as _;

use tfxio::{ColumnReport, FactValue, Files, ScanRequest, SchemaReport, not_offered};

use super::super::inspect::{cell, fact, title};
use super::batches;
use crate::args::{Schema, SchemaFormat};
use crate::context::Context;
use crate::failure::{self, Failure};
use crate::json::Object;
use crate::output::Output;
use crate::table::{Table, counted};
use crate::{Done, arrow_type, escape, verbosity};

/// Shows the columns, or the schema as the files contain it.
pub(super) fn show(args: &Schema, context: &Context) -> Done {
    let context = match args.sample {
        Some(sample) => context.clone().set("infer_records", sample),
        None => context.clone().prefer("infer_records", u64::MAX),
    };
    let found = context.open_options()?.find(&args.files)?;
    let files = counted(found.files.names().len() as u64, "file");
    verbosity::tell(format_args!("{files} of the format {}", found.format.name()));
    let report = match found.format.describe() {
        Some(describe) => describe.describe(&found.files, &found.options),
        None => {
            let dataset = batches::open(args, &context)?;
            let fields = dataset.schema().fields().iter();
            let column = |name: &str, data_type| ColumnReport::new(name, Some(data_type));
            let columns = fields.map(|field| column(field.name(), field.data_type().clone()));
            let mut report = SchemaReport::new(columns.collect());
            // What hinders reading all of them is not an error of who looks at them.
            if let Err(error) = dataset.scan_schema(&ScanRequest::new()) {
                report.notes.push(context.explain(error, None).to_string());
            }
            Ok(report)
        }
    };
    let report = report.map_err(|error| context.explain(error, None))?;
    let mut out = Output::new();
    if args.format == SchemaFormat::Own {
        let Some(text) = &report.text else {
            return Err(not_offered(found.format.name(), "a schema that stands in its files").into());
        };
        writeln!(out, "{text}")?;
    } else {
        write(&report, args.format, "column", &mut out)?;
    }
    if args.format == SchemaFormat::Table {
        match (&report.title, report.records) {
            (Some(title), _) => writeln!(out, "{title} of {files}")?,
            (None, Some(records)) => {
                let of = if args.sample.is_some_and(|most| most <= records) { "the first " } else { "" };
                writeln!(out, "{of}{} of {files}", counted(records, "record"))?;
            }
            (None, None) => {
                let of = match found.files.names().len() > Files::LOOKED_AT {
                    true => format!("the first {} of ", Files::LOOKED_AT),
                    false => String::new(),
                };
                writeln!(out, "{} of {of}{files}", counted(report.columns.len() as u64, "column"))?;
            }
        }
        if let Some(help) = &report.help {
            writeln!(out, "{help}")?;
        }
    }
    end(out, &report)
}

/// Lists the key expressions, with at most `depth` names each; 0 is any number.
pub(super) fn keys(args: &Schema, context: &Context, depth: usize) -> Done {
    let found = context.open_options()?.find(&args.files)?;
    let depth = (depth > 0).then_some(depth);
    let report = match found.format.describe() {
        Some(describe) => describe.keys(&found.files, &found.options, depth)?,
        None => None,
    };
    let Some(report) = report else {
        return Err(not_offered(found.format.name(), "key expressions").into());
    };
    let mut out = Output::new();
    write(&report, args.format, "key", &mut out)?;
    end(out, &report)
}

/// Writes the columns, whose names are called this.
fn write(report: &SchemaReport, format: SchemaFormat, label: &'static str, out: &mut Output) -> Done {
    match format {
        SchemaFormat::Arrow => {
            for column in &report.columns {
                if let Some(data_type) = &column.data_type {
                    let line = format!("{}: {}", column.path, arrow_type::name(data_type));
                    writeln!(out, "{}", escape::line(&line))?;
                }
            }
        }
        SchemaFormat::Json => {
            let label = if label == "key" { label } else { "name" };
            for column in &report.columns {
                writeln!(out, "{}", json(column, label))?;
            }
        }
        _ => table(&report.columns, label).write_fitting(out, label)?,
    }
    Ok(())
}

/// Prints the notes and the errors of a report.
fn end(out: Output, report: &SchemaReport) -> Done {
    out.finish()?;
    for note in &report.notes {
        failure::say(format_args!("note: {}", failure::options_as_flags(note)));
    }
    for error in &report.errors {
        failure::say(format_args!("error: {error}"));
    }
    if report.errors.is_empty() { Ok(()) } else { Err(Failure::Reported(failure::DATA)) }
}

/// A line a column. What some columns have only is empty for others.
fn table(columns: &[ColumnReport], label: &str) -> Table {
    let mut keys: Vec<&str> = Vec::new();
    for column in columns {
        let mut after = 0;
        for fact in &column.facts {
            match keys.iter().position(|key| *key == fact.key) {
                Some(at) => after = at + 1,
                None => {
                    keys.insert(after, fact.key);
                    after += 1;
                }
            }
        }
    }
    let head = [label.to_owned()].into_iter().chain(keys.iter().map(|key| title(key)));
    let mut table = Table::new(head.chain(["Arrow".to_owned()]));
    for column in columns {
        let facts = keys.iter().map(|key| match column.facts.iter().find(|fact| fact.key == *key) {
            Some(fact) if fact.value == FactValue::Unknown => "none".to_owned(),
            Some(fact) => cell(&fact.value),
            None => String::new(),
        });
        let reason = || column.reason.unwrap_or_default().to_owned();
        let data_type = column.data_type.as_ref().map_or_else(reason, arrow_type::name);
        table.push([column.path.to_string()].into_iter().chain(facts).chain([data_type]).collect());
    }
    table
}

fn json(column: &ColumnReport, label: &str) -> String {
    let mut line = String::new();
    let mut object = Object::new(&mut line);
    object.text(label, Some(&column.path.to_string()));
    object.text("arrow", column.data_type.as_ref().map(arrow_type::name).as_deref());
    column.facts.iter().for_each(|each| fact(&mut object, each));
    if let Some(reason) = column.reason {
        object.key(&reason.replace(' ', "_")).push_str("true");
    }
    object.finish();
    line
}
