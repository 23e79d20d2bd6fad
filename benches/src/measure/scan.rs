//! `scan`: from bytes to record slices, with both checksums.
//!
//! From memory, the file's bytes, compressed or not, are there before the clock starts; uncompressed ones are framed in
//! place. From a file, it is opened, read in batches and closed in each run.

use std::hint::black_box;
use std::io::{Cursor, Read};
use std::sync::Arc;

use anyhow::Result;
use tfrecord_io::{BatchSize, Compression, Reader, RecordBuffer, SliceReader, Splitter, Threading, splits};

use super::figure::{Done, Figure};
use super::framed::{Batches, compression, file_bytes, splits_of};
use super::{Options, parts};

pub(super) fn from_memory(options: &Options) -> Result<Figure> {
    let stored = compression(&options.file)?;
    let bytes = file_bytes(&options.file)?;
    let threads = options.threads.get();
    match stored {
        Compression::None if threads == 1 => Figure::time(options, || slices(&bytes)),
        Compression::None => Figure::time(options, || parts::run(chunks(&bytes, threads)?, slices)),
        _ if threads == 1 => {
            Figure::time(options, || decompressed(Reader::new(bytes.as_slice()), options.batch.get()))
        }
        _ => {
            let bytes: Arc<[u8]> = bytes.into();
            Figure::time(options, || {
                let source = Reader::builder(Cursor::new(Arc::clone(&bytes)));
                decompressed(source.build_threaded(&threading(options)), options.batch.get())
            })
        }
    }
}

pub(super) fn from_file(options: &Options) -> Result<Figure> {
    if options.threads.get() > 1 && compression(&options.file)? != Compression::None {
        return Figure::time(options, || {
            let reader = Reader::builder(&options.file).open_threaded(&threading(options))?;
            decompressed(reader, options.batch.get())
        });
    }
    let splits = splits_of(&options.file, options.threads.get())?;
    Figure::time(options, || {
        parts::run(splits.iter().copied(), |split| {
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
                    black_box(record.data);
                }
            }
        })
    })
}

fn slices(bytes: &[u8]) -> Result<Done> {
    let mut reader = SliceReader::new(bytes);
    let mut records = 0;
    while let Some(record) = reader.next_record()? {
        black_box(record.data);
        records += 1;
    }
    Ok(Done { records, bytes: bytes.len() as u64 })
}

fn threading(options: &Options) -> Threading {
    Threading::new().threads(options.threads.get())
}

fn decompressed<R: Read>(mut reader: Reader<R>, records_a_batch: usize) -> Result<Done> {
    let mut batch = RecordBuffer::new();
    while reader.read_batch(&mut batch, BatchSize::records(records_a_batch))? > 0 {
        for record in &batch {
            black_box(record.data);
        }
    }
    Ok(Done { records: reader.records_read(), bytes: reader.offset() })
}

/// The bytes in pieces that begin and end with whole records, cut as splits are.
fn chunks(bytes: &[u8], count: usize) -> Result<Vec<&[u8]>> {
    let mut splitter = Splitter::new(Cursor::new(bytes))?;
    let mut chunks = Vec::new();
    for split in splits::cut_into(bytes.len() as u64, count as u64) {
        let (start, end) = (splitter.first_record(split.start)?, splitter.first_record(split.end)?);
        chunks.push(bytes.get(start as usize..end as usize).unwrap_or_default());
    }
    Ok(chunks)
}
