//! Footers of old and odd writers: what is left unsaid, of another kind or wrong is read as other readers do.

use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{Array as _, ArrayRef, Decimal128Array, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::DataType;
use arrow_select::concat::concat_batches;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use tfxio_core::{Result, ScanRequest};
use tfxio_formats::{DatasetExt as _, OpenOptions};

use crate::thrift::Value;

const I32: u8 = 5;
const I64: u8 = 6;

fn number(number: i64) -> Option<Value> {
    Some(Value::Integer(I32, number))
}

/// The bytes before the footer of a file, and the footer.
fn taken(bytes: &[u8]) -> (Vec<u8>, Value) {
    let length = u32::from_le_bytes(bytes[bytes.len() - 8..bytes.len() - 4].try_into().unwrap()) as usize;
    let at = bytes.len() - 8 - length;
    (bytes[..at].to_vec(), Value::struct_at(&mut &bytes[at..]))
}

/// Writes a file with a footer.
fn written(path: &Path, mut bytes: Vec<u8>, footer: &Value) {
    let footer = footer.encoded();
    bytes.extend(&footer);
    bytes.extend((footer.len() as u32).to_le_bytes());
    bytes.extend(b"PAR1");
    std::fs::write(path, bytes).unwrap();
}

fn batch() -> RecordBatch {
    let numbers: ArrayRef =
        Arc::new(Int64Array::from_iter((0..90).map(|row| (row % 4 > 0).then_some(row / 9))));
    let texts: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..90).map(|row| format!("word {}", row / 7))));
    let decimals = Decimal128Array::from_iter_values(0..90).with_precision_and_scale(7, 0).unwrap();
    let nulls: ArrayRef = Arc::new(Int32Array::new_null(90));
    RecordBatch::try_from_iter_with_nullable([
        ("n", numbers, true),
        ("s", texts, false),
        ("d", Arc::new(decimals), true),
        ("z", nulls, true),
    ])
    .unwrap()
}

/// A file as it is written today, without an Arrow schema.
fn plain() -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(50))
        .set_offset_index_disabled(true)
        .set_column_dictionary_enabled("z".into(), false)
        .set_column_dictionary_enabled("n".into(), false)
        .set_statistics_enabled(EnabledStatistics::Chunk);
    let options = parquet::arrow::arrow_writer::ArrowWriterOptions::new()
        .with_properties(properties.build())
        .with_skip_arrow_metadata(true);
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new_with_options(&mut bytes, batch().schema(), options).unwrap();
    writer.write(&batch()).unwrap();
    writer.close().unwrap();
    bytes
}

fn read(path: &Path, set: &[(&str, &str)]) -> Result<RecordBatch> {
    let mut options = OpenOptions::new();
    for (key, value) in set {
        options = options.set(key, *value)?;
    }
    let dataset = options.open(path.to_str().unwrap())?;
    let batches = dataset.read(ScanRequest::new().batch_rows(40))?.collect::<Result<Vec<_>>>()?;
    Ok(concat_batches(dataset.schema(), &batches)?)
}

