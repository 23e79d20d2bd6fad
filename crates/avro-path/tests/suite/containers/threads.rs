//! Several threads: every block once, in order, up to an error.

use std::io::{Cursor, Read};
use std::sync::Arc;

use avro_path::container::{Block, BlockRun, Codec, ContainerReader, ContainerWriter};
use avro_path::datum::SkipPlan;
use avro_path::datum::write;
use avro_path::{AvroSchema, Error, Kind, Limits, Result};

use tfxio_base::Threading;

use crate::containers::test_data::{codecs, numbers, rows};

/// The number, the place and the bytes of each block, and what ends them too early.
type Found = (Vec<(u64, u64, u64, Vec<u8>)>, Option<String>);

fn found(block: &Block<'_>) -> (u64, u64, u64, Vec<u8>) {
    let position = block.position();
    (position.number, position.offset, position.first_record, block.bytes().to_vec())
}

fn alone<R: Read>(source: R) -> Found {
    let mut reader = ContainerReader::builder(source).name("x.avro").build().unwrap();
    let mut out = Vec::new();
    loop {
        match reader.next_block() {
            Ok(Some(block)) => out.push(found(&block)),
            Ok(None) => return (out, None),
            Err(error) => return (out, Some(error.to_string())),
        }
    }
}

fn together<R: Read + Send + 'static>(source: R, threads: usize) -> Found {
    let reader = ContainerReader::builder(source).name("x.avro").build().unwrap();
    let results = reader
        .map_blocks(&Threading::new().threads(threads), || |block: Block<'_>| Ok(found(&block)))
        .unwrap();
    let mut out = Vec::new();
    for result in results {
        match result {
            Ok(block) => out.push(block),
            Err(error) => return (out, Some(error.to_string())),
        }
    }
    (out, None)
}

fn two() -> Threading {
    Threading::new().threads(2)
}

/// Blocks of so many bytes and more, of strings.
fn blocks_of(bytes: usize, all: usize) -> Vec<u8> {
    let schema = AvroSchema::parse("\"string\"").unwrap();
    let mut writer = ContainerWriter::builder(Vec::new(), &schema).block_bytes(bytes).build().unwrap();
    for number in 0..all / 100 {
        writer
            .write_with(|out| {
                write::string(out, &format!("{number:099}"));
                Ok(())
            })
            .unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn threads_keep_the_order() {
    for codec in codecs() {
        let file = rows(codec, 300, 3);
        let expected = alone(&file[..]);
        assert_eq!(expected.0.len(), 100);
        for threads in [0, 1, 3] {
            assert_eq!(together(Cursor::new(file.clone()), threads), expected, "{codec}");
        }
    }
}

/// Gives a few bytes at a time, and fails in the end.
struct Slow {
    bytes: Cursor<Vec<u8>>,
    step: usize,
}

impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = self.step.min(buffer.len());
        match self.bytes.read(&mut buffer[..most])? {
            0 => Err(std::io::Error::other("the line is dead")),
            read => Ok(read),
        }
    }
}

#[test]
fn runs_are_cut_wherever_blocks_end_and_reads_do() {
    // Small blocks, of which many are a run, such as fill a run nearly, and larger ones.
    for (block, all) in [(100, 300_000), (60_000, 2_000_000), (400_000, 3_000_000), (1_500_000, 5_000_000)] {
        let file = blocks_of(block, all);
        let expected = alone(&file[..]);
        assert!(expected.0.len() >= all / block / 2 && expected.1.is_none());
        for step in [1009, 65_536, usize::MAX] {
            // What ends in an error of the source comes out before it.
            for end in [file.len(), file.len() - 1, file.len() / 2] {
                let slow = || Slow { bytes: Cursor::new(file[..end].to_vec()), step };
                let expected = alone(slow());
                assert!(expected.1.as_ref().unwrap().contains("reading failed"), "{:?}", expected.1);
                assert_eq!(together(slow(), 2), expected, "blocks of {block}, reads of {step}, until {end}");
            }
        }
        assert_eq!(together(Cursor::new(file), 3), expected);
    }
}

