//! `convert`: a file to another format, as the command does it.
//!
//! Timed are opening the file, inferring the columns from all records, reading, decoding, encoding, compressing and writing. The
//! output goes to a device that takes everything, or to a file, which is replaced in each run.

use std::path::Path;

use anyhow::Result;
use tfxio::convert::Conversion;
use tfxio::prelude::*;

use super::Options;
use super::figure::{Done, Figure};

/// Output that is not kept.
const NOWHERE: &str = "/dev/null";

pub(super) fn from_file(options: &Options) -> Result<Figure> {
    let request = ScanRequest::new().batch_rows(options.batch.get()).threads(options.threads.get());
    let format = options.to.as_deref().unwrap_or_default();
    let output = options.output.as_deref().unwrap_or(Path::new(NOWHERE));
    Figure::time(options, || {
        let input = options.file.to_string_lossy().into_owned();
        let mut builder = Conversion::builder([input], output).output_format(format);
        for (key, value) in &options.set {
            builder = builder.set(key, value.as_str())?;
        }
        let summary = builder.request(request.clone()).build()?.run(|_| {})?;
        Ok(Done { records: summary.records, bytes: summary.bytes_in })
    })
}
