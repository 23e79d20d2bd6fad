//! Parquet pages with counts in addition to the counts of their heads, and heads that cannot be read.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, FixedSizeBinaryArray, RecordBatch, StringArray};
use arrow_schema::DataType;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterVersion};
use tfxio_core::{ErrorKind, Result, ScanRequest};
use tfxio_formats::DatasetExt as _;

const ROWS: usize = 300;

fn columns() -> [ArrayRef; 3] {
    let text = (0..ROWS).map(|row| format!("value {row}")).collect::<Vec<_>>();
    let some = text.iter().enumerate().map(|(row, value)| (row % 3 > 0).then_some(value));
    let bytes = (0..ROWS).map(|row| (row as u64).to_be_bytes());
    [
        Arc::new(StringArray::from_iter_values(&text)),
        Arc::new(StringArray::from_iter(some)),
        Arc::new(FixedSizeBinaryArray::try_from_iter(bytes).unwrap()),
    ]
}

fn properties(encoding: Encoding, version: WriterVersion, compression: Compression) -> WriterProperties {
    WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_encoding(encoding)
        .set_writer_version(version)
        .set_compression(compression)
        .build()
}

fn write(path: &Path, column: &ArrayRef, properties: WriterProperties) {
    let batch = RecordBatch::try_from_iter_with_nullable([("a", Arc::clone(column), true)]).unwrap();
    let file = fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn read(path: &Path, request: ScanRequest) -> Result<usize> {
    let dataset = tfxio_formats::open(path.to_str().unwrap())?;
    let batches = dataset.read(request)?.collect::<Result<Vec<_>>>()?;
    Ok(batches.iter().map(|batch| batch.num_rows()).sum())
}

/// Returns the number as it is encoded before the values of a page, in as many bytes as it takes.
fn number(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

fn positions(bytes: &[u8], of: &[u8]) -> Vec<usize> {
    bytes.windows(of.len()).enumerate().filter(|(_, window)| *window == of).map(|(at, _)| at).collect()
}

#[test]
fn counts_in_pages_are_those_of_their_heads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let mut changed = 0;
    for column in columns() {
        let values = (ROWS - column.null_count()) as u64;
        for encoding in [Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY] {
            for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
                if encoding == Encoding::DELTA_LENGTH_BYTE_ARRAY
                    && matches!(column.data_type(), DataType::FixedSizeBinary(_))
                {
                    // Values of a fixed size have no lengths.
                    continue;
                }
                write(&path, &column, properties(encoding, version, Compression::UNCOMPRESSED));
                assert_eq!(read(&path, ScanRequest::new()).unwrap(), ROWS);
                let whole = fs::read(&path).unwrap();
                // Blocks of 128 values in 4 parts, and the number of values.
                let head = [&[0x80, 1, 4][..], &number(values)].concat();
                for at in positions(&whole, &head) {
                    for claimed in [values + 1, 1 << 29, 1 << 33, 1 << 42, 1 << 60, u64::MAX] {
                        let mut bytes = whole.clone();
                        let claim = number(claimed);
                        bytes[at + 3..at + 3 + claim.len()].copy_from_slice(&claim);
                        fs::write(&path, bytes).unwrap();
                        for request in [ScanRequest::new(), ScanRequest::new().limit(7)] {
                            let error = read(&path, request).unwrap_err();
                            assert_eq!(error.kind(), ErrorKind::Malformed, "{error}");
                            let text = error.to_string();
                            let is_named = text.contains("page 0 of the column in row group 0 ");
                            // Of fewer than there are rows, nulls among them, the reader finds the end.
                            assert!(is_named || claimed <= ROWS as u64, "{text}");
                        }
                        changed += 1;
                    }
                }
            }
        }
    }
    assert!(changed > 30, "{changed} files were changed");
}

#[test]
fn counts_of_compressed_pages_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    for column in columns() {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for compression in
                [Compression::SNAPPY, Compression::ZSTD(ZstdLevel::default()), Compression::LZ4_RAW]
            {
                write(&path, &column, properties(Encoding::DELTA_BYTE_ARRAY, version, compression));
                assert_eq!(read(&path, ScanRequest::new()).unwrap(), ROWS);
                assert_eq!(read(&path, ScanRequest::new().limit(7)).unwrap(), 7);
            }
        }
    }
}

/// A number of eleven bytes in the head of a page, which other readers take.
#[test]
fn heads_that_cannot_be_read_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let column: ArrayRef = Arc::new(StringArray::from(vec!["a"; 5000]));
    let plain = properties(Encoding::PLAIN, WriterVersion::PARQUET_1_0, Compression::UNCOMPRESSED);
    write(&path, &column, plain);
    let whole = fs::read(&path).unwrap();
    // The type of the page and its length, which becomes longer than any number is.
    assert_eq!(whole[4..7], [0x15, 0, 0x15]);
    let mut bytes = whole;
    bytes[7..18].copy_from_slice(&[0xff; 11]);
    fs::write(&path, bytes).unwrap();
    let error = read(&path, ScanRequest::new()).unwrap_err().to_string();
    let expected = "the Parquet file cannot be read: page 0 of the column in row group 0 has no head that can be read; the \
                    file is damaged; copy or download it again";
    assert!(error.ends_with(expected), "{error}");
}
