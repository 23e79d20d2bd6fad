//! Column indexes that contradict the file: no filter loses a row by them, and `verify` reports it.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
};
use arrow_schema::{Field, Schema};
use arrow_select::concat::concat_batches;
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataWriter};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::file::writer::TrackedWrite;
use tfxio_core::{FileState, ScanRequest};
use tfxio_formats::{DatasetExt as _, OpenOptions};

const ROWS: i64 = 60;
const PAGE: usize = 10;
const COLUMNS: [&str; 6] = ["i", "s", "f", "r", "t", "e"];

fn rows() -> RecordBatch {
    let nulls = |row: &i64| !(20..30).contains(row) && row % 7 != 3;
    let of = |row: i64| nulls(&row).then_some(row);
    let i: ArrayRef = Arc::new(Int64Array::from_iter((0..ROWS).map(of)));
    let s: ArrayRef =
        Arc::new(StringArray::from_iter((0..ROWS).map(|row| of(row).map(|row| format!("w{row:02}")))));
    let f: ArrayRef =
        Arc::new(Float64Array::from_iter((0..ROWS).map(|row| of(row).map(|row| row as f64 - 30.0))));
    let r: ArrayRef = Arc::new(Int32Array::from_iter_values((0..ROWS as i32).rev()));
    let t: ArrayRef = Arc::new(TimestampMicrosecondArray::from_iter((0..ROWS).map(of)));
    // Most of the texts are empty.
    let e: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..ROWS).map(|row| if row == 35 { "x" } else { "" })));
    let fields = COLUMNS.iter().zip([&i, &s, &f, &r, &t, &e]);
    let fields = fields
        .map(|(name, column)| Field::new(*name, column.data_type().clone(), !matches!(*name, "r" | "e")));
    RecordBatch::try_new(Arc::new(Schema::new(fields.collect::<Vec<_>>())), vec![i, s, f, r, t, e]).unwrap()
}

/// A column index, as it is stored.
#[derive(Clone, Debug, PartialEq)]
struct Index {
    null_pages: Vec<bool>,
    min: Vec<Vec<u8>>,
    max: Vec<Vec<u8>>,
    order: u8,
    nulls: Option<Vec<i64>>,
}

impl Index {
    fn encoded(&self) -> Vec<u8> {
        let number = |out: &mut Vec<u8>, mut number: u64| {
            while number >= 0x80 {
                out.push(number as u8 | 0x80);
                number >>= 7;
            }
            out.push(number as u8);
        };
        let list = |out: &mut Vec<u8>, kind: u8, count: usize| {
            out.extend([0x19, 0xf0 | kind]);
            number(out, count as u64);
        };
        let mut out = Vec::new();
        list(&mut out, 1, self.null_pages.len());
        out.extend(self.null_pages.iter().map(|is_null| if *is_null { 1 } else { 2 }));
        for bounds in [&self.min, &self.max] {
            list(&mut out, 8, bounds.len());
            for bound in bounds {
                number(&mut out, bound.len() as u64);
                out.extend(bound);
            }
        }
        out.extend([0x15, self.order << 1]);
        if let Some(nulls) = &self.nulls {
            list(&mut out, 6, nulls.len());
            nulls.iter().for_each(|nulls| number(&mut out, (nulls << 1 ^ nulls >> 63) as u64));
        }
        out.push(0);
        out
    }
}

