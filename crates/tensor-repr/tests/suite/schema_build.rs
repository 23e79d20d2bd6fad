//! Schemas made in code, and of Arrow columns.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema as Columns};
use tensor_repr::{Adapter, FeatureDefinition, FeatureType, Kind, TfmdSchema};

fn of(text: &str) -> TfmdSchema {
    TfmdSchema::from_text(text).unwrap()
}

fn int(name: &str) -> FeatureDefinition {
    FeatureDefinition::new(name, FeatureType::Int)
}

#[test]
fn every_setter_is_a_field_of_the_message() {
    let built = TfmdSchema::builder()
        .feature(int("age").shape([]).presence(1.0).int_domain(0, None))
        .feature(FeatureDefinition::new("pixels", FeatureType::Float).shape([8, 8]).float_domain(None, 16.0))
        .feature(
            FeatureDefinition::new("kind", FeatureType::Bytes).value_count(1, 3).string_domain(["a", "b"]),
        )
        .feature(FeatureDefinition::group("steps", [int("click").value_count(0, None)]))
        .build()
        .unwrap();
    let expected = of(
        r#"feature { name: "age" type: INT shape { } presence { min_fraction: 1 } int_domain { min: 0 } }
           feature { name: "pixels" type: FLOAT shape { dim { size: 8 } dim { size: 8 } } float_domain { max: 16 } }
           feature { name: "kind" type: BYTES value_count { min: 1 max: 3 } string_domain { value: "a" value: "b" } }
           feature { name: "steps" type: STRUCT struct_domain { feature { name: "click" type: INT value_count { min: 0 } } } }"#,
    );
    assert_eq!(built.to_text(), expected.to_text());
    assert_eq!(TfmdSchema::builder().build().unwrap(), TfmdSchema::default());
    // What is set last counts.
    let built = TfmdSchema::builder().feature(int("a").value_count(1, 1).shape([2])).build().unwrap();
    let text = "feature {\n  name: \"a\"\n  type: INT\n  shape {\n    dim {\n      size: 2\n    }\n  }\n}\n";
    assert_eq!(built.to_text(), text);
}

#[test]
fn constraints_that_do_not_fit_are_refused() {
    let error = |feature: FeatureDefinition| {
        let error = TfmdSchema::builder().feature(feature).build().unwrap_err();
        assert_eq!(error.detail(), Some(&Kind::InvalidSchema));
        error.to_string()
    };
    assert_eq!(error(int("a").presence(1.5)), "the feature \"a\": the fraction 1.5 is not from 0 to 1");
    assert_eq!(error(int("a").presence(f64::NAN)), "the feature \"a\": the fraction NaN is not from 0 to 1");
    assert_eq!(
        error(int("a").value_count(3, 1)),
        "the feature \"a\": no number of values is 3 or more and 1 or less"
    );
    assert_eq!(error(int("a").string_domain(["x"])), "the feature \"a\": a domain of BYTES for the type INT");
    assert_eq!(error(int("a").int_domain(2, 1)), "the feature \"a\": no value is within its domain");
    let float = FeatureDefinition::new("f", FeatureType::Float).float_domain(f32::NAN, 1.0);
    assert_eq!(error(float), "the feature \"f\": no value is within its domain");
    let group = FeatureDefinition::group("g", [int("a"), int("a")]);
    assert_eq!(error(group), "the feature \"a\": another has the same name; give one another name");
    let twice = TfmdSchema::builder().features([int("a"), int("a")]).build().unwrap_err();
    assert_eq!(twice.to_string(), "the feature \"a\": another has the same name; give one another name");
}

#[test]
fn columns_are_features_of_their_types() {
    let item = |data_type| Arc::new(Field::new_list_field(data_type, true));
    let columns = Columns::new(vec![
        Field::new("flag", DataType::Boolean, false),
        Field::new("label", DataType::LargeList(item(DataType::Int64)), true),
        Field::new("image", DataType::FixedSizeList(item(DataType::Float32), 64), true),
        Field::new(
            "steps",
            DataType::Struct(vec![Field::new("word", DataType::List(item(DataType::Utf8)), true)].into()),
            true,
        ),
    ]);
    let expected = of(r#"feature { name: "flag" type: INT shape { } presence { min_fraction: 1 } }
           feature { name: "label" type: INT }
           feature { name: "image" type: FLOAT value_count { min: 64 max: 64 } }
           feature { name: "steps" type: STRUCT struct_domain { feature { name: "word" type: BYTES } } }"#);
    assert_eq!(TfmdSchema::try_from(&columns).unwrap().to_text(), expected.to_text());
    let other = Columns::new(vec![Field::new("day", DataType::Date32, true)]);
    let error = TfmdSchema::try_from(&other).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::Unsupported));
    assert_eq!(
        error.to_string(),
        "the column \"day\" has the type Date32, which no feature has; cast it, or leave it out"
    );
}

/// Returns the type of the column that a feature of these columns is decoded to.
fn decoded(data_type: &DataType) -> DataType {
    let values = match data_type {
        DataType::FixedSizeList(item, _) | DataType::List(item) | DataType::LargeList(item) => {
            return decoded(item.data_type());
        }
        DataType::Dictionary(_, values) => return decoded(values),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::LargeBinary => DataType::LargeBinary,
        DataType::Float64 | DataType::Float32 => DataType::Float32,
        _ => DataType::Int64,
    };
    DataType::LargeList(Arc::new(Field::new_list_field(values, true)))
}

#[test]
fn schemas_of_columns_have_representations_that_fit_their_features() {
    let item = |data_type| Arc::new(Field::new_list_field(data_type, true));
    let types = [
        DataType::Boolean,
        DataType::Int32,
        DataType::UInt64,
        DataType::Float64,
        DataType::Utf8,
        DataType::LargeBinary,
        DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
        DataType::FixedSizeList(item(DataType::Float32), 4),
        DataType::FixedSizeList(item(DataType::FixedSizeList(item(DataType::Int64), 2)), 3),
        DataType::List(item(DataType::Int64)),
        DataType::LargeList(item(DataType::LargeUtf8)),
    ];
    for data_type in types {
        for is_nullable in [false, true] {
            let columns = Arc::new(Columns::new(vec![Field::new("x", data_type.clone(), is_nullable)]));
            let schema = TfmdSchema::try_from(&*columns).unwrap();
            let columns = Arc::new(Columns::new(vec![Field::new("x", decoded(&data_type), true)]));
            let representations =
                schema.representations(None).unwrap_or_else(|error| panic!("{data_type}: {error}"));
            let adapter = Adapter::builder(columns, representations).build();
            assert!(adapter.is_ok(), "{data_type}, nullable {is_nullable}: {:?}", adapter.err());
        }
    }
}
