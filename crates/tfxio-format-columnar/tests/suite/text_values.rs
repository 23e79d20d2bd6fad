//! Parquet columns whose type in Arrow is text, and whose bytes are not.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array as _, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::{ARROW_SCHEMA_META_KEY, encode_arrow_schema};
use parquet::basic::Encoding;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use tfxio_core::{ErrorKind, Result, ScanRequest};
use tfxio_formats::DatasetExt as _;

/// Types of the column in the file: in its own schema, and in the Arrow schema.
struct Said {
    stored: &'static str,
    arrow: Option<DataType>,
}

fn said() -> Vec<Said> {
    let dictionary = |key: DataType, value: DataType| DataType::Dictionary(Box::new(key), Box::new(value));
    let types = [
        None,
        Some(DataType::Utf8),
        Some(DataType::LargeUtf8),
        Some(DataType::Utf8View),
        Some(dictionary(DataType::Int32, DataType::Utf8)),
        Some(dictionary(DataType::Int8, DataType::LargeUtf8)),
        Some(dictionary(DataType::UInt32, DataType::Utf8View)),
    ];
    let mut said = Vec::new();
    for stored in ["", " (UTF8)", " (STRING)", " (JSON)", " (ENUM)", " (BSON)"] {
        said.extend(types.iter().cloned().map(|arrow| Said { stored, arrow }));
    }
    said
}

/// Writes a column of rows, each of one value or a list of two.
fn write(path: &Path, said: &Said, in_lists: bool, encoding: Option<Encoding>, values: &[&[u8]]) {
    let stored = said.stored;
    let schema = if in_lists {
        format!(
            "message m {{ required group a (LIST) {{ repeated group list {{ required binary element{stored}; }} }} }}"
        )
    } else {
        format!("message m {{ required binary a{stored}; }}")
    };
    let schema = Arc::new(parse_message_type(&schema).unwrap());
    let arrow = said.arrow.clone().map(|kind| {
        let kind = match in_lists {
            true => DataType::List(Arc::new(Field::new("element", kind, false))),
            false => kind,
        };
        let schema = Schema::new(vec![Field::new("a", kind, false)]);
        vec![KeyValue::new(ARROW_SCHEMA_META_KEY.to_owned(), encode_arrow_schema(&schema))]
    });
    let properties = WriterProperties::builder().set_key_value_metadata(arrow);
    let properties = match encoding {
        Some(encoding) => properties.set_dictionary_enabled(false).set_encoding(encoding),
        None => properties.set_dictionary_enabled(true),
    };
    let file = File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties.build())).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let values = values.iter().map(|value| ByteArray::from(value.to_vec())).collect::<Vec<_>>();
    let levels = |of: fn(usize) -> i16| (0..values.len()).map(of).collect::<Vec<_>>();
    let (definitions, repetitions) = (levels(|_| 1), levels(|at| (at % 2) as i16));
    let levels = in_lists.then_some((&*definitions, &*repetitions)).unzip();
    column.typed::<ByteArrayType>().write_batch(&values, levels.0, levels.1).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
}

fn read(path: &Path, rows: usize) -> Result<Vec<RecordBatch>> {
    let dataset = tfxio_formats::open(path.to_str().unwrap())?;
    dataset.read(ScanRequest::new().batch_rows(rows))?.collect()
}

const ENCODINGS: [Option<Encoding>; 4] =
    [None, Some(Encoding::PLAIN), Some(Encoding::DELTA_LENGTH_BYTE_ARRAY), Some(Encoding::DELTA_BYTE_ARRAY)];

/// Values of which the first is text, and none is at the end of a character of another.
const TEXT: [&[u8]; 4] = [b"a", "longer than twelve bytes, é".as_bytes(), b"", "é".as_bytes()];
/// Values that are not text: by themselves, or cut within a character.
const NOT_TEXT: [[&[u8]; 4]; 6] = [
    [b"a", b"abc\xf0", b"b", b"c"],
    [b"a", b"b", b"c", b"\xff"],
    [b"a", b"a\xc3", b"\xa9b", b"c"],
    [b"a", b"longer than twelve bytes \xc3", b"\xa9 also longer than twelve", b"c"],
    [b"a", b"b", b"cut off at the very end \xe2\x82", b"\xac"],
    [b"\x80 at the very beginning", b"b", b"c", b"d"],
];

#[test]
fn bytes_that_are_no_text_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let (mut refused, mut of_text) = (0, 0);
    for said in said() {
        for in_lists in [false, true] {
            for encoding in ENCODINGS {
                let what = |values: &[&[u8]]| {
                    format!("{}, {:?}, {in_lists}, {encoding:?}: {values:?}", said.stored, said.arrow)
                };
                write(&path, &said, in_lists, encoding, &TEXT);
                let Ok(batches) = read(&path, 2) else {
                    // The reader has no such type.
                    refused += 1;
                    continue;
                };
                let kind = batches[0].schema().field(0).data_type().to_string();
                let is_text = kind.contains("Utf8");
                of_text += usize::from(is_text);
                for values in &NOT_TEXT {
                    write(&path, &said, in_lists, encoding, values);
                    for rows in [1, 2, 1000] {
                        match read(&path, rows) {
                            Ok(batches) => {
                                assert!(!is_text, "{}", what(values));
                                let data = batches[0].column(0).to_data();
                                data.validate_full().unwrap();
                            }
                            Err(error) => {
                                assert!(is_text, "{}: {error}", what(values));
                                assert_eq!(error.kind(), ErrorKind::Malformed, "{error}");
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(of_text > 150 && refused < 120, "{of_text} were text, {refused} were refused");
}

#[test]
fn the_error_names_the_column_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let said = Said { stored: " (JSON)", arrow: None };
    write(&path, &said, false, None, &[b"{}", b"{}", b"abc\xf0"]);
    let error = read(&path, 1000).unwrap_err().to_string();
    let expected = "column \"a\": the Parquet file cannot be read: value 2 is not UTF-8, and its type is text; leave out the \
                    column, or write the file again, with bytes (binary) as its type";
    assert!(error.ends_with(expected), "{error}");
}
