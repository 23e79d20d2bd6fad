//! `stats`: tf.Example records to record batches, and these to statistics of all columns.
//!
//! From memory it is `decode` with the batches given to the statistics instead of dropped, by one thread, and finishing them. From
//! a file it is what a user does: opening the file again, reading, decoding, counting, with the threads of a scan; the schema is
//! found before the clock starts.

use std::hint::black_box;
use std::sync::Arc;

use anyhow::Result;
use tfxio::prelude::*;
use tfxio_core::Origin;
use tfxio_stats::{Statistics, StatisticsExt as _, StatisticsOptions};

use super::Options;
use super::figure::{Done, Figure};
use super::framed::Framed;
use bench_sets::inference;

pub(super) fn from_memory(options: &Options) -> Result<Figure> {
    let framed = Framed::read(&options.file)?;
    let schema = inference::schema(framed.payloads.iter().map(|range| framed.payload(range)))?;
    let mut decoder = inference::decoder(&schema, options.columns.as_deref())?;
    Figure::time(options, || {
        let mut statistics = Statistics::builder(&arrow_schema::Schema::empty()).build();
        for batch in framed.payloads.chunks(options.batch.get()) {
            for payload in batch {
                decoder.push(framed.payload(payload), Origin::default())?;
            }
            statistics.update(&decoder.flush()?)?;
        }
        black_box(statistics.finish());
        Ok(Framed::done(&framed.payloads))
    })
}

pub(super) fn from_file(options: &Options) -> Result<Figure> {
    let bytes = std::fs::metadata(&options.file)?.len();
    let mut request = ScanRequest::new().batch_rows(options.batch.get()).threads(options.threads.get());
    if let Some(columns) = &options.columns {
        request = request.columns(columns.iter().map(String::as_str));
    }
    let dataset: Arc<dyn Dataset> = OpenOptions::new().open(options.file.as_path())?;
    Figure::time(options, || {
        let list = dataset.stats(StatisticsOptions::default(), request.clone())?;
        Ok(Done { records: list.num_examples(0).unwrap_or(0), bytes })
    })
}
