//! `read`: any data set as a user reads it, opened by its path, to record batches, which are dropped.
//!
//! The data set is opened, and its schema found, before the clock starts. Timed are opening the file again, reading,
//! decompressing, making the decoders and decoding, with the threads of a scan.

use std::hint::black_box;

use anyhow::Result;
use tfxio::prelude::*;

use super::figure::{Done, Figure};
use super::{As, Options};

pub(super) fn from_file(options: &Options) -> Result<Figure> {
    let mut open = OpenOptions::new();
    if options.record == As::SequenceExample {
        open = open.format("sequence_example");
    }
    let dataset = open.open(options.file.as_path())?;
    let bytes = std::fs::metadata(&options.file)?.len();
    let mut request = ScanRequest::new().batch_rows(options.batch.get()).threads(options.threads.get());
    if let Some(columns) = &options.columns {
        request = request.columns(columns.iter().map(String::as_str));
    }
    Figure::time(options, || {
        let mut records = 0;
        for batch in dataset.read(request.clone())? {
            records += black_box(batch?).num_rows() as u64;
        }
        Ok(Done { records, bytes })
    })
}
