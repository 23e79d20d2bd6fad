//! Columns of each physical and logical type of Parquet, in files without an Arrow schema: each value as it is stored, or an error of its
//! column and row.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{
    Array as _, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, Decimal256Array,
    FixedSizeBinaryArray, Float16Array, Float32Array, Float64Array, Int8Array, Int16Array, Int32Array,
    Int64Array, StringArray, Time32MillisecondArray, Time64MicrosecondArray, Time64NanosecondArray,
    TimestampMicrosecondArray, TimestampMillisecondArray, TimestampNanosecondArray, UInt8Array, UInt16Array,
    UInt32Array, UInt64Array,
};
use arrow_buffer::i256;
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use half::f16;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, encode_arrow_schema};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DoubleType, FixedLenByteArray, FixedLenByteArrayType, FloatType,
    Int32Type, Int64Type,
};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use tfxio_core::{Error, ErrorKind, ScanRequest};
use tfxio_formats::{DatasetExt as _, OpenOptions};

/// Values as they are stored.
#[derive(Clone, Debug)]
enum Stored {
    Bool(Vec<bool>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    Single(Vec<f32>),
    Double(Vec<f64>),
    Bytes(Vec<Vec<u8>>),
    Fixed(Vec<Vec<u8>>),
}

use Stored::{Bytes, Fixed, I32, I64};

impl Stored {
    fn write(&self, column: &mut SerializedColumnWriter<'_>) {
        // Each is the only one of an optional column, after a null.
        let levels = |count: usize| [vec![0], vec![1; count]].concat();
        macro_rules! write {
            ($type:ty, $values:expr) => {{
                let values = $values;
                column.typed::<$type>().write_batch(&values, Some(&levels(values.len())), None).unwrap()
            }};
        }
        match self.clone() {
            Self::Bool(values) => write!(BoolType, values),
            Self::I32(values) => write!(Int32Type, values),
            Self::I64(values) => write!(Int64Type, values),
            Self::Single(values) => write!(FloatType, values),
            Self::Double(values) => write!(DoubleType, values),
            Self::Bytes(values) => {
                write!(ByteArrayType, values.into_iter().map(ByteArray::from).collect::<Vec<_>>())
            }
            Self::Fixed(values) => {
                write!(
                    FixedLenByteArrayType,
                    values.into_iter().map(FixedLenByteArray::from).collect::<Vec<_>>()
                )
            }
        };
    }
}

/// Writes a column `c`, with an Arrow type or none.
fn write(path: &Path, column: &str, values: &Stored, has_dictionary: bool, arrow: Option<DataType>) {
    let schema = parse_message_type(&format!("message m {{ optional {column}; }}"));
    let schema = Arc::new(schema.unwrap_or_else(|error| panic!("{column}: {error}")));
    let arrow = arrow.map(|data_type| {
        let schema = Schema::new(vec![Field::new("c", data_type, true)]);
        vec![KeyValue::new(ARROW_SCHEMA_META_KEY.to_owned(), encode_arrow_schema(&schema))]
    });
    let properties = WriterProperties::builder().set_dictionary_enabled(has_dictionary);
    let properties = Arc::new(properties.set_key_value_metadata(arrow).build());
    let mut writer =
        SerializedFileWriter::new(std::fs::File::create(path).unwrap(), schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut writer_of = group.next_column().unwrap().unwrap();
    values.write(&mut writer_of);
    writer_of.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
}

/// Returns the values without the null before them.
fn read(path: &Path) -> Result<ArrayRef, Error> {
    let dataset = OpenOptions::new().open(path.to_str().unwrap())?;
    let batches = dataset.read(ScanRequest::new())?.collect::<Result<Vec<_>, _>>()?;
    let column = batches[0].column(0);
    assert_eq!((batches.len(), column.null_count()), (1, 1));
    assert_eq!(column.data_type(), dataset.schema().field(0).data_type(), "what the schema said");
    Ok(column.slice(1, column.len() - 1))
}

fn array(array: impl arrow_array::Array + 'static) -> ArrayRef {
    Arc::new(array)
}

fn decimals(values: Vec<i128>, precision: u8, scale: i8) -> ArrayRef {
    array(Decimal128Array::from(values).with_data_type(DataType::Decimal128(precision, scale)))
}

fn wide(values: Vec<i256>, precision: u8, scale: i8) -> ArrayRef {
    array(Decimal256Array::from(values).with_data_type(DataType::Decimal256(precision, scale)))
}

fn bytes(values: &[&[u8]]) -> Vec<Vec<u8>> {
    values.iter().map(|value| value.to_vec()).collect()
}

/// Returns columns, their stored values, and these values in Arrow.
#[expect(clippy::too_many_lines, reason = "a table")]
fn kept() -> Vec<(&'static str, Stored, ArrayRef)> {
    let (ends, wide_ends) = (vec![i32::MIN, -1, 0, i32::MAX], vec![i64::MIN, -1, 0, i64::MAX]);
    let (int32, int64) = (I32(ends.clone()), I64(wide_ends.clone()));
    let unsigned = ends.iter().map(|value| value.cast_unsigned()).collect::<Vec<_>>();
    let wide_unsigned = wide_ends.iter().map(|value| value.cast_unsigned()).collect::<Vec<_>>();
    let of_32 = || ends.iter().map(|value| i128::from(*value)).collect::<Vec<_>>();
    let of_64 = || wide_ends.iter().map(|value| i128::from(*value)).collect::<Vec<_>>();
    let millis = |zone: Option<&str>| {
        array(
            TimestampMillisecondArray::from(wide_ends.clone()).with_timezone_opt(zone.map(Arc::<str>::from)),
        )
    };
    let micros = |zone: Option<&str>| {
        array(
            TimestampMicrosecondArray::from(wide_ends.clone()).with_timezone_opt(zone.map(Arc::<str>::from)),
        )
    };
    let nanos = |zone: Option<&str>| {
        array(TimestampNanosecondArray::from(wide_ends.clone()).with_timezone_opt(zone.map(Arc::<str>::from)))
    };
    let halves = [0x7e01_u16, 0xfc00, 0x8000, 1, 0x7d00];
    let stored_halves = halves.map(|bits| bits.to_le_bytes().to_vec()).to_vec();
    let singles = [0x7fc0_1234_u32, 0x8000_0000, 1, 0x7fa0_0000].map(f32::from_bits).to_vec();
    let doubles = [0x7ff8_0000_0000_1234_u64, 1 << 63, 1, 0x7ff4_0000_0000_0000].map(f64::from_bits).to_vec();
    let most = i256::from_string(&"9".repeat(76)).unwrap();
    let texts = ["", "é", "{\"a\": 1}"];
    let as_bytes = || bytes(&texts.map(str::as_bytes));
    let binary = || array(BinaryArray::from_vec(texts.map(str::as_bytes).to_vec()));
    let strings = || array(StringArray::from(texts.to_vec()));
    let sixteen = || bytes(&[&[0; 16], &[0xff; 16]]);
    vec![
        ("boolean c", Stored::Bool(vec![true, false]), array(BooleanArray::from(vec![true, false]))),
        ("float c", Stored::Single(singles.clone()), array(Float32Array::from(singles))),
        ("double c", Stored::Double(doubles.clone()), array(Float64Array::from(doubles))),
        ("int32 c", int32.clone(), array(Int32Array::from(ends.clone()))),
        ("int32 c (INTEGER(32,true))", int32.clone(), array(Int32Array::from(ends.clone()))),
        ("int32 c (INT_32)", int32.clone(), array(Int32Array::from(ends.clone()))),
        ("int32 c (INTEGER(32,false))", int32.clone(), array(UInt32Array::from(unsigned.clone()))),
        ("int32 c (UINT_32)", int32.clone(), array(UInt32Array::from(unsigned))),
        ("int32 c (INTEGER(8,true))", I32(vec![-128, 127]), array(Int8Array::from(vec![-128, 127]))),
        ("int32 c (INT_8)", I32(vec![-128, 127]), array(Int8Array::from(vec![-128, 127]))),
        ("int32 c (INTEGER(16,true))", I32(vec![-32_768]), array(Int16Array::from(vec![-32_768]))),
        ("int32 c (INT_16)", I32(vec![32_767]), array(Int16Array::from(vec![32_767]))),
        ("int32 c (INTEGER(8,false))", I32(vec![0, 255]), array(UInt8Array::from(vec![0, 255]))),
        ("int32 c (UINT_8)", I32(vec![0, 255]), array(UInt8Array::from(vec![0, 255]))),
        ("int32 c (INTEGER(16,false))", I32(vec![0, 65_535]), array(UInt16Array::from(vec![0, 65_535]))),
        ("int32 c (UINT_16)", I32(vec![0, 65_535]), array(UInt16Array::from(vec![0, 65_535]))),
        ("int32 c (DATE)", int32.clone(), array(Date32Array::from(ends.clone()))),
        ("int32 c (TIME_MILLIS)", int32.clone(), array(Time32MillisecondArray::from(ends.clone()))),
        ("int32 c (TIME(MILLIS,true))", int32.clone(), array(Time32MillisecondArray::from(ends.clone()))),
        ("int32 c (DECIMAL(9,2))", int32.clone(), decimals(of_32(), 9, 2)),
        ("int32 c (DECIMAL(2,2))", int32, decimals(of_32(), 2, 2)),
        ("int64 c", int64.clone(), array(Int64Array::from(wide_ends.clone()))),
        ("int64 c (INTEGER(64,true))", int64.clone(), array(Int64Array::from(wide_ends.clone()))),
        ("int64 c (INT_64)", int64.clone(), array(Int64Array::from(wide_ends.clone()))),
        ("int64 c (INTEGER(64,false))", int64.clone(), array(UInt64Array::from(wide_unsigned.clone()))),
        ("int64 c (UINT_64)", int64.clone(), array(UInt64Array::from(wide_unsigned))),
        ("int64 c (TIME_MICROS)", int64.clone(), array(Time64MicrosecondArray::from(wide_ends.clone()))),
        (
            "int64 c (TIME(MICROS,false))",
            int64.clone(),
            array(Time64MicrosecondArray::from(wide_ends.clone())),
        ),
        ("int64 c (TIME(NANOS,true))", int64.clone(), array(Time64NanosecondArray::from(wide_ends.clone()))),
        ("int64 c (TIMESTAMP_MILLIS)", int64.clone(), millis(Some("UTC"))),
        ("int64 c (TIMESTAMP_MICROS)", int64.clone(), micros(Some("UTC"))),
        ("int64 c (TIMESTAMP(MILLIS,true))", int64.clone(), millis(Some("UTC"))),
        ("int64 c (TIMESTAMP(MILLIS,false))", int64.clone(), millis(None)),
        ("int64 c (TIMESTAMP(MICROS,true))", int64.clone(), micros(Some("UTC"))),
        ("int64 c (TIMESTAMP(MICROS,false))", int64.clone(), micros(None)),
        ("int64 c (TIMESTAMP(NANOS,true))", int64.clone(), nanos(Some("UTC"))),
        ("int64 c (TIMESTAMP(NANOS,false))", int64.clone(), nanos(None)),
        ("int64 c (DECIMAL(18,4))", int64, decimals(of_64(), 18, 4)),
        (
            "fixed_len_byte_array(1) c (DECIMAL(2,0))",
            Fixed(bytes(&[b"\x80", b"\x7f"])),
            decimals(vec![-128, 127], 2, 0),
        ),
        (
            "fixed_len_byte_array(16) c (DECIMAL(38,10))",
            Fixed(vec![i128::MIN.to_be_bytes().to_vec(), i128::MAX.to_be_bytes().to_vec()]),
            decimals(vec![i128::MIN, i128::MAX], 38, 10),
        ),
        (
            "fixed_len_byte_array(32) c (DECIMAL(76,76))",
            Fixed(vec![most.to_be_bytes().to_vec(), i256::MIN.to_be_bytes().to_vec()]),
            wide(vec![most, i256::MIN], 76, 76),
        ),
        (
            "fixed_len_byte_array(17) c (DECIMAL(20,3))",
            Fixed(vec![[vec![0xff; 16], vec![0xfe]].concat()]),
            wide(vec![i256::from_i128(-2)], 20, 3),
        ),
        (
            "binary c (DECIMAL(38,2))",
            Bytes(vec![vec![], vec![0x80], vec![0, 0x80], i128::MIN.to_be_bytes().to_vec()]),
            decimals(vec![0, -128, 128, i128::MIN], 38, 2),
        ),
        (
            "binary c (DECIMAL(76,2))",
            Bytes(vec![vec![], vec![0xff, 0x7f], most.to_be_bytes().to_vec()]),
            wide(vec![i256::ZERO, i256::from_i128(-129), most], 76, 2),
        ),
        (
            "fixed_len_byte_array(2) c (FLOAT16)",
            Fixed(stored_halves),
            array(Float16Array::from(halves.map(f16::from_bits).to_vec())),
        ),
        (
            "fixed_len_byte_array(16) c (UUID)",
            Fixed(sixteen()),
            array(FixedSizeBinaryArray::try_from_iter(sixteen().into_iter()).unwrap()),
        ),
        (
            "fixed_len_byte_array(16) c",
            Fixed(sixteen()),
            array(FixedSizeBinaryArray::try_from_iter(sixteen().into_iter()).unwrap()),
        ),
        ("binary c", Bytes(as_bytes()), binary()),
        ("binary c (BSON)", Bytes(as_bytes()), binary()),
        ("binary c (ENUM)", Bytes(as_bytes()), binary()),
        ("binary c (JSON)", Bytes(as_bytes()), strings()),
        ("binary c (UTF8)", Bytes(as_bytes()), strings()),
        ("binary c (STRING)", Bytes(as_bytes()), strings()),
    ]
}

#[test]
fn every_value_is_the_one_that_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    for (column, stored, expected) in kept() {
        for has_dictionary in [false, true] {
            write(&path, column, &stored, has_dictionary, None);
            let found = read(&path).unwrap_or_else(|error| panic!("{column}: {error}"));
            assert_eq!(found.data_type(), expected.data_type(), "{column}");
            // As bytes, so that each NaN is itself.
            let of = |array: &ArrayRef| array.slice(0, array.len()).to_data().buffers().to_vec();
            let is_primitive = expected.data_type().is_primitive();
            let rows = |array: &ArrayRef| {
                let width = array.data_type().primitive_width().unwrap();
                let offset = width * array.offset();
                of(array)[0][offset..offset + width * array.len()].to_vec()
            };
            match is_primitive {
                true => assert_eq!(rows(&found), rows(&expected), "{column}"),
                false => assert_eq!(&found, &expected, "{column}"),
            }
        }
    }
}

#[test]
fn what_a_type_does_not_have_is_an_error_of_its_row() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    for (column, value, found) in [
        ("int32 c (INTEGER(8,true))", 128, "Int8"),
        ("int32 c (INT_8)", -129, "Int8"),
        ("int32 c (INTEGER(8,false))", -1, "UInt8"),
        ("int32 c (UINT_8)", 256, "UInt8"),
        ("int32 c (INTEGER(16,true))", i32::MAX, "Int16"),
        ("int32 c (INT_16)", i32::MIN, "Int16"),
        ("int32 c (INTEGER(16,false))", -1, "UInt16"),
        ("int32 c (UINT_16)", 65_536, "UInt16"),
    ] {
        write(&path, column, &I32(vec![1, value]), true, None);
        let error = read(&path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
        let text = format!(
            "column \"c\", row 2: the Parquet file cannot be read: the value {value} is not one of its type, {found}"
        );
        assert!(error.to_string().contains(&text) && error.hint().is_some(), "{error}");
    }
    // More bytes than a decimal of 38 digits has.
    write(&path, "binary c (DECIMAL(38,2))", &Bytes(vec![vec![1; 17]]), false, None);
    assert!(read(&path).is_err());
}

/// The Arrow schema that a writer leaves may add to the schema of Parquet, but not contradict it.
#[test]
fn two_descriptions_that_differ_are_an_error() {
    use DataType as T;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let zone = Some(Arc::from("Europe/Berlin"));
    for (column, arrow, said) in [
        ("int64 c (TIMESTAMP(NANOS,false))", T::Timestamp(TimeUnit::Microsecond, None), "TIMESTAMP(NANOS)"),
        (
            "int64 c (TIMESTAMP(NANOS,false))",
            T::Timestamp(TimeUnit::Second, zone.clone()),
            "TIMESTAMP(NANOS)",
        ),
        ("int64 c (TIMESTAMP(NANOS,false))", T::Timestamp(TimeUnit::Millisecond, None), "TIMESTAMP(NANOS)"),
        ("int64 c (DECIMAL(9,2))", T::Decimal64(9, 1), "DECIMAL(9, 2)"),
        ("int64 c (DECIMAL(18,0))", T::Decimal256(76, 3), "DECIMAL(18, 0)"),
    ] {
        let dictionary = T::Dictionary(Box::new(T::Int32), Box::new(arrow.clone()));
        for arrow in [arrow, dictionary] {
            write(&path, column, &I64(vec![150]), true, Some(arrow.clone()));
            let error = read(&path).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::SchemaMismatch, "{arrow}: {error}");
            assert_eq!(error.position().column.as_deref(), Some("c"));
            let text = format!("its schema says {said}, and the Arrow schema that its writer has left ");
            assert!(error.to_string().contains(&text) && error.hint().is_some(), "{error}");
        }
    }
    // What the Arrow schema says more.
    for (column, arrow) in [
        ("int64 c", T::Timestamp(TimeUnit::Second, zone.clone())),
        ("int64 c", T::Duration(TimeUnit::Nanosecond)),
        ("int64 c", T::Date64),
        ("int64 c (TIMESTAMP(NANOS,true))", T::Timestamp(TimeUnit::Nanosecond, zone.clone())),
        ("int64 c (TIMESTAMP(MILLIS,true))", T::Timestamp(TimeUnit::Millisecond, zone)),
        ("int64 c (DECIMAL(9,2))", T::Decimal64(9, 2)),
        ("int64 c (DECIMAL(9,2))", T::Decimal256(9, 2)),
    ] {
        write(&path, column, &I64(vec![150]), true, Some(arrow.clone()));
        assert_eq!(read(&path).unwrap().data_type(), &arrow, "{column}");
    }
    // What it says otherwise, the schema of Parquet decides.
    for (column, arrow, found) in [
        (
            "int64 c (TIMESTAMP(MILLIS,false))",
            T::Timestamp(TimeUnit::Nanosecond, None),
            T::Timestamp(TimeUnit::Millisecond, None),
        ),
        (
            "int64 c (TIMESTAMP(MICROS,false))",
            T::Timestamp(TimeUnit::Second, None),
            T::Timestamp(TimeUnit::Microsecond, None),
        ),
        ("int64 c (DECIMAL(9,2))", T::Decimal128(9, 1), T::Decimal128(9, 2)),
        ("int64 c (INTEGER(64,false))", T::Int64, T::UInt64),
        ("int64 c", T::Int32, T::Int64),
        ("int64 c", T::Float64, T::Int64),
    ] {
        write(&path, column, &I64(vec![150]), true, Some(arrow));
        assert_eq!(read(&path).unwrap().data_type(), &found, "{column}");
    }
}

/// An Arrow schema may have dictionaries whose keys cannot count the values.
#[test]
fn more_values_than_keys_are_an_error() {
    use DataType as T;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let dictionary = |values: T| T::Dictionary(Box::new(T::Int8), Box::new(values));
    let texts = |count: u32| Bytes((0..count).map(|value| value.to_string().into_bytes()).collect());
    let numbers = |count: i32| I32((0..count).collect());
    for has_dictionary in [false, true] {
        write(&path, "binary c (UTF8)", &texts(300), has_dictionary, Some(dictionary(T::Utf8)));
        assert!(read(&path).is_err());
        write(&path, "int32 c", &numbers(300), has_dictionary, Some(dictionary(T::Int32)));
        assert!(read(&path).is_err());
        write(&path, "binary c (UTF8)", &texts(100), has_dictionary, Some(dictionary(T::Utf8)));
        assert_eq!(read(&path).unwrap().data_type(), &dictionary(T::Utf8));
    }
}
