//! Files that are changed at random, read in process: each ends with an error or with batches that are valid in every respect.
//!
//! `TFXIO_MUTATIONS` is the number of files, here a few thousand; SECURITY.md has a long run. A file depends on its number
//! alone: what fails names it, and `TFXIO_MUTATIONS_FROM` begins with it.

use std::io::{Cursor, Read, Result as IoResult, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use arrow_array::types::Int32Type;
use arrow_array::{
    Array as _, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray,
    FixedSizeBinaryArray, Float32Array, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
    StringViewArray, TimestampMicrosecondArray,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::StreamWriter;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use tfxio::{Cancel, DatasetExt as _, ErrorKind, Input, Limits, OpenOptions, Result, ScanRequest, Store};
use tfxio_base::random::Stream;

use crate::table::{arrow, lists, nested};
use crate::{SAID, count_panics};

/// Files where no number is given.
const FEW: u64 = 4000;
/// The longest that a file of some kilobytes may take.
const LONGEST: Duration = Duration::from_secs(20);

/// One file in memory.
#[derive(Debug)]
struct Memory(Arc<[u8]>);

struct Bytes(Cursor<Arc<[u8]>>);

impl Read for Bytes {
    fn read(&mut self, out: &mut [u8]) -> IoResult<usize> {
        self.0.read(out)
    }
}

impl Seek for Bytes {
    fn seek(&mut self, to: SeekFrom) -> IoResult<u64> {
        self.0.seek(to)
    }
}

impl Input for Bytes {
    fn size(&self) -> Option<u64> {
        Some(self.0.get_ref().len() as u64)
    }
}

impl Store for Memory {
    fn list(&self, pattern: &str) -> Result<Vec<Arc<str>>> {
        Ok(vec![pattern.into()])
    }

    fn size(&self, _: &str) -> Result<Option<u64>> {
        Ok(Some(self.0.len() as u64))
    }

    fn open(&self, _: &str, range: Range<u64>, _: &Cancel) -> Result<Box<dyn Input>> {
        let mut bytes = Cursor::new(Arc::clone(&self.0));
        bytes.set_position(range.start);
        Ok(Box::new(Bytes(bytes)))
    }
}

fn flat() -> RecordBatch {
    let texts = ["", "a", "é", "a longer text than a view holds", "a", "b", "", "zz"];
    let columns: Vec<(&str, ArrayRef)> = vec![
        (
            "i",
            Arc::new(Int32Array::from(vec![
                Some(1),
                None,
                Some(-7),
                Some(1 << 30),
                Some(0),
                None,
                Some(3),
                Some(4),
            ])),
        ),
        ("l", Arc::new(Int64Array::from_iter_values((0..8).map(|row| row * 1_000_000_007)))),
        ("f", Arc::new(Float32Array::from_iter_values((0..8).map(|row| row as f32 / 3.0)))),
        ("d", Arc::new(Float64Array::from_iter_values((0..8).map(f64::from)))),
        ("b", Arc::new(BooleanArray::from(vec![true, false, true, true, false, false, true, false]))),
        ("t", Arc::new(StringArray::from(texts.to_vec()))),
        ("v", Arc::new(StringViewArray::from(texts.to_vec()))),
        ("y", Arc::new(BinaryArray::from_iter_values(texts))),
        ("w", Arc::new(texts.into_iter().collect::<DictionaryArray<Int32Type>>())),
        ("x", Arc::new(FixedSizeBinaryArray::try_from_iter((0..8u8).map(|row| [row; 5])).unwrap())),
        ("day", Arc::new(Date32Array::from_iter_values(0..8))),
        ("at", Arc::new(TimestampMicrosecondArray::from_iter_values((0..8).map(|row| row * 1_000_000)))),
        ("m", Arc::new(Decimal128Array::from_iter_values(0..8).with_precision_and_scale(20, 2).unwrap())),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| (name, column, true)))
        .unwrap()
}

fn parquet(batch: &RecordBatch, properties: WriterProperties) -> Vec<u8> {
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.flush().unwrap();
    writer.write(&batch.slice(1, 4)).unwrap();
    writer.into_inner().unwrap()
}

fn stream(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.write(&batch.slice(2, 3)).unwrap();
    writer.into_inner().unwrap()
}

/// Files of every encoding, codec and kind, with their names: of our own, and of other programs.
fn files() -> Vec<(String, Vec<u8>)> {
    let properties = WriterProperties::builder;
    let deltas = || {
        let all = properties().set_dictionary_enabled(false).set_writer_version(WriterVersion::PARQUET_2_0);
        let all = ["i", "l", "day", "at"]
            .iter()
            .fold(all, |all, name| all.set_column_encoding((*name).into(), Encoding::DELTA_BINARY_PACKED));
        let all = all.set_column_encoding("t".into(), Encoding::DELTA_BYTE_ARRAY);
        let all = all.set_column_encoding("y".into(), Encoding::DELTA_LENGTH_BYTE_ARRAY);
        let all = all.set_column_encoding("f".into(), Encoding::BYTE_STREAM_SPLIT);
        all.set_column_encoding("b".into(), Encoding::RLE)
    };
    let plain = || properties().set_dictionary_enabled(false).set_statistics_enabled(EnabledStatistics::None);
    let made = vec![
        ("plain.parquet", parquet(&flat(), plain().build())),
        ("dictionaries.parquet", parquet(&flat(), properties().build())),
        ("deltas.parquet", parquet(&flat(), deltas().build())),
        (
            "zstd.parquet",
            parquet(&flat(), properties().set_compression(Compression::ZSTD(ZstdLevel::default())).build()),
        ),
        ("snappy.parquet", parquet(&flat(), deltas().set_compression(Compression::SNAPPY).build())),
        ("lists.parquet", parquet(&lists(), plain().build())),
        (
            "nested.parquet",
            parquet(&nested(), properties().set_writer_version(WriterVersion::PARQUET_2_0).build()),
        ),
        ("flat.arrow", arrow(&flat(), None)),
        ("lists.arrow", arrow(&lists(), None)),
        ("nested.arrow", arrow(&nested(), Some(CompressionType::LZ4_FRAME))),
        ("zstd.arrow", arrow(&flat(), Some(CompressionType::ZSTD))),
        ("flat.arrows", stream(&flat())),
        ("nested.arrows", stream(&nested())),
    ];
    let mut files = made.into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect::<Vec<_>>();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/columnar");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        // Of a codec and a version that are not read.
        if !name.ends_with(".feather") && !name.contains("brotli") {
            files.push((name, std::fs::read(path).unwrap()));
        }
    }
    files.sort();
    files
}

