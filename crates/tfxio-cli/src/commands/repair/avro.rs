//! Copies what is whole of an Avro file.

use std::io::Write as _;
use std::path::Path;

use tfxio::avro_path::Result;
use tfxio::avro_path::container::{ReaderBuilder, Report, SalvageReader, WriterBuilder};
use tfxio::avro_path::datum::SkipPlan;
use tfxio::convert::Format;
use tfxio::{InputFile, RecordOptions};

use crate::Done;
use crate::args::Repair;
use crate::failure::Failure;
use crate::json::Object;
use crate::output::Output;

pub(super) fn run(args: &Repair) -> Done {
    if !matches!(Format::of_name(&args.output), Ok(Format::Avro)) {
        let text =
            format!("{} is an Avro file, and stays one; end the name of the output with .avro", args.input);
        return Err(Failure::Usage(text));
    }
    let same = |name: &Path| name.canonicalize().ok();
    if same(&args.output).is_some_and(|output| Some(output) == same(Path::new(&args.input))) {
        let text = format!("{}: the output is the input; write to another name", args.input);
        return Err(Failure::Usage(text));
    }
    let file = InputFile::open(&args.input, &RecordOptions::default())?;
    let report = copy(file, args)?;
    let mut out = Output::new();
    if args.json {
        write_json(&report, &args.input, &mut out)?;
    } else {
        writeln!(out, "{report}")?;
    }
    out.finish()?;
    super::refuse_nothing(report.records, report.is_clean(), &args.output)
}

/// Schema, codec and metadata stay, blocks do not.
fn copy(file: InputFile, args: &Repair) -> Result<Report> {
    let mut reader = SalvageReader::from_builder(file, &ReaderBuilder::new().name(args.input.as_str()))?;
    let header = reader.header().clone();
    let mut builder = WriterBuilder::new().codec(header.codec()).check(false).overwrite(true);
    for (key, value) in header.metadata().filter(|(key, _)| !key.starts_with(b"avro.")) {
        builder = builder.metadata(String::from_utf8_lossy(key), value);
    }
    let plan = SkipPlan::new(header.schema());
    let mut writer = builder.create(&args.output, header.schema())?;
    while let Some(block) = reader.next_block()? {
        for record in block.records(header.schema(), &plan) {
            writer.write(record?)?;
        }
    }
    let report = reader.report().clone();
    if report.records > 0 || report.is_clean() {
        writer.finish()?;
    }
    Ok(report)
}

/// An object a damage.
fn write_json(report: &Report, file: &str, out: &mut Output) -> Result<(), Failure> {
    for damage in &report.damages {
        let mut line = String::new();
        let mut object = Object::new(&mut line);
        object.text("file", Some(file));
        object.number("start", damage.start);
        object.number("end", damage.end);
        object.number("records_before", damage.records_before);
        match damage.lost_records {
            Some(records) => object.number("lost_records", records),
            None => object.text("lost_records", None),
        }
        object.text("reason", Some(damage.reason.name()));
        object.text("detail", damage.detail.as_deref());
        object.finish();
        writeln!(out, "{line}")?;
    }
    Ok(())
}