#[test]
fn threads_deliver_what_stands_before_an_error() {
    let whole = rows(Codec::Null, 3000, 3);
    for turned in (300..whole.len()).step_by(997) {
        let mut file = whole.clone();
        file[turned] ^= 4;
        assert_eq!(together(Cursor::new(file.clone()), 2), alone(&file[..]), "byte {turned}");
    }
    for end in (300..whole.len()).step_by(997) {
        let file = &whole[..end];
        assert_eq!(together(Cursor::new(file.to_vec()), 2), alone(file), "to byte {end}");
    }
}

#[test]
fn threads_go_on_where_one_has_begun() {
    let mut file = rows(Codec::Null, 30, 3);
    let expected = alone(&file[..]).0;
    let open = |file: &[u8]| ContainerReader::new(Cursor::new(file.to_vec())).unwrap();
    let mut reader = open(&file);
    for _ in 0..4 {
        reader.next_block().unwrap();
    }
    let rest = reader.map_blocks(&two(), || |block: Block<'_>| Ok(found(&block))).unwrap();
    assert_eq!(rest.collect::<Result<Vec<_>>>().unwrap(), expected[4..]);

    // Behind the last block another marker stands.
    let end = file.len();
    file[end - 1] ^= 1;
    let mut reader = open(&file);
    for _ in 0..10 {
        assert!(reader.next_block().unwrap().is_some());
    }
    let mut rest = reader.map_blocks(&two(), || |block: Block<'_>| Ok(found(&block))).unwrap();
    assert_eq!(rest.next().unwrap().unwrap_err().detail(), Some(&Kind::Sync));
    assert!(rest.next().is_none());
}

#[test]
fn a_worker_may_give_any_number_of_results_for_a_run() {
    let file = rows(Codec::Null, 30_000, 3);
    let results =
        ContainerReader::new(Cursor::new(file)).unwrap().map_runs(&Threading::new().threads(3), || {
            let mut left = 0;
            move |run: &mut BlockRun| {
                // A result for each record of every second block.
                while left == 0 {
                    let block = run.next_block().unwrap()?;
                    left = if block.position().number % 2 == 0 { block.count() } else { 0 };
                }
                left -= 1;
                let position = run.last_block()?.position().clone();
                Some(Ok(position.first_record + left))
            }
        });
    let found = results.unwrap().collect::<Result<Vec<_>>>().unwrap();
    let expected = (0..30_000).step_by(6).flat_map(|first| (first..first + 3).rev()).collect::<Vec<u64>>();
    assert_eq!(found, expected);
}

/// Returns the records of each run from `first` on, and the number of the one after it.
fn batches(file: &[u8], first: u64, rows: u64) -> Vec<(Vec<Vec<u8>>, u64)> {
    let bytes = alone_bytes(file);
    let limits = Limits::default().decompressed_bytes(bytes);
    let reader = ContainerReader::builder(Cursor::new(file.to_vec())).limits(limits).build().unwrap();
    let schema = reader.header().schema().clone();
    let runs = reader.map_batches(&Threading::new().threads(3), first, rows, move || {
        let (schema, plan) = (schema.clone(), SkipPlan::new(&schema));
        move |run: &mut BlockRun| {
            let records = run.records();
            let mut found = Vec::new();
            while let Some(block) = run.next_block().unwrap() {
                for (number, record) in (block.position().first_record..).zip(block.records(&schema, &plan)) {
                    if number >= first && records.contains(&number) {
                        found.push(record.unwrap().to_vec());
                    }
                }
            }
            (!found.is_empty()).then_some(Ok((found, records.end)))
        }
    });
    runs.unwrap().collect::<Result<Vec<_>>>().unwrap()
}

/// Returns the bytes of all blocks after decompression.
fn alone_bytes(file: &[u8]) -> u64 {
    let mut reader = ContainerReader::new(file).unwrap();
    let mut bytes = 0;
    while let Some(block) = reader.next_block().unwrap() {
        bytes += block.bytes().len() as u64;
    }
    bytes
}

#[test]
fn runs_end_where_batches_do() {
    // Blocks of a few records, of many, and larger than most of a run.
    for (block, all) in [(1_000, 2_000_000), (16_000, 2_000_000), (300_000, 2_000_000)] {
        let file = blocks_of(block, all);
        let expected =
            batches(&file, 0, u64::MAX).into_iter().flat_map(|(found, _)| found).collect::<Vec<_>>();
        assert!(expected.len() as u64 > all as u64 / 110);
        for (first, rows) in [(0, 7), (0, 1000), (0, 6000), (1234, 1000), (0, 30_000)] {
            let found = batches(&file, first, rows);
            let all: Vec<_> = found.iter().flat_map(|(records, _)| records).collect();
            assert!(all.into_iter().eq(&expected[first as usize..]), "{block}, {first}, {rows}");
            let (_, ends): (Vec<_>, Vec<_>) = found.into_iter().unzip();
            let in_batch = ends.iter().filter(|end| !(**end - first).is_multiple_of(rows)).count();
            // The first, whose bytes a record are not known, and what is left at the end.
            assert!(in_batch <= 3 || block > 200_000 || rows > 20_000, "{block}, {first}, {rows}: {ends:?}");
        }
    }
}

#[test]
fn an_error_of_a_worker_ends_the_blocks() {
    let file = rows(Codec::Null, 300, 3);
    let reader = ContainerReader::new(Cursor::new(file)).unwrap();
    let results = reader.map_blocks(&two(), || {
        |block: Block<'_>| match block.position().number {
            10 => Err(numbers(b"").unwrap_err()),
            number => Ok(number),
        }
    });
    let results: Vec<Result<u64, Error>> = results.unwrap().collect();
    assert_eq!(results.len(), 11);
    assert!(results[10].is_err());
}

#[test]
fn a_panic_of_a_worker_is_an_error() {
    let file = blocks_of(1000, 2_000_000);
    let reader = ContainerReader::new(Cursor::new(file)).unwrap();
    let results = reader.map_blocks(&two(), || {
        |block: Block<'_>| {
            assert!(block.position().number < 100, "on purpose");
            Ok(())
        }
    });
    let error = results.unwrap().find_map(Result::err).unwrap();
    assert_eq!(error.to_string(), "a worker panicked: on purpose; please report this");
}

/// A source without end: what was dropped must not go on reading.
struct Endless {
    file: Vec<u8>,
    block: Vec<u8>,
    at: usize,
    _alive: Arc<()>,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let mut done = 0;
        for slot in buffer.iter_mut() {
            let later = self.at.saturating_sub(self.file.len()) % self.block.len();
            *slot = self.file.get(self.at).copied().unwrap_or(self.block[later]);
            self.at += 1;
            done += 1;
        }
        Ok(done)
    }
}

#[test]
fn dropping_stops_the_threads() {
    let file = rows(Codec::Null, 3, 3);
    let header = usize::try_from(ContainerReader::new(&file[..]).unwrap().header().len()).unwrap();
    let alive = Arc::new(());
    let endless = Endless { block: file[header..].to_vec(), file, at: 0, _alive: Arc::clone(&alive) };
    let reader = ContainerReader::new(endless).unwrap();
    let mut results = reader.map_blocks(&two(), || |block: Block<'_>| Ok(found(&block))).unwrap();
    assert!(results.by_ref().take(1000).all(|block| block.is_ok()));
    drop(results);
    // Would never end if a thread went on.
    while Arc::strong_count(&alive) > 1 {
        std::thread::yield_now();
    }
}
