//! `tfxio repair`: copies the records that are whole, and reports what is lost.

use std::io::Write as _;

use tfxio::{FactValue, FileReport, LostRange};

use crate::Done;
use crate::args::Repair;
use crate::context::Context;
use crate::failure::Failure;
use crate::json::Object;
use crate::output::Output;
use crate::table::{Table, count, counted};

pub(crate) fn run(args: &Repair, context: &Context) -> Done {
    let Some(output) = args.output.to_str() else {
        let output = args.output.to_string_lossy();
        let text = format!("{output}: the name of the output is not valid Unicode; choose another name");
        return Err(Failure::Usage(text));
    };
    let progress = context.watch("repairing", &[&args.input]);
    let mut report = context.open_options()?.repair(&args.input, output)?;
    drop(progress);
    let mut out = Output::new();
    if args.shown.is_json() {
        for lost in &report.lost {
            writeln!(out, "{}", json(&report.file, lost))?;
        }
    } else {
        write_report(&report, &mut out)?;
    }
    out.finish()?;
    match report.errors.pop() {
        None => Ok(()),
        Some(error) => Err(error.into()),
    }
}

fn write_report(report: &FileReport, out: &mut Output) -> Done {
    let number = |key| match report.get(key) {
        Some(FactValue::Count(number)) => *number,
        _ => 0,
    };
    write!(out, "{}: {}", report.file, counted(number("records"), "good record"))?;
    let places = report.lost.len() as u64 + report.unlisted;
    if places == 0 {
        writeln!(out, ", nothing lost")?;
        return Ok(());
    }
    let bytes = |is_compressed: bool| {
        let ranges = report.lost.iter().filter(|lost| lost.compressed == is_compressed);
        ranges.map(|lost| lost.end.saturating_sub(lost.start)).fold(0, u64::saturating_add)
    };
    let least = if report.unlisted > 0 { "at least " } else { "" };
    write!(out, ", {}, {least}{} lost", counted(places, "damaged range"), counted(bytes(false), "byte"))?;
    if bytes(true) > 0 {
        write!(out, " and {}", counted(bytes(true), "compressed byte"))?;
    }
    writeln!(out)?;
    let mut table =
        Table::new(["from byte", "to byte", "bytes", "good records before", "lost records", "reason"]);
    for lost in &report.lost {
        let space = if lost.compressed { " (bytes of the compressed file)" } else { "" };
        table.push(vec![
            lost.start.to_string(),
            lost.end.to_string(),
            lost.end.saturating_sub(lost.start).to_string(),
            count(lost.records_before),
            lost.records.map_or("unknown".to_owned(), count),
            lost.why() + space,
        ]);
    }
    table.write_fitting(out, "damage")?;
    if report.unlisted > 0 {
        writeln!(out, "and {} more", count(report.unlisted))?;
    }
    Ok(())
}

fn json(file: &str, lost: &LostRange) -> String {
    let mut line = String::new();
    let mut object = Object::new(&mut line);
    object.text("file", Some(file));
    object.number("start", lost.start);
    object.number("end", lost.end);
    object.number("bytes", lost.end.saturating_sub(lost.start));
    object.key("compressed").push_str(if lost.compressed { "true" } else { "false" });
    object.number("records_before", lost.records_before);
    object.optional("last_good_record", lost.records_before.checked_sub(1));
    object.optional("last_good_offset", lost.last_good_offset);
    object.optional("lost_records", lost.records);
    object.text("reason", Some(&lost.reason));
    object.text("detail", lost.detail.as_deref());
    object.finish();
    line
}