/// Returns the true index of each page of a column.
fn truth(batch: &RecordBatch, column: &str) -> Index {
    let values = batch.column_by_name(column).unwrap();
    let mut index = Index {
        null_pages: vec![],
        min: vec![],
        max: vec![],
        order: u8::from(column != "r" && column != "e"),
        nulls: Some(vec![]),
    };
    if column == "r" {
        index.order = 2;
    }
    for page in (0..ROWS as usize).step_by(PAGE) {
        let values = values.slice(page, PAGE);
        let raw = |row: usize| -> Vec<u8> {
            match values.as_any() {
                any if any.is::<StringArray>() => {
                    any.downcast_ref::<StringArray>().unwrap().value(row).into()
                }
                any if any.is::<Float64Array>() => {
                    any.downcast_ref::<Float64Array>().unwrap().value(row).to_le_bytes().into()
                }
                any if any.is::<Int32Array>() => {
                    any.downcast_ref::<Int32Array>().unwrap().value(row).to_le_bytes().into()
                }
                any if any.is::<Int64Array>() => {
                    any.downcast_ref::<Int64Array>().unwrap().value(row).to_le_bytes().into()
                }
                any => {
                    any.downcast_ref::<TimestampMicrosecondArray>().unwrap().value(row).to_le_bytes().into()
                }
            }
        };
        let valid = (0..PAGE).filter(|row| values.is_valid(*row)).collect::<Vec<_>>();
        // Values rise, but for `r`, which falls, and `e`, of which the greatest is the only one that is not empty.
        let (mut min, mut max) =
            (valid.first().map_or(vec![], |row| raw(*row)), valid.last().map_or(vec![], |row| raw(*row)));
        if column == "r" {
            std::mem::swap(&mut min, &mut max);
        }
        if column == "e" {
            max = valid.iter().map(|row| raw(*row)).max().unwrap();
        }
        index.null_pages.push(valid.is_empty());
        index.min.push(min);
        index.max.push(max);
        index.nulls.as_mut().unwrap().push((PAGE - valid.len()) as i64);
    }
    index
}

/// Writes the file with other indexes of some columns.
fn write(path: &Path, batch: &RecordBatch, indexes: &[(usize, Vec<u8>)]) {
    let properties =
        WriterProperties::builder().set_data_page_row_count_limit(PAGE).set_write_batch_size(PAGE);
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties.build())).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    let metadata: ParquetMetaData =
        SerializedFileReader::new(bytes::Bytes::from(bytes.clone())).unwrap().metadata().clone();
    let footer = u32::from_le_bytes(bytes[bytes.len() - 8..bytes.len() - 4].try_into().unwrap()) as usize;
    let mut out = TrackedWrite::new(std::fs::File::create(path).unwrap());
    out.write_all(&bytes[..bytes.len() - 8 - footer]).unwrap();
    let mut columns = metadata.row_group(0).columns().to_vec();
    for (column, index) in indexes {
        let at = out.bytes_written() as i64;
        out.write_all(index).unwrap();
        let chunk = columns[*column].clone().into_builder();
        columns[*column] = chunk
            .set_column_index_offset(Some(at))
            .set_column_index_length(Some(index.len() as i32))
            .build()
            .unwrap();
    }
    let group = metadata.row_group(0).clone().into_builder().set_column_metadata(columns).build().unwrap();
    let metadata = ParquetMetaData::new(metadata.file_metadata().clone(), vec![group]);
    ParquetMetaDataWriter::new_with_tracked(out, &metadata).finish().unwrap();
}

fn filters(column: &str) -> Vec<String> {
    let values: &[&str] = match column {
        "s" => &["'w05'", "'w33'", "'w59'", "''"],
        "e" => &["''", "'x'", "'y'"],
        "t" => &["'1970-01-01T00:00:00.000005'", "'1970-01-01T00:00:00.000041'"],
        _ => &["5", "-3", "33", "59"],
    };
    let compared =
        values.iter().flat_map(|value| ["=", "!=", "<", ">="].map(|sign| format!("{column} {sign} {value}")));
    compared.chain([format!("{column} is null"), format!("{column} is not null")]).collect()
}

/// The rows of a filter.
fn read(path: &Path, filter: &str) -> RecordBatch {
    let dataset = OpenOptions::new().open(path.to_str().unwrap()).unwrap();
    let request =
        ScanRequest::new().filter(filter.parse().unwrap_or_else(|error| panic!("{filter}: {error}")));
    let batches = dataset.read(request).unwrap().collect::<Result<Vec<_>, _>>().unwrap();
    concat_batches(dataset.schema(), &batches).unwrap()
}

