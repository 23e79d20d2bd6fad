//! Parquet files whose pages or footers make false claims: an error for each.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::basic::Compression;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter};
use parquet::file::properties::WriterProperties;
use tfxio_core::{Error, ErrorKind, Limits, Partition, ScanRequest};
use tfxio_formats::DatasetExt as _;

const HELP: &str = "; the file is damaged; copy or download it again";

/// A file with the columns `n`, plain, and `text`, with a dictionary.
struct Made {
    bytes: Vec<u8>,
    path: PathBuf,
    _folder: tempfile::TempDir,
}

/// Claim in the head of a page.
#[derive(Clone, Copy)]
enum Claim {
    Inflated = 1,
    Stored = 2,
    Values = 3,
}

impl Made {
    fn new() -> Self {
        let n: ArrayRef = Arc::new(Int64Array::from_iter_values((0..2500).map(|n| n % 3)));
        let text: ArrayRef =
            Arc::new(StringArray::from_iter_values((0..2500).map(|n| format!("word {}", n % 500))));
        let batch = RecordBatch::try_from_iter([("n", n), ("text", text)]).unwrap();
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_column_dictionary_enabled("n".into(), false)
            .build();
        let mut bytes = Vec::new();
        let mut writer =
            parquet::arrow::ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        Self { bytes, path, _folder: folder }
    }

    fn metadata(&self) -> ParquetMetaData {
        std::fs::write(&self.path, &self.bytes).unwrap();
        ParquetMetaDataReader::new().parse_and_finish(&std::fs::File::open(&self.path).unwrap()).unwrap()
    }

    /// Returns the range of the bytes of a column.
    fn column(&self, column: usize) -> Range<usize> {
        let (start, bytes) = self.metadata().row_group(0).column(column).byte_range();
        start as usize..(start + bytes) as usize
    }

    /// Returns the range of a claim of the page at an offset.
    fn claim(&self, at: usize, claim: Claim) -> Range<usize> {
        let mut at = at;
        for _ in 0..claim as usize {
            at = end(&self.bytes, at + 1);
        }
        // A struct begins before the number of values.
        let start = if matches!(claim, Claim::Values) { at + 2 } else { at + 1 };
        start..end(&self.bytes, start)
    }

    fn number(&self, at: usize, claim: Claim) -> i64 {
        let bytes = &self.bytes[self.claim(at, claim)];
        let number = bytes.iter().rev().fold(0, |number, byte| number << 7 | i64::from(byte & 0x7f));
        (number >> 1) ^ -(number & 1)
    }

    /// Claims another number, in as many bytes as there are.
    fn set(&mut self, at: usize, claim: Claim, number: i64) {
        let range = self.claim(at, claim);
        let (mut left, last) = ((number << 1) ^ (number >> 63), range.end - 1);
        for at in range {
            self.bytes[at] = (left & 0x7f) as u8 | if at < last { 0x80 } else { 0 };
            left >>= 7;
        }
        assert_eq!((left, self.number(at, claim)), (0, number));
    }

    /// Writes another footer.
    fn set_footer(&mut self, metadata: &ParquetMetaData) {
        let length = self.bytes[self.bytes.len() - 8..].first_chunk().unwrap();
        let length = u32::from_le_bytes(*length) as usize;
        self.bytes.truncate(self.bytes.len() - 8 - length);
        ParquetMetaDataWriter::new(&mut self.bytes, metadata).finish().unwrap();
    }

    /// Reads the file. Returns the error after its name.
    fn error(&self, request: ScanRequest) -> String {
        std::fs::write(&self.path, &self.bytes).unwrap();
        let read = || {
            for batch in tfxio_formats::open(self.path.to_str().unwrap())?.read(request)? {
                batch?;
            }
            Ok(())
        };
        said(read())
    }

    /// Reads the rows after the first, whose pages are in the page index. Returns the error after the name of the file.
    fn error_by_pages(&self) -> String {
        let name = self.path.to_str().unwrap();
        let read = || {
            let partition = Partition::whole(name).skip(1);
            tfxio_formats::open(name)?.scan(&partition, &ScanRequest::new())?.next_batch().map(|_| ())
        };
        said(read())
    }

    /// Asserts that the file is refused, whether columns are read as a whole or by windows.
    fn check(&self, says: &str) {
        for most in [u64::MAX, 1000] {
            let error = self.error(ScanRequest::new().limits(Limits::default().batch_bytes(most)));
            assert_eq!(error, format!("{says}{HELP}"));
        }
    }

    /// Asserts that the file is refused, also where only some pages are read.
    fn check_pages(&self, says: &str) {
        self.check(says);
        assert_eq!(self.error_by_pages(), format!("{says}{HELP}"));
    }
}

/// Returns the error of a damaged file after its name.
fn said(read: Result<(), Error>) -> String {
    let error = read.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Malformed, "{error}");
    error.to_string().split_once("a.parquet").unwrap().1.to_owned()
}

