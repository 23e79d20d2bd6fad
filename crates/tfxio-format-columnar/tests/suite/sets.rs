//! Files that are read together and differ in their columns.

use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::{NullBuffer, OffsetBuffer, i256};
use arrow_schema::{DataType, Field, Fields, Schema, TimeUnit};
use tfxio_formats::tfxio_core::{Dataset, DatasetSpec, ErrorKind, Predicate, RecordRun, ScanRequest};
use tfxio_formats::{DatasetExt as _, OpenOptions, SpecExt as _};

use super::test_files::write;

const ENDINGS: [&str; 2] = ["parquet", "arrow"];
/// Seconds, numbers or texts that columns are made of.
const VALUES: [Option<i64>; 4] = [Some(7), None, Some(0), Some(86_400)];

/// Returns the values in a type; nothing for one that has none of them.
fn array(data_type: &DataType) -> ArrayRef {
    use DataType as T;
    macro_rules! numbers {
        ($type:ty, $of:expr) => {
            Arc::new(VALUES.map(|value| value.map($of)).into_iter().collect::<PrimitiveArray<$type>>())
                as ArrayRef
        };
    }
    let small = |value: i64| value % 100;
    match data_type {
        T::Null => Arc::new(NullArray::new(4)),
        T::Int8 => numbers!(Int8Type, |value| small(value) as i8),
        T::UInt8 => numbers!(UInt8Type, |value| small(value) as u8),
        T::Int16 => numbers!(Int16Type, |value| small(value) as i16),
        T::UInt16 => numbers!(UInt16Type, |value| small(value) as u16),
        T::Int32 => numbers!(Int32Type, |value| value as i32),
        T::UInt32 => numbers!(UInt32Type, |value| value as u32),
        T::Int64 => numbers!(Int64Type, |value| value),
        T::UInt64 => numbers!(UInt64Type, |value| value as u64),
        T::Float16 => numbers!(Float16Type, |value| half::f16::from_f64(small(value) as f64)),
        T::Float32 => numbers!(Float32Type, |value| value as f32),
        T::Float64 => numbers!(Float64Type, |value| value as f64),
        T::Decimal128(precision, scale) => {
            let digits = numbers!(Decimal128Type, |value| i128::from(value) * 10_i128.pow(*scale as u32));
            let digits = digits.as_primitive::<Decimal128Type>().clone();
            Arc::new(digits.with_precision_and_scale(*precision, *scale).unwrap())
        }
        T::Decimal256(precision, scale) => {
            let scaled = |value: i64| i256::from_i128(i128::from(value) * 10_i128.pow(*scale as u32));
            let digits = numbers!(Decimal256Type, scaled).as_primitive::<Decimal256Type>().clone();
            Arc::new(digits.with_precision_and_scale(*precision, *scale).unwrap())
        }
        T::Utf8 => Arc::new(
            VALUES.map(|value| value.map(|value| value.to_string())).into_iter().collect::<StringArray>(),
        ),
        T::LargeUtf8 => Arc::new(
            VALUES
                .map(|value| value.map(|value| value.to_string()))
                .into_iter()
                .collect::<LargeStringArray>(),
        ),
        T::Utf8View => Arc::new(
            VALUES.map(|value| value.map(|value| value.to_string())).into_iter().collect::<StringViewArray>(),
        ),
        T::Dictionary(..) => {
            let words = VALUES.map(|value| value.map(|value| value.to_string()));
            Arc::new(words.iter().map(Option::as_deref).collect::<DictionaryArray<Int8Type>>())
        }
        T::Binary => {
            let bytes = VALUES.map(|value| value.map(|value| format!("{value:08}")));
            Arc::new(bytes.iter().map(|bytes| bytes.as_ref().map(String::as_bytes)).collect::<BinaryArray>())
        }
        T::FixedSizeBinary(8) => {
            let bytes = VALUES.map(|value| value.map(|value| format!("{value:08}")));
            let bytes = bytes.iter().map(|bytes| bytes.as_ref().map(String::as_bytes));
            Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(bytes, 8).unwrap())
        }
        T::Timestamp(TimeUnit::Millisecond, zone) => {
            let times = numbers!(TimestampMillisecondType, |value| value * 1_000);
            Arc::new(times.as_primitive::<TimestampMillisecondType>().clone().with_timezone_opt(zone.clone()))
        }
        T::Timestamp(TimeUnit::Microsecond, zone) => {
            let times = numbers!(TimestampMicrosecondType, |value| value * 1_000_000);
            Arc::new(times.as_primitive::<TimestampMicrosecondType>().clone().with_timezone_opt(zone.clone()))
        }
        T::Timestamp(TimeUnit::Nanosecond, zone) => {
            let times = numbers!(TimestampNanosecondType, |value| value * 1_000_000_000);
            Arc::new(times.as_primitive::<TimestampNanosecondType>().clone().with_timezone_opt(zone.clone()))
        }
        T::Time32(_) => numbers!(Time32MillisecondType, |value| small(value) as i32 * 1_000),
        T::Time64(TimeUnit::Microsecond) => numbers!(Time64MicrosecondType, |value| small(value) * 1_000_000),
        T::Time64(_) => numbers!(Time64NanosecondType, |value| small(value) * 1_000_000_000),
        T::Duration(TimeUnit::Millisecond) => numbers!(DurationMillisecondType, |value| value * 1_000),
        T::Duration(_) => numbers!(DurationNanosecondType, |value| value * 1_000_000_000),
        T::List(item) => {
            let offsets = OffsetBuffer::from_lengths([1, 0, 2, 1]);
            let nulls = NullBuffer::from(vec![true, false, true, true]);
            Arc::new(ListArray::new(Arc::clone(item), offsets, array(item.data_type()), Some(nulls)))
        }
        T::LargeList(item) => {
            let offsets = OffsetBuffer::from_lengths([1, 0, 2, 1]);
            let nulls = NullBuffer::from(vec![true, false, true, true]);
            Arc::new(LargeListArray::new(Arc::clone(item), offsets, array(item.data_type()), Some(nulls)))
        }
        T::Struct(fields) => {
            let columns = fields.iter().map(|field| array(field.data_type())).collect();
            Arc::new(StructArray::new(
                fields.clone(),
                columns,
                Some(NullBuffer::from(vec![true, true, true, false])),
            ))
        }
        other => panic!("{other}"),
    }
}

