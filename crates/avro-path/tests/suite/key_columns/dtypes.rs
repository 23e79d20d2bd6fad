//! Keys that end at a union of several types and are read as one dtype.

use arrow_schema::DataType;
use avro_path::key::KeyColumns;
use avro_path::program::KeyOptions;
use avro_path::{AvroSchema, Key, KeyProgram, Kind};
use serde_json::{Value, json};
use tfxio_core::{DType, Origin};

use crate::key_columns::{person, render};

fn schema() -> AvroSchema {
    let item = json!({"type": "record", "name": "item", "fields": [
        {"name": "k", "type": "string"}, {"name": "v", "type": ["null", "int", "string"]}]});
    let fields = json!([
        {"name": "x", "type": ["null", "int", "string", "bytes", item]},
        {"name": "l", "type": {"type": "array", "items": ["null", "long", "string"]}},
        {"name": "items", "type": {"type": "array", "items": "item"}},
        {"name": "plain", "type": ["null", "int"]}
    ]);
    AvroSchema::parse(&json!({"type": "record", "name": "row", "fields": fields}).to_string()).unwrap()
}

/// Returns the values of a key, read as a dtype, for each record; or the first error.
fn column(key: &str, dtype: DType, records: &[Value]) -> Result<Vec<Value>, avro_path::Error> {
    let schema = schema();
    let key = Key::parse(key).unwrap().read_as(dtype);
    let mut decoder = KeyProgram::new(&schema, &[key])?.decoder();
    for (number, record) in records.iter().enumerate() {
        decoder.push(&person::encode(&schema, record), Origin::record(number as u64))?;
    }
    Ok(render::rows(decoder.flush().unwrap().column(0)))
}

#[test]
fn the_dtype_chooses_the_branch() {
    let one = |x: Value| json!({"x": x});
    for (key, dtype, records, expected) in [
        ("x", DType::Int32, vec![one(json!(5)), one(Value::Null)], json!([5, null])),
        ("x", DType::String, vec![one(json!("a")), one(Value::Null)], json!(["a", null])),
        ("l[*]", DType::Int64, vec![json!({"l": [1, null]}), json!({"l": []})], json!([[1, null], []])),
        ("l[0]", DType::String, vec![json!({"l": ["a", 1]}), json!({"l": [null]})], json!(["a", null])),
        // What is not asked for is not looked at.
        (
            "items[k='a'].v",
            DType::Int32,
            vec![json!({"items": [{"k": "b", "v": "text"}, {"k": "a", "v": 7}, {"k": "a"}]})],
            json!([[7, null]]),
        ),
        ("plain", DType::Int32, vec![json!({"plain": 1}), json!({})], json!([1, null])),
    ] {
        assert_eq!(Value::from(column(key, dtype, &records).unwrap()), expected, "{key}");
    }
}

/// The column has the dtype that is asked for, and not the logical type of the branch.
#[test]
fn the_dtype_is_that_of_the_column() {
    let timestamp = json!({"type": "long", "logicalType": "timestamp-millis"});
    for ty in [json!(["null", timestamp, "string"]), json!(["null", timestamp]), timestamp] {
        let fields = json!([{"name": "x", "type": ty}]);
        let schema = json!({"type": "record", "name": "row", "fields": fields}).to_string();
        let key = Key::parse("x").unwrap().read_as(DType::Int64);
        let program = KeyProgram::new(&AvroSchema::parse(&schema).unwrap(), &[key]).unwrap();
        assert_eq!(*program.arrow_schema().field(0).data_type(), DataType::Int64, "{ty}");
    }
}

#[test]
fn a_value_of_another_branch_is_an_error_that_names_record_and_branch() {
    for (key, dtype, record, what) in [
        (
            "x",
            DType::Int32,
            json!({"x": "a"}),
            "byte of the record 1, at x:string: the value is of the branch string, and the key \"x\" is read as int32; \
             to take values of other branches as missing, name the branch in the key: x:int",
        ),
        (
            "x",
            DType::String,
            json!({"x": {"k": "a", "v": 1}}),
            "byte of the record 1, at x:item: the value is of the branch item, and the key \"x\" is read as string; \
             to take values of other branches as missing, name the branch in the key: x:string or :bytes",
        ),
        (
            "l[*]",
            DType::Int64,
            json!({"l": [1, "a"]}),
            "byte of the record 6, at l[1]:string: the value is of the branch string, and the key \"l[*]\" is read as \
             int64; to take values of other branches as missing, name the branch in the key: l[*]:long",
        ),
    ] {
        let error = column(key, dtype, &[json!({}), record]).unwrap_err();
        assert_eq!(error.to_string(), format!("record 1, {what}"));
        assert_eq!(error.detail(), Some(&Kind::ValueMismatch));
    }
}

#[test]
fn a_dtype_that_no_branch_has_is_refused_before_any_data() {
    for dtype in [DType::Int64, DType::Float32, DType::UInt8] {
        let error = column("x", dtype, &[]).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "key \"x\", column 1: no branch of a union of null, int, string, bytes and item has the dtype {dtype}; \
                 name a branch before going on: :int, :string, :bytes, :item"
            )
        );
    }
}

#[test]
fn a_key_may_be_read_as_several_dtypes() {
    let schema = schema();
    let mut columns = KeyColumns::new(&schema);
    let of = |key: &'static str, dtype| [(key, Some(dtype))];
    assert_eq!(columns.add_as(None, of("l[0]", DType::Int64)).unwrap(), [0]);
    assert_eq!(columns.add_as(None, of("l[0]", DType::String)).unwrap(), [1]);
    assert_eq!(columns.add_as(None, of("@l[0]", DType::Int64)).unwrap(), [0]);
    // Where there is nothing to choose, the dtype does not matter.
    assert_eq!(columns.add_as(None, of("plain", DType::String)).unwrap(), [2]);
    assert_eq!(columns.add(None, &["plain", "l[0]:long"]).unwrap(), [2, 3]);
    assert_eq!(columns.names(), ["l[0]", "l[0] as string", "plain", "l[0]:long"]);
    let program = columns.program(KeyOptions::stored()).unwrap();
    let fields = program.arrow_schema();
    assert_eq!(fields.field(1).name(), "l[0] as string");
    let mut decoder = program.decoder();
    let datum = |l: Value| person::encode(&schema, &json!({"l": l, "plain": 1}));
    decoder.push(&datum(json!([null])), Origin::record(0)).unwrap();
    assert!(decoder.push(&datum(json!([1])), Origin::record(1)).is_err());
    assert_eq!(decoder.flush().unwrap().num_rows(), 1);
}