/// A way in which footers are odd, and a change that makes one so.
type Way = (&'static str, fn(&mut Value));

/// Each element of the schema but the root.
fn elements(footer: &mut Value, change: impl Fn(&mut Value)) {
    footer.field(2).items().iter_mut().skip(1).for_each(change);
}

/// Each column of each row group.
fn columns(footer: &mut Value, change: impl Fn(&mut Value)) {
    for group in footer.field(4).items() {
        group.field(1).items().iter_mut().for_each(|column| change(column.field(3)));
    }
}

const WAYS: &[Way] = &[
    ("as written", |_| {}),
    ("no rows in all", |footer| footer.set(3, Some(Value::Integer(I64, 0)))),
    ("more rows in all", |footer| footer.set(3, Some(Value::Integer(I64, 1000)))),
    ("no repetition", |footer| {
        footer.field(2).items()[2].set(3, None);
    }),
    ("numbers of another width", |footer| {
        columns(footer, |column| {
            let values = column.field(5).number();
            column.set(5, Some(Value::Integer(4, values)));
            column.set(13, Some(Value::List(4, vec![Value::Integer(4, 7), Value::Integer(4, 8)])));
            column.set(
                16,
                Some(Value::Struct(vec![
                    (1, Value::Integer(4, 7)),
                    (2, Value::List(4, vec![Value::Integer(4, 1)])),
                ])),
            );
        });
    }),
    ("fields of another kind", |footer| {
        columns(footer, |column| {
            column.set(8, Some(Value::Integer(I32, 7)));
            column.set(12, Some(Value::List(3, vec![Value::Byte(1)])));
            column.set(14, Some(Value::Bool(true)));
        });
        footer.set(5, Some(Value::List(3, vec![])));
        footer.set(6, Some(Value::Double([0; 8])));
    }),
    ("fields that are not known", |footer| {
        columns(footer, |column| column.set(77, Some(Value::Struct(vec![(1, Value::Double([1; 8]))]))));
        elements(footer, |element| element.set(99, Some(Value::Bytes(vec![0; 9]))));
        footer.set(40, Some(Value::Bool(false)));
    }),
    ("empty lists of no kind", |footer| {
        footer.set(5, Some(Value::List(0, vec![])));
        columns(footer, |column| column.set(8, Some(Value::List(0, vec![]))));
    }),
    ("decimals without a scale", |footer| {
        footer.field(2).items()[3].set(7, None);
        footer.field(2).items()[3].set(10, None);
    }),
    ("a group without children", |footer| {
        let schema = footer.field(2).items();
        schema[0].set(5, number(5));
        let group = |name: &str, children: Option<Value>| {
            let mut group = Value::Struct(vec![(3, Value::Integer(I32, 1)), (4, Value::Bytes(name.into()))]);
            group.set(5, children);
            group
        };
        schema.insert(3, group("empty", number(1)));
        schema.insert(4, group("within", number(0)));
    }),
    ("dictionaries at 0", |footer| {
        // Of a column without one.
        columns(footer, |column| {
            let Value::Struct(fields) = &*column else { panic!("a struct") };
            if !fields.iter().any(|(number, _)| *number == 11) {
                column.set(11, Some(Value::Integer(I64, 0)));
            }
        });
    }),
];

#[test]
fn odd_footers_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    for (way, change) in WAYS {
        let (bytes, mut footer) = taken(&plain());
        change(&mut footer);
        written(&path, bytes, &footer);
        let found = read(&path, &[]).unwrap_or_else(|error| panic!("{way}: {error}"));
        assert_eq!(found.columns(), batch().columns(), "{way}");
        let report = OpenOptions::new().verify(path.to_str().unwrap()).unwrap();
        assert!(report.errors.is_empty(), "{way}: {:?}", report.errors);
    }
    // Columns of nulls, of before there was a type for them.
    let (bytes, mut footer) = taken(&plain());
    footer.field(2).items()[4].set(6, number(24));
    footer.field(2).items()[4].set(10, None);
    written(&path, bytes, &footer);
    let found = read(&path, &[]).unwrap();
    assert_eq!(found.column(3).logical_null_count(), 90, "{:?}", found.schema());
    assert_eq!(found.columns()[..3], batch().columns()[..3]);
}

#[test]
fn what_is_damaged_stays_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let ways: &[Way] = &[
        ("no name", |footer| footer.field(2).items()[1].set(4, Some(Value::Integer(I32, 1)))),
        ("no schema", |footer| footer.set(2, None)),
        ("no row groups", |footer| footer.set(4, Some(Value::List(8, vec![Value::Bytes(vec![1])])))),
        ("no offset", |footer| columns(footer, |column| column.set(9, Some(Value::Bool(true))))),
    ];
    for (way, change) in ways {
        let (bytes, mut footer) = taken(&plain());
        change(&mut footer);
        written(&path, bytes, &footer);
        let read = read(&path, &[]);
        assert!(
            read.is_err() || read.is_ok_and(|batch| batch.num_columns() == 0 || batch.num_rows() == 0),
            "{way}"
        );
    }
}

/// Writes columns of a schema: values of each, with levels.
fn write_columns(
    path: &Path,
    schema: &str,
    version: WriterVersion,
    write: impl Fn(usize, &mut parquet::file::writer::SerializedColumnWriter<'_>),
) {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = WriterProperties::builder().set_writer_version(version).build();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut number = 0;
    while let Some(mut column) = group.next_column().unwrap() {
        write(number, &mut column);
        column.close().unwrap();
        number += 1;
    }
    group.close().unwrap();
    writer.close().unwrap();
}

#[test]
fn lists_of_maps_in_two_levels_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let schema = "message m { required group l (LIST) { repeated group array (MAP) { repeated group map (MAP_KEY_VALUE) { \
                  required binary key (UTF8); required int32 value; } } } }";
    // Two maps of two entries and one, and a row without any.
    let (definitions, repetitions) = ([2, 2, 2, 0], [0, 2, 1, 0]);
    write_columns(&path, schema, WriterVersion::PARQUET_1_0, |number, column| match number {
        0 => {
            let keys = ["a", "b", "c"].map(ByteArray::from);
            column
                .typed::<ByteArrayType>()
                .write_batch(&keys, Some(&definitions), Some(&repetitions))
                .unwrap();
        }
        _ => {
            column
                .typed::<Int32Type>()
                .write_batch(&[1, 2, 3], Some(&definitions), Some(&repetitions))
                .unwrap();
        }
    });
    let found = read(&path, &[]).unwrap();
    let lists = found.column(0).as_list::<i32>();
    assert_eq!(lists.value_offsets(), [0, 2, 2]);
    let maps = lists.values().as_map();
    assert_eq!(maps.value_offsets(), [0, 2, 3]);
    assert_eq!(maps.values().as_primitive::<arrow_array::types::Int32Type>().values(), &[1, 2, 3]);
}

