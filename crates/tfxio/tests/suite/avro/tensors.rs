//! Feature specs over key expressions, and some of their tensors.

use std::sync::Arc;

use tfxio::avro_path::container::Codec;
use tfxio::prelude::*;
use tfxio::tensor_repr::{Tensor, feature_specs_from_json};
use tfxio::{ErrorKind, Tensors};

use crate::avro::test_files::{file, people, rows};

const SPECS: &str = r#"{
    "engines": {"kind": "Sparse", "key": "cars[*].engine", "index_key": "id", "value_key": "power",
                "dtype": "float32", "size": 10},
    "name": {"kind": "FixedLen", "key": "name.first", "shape": [], "dtype": "string"},
    "age": {"kind": "FixedLen", "shape": [], "dtype": "int32", "default": -1}
}"#;

fn dataset() -> Arc<dyn Dataset> {
    OpenOptions::new().features(feature_specs_from_json(SPECS).unwrap()).open(people()).unwrap()
}

fn all(dataset: &Arc<dyn Dataset>) -> Tensors {
    dataset.tensors(dataset.representations().unwrap()).unwrap()
}

fn specs(tensors: &Tensors) -> Vec<String> {
    tensors.specs().iter().map(|(name, spec)| format!("{name}: {spec}")).collect()
}

#[test]
fn all_tensors_in_the_order_of_their_names() {
    let dataset = dataset();
    let expected = ["age: dense int32 [?]", "engines: sparse float32 [?, 10]", "name: dense string [?]"];
    assert_eq!(specs(&all(&dataset)), expected);
    assert_eq!(dataset.representations().unwrap().len(), 3);
    let names = dataset.schema().fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>();
    assert_eq!(names, ["age", "cars[*].engine.id", "cars[*].engine.power", "name.first"]);
    // Another process has the same tensors.
    let spec = serde_json::to_vec(&dataset.spec().unwrap()).unwrap();
    let again = serde_json::from_slice::<tfxio::DatasetSpec>(&spec).unwrap().open().unwrap();
    for dataset in [dataset, again] {
        let batch = all(&dataset).read(ScanRequest::new()).unwrap().next().unwrap().unwrap();
        let engines = batch.sparse("engines").unwrap();
        assert_eq!(engines.indices().as_ref(), [0, 5, 0, 6]);
        assert_eq!(engines.values().as_slice::<f32>(), Some(&[2.5, 0.5][..]));
    }
}

#[test]
fn specs_may_lie_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let name = file(&folder, "specs.json", SPECS.as_bytes());
    let open = |name: &str| OpenOptions::new().set("features", name).unwrap().open(people());
    let dataset = open(&name).unwrap();
    std::fs::remove_file(&name).unwrap();
    assert_eq!(all(&dataset).specs().len(), 3);
    let error = open(&name).unwrap_err();
    assert_eq!((error.kind(), error.position().file.as_deref()), (ErrorKind::NotFound, Some(name.as_str())));
    let name = file(&folder, "specs.json", b"{");
    assert!(open(&name).unwrap_err().to_string().starts_with(&format!("{name}, line 1, column ")));
}

#[test]
fn some_tensors_read_the_columns_that_they_need() {
    let dataset = dataset();
    let all = all(&dataset);
    let two = all.select(["name", "age"]).unwrap();
    assert_eq!(specs(&two), ["name: dense string [?]", "age: dense int32 [?]"]);
    let partition = &dataset.partitions(1 << 20).unwrap()[0];
    let batch = two.scan(partition, &ScanRequest::new()).unwrap().next().unwrap().unwrap();
    assert_eq!(batch.len(), 2);

    let one = two.select(["age"]).unwrap();
    assert_eq!(specs(&one), ["age: dense int32 [?]"]);
    let request = one.request(ScanRequest::new());
    assert_eq!(dataset.scan_schema(&request).unwrap().fields().len(), 1);
    assert_eq!(two.original_specs().len(), 3);
    assert_eq!(one.original_specs().len(), 3);
    let none = one.select([""; 0]).unwrap();
    let batch = none.scan(partition, &ScanRequest::new()).unwrap().next().unwrap().unwrap();
    assert_eq!((batch.num_rows(), batch.len()), (2, 0));
    assert_eq!(none.original_specs().len(), 3);

    let error = all.select(["nme"]).unwrap_err();
    assert_eq!(error.to_string(), "there is no tensor \"nme\"; did you mean \"name\"?");
    let error = all.select(["x"]).unwrap_err();
    assert_eq!(error.to_string(), "there is no tensor \"x\"; the tensors are \"age\", \"engines\", \"name\"");
}

