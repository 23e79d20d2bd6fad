//! Feature specs over key expressions, and projections to some of the tensors.

use tfxio::avro_path::container::Codec;
use tfxio::tensor_repr::{Tensor, feature_specs_from_json};
use tfxio::{AvroTfxIo, ErrorKind, ReadOptions, TensorReadOptions, TensorTfxIo, TfxIo as _};

use crate::made::{file, people, rows};

fn dataset() -> AvroTfxIo {
    let specs = feature_specs_from_json(
        r#"{
            "engines": {"kind": "Sparse", "key": "cars[*].engine", "index_key": "id", "value_key": "power",
                        "dtype": "float32", "size": 10},
            "name": {"kind": "FixedLen", "key": "name.first", "shape": [], "dtype": "string"},
            "age": {"kind": "FixedLen", "shape": [], "dtype": "int32", "default": -1}
        }"#,
    );
    AvroTfxIo::builder([people()]).feature_specs(specs.unwrap()).build().unwrap()
}

fn specs(dataset: &dyn TensorTfxIo) -> Vec<String> {
    let adapter = dataset.tensor_adapter().unwrap();
    adapter.specs().iter().map(|(name, spec)| format!("{name}: {spec}")).collect()
}

#[test]
fn all_tensors_in_the_order_of_their_names() {
    let dataset = dataset();
    let all = ["age: dense int32 [?]", "engines: sparse float32 [?, 10]", "name: dense string [?]"];
    assert_eq!(specs(&dataset), all);
    assert_eq!(dataset.tensor_representations().unwrap().len(), 3);
    let names = dataset.arrow_schema().unwrap();
    let names = names.fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>();
    assert_eq!(names, ["age", "cars[*].engine.id", "cars[*].engine.power", "name.first"]);
    let batch = dataset.read_all_tensors(&TensorReadOptions::default()).unwrap().next().unwrap().unwrap();
    let Tensor::Sparse(engines) = &batch[1].1 else { panic!("{:?}", batch[1]) };
    assert_eq!(engines.indices().as_ref(), [0, 5, 0, 6]);
    assert_eq!(engines.values().as_slice::<f32>(), Some(&[2.5, 0.5][..]));
}

#[test]
fn some_tensors_read_the_columns_that_they_need() {
    let dataset = dataset();
    let options = TensorReadOptions::default().with_tensors(["name", "age"]);
    let split = &dataset.splits(1 << 20).unwrap()[0];
    let mut reader = dataset.read_tensors(split, &options).unwrap();
    assert_eq!(reader.specs().iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["name", "age"]);
    assert_eq!(reader.next().unwrap().unwrap().len(), 2);
    assert!(reader.copy_count().is_some());

    let projected = dataset.project(&["age"]).unwrap();
    assert_eq!(specs(&*projected), ["age: dense int32 [?]"]);
    assert_eq!(projected.arrow_schema().unwrap().fields().len(), 1);
    assert_eq!(projected.tensor_adapter().unwrap().original_specs().len(), 3);
    let none = projected.project(&[]).unwrap();
    let batch = none.read(split, &ReadOptions::default()).unwrap().next().unwrap().unwrap();
    assert_eq!((batch.num_rows(), batch.num_columns()), (2, 0));
    assert_eq!(none.tensor_adapter().unwrap().original_specs().len(), 3);

    let error = dataset.project(&["nme"]).err().unwrap();
    assert_eq!(error.to_string(), "there is no tensor \"nme\"; there are: \"age\", \"engines\", \"name\"");
}

#[test]
fn without_specs_there_are_no_tensors() {
    let folder = tempfile::tempdir().unwrap();
    let name = file(&folder, "a.avro", &rows(Codec::Null, 0..2, 100));
    let dataset = AvroTfxIo::builder([name.clone()]).build().unwrap();
    let error = dataset.tensor_representations().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaRequired);
    assert_eq!(error.to_string(), "the data set does not say what its tensors are; give feature specs");
    let specs =
        feature_specs_from_json(r#"{"n": {"kind": "FixedLen", "shape": [], "dtype": "int64"}}"#).unwrap();
    let error = AvroTfxIo::builder([name]).keys(["n"]).feature_specs(specs).build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "key expressions and feature specs are given, and each says what columns there are; give one"
    );
}