/// Changes bytes: single bits, bytes, numbers, parts that are copied or cut out. Half of the changes are near the end, where footers are.
fn change(bytes: &mut Vec<u8>, random: &mut Stream) {
    const NUMBERS: [u64; 14] = [
        0,
        1,
        2,
        7,
        0x7f,
        0x80,
        0xff,
        0xffff,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        1 << 40,
        i64::MAX as u64,
        u64::MAX,
    ];
    for _ in 0..=random.below(4) {
        let length = bytes.len() as u64;
        if length < 16 {
            return;
        }
        let first = if random.below(2) == 0 { length - length / 3 } else { 0 };
        let at = (first + random.below(length - first)) as usize;
        match random.below(10) {
            0..3 => bytes[at] ^= 1 << random.below(8),
            3..5 => bytes[at] = random.below(256) as u8,
            5 => bytes[at] = NUMBERS[random.below(7) as usize] as u8,
            6 | 7 => {
                let number = NUMBERS[random.below(14) as usize].to_le_bytes();
                let width = 1 << random.below(4);
                bytes.iter_mut().skip(at).zip(&number[..width]).for_each(|(byte, new)| *byte = *new);
            }
            8 => {
                let from = random.below(length) as usize;
                let part = bytes[from..(from + random.below(32) as usize).min(bytes.len())].to_vec();
                bytes.iter_mut().skip(at).zip(part).for_each(|(byte, new)| *byte = new);
            }
            _ if random.below(8) == 0 => bytes.truncate(at),
            _ => {
                let end = (at + random.below(8) as usize).min(bytes.len());
                bytes.drain(at..end);
            }
        }
    }
}

fn read(name: &str, bytes: Vec<u8>) -> Result<usize> {
    let limits = Limits::default().batch_bytes(32 << 20).list_items(1 << 20).empty_rows(1 << 20);
    let request = ScanRequest::new().limits(limits).limit(20_000);
    let store = Arc::new(Memory(bytes.into()));
    let dataset = OpenOptions::new().store(store).request(request.clone()).open(name)?;
    let mut rows = 0;
    for batch in dataset.read(request)? {
        let batch = batch?;
        for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
            assert_eq!(field.data_type(), column.data_type(), "{name}");
            assert_eq!(column.len(), batch.num_rows(), "{name}");
            column.to_data().validate_full().unwrap();
        }
        rows += batch.num_rows();
    }
    Ok(rows)
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

#[test]
fn changed_files_end_with_an_error_or_valid_batches() {
    count_panics();
    let files = files();
    for (name, bytes) in &files {
        assert!(read(name, bytes.clone()).unwrap() > 0, "{name}");
    }
    let (first, count) = (number("TFXIO_MUTATIONS_FROM", 0), number("TFXIO_MUTATIONS", FEW));
    let (mut good, mut refused) = (0_u64, 0_u64);
    for at in first..first + count {
        let mut random = Stream::new(tfxio_base::random::mix(at));
        let (name, bytes) = &files[random.below(files.len() as u64) as usize];
        let mut bytes = bytes.clone();
        change(&mut bytes, &mut random);
        let begin = Instant::now();
        match read(name, bytes) {
            Ok(_) => good += 1,
            Err(error) => {
                let kind = error.kind();
                assert!(
                    !matches!(kind, ErrorKind::Io | ErrorKind::Other),
                    "file {at}, {name}: {kind:?}: {error}"
                );
                refused += 1;
            }
        }
        assert!(begin.elapsed() < LONGEST, "file {at}, {name} takes {:?}", begin.elapsed());
        assert_eq!(SAID.load(Ordering::Relaxed), 0, "file {at}, {name}: a panic was said");
        if (at + 1).is_multiple_of(100_000) {
            println!("{} files, of which {good} are read and {refused} refused", at + 1 - first);
        }
    }
    println!("{count} files, of which {good} are read and {refused} refused");
    assert!(good > 0 && refused > 0);
}
