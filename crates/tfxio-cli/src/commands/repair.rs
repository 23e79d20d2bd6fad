//! `tfxio repair`: copies the records that are whole, and reports what is lost.

use std::io::Write as _;

use tfxio::tfrecord_io::salvage::{self, SalvageBuilder};
use tfxio::tfrecord_io::{Compression, WriterBuilder};

use crate::Done;
use crate::args::Repair;
use crate::output::Output;

pub(crate) fn run(args: &Repair) -> Done {
    let compression = Compression::from_name(&args.output.to_string_lossy());
    let writer = WriterBuilder::new().compression(compression);
    let report = salvage::repair(&args.input, &args.output, SalvageBuilder::new(), &writer)?;
    let mut out = Output::new();
    if args.json {
        report.write_json_lines(&mut out)?;
    } else {
        writeln!(out, "{report}")?;
    }
    Ok(out.finish()?)
}
