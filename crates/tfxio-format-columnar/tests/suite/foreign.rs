//! Files that pyarrow, polars and duckdb have written, and layouts of older writers.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Float64Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use parquet::data_type::Int32Type as StoredInt;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use tfxio_core::{ErrorKind, ScanRequest};
use tfxio_formats::DatasetExt as _;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/columnar").join(name)
}

fn read(path: &Path, request: ScanRequest) -> RecordBatch {
    let dataset = tfxio_formats::open(path.to_str().unwrap()).unwrap();
    let mut batches = dataset.read(request.batch_rows(1000)).unwrap();
    let batch = batches.next().unwrap().unwrap();
    assert!(batches.next().is_none());
    batch
}

/// The text of a row, of whatever kind its column is.
fn text(column: &dyn Array, row: usize) -> Option<String> {
    if column.is_null(row) {
        return None;
    }
    Some(match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(row).to_owned(),
        DataType::LargeUtf8 => column.as_string::<i64>().value(row).to_owned(),
        DataType::Utf8View => column.as_string_view().value(row).to_owned(),
        DataType::Dictionary(..) => {
            let words = column.as_any_dictionary();
            return text(&**words.values(), words.normalized_keys()[row]);
        }
        other => panic!("{other}"),
    })
}

fn items(column: &dyn Array, row: usize) -> Vec<i32> {
    let items = match column.data_type() {
        DataType::List(_) => column.as_list::<i32>().value(row),
        _ => column.as_list::<i64>().value(row),
    };
    items.as_primitive::<Int32Type>().values().to_vec()
}

/// Asserts that rows are the same as in the table of `make_columnar.py`.
fn check(name: &str, batch: &RecordBatch, rows: std::ops::Range<usize>) {
    assert_eq!(batch.num_rows(), rows.len(), "{name}");
    for (at, row) in rows.enumerate() {
        assert_eq!(batch["id"].as_primitive::<Int64Type>().value(at), row as i64, "{name}");
        let expected = (row % 3 != 1).then(|| format!("row {row}"));
        assert_eq!(text(&*batch["name"], at), expected, "{name}");
        assert_eq!(items(&*batch["tags"], at), (0..row as i32 % 4).collect::<Vec<_>>(), "{name}");
        let of = batch["of"].as_struct();
        assert_eq!(of["a"].as_primitive::<Float64Type>().value(at), row as f64 / 2.0, "{name}");
        assert_eq!(text(&*of["b"], at).as_deref(), Some("b"), "{name}");
        let hour = 3_600_000_000 * row as i64 + 1_577_836_800_000_000;
        let time = match batch["at"].data_type() {
            DataType::Timestamp(TimeUnit::Nanosecond, _) => {
                batch["at"].as_primitive::<TimestampNanosecondType>().value(at) / 1000
            }
            _ => batch["at"].as_primitive::<TimestampMicrosecondType>().value(at),
        };
        assert_eq!(time, hour, "{name}");
    }
}

const FILES: [&str; 18] = [
    "pyarrow.parquet",
    "pyarrow-dictionary.parquet",
    "pyarrow-int96.parquet",
    "pyarrow-lz4.parquet",
    "pyarrow-gzip.parquet",
    "pyarrow-delta.parquet",
    "polars.parquet",
    "polars-categorical.parquet",
    "duckdb.parquet",
    "duckdb-v2.parquet",
    "pyarrow.arrow",
    "pyarrow.arrows",
    "pyarrow-lz4.arrow",
    "pyarrow-lz4.arrows",
    "pyarrow-zstd.arrow",
    "pyarrow-zstd.arrows",
    "polars.arrow",
    "polars.arrows",
];

#[test]
fn every_writer_means_the_same_rows() {
    for name in FILES {
        let path = fixture(name);
        check(name, &read(&path, ScanRequest::new()), 0..40);
        let filter = ScanRequest::new().filter("id >= 17 and id < 21".parse().unwrap());
        check(name, &read(&path, filter), 17..21);
        let name_is = ScanRequest::new().filter("name = 'row 30' and tags = 1 and of.a > 3".parse().unwrap());
        check(name, &read(&path, name_is), 30..31);
    }
}

