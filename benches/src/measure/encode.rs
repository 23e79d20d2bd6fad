//! `encode`: record batches to tf.Example records.
//!
//! The batches are decoded before the clock starts. Each thread has a buffer that it uses again for every batch and
//! every run. `bytes` counts the file that the batches came from; the output is a little larger, because an absent
//! feature is written as an entry without a value.

use std::hint::black_box;

use anyhow::Result;
use arrow_array::RecordBatch;
use example_codec::{EncodedExamples, ExampleEncoder};
use tfxio_core::Origin;

use super::figure::{Done, Figure};
use super::framed::Framed;
use super::{Options, parts};
use bench_sets::inference;

pub(super) fn from_memory(options: &Options) -> Result<Figure> {
    let (batches, schema) = decoded(options)?;
    let encoder = ExampleEncoder::builder(&schema).build()?;
    let mut threads: Vec<(EncodedExamples, &[(RecordBatch, Done)])> =
        parts::ranges(batches.len(), options.threads.get())
            .into_iter()
            .map(|range| (EncodedExamples::new(), batches.get(range).unwrap_or_default()))
            .collect();
    Figure::time(options, || {
        parts::run(&mut threads, |(output, part)| {
            let mut sum = Done::default();
            for (batch, done) in *part {
                encoder.encode(batch, output)?;
                black_box(output.bytes());
                sum = sum + *done;
            }
            Ok(sum)
        })
    })
}

/// All batches of the file, each with what it takes in the file, and their schema.
fn decoded(options: &Options) -> Result<(Vec<(RecordBatch, Done)>, arrow_schema::SchemaRef)> {
    let framed = Framed::read(&options.file)?;
    let schema = inference::schema(framed.payloads.iter().map(|range| framed.payload(range)))?;
    let mut decoder = inference::decoder(&schema, None)?;
    let mut batches = Vec::new();
    for payloads in framed.payloads.chunks(options.batch.get()) {
        for payload in payloads {
            decoder.push(framed.payload(payload), Origin::default())?;
        }
        batches.push((decoder.flush()?, Framed::done(payloads)));
    }
    let schema = match batches.first() {
        Some((batch, _)) => batch.schema(),
        None => decoder.flush()?.schema(),
    };
    Ok((batches, schema))
}