/// A way in which an index is false.
type Way = (&'static str, fn(&mut Index, &Index));

const WAYS: &[Way] = &[
    ("bounds are swapped", |index, _| std::mem::swap(&mut index.min, &mut index.max)),
    ("bounds are empty", |index, _| index.min.iter_mut().chain(&mut index.max).for_each(Vec::clear)),
    ("greatest values are empty", |index, _| index.max.iter_mut().for_each(Vec::clear)),
    ("bounds are of another type", |index, _| {
        index.min.iter_mut().chain(&mut index.max).for_each(|bound| bound.truncate(bound.len() / 2));
    }),
    ("bounds are one number", |index, _| {
        for bound in index.min.iter_mut().chain(&mut index.max).filter(|bound| !bound.is_empty()) {
            *bound = index.nulls.as_ref().map_or(vec![7; 8], |_| vec![7, 0, 0, 0, 0, 0, 0, 0]);
        }
    }),
    ("bounds are those of the next page", |index, _| {
        index.min.rotate_left(1);
        index.max.rotate_left(1);
        index.null_pages.rotate_left(1);
        if let Some(nulls) = &mut index.nulls {
            nulls.rotate_left(1);
        }
    }),
    ("the order is another", |index, _| index.order = 3 - index.order.clamp(1, 2)),
    ("a page more", |index, _| {
        index.null_pages.push(false);
        index.min.push(vec![0; 8]);
        index.max.push(vec![0; 8]);
        if let Some(nulls) = &mut index.nulls {
            nulls.push(0);
        }
    }),
    ("a page fewer", |index, _| {
        index.null_pages.pop();
        index.min.pop();
        index.max.pop();
        if let Some(nulls) = &mut index.nulls {
            nulls.pop();
        }
    }),
    ("numbers of nulls are -1", |index, _| index.nulls = Some(vec![-1; index.null_pages.len()])),
    ("numbers of nulls are 0", |index, _| index.nulls = Some(vec![0; index.null_pages.len()])),
    ("numbers of nulls are those of another page", |index, _| index.nulls.as_mut().unwrap().reverse()),
    ("one null more", |index, _| index.nulls.as_mut().unwrap()[5] += 1),
    ("all are null", |index, _| index.nulls = Some(vec![PAGE as i64; index.null_pages.len()])),
    ("all pages are null", |index, _| index.null_pages.fill(true)),
    ("all pages are null, without counts", |index, _| {
        index.null_pages.fill(true);
        index.nulls = None;
    }),
    ("a page is null", |index, _| index.null_pages[4] = true),
    ("a page is null, without counts", |index, _| {
        index.null_pages[4] = true;
        index.nulls = None;
    }),
    ("no page is null", |index, _| index.null_pages.fill(false)),
    ("it is that of another column", |index, other| *index = other.clone()),
    ("bounds are not a number", |index, _| {
        index.min.iter_mut().chain(&mut index.max).for_each(|bound| *bound = f64::NAN.to_le_bytes().into());
    }),
    ("one bound is not a number", |index, _| index.max[0] = f64::NAN.to_le_bytes().into()),
];

#[test]
fn no_filter_loses_rows_by_an_index() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let batch = rows();
    let truths = COLUMNS.map(|column| truth(&batch, column));
    let all = |indexes: &[Index]| indexes.iter().map(Index::encoded).enumerate().collect::<Vec<_>>();
    write(&path, &batch, &all(&truths));
    let report = OpenOptions::new().verify(path.to_str().unwrap()).unwrap();
    assert_eq!(report.state, FileState::Whole, "{:?}", report.errors);
    let expected = COLUMNS.map(|column| {
        filters(column).into_iter().map(|filter| (read(&path, &filter), filter)).collect::<Vec<_>>()
    });
    let mut wrong = Vec::new();
    for (way, change) in WAYS {
        for (number, column) in COLUMNS.iter().enumerate() {
            let mut indexes = truths.to_vec();
            change(&mut indexes[number], &truths[(number + 4) % 5]);
            let is_changed = indexes[number] != truths[number];
            write(&path, &batch, &all(&indexes));
            for (rows, filter) in &expected[number] {
                if read(&path, filter) != *rows {
                    wrong.push(format!("{way}: {filter}"));
                }
            }
            let report = OpenOptions::new().verify(path.to_str().unwrap()).unwrap();
            // Bounds that are not numbers say nothing, and that is allowed.
            let is_said = report.state != FileState::Whole || !is_changed || way.contains("not a number");
            if !is_said {
                wrong.push(format!("{way}: verify says nothing of {column}"));
            }
        }
    }
    // Cut anywhere.
    let index = truths[0].encoded();
    for end in 0..index.len() {
        write(&path, &batch, &[(0, index[..end].to_vec())]);
        for (rows, filter) in &expected[0] {
            if read(&path, filter) != *rows {
                wrong.push(format!("cut at {end}: {filter}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
