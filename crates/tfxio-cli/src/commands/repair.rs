//! `tfxio repair`: copies the records that are whole, and reports what is lost; those of Avro files in [`avro`].

mod avro;

use std::io::Write as _;
use std::path::Path;

use tfxio::tfrecord_io::salvage::{self, SalvageReader};
use tfxio::tfrecord_io::{Compression, Writer};
use tfxio::{RecordOptions, is_url};

use crate::Done;
use crate::args::Repair;
use crate::failure::{self, Failure, say};
use crate::output::Output;

pub(crate) fn run(args: &Repair) -> Done {
    if let Some(url) = [&args.input, &*args.output.to_string_lossy()].into_iter().find(|name| is_url(name)) {
        return Err(Failure::Usage(format!(
            "{url}: this is a URL, and only local files are repaired; copy the file to a local disk"
        )));
    }
    if crate::avro::is_avro(&args.input, &RecordOptions::default())? {
        return avro::run(args);
    }
    refuse_other_format(&args.output)?;
    let compression = Compression::from_name(&args.output.to_string_lossy());
    let output = Writer::builder(&args.output).compression(compression);
    let report = salvage::repair(SalvageReader::builder(&args.input), output)?;
    let mut out = Output::new();
    if args.json {
        report.write_json_lines(&mut out)?;
    } else {
        writeln!(out, "{report}")?;
    }
    out.finish()?;
    refuse_nothing(report.records, report.is_clean(), &args.output)
}

/// Endings of names that say a format that is not TFRecord.
const OTHERS: [&str; 9] = ["arrow", "avro", "csv", "feather", "json", "jsonl", "orc", "parquet", "tsv"];

/// Refuses an output whose name says a format that is not TFRecord, compressed or not.
fn refuse_other_format(output: &Path) -> Done {
    let name = output.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let plain = [".gz", ".gzip", ".zlib", ".zz"].iter().find_map(|ending| name.strip_suffix(ending));
    match plain.unwrap_or(&name).rsplit_once('.') {
        Some((_, ending)) if OTHERS.contains(&ending) => Err(Failure::Usage(format!(
            "{}: the name says another format than TFRecord, which repair keeps; end it with .tfrecord, .tfrecord.gz or \
             .tfrecord.zlib, and convert the repaired file",
            output.display()
        ))),
        _ => Ok(()),
    }
}

/// Fails where a damaged file has lost everything.
fn refuse_nothing(records: u64, is_clean: bool, output: &Path) -> Done {
    if records > 0 || is_clean {
        return Ok(());
    }
    say(format_args!("error: nothing could be kept, and {} was not written", output.display()));
    Err(Failure::Reported(failure::DATA))
}
