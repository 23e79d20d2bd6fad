//! Schemas of TensorFlow Metadata as the columns of data sets.
#![cfg(feature = "tensors")]

use arrow_schema::{DataType, SchemaRef};
use tfxio::prelude::*;
use tfxio::{ErrorKind, Result};

/// Returns the schema of a data set that is opened with the text of a schema.
fn columns(text: &str) -> Result<SchemaRef> {
    let file = format!("{}/../../fixtures/tfrecord/six-records.tfrecord", env!("CARGO_MANIFEST_DIR"));
    let options = OpenOptions::new().format("example").set("fixed_size_lists", true)?.set("schema", text)?;
    Ok(options.open(file)?.schema().clone())
}

fn fixed_len(shape: &str) -> Option<i32> {
    let schema = columns(&format!("feature {{ name: \"f\" type: FLOAT {shape} }}")).unwrap();
    match schema.field(0).data_type() {
        DataType::FixedSizeList(_, len) => Some(*len),
        DataType::LargeList(_) => None,
        other => unreachable!("{other}"),
    }
}

#[test]
fn kinds_and_order() {
    let schema = columns(
        r#"feature { name: "z" type: INT } feature { name: "a" type: FLOAT }
           feature { name: "m" type: BYTES } feature { name: "a" type: BYTES }"#,
    )
    .unwrap();
    let columns = schema.fields().iter().map(|field| match field.data_type() {
        DataType::LargeList(values) => (field.name().as_str(), values.data_type()),
        other => unreachable!("{other}"),
    });
    let expected = [("z", &DataType::Int64), ("a", &DataType::Float32), ("m", &DataType::LargeBinary)];
    assert_eq!(columns.collect::<Vec<_>>(), expected);
}

#[test]
fn fixed_lengths() {
    for (shape, len) in [
        ("", None),
        ("shape {}", Some(1)),
        ("shape { dim { size: 8 } dim { size: 8 } }", Some(64)),
        ("shape { dim { size: 8 } dim {} }", None),
        ("shape { dim { size: 0 } }", None),
        ("shape { dim { size: 9223372036854775807 } dim { size: 2 } }", None),
        ("shape { dim { size: 2147483648 } }", None),
        ("shape { dim { size: -1 } }", None),
        ("value_count { min: 3 max: 3 }", Some(3)),
        ("value_count { min: 1 max: 3 }", None),
        ("value_count { min: 0 max: 0 }", None),
    ] {
        assert_eq!(fixed_len(shape), len, "{shape}");
    }
}

#[test]
fn presence_does_not_make_a_feature_required() {
    let file = format!("{}/../../fixtures/digits/digits-00000-of-00003.tfrecord", env!("CARGO_MANIFEST_DIR"));
    let schema = r#"feature { name: "f" type: INT presence { min_fraction: 1.0 min_count: 1 } }"#;
    let dataset = OpenOptions::new().set("schema", schema).unwrap().open(file).unwrap();
    let nulls = dataset.read(ScanRequest::new()).unwrap().map(|batch| batch.unwrap().column(0).null_count());
    assert_eq!(nulls.sum::<usize>(), 599);
}

#[test]
fn what_cannot_be_said_is_an_error_that_names_the_feature() {
    let error = |kind| {
        let error = columns(&format!("feature {{ name: \"f\" {kind} }}")).unwrap_err();
        assert_eq!((error.kind(), error.position().column.as_deref()), (ErrorKind::Unsupported, Some("f")));
        error.to_string()
    };
    assert_eq!(
        error("type: STRUCT"),
        "column \"f\": the schema says STRUCT, which a tf.Example cannot hold; remove the feature from the schema, or read \
         the records as tf.SequenceExamples"
    );
    assert_eq!(
        error("type: TYPE_UNKNOWN"),
        "column \"f\": the schema does not say the feature's type; make it INT, FLOAT or BYTES"
    );
}