#[test]
fn without_specs_there_are_no_tensors() {
    let folder = tempfile::tempdir().unwrap();
    let name = file(&folder, "a.avro", &rows(Codec::Null, 0..2, 100));
    let error = tfxio::open(&name).unwrap().representations().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaRequired);
    assert_eq!(
        error.to_string(),
        "the data set does not say what its tensors are; open it with feature specs, representations or a schema of \
         TensorFlow Metadata, or name the tensors"
    );
    let specs =
        feature_specs_from_json(r#"{"n": {"kind": "FixedLen", "shape": [], "dtype": "int64"}}"#).unwrap();
    let error = OpenOptions::new().keys(["n"]).features(specs).open(&name).unwrap_err();
    assert_eq!(
        error.to_string(),
        "key expressions and feature specs are given, and each says what columns there are; give one"
    );
}

#[test]
fn a_dtype_chooses_a_branch_of_a_union() {
    use tfxio::avro_path::AvroSchema;
    use tfxio::avro_path::container::ContainerWriter;

    let folder = tempfile::tempdir().unwrap();
    let schema =
        r#"{"type": "record", "name": "r", "fields": [{"name": "x", "type": ["null", "int", "string"]}]}"#;
    let file = |records: &[&[u8]]| {
        let mut writer =
            ContainerWriter::builder(Vec::new(), &AvroSchema::parse(schema).unwrap()).build().unwrap();
        records.iter().for_each(|record| writer.write(record).unwrap());
        file(&folder, "union.avro", &writer.finish().unwrap())
    };
    let specs = r#"{"x": {"kind": "FixedLen", "shape": [], "dtype": "int32", "default": -1}}"#;
    let open = |name: &str| {
        let specs = feature_specs_from_json(specs).unwrap();
        let dataset = OpenOptions::new().features(specs).open(name).unwrap();
        all(&dataset).read(ScanRequest::new()).unwrap().next().unwrap()
    };
    let batch = open(&file(&[&[2, 10], &[0]])).unwrap();
    let Tensor::Dense(x) = &batch[0].1 else { panic!("{batch:?}") };
    assert_eq!(x.values().as_slice::<i32>(), Some(&[5, -1][..]));

    let name = file(&[&[2, 10], &[4, 2, b'a']]);
    let reason = "at x:string: the value is of the branch string, and the key \"x\" is read as int32";
    let error = open(&name).unwrap_err().to_string();
    assert!(error.contains(", record 1, ") && error.contains(reason), "{error}");
    let keys = OpenOptions::new().keys(["number=x as int32"]);
    let dataset = keys.open(&name).unwrap();
    assert_eq!(dataset.schema().field(0).name(), "number");
    let error = dataset.read(ScanRequest::new()).unwrap().find_map(Result::err).unwrap().to_string();
    assert!(error.contains(reason), "{error}");
    let error = OpenOptions::new().keys(["x as itn32"]).open(&name).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the key \"x as itn32\" is read as \"itn32\", which is not a dtype; did you mean \"int32\"?"
    );
}

#[test]
fn row_splits_of_32_bits_are_the_offsets_of_the_column() {
    let folder = tempfile::tempdir().unwrap();
    let name = file(&folder, "a.avro", &rows(Codec::Null, 0..40, 100));
    for row_splits in ["int32", "int64"] {
        let specs = format!(
            r#"{{"below": {{"kind": "Ragged", "value_key": "below[*]", "dtype": "int32", "row_splits": "{row_splits}"}}}}"#
        );
        let dataset =
            OpenOptions::new().features(feature_specs_from_json(&specs).unwrap()).open(&name).unwrap();
        let batch = all(&dataset).read(ScanRequest::new()).unwrap().next().unwrap().unwrap();
        assert_eq!(batch[0].1.spec().to_string(), format!("ragged int32 [?, ?] ({row_splits} splits)"));
        assert_eq!((batch.copy_count().values, batch.copy_count().computed), (0, 0), "{row_splits}");
    }
}