/// Returns a value in a form that is the same for all types that hold it.
fn shown(array: &dyn Array, row: usize) -> String {
    use DataType as T;
    if array.is_null(row) || *array.data_type() == T::Null {
        return "null".to_owned();
    }
    let seconds = |ticks: i64, per: i64| {
        assert_eq!(ticks % per, 0);
        (ticks / per).to_string()
    };
    match array.data_type() {
        T::Int8 => array.as_primitive::<Int8Type>().value(row).to_string(),
        T::Int16 => array.as_primitive::<Int16Type>().value(row).to_string(),
        T::Int32 => array.as_primitive::<Int32Type>().value(row).to_string(),
        T::Int64 => array.as_primitive::<Int64Type>().value(row).to_string(),
        T::UInt8 => array.as_primitive::<UInt8Type>().value(row).to_string(),
        T::UInt16 => array.as_primitive::<UInt16Type>().value(row).to_string(),
        T::UInt32 => array.as_primitive::<UInt32Type>().value(row).to_string(),
        T::UInt64 => array.as_primitive::<UInt64Type>().value(row).to_string(),
        T::Float16 => array.as_primitive::<Float16Type>().value(row).to_string(),
        T::Float32 => array.as_primitive::<Float32Type>().value(row).to_string(),
        T::Float64 => array.as_primitive::<Float64Type>().value(row).to_string(),
        T::Decimal128(_, scale) => {
            let digits = array.as_primitive::<Decimal128Type>().value(row);
            (digits / 10_i128.pow(*scale as u32)).to_string()
        }
        T::Decimal256(_, scale) => {
            let digits = array.as_primitive::<Decimal256Type>().value(row).to_i128().unwrap();
            (digits / 10_i128.pow(*scale as u32)).to_string()
        }
        T::Utf8 => array.as_string::<i32>().value(row).to_owned(),
        T::LargeUtf8 => array.as_string::<i64>().value(row).to_owned(),
        T::Utf8View => array.as_string_view().value(row).to_owned(),
        T::Binary => format!("{:?}", array.as_binary::<i32>().value(row)),
        T::LargeBinary => format!("{:?}", array.as_binary::<i64>().value(row)),
        T::FixedSizeBinary(_) => format!("{:?}", array.as_fixed_size_binary().value(row)),
        T::Dictionary(..) => {
            let words = array.as_any_dictionary();
            shown(words.values(), words.normalized_keys()[row])
        }
        T::Timestamp(TimeUnit::Millisecond, _) => {
            seconds(array.as_primitive::<TimestampMillisecondType>().value(row), 1_000)
        }
        T::Timestamp(TimeUnit::Microsecond, _) => {
            seconds(array.as_primitive::<TimestampMicrosecondType>().value(row), 1_000_000)
        }
        T::Timestamp(_, _) => {
            seconds(array.as_primitive::<TimestampNanosecondType>().value(row), 1_000_000_000)
        }
        T::Time32(_) => seconds(array.as_primitive::<Time32MillisecondType>().value(row).into(), 1_000),
        T::Time64(TimeUnit::Microsecond) => {
            seconds(array.as_primitive::<Time64MicrosecondType>().value(row), 1_000_000)
        }
        T::Time64(_) => seconds(array.as_primitive::<Time64NanosecondType>().value(row), 1_000_000_000),
        T::Duration(TimeUnit::Millisecond) => {
            seconds(array.as_primitive::<DurationMillisecondType>().value(row), 1_000)
        }
        T::Duration(_) => seconds(array.as_primitive::<DurationNanosecondType>().value(row), 1_000_000_000),
        T::List(_) => all(&array.as_list::<i32>().value(row)),
        T::LargeList(_) => all(&array.as_list::<i64>().value(row)),
        T::Struct(fields) => {
            let structs = array.as_struct();
            let column = |field: &Field| structs.column_by_name(field.name()).unwrap();
            let values = fields.iter().map(|field| format!("{}={}", field.name(), shown(column(field), row)));
            let mut values = values.collect::<Vec<_>>();
            values.sort();
            values.join(",")
        }
        other => panic!("{other}"),
    }
}