#[test]
fn every_fixture_has_a_test() {
    let others =
        ["pyarrow-brotli.parquet", "pyarrow-deltas.arrow", "pyarrow-deltas.arrows", "version-1.feather"];
    let mut known = FILES.iter().chain(&others).map(|name| (*name).to_owned()).collect::<Vec<_>>();
    known.sort_unstable();
    let mut found = std::fs::read_dir(fixture(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect::<Vec<_>>();
    found.sort_unstable();
    assert_eq!(found, known);
}

#[test]
fn dictionaries_stay_dictionaries() {
    for name in ["pyarrow-dictionary.parquet", "pyarrow-deltas.arrows", "pyarrow-deltas.arrow"] {
        let dataset = tfxio_formats::open(fixture(name).to_str().unwrap()).unwrap();
        let kind = dataset.schema().field_with_name("name").unwrap().data_type().clone();
        assert!(matches!(kind, DataType::Dictionary(..)), "{name}: {kind}");
    }
}

#[test]
fn dictionaries_grow_and_are_replaced() {
    let path = fixture("pyarrow-deltas.arrows");
    check("whole", &read(&path, ScanRequest::new()), 0..40);
    check("file", &read(&fixture("pyarrow-deltas.arrow"), ScanRequest::new()), 0..32);
    // In any order.
    let dataset = tfxio_formats::open(path.to_str().unwrap()).unwrap();
    let mut scan =
        dataset.scan(&dataset.partitions(u64::MAX).unwrap()[0], &ScanRequest::new().batch_rows(5)).unwrap();
    for first in [35, 3, 16, 0, 30] {
        scan.seek(first).unwrap();
        let batch = scan.next_batch().unwrap().unwrap();
        check("from a row", batch.columns(), first as usize..first as usize + 5);
    }
}

#[test]
fn what_is_not_read_is_named() {
    let error = |name: &str| {
        let path = fixture(name);
        let read = || tfxio_formats::open(path.to_str().unwrap())?.read(ScanRequest::new())?.next().unwrap();
        let error = read().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
        error.to_string().split_once(&format!("{name}: ")).unwrap().1.to_owned()
    };
    assert_eq!(
        error("pyarrow-brotli.parquet"),
        "the Parquet file cannot be read: the column \"id\" is compressed with Brotli, which is not supported; write it \
         again with zstd, snappy, gzip or lz4"
    );
    assert_eq!(
        error("version-1.feather"),
        "this is a Feather file of version 1, which is not read; write it again as version 2, which \
         pyarrow.feather.write_feather does"
    );
}

/// Lists without a group for their items, as Hive's and Avro's first writers had them.
#[test]
fn lists_of_two_levels() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let schema = "message m { optional group l (LIST) { repeated int32 array; } required int32 n; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    // [1, 2], null, [], [3]
    column
        .typed::<StoredInt>()
        .write_batch(&[1, 2, 3], Some(&[2, 2, 0, 1, 2]), Some(&[0, 1, 0, 0, 0]))
        .unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<StoredInt>().write_batch(&[0, 1, 2, 3], None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    let rows = |filter: &str| {
        let batch = read(&path, ScanRequest::new().filter(filter.parse().unwrap()));
        batch["n"].as_primitive::<Int32Type>().values().to_vec()
    };
    let batch = read(&path, ScanRequest::new());
    assert_eq!((items(&*batch["l"], 0), items(&*batch["l"], 3)), (vec![1, 2], vec![3]));
    assert!(batch["l"].is_null(1) && batch["l"].is_valid(2));
    assert_eq!(rows("l = 3"), [3]);
    assert_eq!(rows("not l = 3"), [0, 2]);
    assert_eq!(rows("l is null"), [1]);
}

/// Writes the layouts of Spark and parquet-mr before the current ones: lists with `bag` and `array_element`, or with a group called
/// `array`; decimals as fixed bytes; times of 96 bits. And the index of pandas, which is a column of its own.
fn older_layouts(path: &Path) {
    use parquet::data_type::{
        ByteArrayType, FixedLenByteArray, FixedLenByteArrayType, Int64Type, Int96, Int96Type,
    };

    let schema = "message spark_schema {
        optional group bag_list (LIST) { repeated group bag { optional int32 array_element; } }
        optional group array_list (LIST) { repeated group array { required int32 x; optional binary y (UTF8); } }
        required fixed_len_byte_array(5) price (DECIMAL(10, 2));
        optional int96 at;
        required int64 __index_level_0__;
    }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer =
        SerializedFileWriter::new(std::fs::File::create(path).unwrap(), schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    // [1, null], null, [2]
    let mut column = group.next_column().unwrap().unwrap();
    let (levels, lists) = ([3, 2, 0, 3], [0, 1, 0, 0]);
    column.typed::<StoredInt>().write_batch(&[1, 2], Some(&levels), Some(&lists)).unwrap();
    column.close().unwrap();
    // [(1, a), (2, null)], [], [(3, c)]
    let (levels, lists) = ([2, 2, 1, 2], [0, 1, 0, 0]);
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<StoredInt>().write_batch(&[1, 2, 3], Some(&levels), Some(&lists)).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let words = ["a".into(), "c".into()];
    column.typed::<ByteArrayType>().write_batch(&words, Some(&[3, 2, 1, 3]), Some(&lists)).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let price = |cents: i64| FixedLenByteArray::from(cents.to_be_bytes()[3..].to_vec());
    column
        .typed::<FixedLenByteArrayType>()
        .write_batch(&[price(-1), price(12345), price(0)], None, None)
        .unwrap();
    column.close().unwrap();
    // A second after the beginning of 2020: 2,458,850 days of the Julian calendar.
    let mut column = group.next_column().unwrap().unwrap();
    let mut at = Int96::new();
    at.set_data(1_000_000_000, 0, 2_458_850);
    column.typed::<Int96Type>().write_batch(&[at, at], Some(&[1, 0, 1]), None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int64Type>().write_batch(&[7, 8, 9], None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
}

#[test]
fn layouts_of_older_writers() {
    use arrow_array::types::Decimal128Type;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    older_layouts(&path);
    let batch = read(&path, ScanRequest::new());
    let bags = batch["bag_list"].as_list::<i32>();
    let items = |row: usize| bags.value(row).as_primitive::<Int32Type>().iter().collect::<Vec<_>>();
    assert_eq!((items(0), bags.is_null(1), items(2)), (vec![Some(1), None], true, vec![Some(2)]));
    let groups = batch["array_list"].as_list::<i32>();
    assert_eq!((0..3).map(|row| groups.value_length(row)).collect::<Vec<_>>(), [2, 0, 1]);
    let first = groups.value(0);
    let first = first.as_struct();
    assert_eq!(first["x"].as_primitive::<Int32Type>().values(), &[1, 2]);
    assert_eq!((text(&*first["y"], 0).as_deref(), text(&*first["y"], 1)), (Some("a"), None));
    assert_eq!(*batch["price"].data_type(), DataType::Decimal128(10, 2));
    assert_eq!(batch["price"].as_primitive::<Decimal128Type>().values(), &[-1, 12345, 0]);
    let times = batch["at"].as_primitive::<TimestampNanosecondType>();
    assert_eq!(
        times.iter().collect::<Vec<_>>(),
        [Some(1_577_836_801_000_000_000), None, Some(1_577_836_801_000_000_000)]
    );
    assert_eq!(batch["__index_level_0__"].as_primitive::<Int64Type>().values(), &[7, 8, 9]);
}

#[test]
fn layouts_of_older_writers_become_records() {
    use tfxio_convert::Conversion;

    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("a.parquet"), folder.path().join("a.tfrecord"));
    older_layouts(&input);
    let convert = |request: ScanRequest| {
        let builder = Conversion::builder([input.to_str().unwrap()], &output).request(request);
        builder.build()?.run(|_| {})
    };
    // What a feature does not hold is named.
    let error = convert(ScanRequest::new()).unwrap_err();
    assert!(error.to_string().contains("array_list"), "{error}");
    let columns = ["bag_list", "at", "__index_level_0__"];
    assert!(convert(ScanRequest::new().columns(["price"])).is_err());
    let written = convert(ScanRequest::new().columns(columns));
    // An item that is null is no value of a feature.
    let error = written.unwrap_err();
    assert!(error.to_string().contains("bag_list"), "{error}");
    assert_eq!(convert(ScanRequest::new().columns(["at", "__index_level_0__"])).unwrap().records, 3);
    let dataset = tfxio_formats::open(output.to_str().unwrap()).unwrap();
    let batch = dataset.read(ScanRequest::new()).unwrap().next().unwrap().unwrap();
    let values =
        |name: &str| batch[name].as_list::<i64>().values().as_primitive::<Int64Type>().values().to_vec();
    assert_eq!(values("__index_level_0__"), [7, 8, 9]);
    assert_eq!(values("at"), [1_577_836_801_000_000_000, 1_577_836_801_000_000_000]);
}
