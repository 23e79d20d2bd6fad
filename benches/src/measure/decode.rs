//! `decode`: tf.Example or tf.SequenceExample records to record batches, which are dropped as soon as they are full.
//!
//! The schema (names and kinds, as the peers get it) is inferred before the clock starts. From memory the
//! records are framed before, as the peers are given lists of records, and each thread keeps its decoder
//! over all runs, as the peers do. From a file all of it is timed: opening the file, framing with both
//! checksums, making the decoder, decoding.

use std::hint::black_box;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use tfrecord_io::{BatchSize, Reader, RecordBuffer};
use tfxio_core::{Origin, RecordDecoder};

use super::figure::{Done, Figure};
use super::framed::{Batches, Framed, splits_of};
use super::{As, Options, parts};
use bench_sets::inference;

/// Records from which the schema is inferred when the file is not read into memory, so that the peak of
/// memory does not depend on the size of the file.
const SAMPLE: usize = 16 << 10;

pub(super) fn from_memory(options: &Options) -> Result<Figure> {
    let framed = Framed::read(&options.file)?;
    let payloads = framed.payloads.iter().map(|range| framed.payload(range));
    if options.record == As::SequenceExample {
        let schema = inference::sequence_schema(payloads)?;
        return framed_with(options, &framed, || inference::sequence_decoder(&schema));
    }
    let schema = inference::schema(payloads)?;
    framed_with(options, &framed, || inference::decoder(&schema, options.columns.as_deref()))
}

fn framed_with<D: RecordDecoder + Send>(
    options: &Options,
    framed: &Framed,
    decoder: impl Fn() -> Result<D>,
) -> Result<Figure> {
    let chunks = framed.payloads.chunks(options.batch.get());
    let batches: Vec<(&[Range<usize>], Done)> = chunks.map(|batch| (batch, Framed::done(batch))).collect();
    let mut decoders = (0..options.threads.get()).map(|_| decoder()).collect::<Result<Vec<_>>>()?;
    Figure::time(options, || {
        // Each thread takes the next batch when it is done with one, as a reader's threads do: one that has the slower
        // processor takes fewer.
        let next = AtomicUsize::new(0);
        parts::run(&mut decoders, |decoder| {
            let mut sum = Done::default();
            while let Some((batch, done)) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                for payload in *batch {
                    decoder.push(framed.payload(payload), Origin::default())?;
                }
                drop(black_box(decoder.flush()?));
                sum = sum + *done;
            }
            Ok(sum)
        })
    })
}

pub(super) fn from_file(options: &Options) -> Result<Figure> {
    let sample = || {
        let mut reader = Reader::open(&options.file)?;
        let mut sample = RecordBuffer::new();
        // Half as much as a large batch: the sample should not be what takes the memory.
        reader.read_batch(&mut sample, BatchSize::records(SAMPLE).and_bytes(8 << 20))?;
        anyhow::Ok(sample)
    };
    if options.record == As::SequenceExample {
        let schema = inference::sequence_schema(sample()?.iter().map(|record| record.data))?;
        return file_with(options, || inference::sequence_decoder(&schema));
    }
    let schema = inference::schema(sample()?.iter().map(|record| record.data))?;
    file_with(options, || inference::decoder(&schema, options.columns.as_deref()))
}

fn file_with<D: RecordDecoder>(options: &Options, decoder: impl Fn() -> Result<D> + Sync) -> Result<Figure> {
    let splits = splits_of(&options.file, options.threads.get())?;
    let name = options.file.to_string_lossy();
    Figure::time(options, || {
        parts::run(splits.iter().copied(), |split| {
            let mut decoder = decoder()?;
            let mut reader = Batches::open(&options.file, split)?;
            let start = reader.offset();
            let mut batch = RecordBuffer::new();
            let mut records = 0;
            loop {
                match reader.read(&mut batch, options.batch.get())? {
                    0 => return Ok(Done { records, bytes: reader.offset() - start }),
                    count => records += count as u64,
                }
                for record in &batch {
                    decoder.push(record.data, Origin::new(&name, record.offset, record.index))?;
                }
                drop(black_box(decoder.flush()?));
            }
        })
    })
}