#[test]
fn integers_are_not_wrapped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    for (name, kind, least, most) in [
        ("UINT_8", DataType::UInt8, 0, 255),
        ("UINT_16", DataType::UInt16, 0, 65_535),
        ("INT_8", DataType::Int8, -128, 127),
        ("INT_16", DataType::Int16, -32_768, 32_767),
        ("INTEGER(8,false)", DataType::UInt8, 0, 255),
        ("INTEGER(16,true)", DataType::Int16, -32_768, 32_767),
    ] {
        let schema = format!(
            "message m {{ required int32 a; optional group g {{ optional int32 x ({name}); }} required int32 y ({name}); }}"
        );
        let write = |values: [i32; 3]| {
            write_columns(&path, &schema, WriterVersion::PARQUET_2_0, |number, column| {
                let definitions = (number == 1).then_some(&[2, 0, 2, 2][..]);
                let values = if number == 1 { values.to_vec() } else { [&[least][..], &values].concat() };
                column.typed::<Int32Type>().write_batch(&values, definitions, None).unwrap();
            });
        };
        write([least, 1, most]);
        let found = read(&path, &[]).unwrap();
        let nested = found.column(1).as_struct().column(0);
        assert_eq!((found.column(2).data_type(), nested.data_type()), (&kind, &kind), "{name}");
        let debug = |column: &ArrayRef| format!("{column:?}");
        assert!(
            debug(found.column(2)).contains(&most.to_string()) && debug(nested).contains(&least.to_string())
        );
        for wrong in [least - 1, most + 1] {
            write([least, wrong, most]);
            let error = read(&path, &[]).unwrap_err().to_string();
            let expected = format!("the value {wrong} is not one of its type");
            assert!(error.contains(&expected) && error.contains("column \"g\""), "{name}: {error}");
            let error = OpenOptions::new().open(path.to_str().unwrap()).unwrap();
            let error = error
                .read(ScanRequest::new().columns(["y"]))
                .unwrap()
                .collect::<Result<Vec<_>>>()
                .unwrap_err();
            assert!(error.to_string().contains("column \"y\", row 2"), "{error}");
        }
    }
}

#[test]
fn columns_of_an_old_writer_go_on_by_the_heads_of_dictionaries() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let (bytes, mut footer) = taken(&plain());
    footer.set(6, Some(Value::Bytes(b"parquet-mr version 1.2.5".to_vec())));
    columns(&mut footer, |column| {
        let Value::Struct(fields) = &*column else { panic!() };
        let Some((_, at)) = fields.iter().find(|(number, _)| *number == 11) else { return };
        let at = at.number() as usize;
        let before = &bytes[at..];
        let mut left = before;
        Value::struct_at(&mut left);
        let head = (before.len() - left.len()) as i64;
        let length = column.field(7).number();
        column.set(7, Some(Value::Integer(I64, length - head)));
    });
    written(&path, bytes.clone(), &footer);
    assert_eq!(read(&path, &[]).unwrap().columns(), batch().columns());
    footer.set(6, Some(Value::Bytes(b"parquet-mr version 1.2.9".to_vec())));
    written(&path, bytes, &footer);
    assert!(read(&path, &[]).is_err());
}

#[test]
fn pages_that_deny_their_compression_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let column: ArrayRef = Arc::new(Int64Array::from_iter_values((0..4000).map(|row| row % 9)));
    let batch = RecordBatch::try_from_iter([("n", column)]).unwrap();
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_writer_version(WriterVersion::PARQUET_2_0)
        .set_dictionary_enabled(false)
        .set_data_page_row_count_limit(1000);
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties.build())).unwrap();
    writer.write(&batch).unwrap();
    let metadata = writer.close().unwrap();
    let (mut bytes, mut footer) = taken(&bytes);
    for page in metadata.offset_index().unwrap()[0][0].page_locations() {
        let at = page.offset as usize;
        let mut left = &bytes[at..];
        let mut head = Value::struct_at(&mut left);
        let length = bytes.len() - at - left.len();
        let before = head.encoded();
        assert_eq!(before.len(), length);
        head.field(8).set(7, Some(Value::Bool(false)));
        let after = head.encoded();
        assert_eq!(after.len(), length, "the flag is there");
        bytes[at..at + length].copy_from_slice(&after);
    }
    for (created_by, is_read) in [
        ("parquet-cpp version 1.5.1-SNAPSHOT", true),
        ("parquet-cpp version 2.0.0", false),
        ("parquet-cpp-arrow version 14.0.2", false),
        ("another", false),
    ] {
        footer.set(6, Some(Value::Bytes(created_by.into())));
        written(&path, bytes.clone(), &footer);
        let found = read(&path, &[]);
        if is_read {
            assert_eq!(
                found.unwrap().column(0).as_primitive::<Int64Type>(),
                batch.column(0).as_primitive::<Int64Type>()
            );
            let dataset = OpenOptions::new().open(path.to_str().unwrap()).unwrap();
            let request = ScanRequest::new().filter("n = 7".parse().unwrap());
            let rows = dataset.read(request).unwrap().map(|batch| batch.unwrap().num_rows()).sum::<usize>();
            assert_eq!(rows, 444);
        } else {
            let error = found.unwrap_err().to_string();
            assert!(error.contains("says that it is not compressed, and that its"), "{created_by}: {error}");
        }
    }
}