fn all(array: &dyn Array) -> String {
    let shown = (0..array.len()).map(|row| shown(array, row)).collect::<Vec<_>>();
    format!("[{}]", shown.join(" "))
}

fn list(item: DataType) -> DataType {
    DataType::new_list(item, true)
}

fn structs(fields: &[(&str, DataType)]) -> DataType {
    DataType::Struct(fields.iter().map(|(name, of)| Field::new(*name, of.clone(), true)).collect::<Fields>())
}

/// Groups of types of which any two are merged.
fn groups() -> Vec<Vec<DataType>> {
    use DataType as T;
    use TimeUnit::{Microsecond as Us, Millisecond as Ms, Nanosecond as Ns};
    let words = T::Dictionary(Box::new(T::Int8), Box::new(T::Utf8));
    vec![
        vec![
            T::Int8,
            T::Int16,
            T::Int32,
            T::Int64,
            T::UInt8,
            T::UInt16,
            T::UInt32,
            T::Float32,
            T::Float64,
            T::Null,
        ],
        vec![T::UInt8, T::UInt16, T::UInt32, T::UInt64],
        vec![T::Float16, T::Float32, T::Float64],
        vec![T::Utf8, T::LargeUtf8, T::Utf8View, words, T::Null],
        vec![T::Binary, T::FixedSizeBinary(8)],
        vec![T::Decimal128(10, 0), T::Decimal128(12, 4), T::Decimal256(50, 2)],
        [Ms, Us, Ns].map(|unit| T::Timestamp(unit, None)).to_vec(),
        [(Ms, "UTC"), (Us, "Europe/Paris")]
            .map(|(unit, zone)| T::Timestamp(unit, Some(zone.into())))
            .to_vec(),
        vec![T::Time32(Ms), T::Time64(Us), T::Time64(Ns)],
        vec![T::Duration(Ms), T::Duration(Ns)],
        vec![list(T::Int32), T::new_large_list(T::Int64, true), list(T::Float64), T::Null],
        vec![list(list(T::Utf8)), T::new_large_list(list(T::LargeUtf8), true)],
        vec![structs(&[("a", T::Int32), ("b", T::Utf8)]), structs(&[("b", T::LargeUtf8), ("a", T::Int64)])],
        vec![
            list(structs(&[("a", T::Int32), ("b", T::Null)])),
            list(structs(&[("b", list(T::Int8)), ("a", T::Int16)])),
        ],
    ]
}