/// Returns the end of a number.
fn end(bytes: &[u8], start: usize) -> usize {
    start + bytes[start..].iter().position(|byte| *byte < 0x80).unwrap() + 1
}

#[test]
fn pages_that_claim_more_bytes_than_their_column_has() {
    let mut made = Made::new();
    for number in [8000, -1] {
        made.set(4, Claim::Stored, number);
        let error = made.error(ScanRequest::new());
        let says = format!(
            ", byte 4, column \"n\": the Parquet file cannot be read: page 0 of the column in row group 0 claims {number} \
             bytes, and its column has "
        );
        for error in [error, made.error_by_pages()] {
            assert!(error.starts_with(&says) && error.ends_with(&format!(" from there on{HELP}")), "{error}");
        }
    }
}

#[test]
fn pages_that_claim_to_inflate_to_more_than_they_can() {
    let mut made = Made::new();
    let stored = made.number(4, Claim::Stored);
    assert!(stored * 64 + 1024 < 1_000_000);
    for number in [1_000_000, -7] {
        made.set(4, Claim::Inflated, number);
        made.check_pages(&format!(
            ", byte 4, column \"n\": the Parquet file cannot be read: page 0 of the column in row group 0 claims that its \
             {stored} bytes are {number} when inflated"
        ));
    }
}

#[test]
fn pages_that_claim_other_numbers_of_values() {
    let mut made = Made::new();
    made.set(4, Claim::Values, 8000);
    made.check_pages(
        ", byte 4, column \"n\": the Parquet file cannot be read: page 0 of the column in row group 0 claims 8000 values, \
         and the footer says that 2500 follow from there on",
    );
    let mut made = Made::new();
    let text = made.column(1).start;
    let inflated = made.number(text, Claim::Inflated);
    assert!(inflated < 8000);
    made.set(text, Claim::Values, 8000);
    made.check_pages(&format!(
        ", byte {text}, column \"text\": the Parquet file cannot be read: page 0 of the column in row group 0 is a dictionary \
         that claims 8000 values in {inflated} bytes"
    ));
}

#[test]
fn footers_that_claim_other_rows() {
    for (rows, says) in [
        (2400, ": row group 0 of the file has more rows than the footer says"),
        (2600, ": row group 0 of the file has 100 rows fewer than the footer says"),
        (i64::MAX, ": row group 0 of the file has 9223372036854773307 rows fewer than the footer says"),
    ] {
        let mut made = Made::new();
        let metadata = made.metadata();
        let group = metadata.row_group(0).clone().into_builder().set_num_rows(rows).build().unwrap();
        let metadata = metadata.into_builder().set_row_groups(vec![group]).set_column_index(None);
        made.set_footer(&metadata.set_offset_index(None).build());
        assert_eq!(made.error(ScanRequest::new()), says, "{rows}");
    }
}

#[test]
fn columns_that_overlap() {
    let mut made = Made::new();
    let metadata = made.metadata();
    let mut columns = metadata.row_group(0).columns().to_vec();
    let at = made.column(0).start as i64 + 20;
    let column = columns[1].clone().into_builder().set_dictionary_page_offset(Some(at)).build().unwrap();
    columns[1] = column;
    let group = metadata.row_group(0).clone().into_builder().set_column_metadata(columns).build().unwrap();
    let metadata = metadata.into_builder().set_row_groups(vec![group]).set_column_index(None);
    made.set_footer(&metadata.set_offset_index(None).build());
    made.check(&format!(
        ", byte {at}, column \"text\": the Parquet file cannot be read: in row group 0, the column begins in the bytes of the \
         column \"n\""
    ));
}

/// The rows are as in the footer, once for each row group: bytes that several share do not make one of them another's.
#[test]
fn row_groups_of_the_same_bytes() {
    let mut made = Made::new();
    let metadata = made.metadata();
    let groups = vec![metadata.row_group(0).clone(); 3];
    let metadata = metadata.into_builder().set_row_groups(groups).set_column_index(None);
    made.set_footer(&metadata.set_offset_index(None).build());
    std::fs::write(&made.path, &made.bytes).unwrap();
    let dataset = tfxio_formats::open(made.path.to_str().unwrap()).unwrap();
    let rows = |partitions: &[Partition], threads| {
        let request = ScanRequest::new().batch_rows(999).threads(threads);
        let scans = partitions.iter().map(|partition| dataset.scan(partition, &request).unwrap());
        let mut numbers = Vec::new();
        for mut scan in scans {
            while let Some(batch) = scan.next_batch().unwrap() {
                numbers.extend(crate::test_files::numbers(&batch));
            }
        }
        numbers
    };
    let all = (0..3).flat_map(|_| (0..2500).map(|n| n % 3)).collect::<Vec<i64>>();
    for target in [1, u64::MAX] {
        let partitions = dataset.partitions(target).unwrap();
        assert_eq!(partitions.len(), if target == 1 { 3 } else { 1 });
        for threads in [1, 2] {
            assert_eq!(rows(&partitions, threads), all, "{target} bytes, {threads} threads");
        }
    }
}
