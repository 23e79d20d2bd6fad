//! Schemas of features made of schemas of columns.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float32Array, Int32Array, LargeStringArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use example_codec::{
    EncodedExamples, EncoderOptions, Error, ErrorKind, Example, ExampleDecoder, ExampleEncoder,
    ExampleSchema, FeatureField, FeatureKind, Kind, Origin,
};

fn list(data_type: DataType) -> DataType {
    DataType::LargeList(Arc::new(Field::new_list_field(data_type, true)))
}

fn of(data_type: DataType, is_nullable: bool) -> Result<FeatureField, Error> {
    let schema = Schema::new(vec![Field::new("x", data_type, is_nullable)]);
    ExampleSchema::try_from(&schema).map(|schema| schema.features()[0].clone())
}

#[test]
fn columns_are_the_features_that_they_are_encoded_as() {
    use DataType::*;
    let kinds = [
        (FeatureKind::Int64, vec![Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, Boolean]),
        (FeatureKind::Float, vec![Float16, Float32]),
        (FeatureKind::Bytes, vec![Binary, LargeBinary, BinaryView, Utf8, LargeUtf8, Utf8View]),
    ];
    for (kind, types) in kinds {
        for data_type in types {
            let field = FeatureField::new("x", kind);
            assert_eq!(of(data_type.clone(), true).unwrap(), field.clone().fixed_len(1));
            assert_eq!(of(data_type.clone(), false).unwrap(), field.clone().fixed_len(1).required());
            assert_eq!(of(list(data_type.clone()), true).unwrap(), field);
            assert_eq!(of(list(data_type.clone()), false).unwrap(), field.clone().required());
            let fixed = FixedSizeList(Arc::new(Field::new_list_field(data_type.clone(), true)), 3);
            assert_eq!(of(fixed, true).unwrap(), field.fixed_len(3));
            // The encoder takes it, too.
            let columns = Arc::new(Schema::new(vec![Field::new("x", data_type, true)]));
            let options = EncoderOptions::default().text(true);
            ExampleEncoder::builder(&columns).options(options).build().unwrap();
        }
    }
    assert_eq!(of(Null, true).unwrap(), FeatureField::null("x"));
    for data_type in [Float64, UInt64, Date32, list(list(Int64))] {
        let error = of(data_type.clone(), true).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
        assert_eq!(
            error.to_string(),
            format!(
                "column \"x\": the column has Arrow type {data_type}, which no feature has; cast it to integers, 32-bit floats, \
                 text or binary, or to lists of them"
            )
        );
    }
}

#[test]
fn rows_that_were_encoded_are_decoded_by_the_schema_of_their_columns() {
    let columns: [(&str, ArrayRef, bool); 4] = [
        ("flag", Arc::new(BooleanArray::from(vec![true, false])), false),
        ("label", Arc::new(Int32Array::from(vec![Some(7), None])), true),
        ("score", Arc::new(Float32Array::from(vec![0.5, 1.5])), false),
        ("name", Arc::new(LargeStringArray::from(vec!["a", "b"])), false),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let options = EncoderOptions::default().text(true);
    let mut examples = EncodedExamples::new();
    ExampleEncoder::builder(&batch.schema())
        .options(options)
        .build()
        .unwrap()
        .encode(&batch, &mut examples)
        .unwrap();
    let schema = ExampleSchema::try_from(&*batch.schema()).unwrap();
    let mut decoder = ExampleDecoder::builder().schema(schema).fixed_size_lists(true).build().unwrap();
    for row in 0..2 {
        decoder.push(examples.get(row).unwrap(), Origin::record(0)).unwrap();
    }
    let decoded = decoder.flush().unwrap();
    assert_eq!((decoded.num_rows(), decoded.column(1).null_count()), (2, 1));

    // What the columns promise is checked.
    let error = decoder.push(&Example::new().int64("label", [7]).to_vec(), Origin::record(0)).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::MissingFeature));
    let two = Example::new().int64("flag", [0, 1]).float("score", [0.5]).bytes("name", ["c"]).to_vec();
    let error = decoder.push(&two, Origin::record(0)).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::WrongLength { expected: 1, found: 2 }));
}

#[test]
fn columns_of_a_decoder_are_lists() {
    let schema = Schema::new(vec![Field::new("x", list(DataType::Int64), false)]);
    let expected = [FeatureField::new("x", FeatureKind::Int64).required()];
    assert_eq!(ExampleSchema::of_columns(&schema).unwrap().features(), expected);
    let schema = Schema::new(vec![Field::new("x", DataType::Int64, true)]);
    let error = ExampleSchema::of_columns(&schema).unwrap_err().to_string();
    assert_eq!(
        error,
        "column \"x\": the column has Arrow type Int64, which no feature has; features are lists of Int64, Float32, Binary or \
         LargeBinary"
    );
}