fn path(folder: &Path, name: &str, ending: &str) -> String {
    folder.join(format!("{name}.{ending}")).to_str().unwrap().to_owned()
}

fn write_file(path: &str, columns: &[(&str, ArrayRef)]) {
    let fields = columns.iter().map(|(name, column)| Field::new(*name, column.data_type().clone(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let columns = columns.iter().map(|(_, column)| Arc::clone(column)).collect();
    write(path.as_ref(), &[RecordBatch::try_new(schema, columns).unwrap()]);
}

fn rows(dataset: &Arc<dyn Dataset>, request: ScanRequest, column: &str) -> Vec<String> {
    let batches = dataset.read(request).unwrap().map(Result::unwrap);
    let shown = batches.flat_map(|batch| {
        let column = batch.column_by_name(column).unwrap();
        (0..batch.num_rows()).map(|row| shown(column, row)).collect::<Vec<_>>()
    });
    shown.collect()
}

#[test]
fn columns_of_two_types_have_the_values_of_both() {
    let folder = tempfile::tempdir().unwrap();
    let mut pairs = 0;
    for (group, types) in groups().iter().enumerate() {
        for (index, first) in types.iter().enumerate() {
            for (other, second) in types.iter().enumerate() {
                for ending in ENDINGS {
                    let (first, second) = (array(first), array(second));
                    let name =
                        |which: &str| path(folder.path(), &format!("{group}-{index}-{other}{which}"), ending);
                    write_file(&name("a"), &[("x", Arc::clone(&first))]);
                    write_file(&name("b"), &[("x", Arc::clone(&second))]);
                    let what = format!("{} and {}, {ending}", first.data_type(), second.data_type());
                    let set = OpenOptions::new().open([name("a"), name("b")]).unwrap();
                    let expected = [&first, &second]
                        .map(|array| (0..4).map(|row| shown(array, row)).collect::<Vec<_>>());
                    let expected = expected.concat();
                    for request in [ScanRequest::new(), ScanRequest::new().threads(3).batch_rows(3)] {
                        assert_eq!(rows(&set, request, "x"), expected, "{what}");
                    }
                    // A description of the set opens it without a look at the files.
                    let again = set.spec().unwrap().open().unwrap();
                    assert_eq!(again.schema(), set.schema(), "{what}");
                    assert_eq!(rows(&again, ScanRequest::new(), "x"), expected, "{what}");
                    let run = RecordRun::new(name("b"), 2, 1);
                    let mut taken = set.take(&[run], &ScanRequest::new()).unwrap();
                    let taken = taken.next_batch().unwrap().unwrap();
                    assert_eq!(shown(taken.columns().column(0), 0), shown(&second, 2), "{what}");
                    pairs += 1;
                }
            }
        }
    }
    assert!(pairs > 300, "{pairs}");
}

/// Returns whether a row satisfies a filter.
type Holds = fn(Option<f64>, Option<i64>) -> bool;

#[test]
fn filters_find_the_same_rows_in_files_of_other_types() {
    let folder = tempfile::tempdir().unwrap();
    for ending in ENDINGS {
        for types in &groups()[..3] {
            for (index, second) in types.iter().enumerate() {
                let (a, b) = (
                    path(folder.path(), &format!("a{index}"), ending),
                    path(folder.path(), &format!("b{index}"), ending),
                );
                write_file(&a, &[("x", array(&types[0])), ("id", array(&DataType::Int64))]);
                write_file(&b, &[("id", array(&DataType::Int64)), ("x", array(second))]);
                let set = OpenOptions::new().open([a, b]).unwrap();
                let values = [array(&types[0]), array(second)].map(|array| {
                    (0..4)
                        .map(|row| (shown(&array, row).parse::<f64>().ok(), VALUES[row]))
                        .collect::<Vec<_>>()
                });
                let values = values.concat();
                let holds: [(&str, Holds); 4] = [
                    ("x < 7", |x, _| x.is_some_and(|x| x < 7.0)),
                    ("x = 7", |x, _| x == Some(7.0)),
                    ("x is null", |x, _| x.is_none()),
                    ("x >= 0 and id = 0", |x, id| x.is_some_and(|x| x >= 0.0) && id == Some(0)),
                ];
                for (predicate, holds) in holds {
                    let expected = values.iter().filter(|(x, id)| holds(*x, *id)).count();
                    let filter = predicate.parse::<Predicate>().unwrap();
                    let request = ScanRequest::new().columns(["id"]).filter(filter);
                    assert_eq!(
                        rows(&set, request, "id").len(),
                        expected,
                        "{predicate} of {second}, {ending}"
                    );
                }
            }
        }
    }
}

#[test]
fn columns_are_found_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let (ids, texts) = (array(&DataType::Int64), array(&DataType::Utf8));
    for ending in ENDINGS {
        let [a, b, c] = ["a", "b", "c"].map(|name| path(folder.path(), name, ending));
        write_file(&a, &[("id", Arc::clone(&ids)), ("text", Arc::clone(&texts))]);
        write_file(&b, &[("text", Arc::clone(&texts)), ("id", Arc::clone(&ids))]);
        write_file(&c, &[("id", Arc::clone(&ids)), ("other", Arc::clone(&ids))]);
        let set = OpenOptions::new().open([a.as_str(), &b]).unwrap();
        assert_eq!(rows(&set, ScanRequest::new(), "id").len(), 8);
        assert_eq!(
            rows(&set, ScanRequest::new().columns(["text", "id"]), "text")[..4],
            rows(&set, ScanRequest::new(), "text")[4..]
        );
        // What a file lacks is an error of who reads it, before the first batch.
        let set = OpenOptions::new().open([a.as_str(), &b, &c]).unwrap();
        assert_eq!(rows(&set, ScanRequest::new().columns(["id"]), "id").len(), 12);
        let error = |request| set.read(request).map(|_| ()).unwrap_err();
        let (lacks, has) = (error(ScanRequest::new()), error(ScanRequest::new().columns(["other"])));
        assert_eq!((lacks.kind(), has.kind()), (ErrorKind::SchemaMismatch, ErrorKind::SchemaMismatch));
        assert_eq!(
            lacks.to_string(),
            format!(
                "{c}, column \"text\": the file has no column of this name, and {a} has one; set the option union_by_name to read \
                 it as null, or leave the column out"
            )
        );
        assert_eq!(
            has.to_string(),
            format!(
                "{c}, column \"other\": the file has the column, and {a} has none of this name; set the option union_by_name to \
                 read it as null, or leave the column out"
            )
        );
        let union =
            OpenOptions::new().set("union_by_name", true).unwrap().open([a.as_str(), &b, &c]).unwrap();
        let names = union.schema().fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>();
        assert_eq!(names, ["id", "text", "other"]);
        assert_eq!(rows(&union, ScanRequest::new(), "other")[..8], vec!["null"; 8]);
        assert_eq!(rows(&union, ScanRequest::new(), "text")[8..], vec!["null"; 4]);
        let found = "other is not null and id = 7".parse::<Predicate>().unwrap();
        assert_eq!(rows(&union, ScanRequest::new().filter(found), "other"), ["7"]);
        let again = union.spec().unwrap().open().unwrap();
        assert_eq!(rows(&again, ScanRequest::new(), "other"), rows(&union, ScanRequest::new(), "other"));
    }
}

#[test]
fn types_without_one_in_common_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let ids = array(&DataType::Int64);
    for ending in ENDINGS {
        let [a, b] = ["a", "b"].map(|name| path(folder.path(), name, ending));
        write_file(&a, &[("id", Arc::clone(&ids)), ("x", array(&structs(&[("n", DataType::Int64)])))]);
        write_file(&b, &[("id", Arc::clone(&ids)), ("x", array(&structs(&[("n", DataType::Utf8)])))]);
        let set = OpenOptions::new().open([a.as_str(), &b]).unwrap();
        let error = set.read(ScanRequest::new()).map(|_| ()).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "{b}, column \"x\": the column (field \"n\") is Utf8 in this file, and Int64 in {a}; cast the column in one of the files, or leave it out"
            )
        );
        assert_eq!(rows(&set, ScanRequest::new().columns(["id"]), "id").len(), 8);
    }
}

