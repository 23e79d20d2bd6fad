//! `read`: any data set as a user reads it, opened by its path, to record batches, which are dropped.
//!
//! The data set is opened, and its schema found, before the clock starts; with `--infer` in each run. Timed are opening
//! the file again, reading, decompressing, making the decoders and decoding, with the threads of a scan. Columns of
//! text have the values exactly as the file has them.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use tfxio::prelude::*;

use super::figure::{Done, Figure};
use super::{As, Options};

pub(super) fn from_file(options: &Options) -> Result<Figure> {
    let bytes = std::fs::metadata(&options.file)?.len();
    if options.arrow {
        // They have no lists: several values of a cell are one text.
        let dataset = open(&Options { multivalent: Vec::new(), ..options.clone() })?;
        let schema = Some(dataset.schema()).filter(|_| !options.infer);
        return Figure::time(options, || peer(options, schema, bytes));
    }
    let mut request = ScanRequest::new().batch_rows(options.batch.get()).threads(options.threads.get());
    if let Some(columns) = &options.columns {
        request = request.columns(columns.iter().map(String::as_str));
    }
    if let Some(filter) = &options.filter {
        request = request.filter(filter.parse()?);
    }
    let opened = open(options)?;
    Figure::time(options, || {
        let dataset = if options.infer { open(options)? } else { Arc::clone(&opened) };
        let mut records = 0;
        for batch in dataset.read(request.clone())? {
            records += black_box(batch?).num_rows() as u64;
        }
        Ok(Done { records, bytes })
    })
}

fn open(options: &Options) -> Result<Arc<dyn Dataset>> {
    let mut open = OpenOptions::new();
    if options.record == As::SequenceExample {
        open = open.format("sequence_example");
    }
    if let (As::Message, Some(descriptor), Some(message)) =
        (options.record, &options.descriptor, &options.message)
    {
        let descriptor = descriptor.to_string_lossy().into_owned();
        open = open.format("proto").set("descriptor", descriptor)?.set("message", message.clone())?;
    }
    if is_text(&options.file) || options.plain {
        open = open.prefer("layout", "plain");
    }
    if !options.multivalent.is_empty() {
        open = open.set("multivalent_columns", options.multivalent.clone())?;
    }
    Ok(open.open(options.file.as_path())?)
}

/// Returns whether the name of a file ends so.
pub(super) fn is_a(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|other| other == ending)
}

fn is_text(path: &Path) -> bool {
    is_a(path, "csv") || is_a(path, "jsonl")
}

#[cfg(feature = "arrow-readers")]
use super::arrow_readers::read as peer;

#[cfg(not(feature = "arrow-readers"))]
fn peer(_: &Options, _: Option<&arrow_schema::SchemaRef>, _: u64) -> Result<Done> {
    anyhow::bail!("this `measure` was built without the feature `arrow-readers`")
}