#[test]
fn a_value_that_the_merged_type_does_not_hold_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let large = |value: i64| Arc::new(Int64Array::from(vec![1, value])) as ArrayRef;
    for ending in ENDINGS {
        let [a, b, c] = ["a", "b", "c"].map(|name| path(folder.path(), name, ending));
        write_file(&a, &[("x", array(&DataType::Float64))]);
        write_file(&b, &[("x", large((1 << 53) + 1))]);
        write_file(&c, &[("x", large(1 << 60))]);
        let set = OpenOptions::new().open([a.as_str(), &c]).unwrap();
        assert_eq!(rows(&set, ScanRequest::new(), "x")[5], ((1_u64 << 60) as f64).to_string());
        let set = OpenOptions::new().open([a.as_str(), &b]).unwrap();
        let error = set.read(ScanRequest::new()).unwrap().find_map(Result::err).unwrap();
        assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
        let text = error.to_string();
        assert!(
            text.starts_with(&format!(
                "{b}, record 1, column \"x\": 9007199254740993 is not a float of 64 bits"
            )),
            "{text}"
        );
    }
}

#[test]
fn a_schema_that_is_given_is_read_of_every_file() {
    let folder = tempfile::tempdir().unwrap();
    for ending in ENDINGS {
        let [a, b] = ["a", "b"].map(|name| path(folder.path(), name, ending));
        write_file(&a, &[("id", array(&DataType::Int32)), ("x", array(&DataType::Utf8))]);
        write_file(&b, &[("y", array(&DataType::Utf8)), ("id", array(&DataType::Int64))]);
        let schema = Arc::new(Schema::new(vec![Field::new("id", DataType::Int64, true)]));
        let spec = DatasetSpec::new(ending, [a, b].map(Into::into).to_vec(), schema);
        let set = OpenOptions::new().open_spec(&spec).unwrap();
        assert_eq!(
            rows(&set, ScanRequest::new(), "id"),
            ["7", "null", "0", "86400", "7", "null", "0", "86400"]
        );
    }
}
