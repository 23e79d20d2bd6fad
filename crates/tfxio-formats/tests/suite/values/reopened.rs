//! Data sets of scalars and text by their descriptions, as tensors, and with a source column.

use std::sync::Arc;

use tfxio_formats::example_codec::{Example, Feature, SequenceExample};
use tfxio_formats::tensor_repr::Representation;
use tfxio_formats::tfxio_core::{Dataset, DatasetSpec, ScanRequest};
use tfxio_formats::{
    DatasetExt as _, OpenOptions, SpecExt as _, TensorsExt as _, ValueOptions, ValuesExt as _, open,
};

use super::test_files::{both, examples, rows, types};
use crate::seam::test_files::{FileLayout, write_records};

fn row(at: i64) -> Example {
    let row = Example::new()
        .int64("label", [at])
        .bytes("a.b", [format!("row {at}")])
        .bytes("raw", [[0xff, at as u8]]);
    if at == 2 { row } else { row.float("score", [at as f32 / 2.0]) }
}

#[test]
fn a_description_says_which_columns_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let file = examples(folder.path(), "a.tfrecord", (0..5).map(row));
    let dataset = both().source_column("source").open(&file).unwrap();
    let text = serde_json::to_string(&dataset.spec().unwrap()).unwrap();
    let spec = serde_json::from_str::<DatasetSpec>(&text).unwrap();
    let all = rows(&dataset, ScanRequest::new().columns(["label", "a.b", "raw", "score"])).unwrap();
    assert_eq!(all[2], r#"2 "row 2" b[255, 2] null"#);
    // Nothing is looked at: what another file holds does not count.
    let other = examples(folder.path(), "a.tfrecord", (0..5).map(row).chain([row(0).int64("label", [1, 2])]));
    assert_eq!(other, file);
    let again = spec.open().unwrap();
    assert_eq!(again.schema(), dataset.schema());
    let five = ScanRequest::new().columns(["label", "a.b", "raw", "score"]).limit(5).batch_rows(5);
    assert_eq!(rows(&again, five).unwrap(), all);
    let error = rows(&again, ScanRequest::new().columns(["label"])).unwrap_err();
    assert_eq!(error.position().record, Some(5));
    // The same again from there.
    assert_eq!(again.spec().unwrap(), dataset.spec().unwrap());
}

#[test]
fn text_in_structs_is_described() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tfrecord");
    let record = SequenceExample::new()
        .steps("w.x", [Feature::bytes(["a"])])
        .steps("image", [Feature::bytes([[0xff_u8, 0]])]);
    write_records(&path, FileLayout::Plain, [record.to_vec()].into_iter());
    let dataset = both().open(&path).unwrap();
    assert!(types(&dataset)[0].contains("LargeUtf8") && types(&dataset)[0].contains("LargeBinary"));
    let again = dataset.spec().unwrap().open().unwrap();
    assert_eq!(again.schema(), dataset.schema());
    assert_eq!(again.spec().unwrap().options["text"], vec![r"##SEQUENCE##.w\.x".to_owned()].into());
}

#[test]
fn more_may_be_asked_of_a_data_set_that_is_open() {
    let folder = tempfile::tempdir().unwrap();
    let file = examples(folder.path(), "a.tfrecord", (0..5).map(row));
    let dataset = OpenOptions::new().scalars(true).open(&file).unwrap();
    let dataset = dataset.values(&ValueOptions::new().text(true)).unwrap();
    assert_eq!(types(&dataset), types(&both().open(&file).unwrap()));
    assert_eq!(dataset.spec().unwrap().open().unwrap().schema(), dataset.schema());
}

#[test]
fn labels_are_tensors_of_one_dimension() {
    let folder = tempfile::tempdir().unwrap();
    let file = examples(folder.path(), "a.tfrecord", (3..8).map(row));
    let dataset = both().open(&file).unwrap();
    let tensors =
        dataset.tensors([("label", Representation::dense([])), ("a.b", Representation::dense([]))]).unwrap();
    let batch = tensors.read(ScanRequest::new()).unwrap().next().unwrap().unwrap();
    assert_eq!(batch.dense("label").unwrap().shape(), [5]);
    assert_eq!(batch.dense("a.b").unwrap().shape(), [5]);
    assert_eq!(batch.copied_bytes(), 0);
}

#[test]
fn values_are_shared_with_what_was_decoded() {
    use arrow_array::cast::AsArray as _;
    use arrow_array::types::Int64Type;

    let folder = tempfile::tempdir().unwrap();
    let file = examples(folder.path(), "a.tfrecord", (3..8).map(row));
    let batch =
        |dataset: &Arc<dyn Dataset>| dataset.read(ScanRequest::new()).unwrap().next().unwrap().unwrap();
    let plain = open(&file).unwrap();
    let whole = batch(&plain);
    let lists = whole.column_by_name("label").unwrap().as_list::<i64>().values().get_buffer_memory_size();
    let scalars = batch(&both().open(&file).unwrap());
    let label = scalars.column_by_name("label").unwrap();
    assert_eq!(label.as_primitive::<Int64Type>().values(), &[3, 4, 5, 6, 7]);
    // The buffer is the one of the decoder, with the room that it had.
    assert_eq!(label.get_buffer_memory_size(), lists);
}

#[test]
fn tensors_of_a_schema_are_those_of_scalars() {
    let folder = tempfile::tempdir().unwrap();
    let file = examples(folder.path(), "a.tfrecord", (3..8).map(row));
    let schema = "feature { name: 'label' type: INT presence { min_fraction: 1 } shape { dim { size: 1 name: 'one' } } }
        feature { name: 'a.b' type: BYTES }
        feature { name: 'raw' type: BYTES value_count { min: 1 } }
        feature { name: 'score' type: FLOAT value_count { min: 1 max: 1 } }";
    let specs = |options: OpenOptions| {
        let dataset = options.set("schema", schema).unwrap().open(&file).unwrap();
        let tensors = dataset.tensors(dataset.representations().unwrap()).unwrap();
        assert!(tensors.read(ScanRequest::new()).unwrap().all(|batch| batch.is_ok()));
        tensors.specs().iter().map(|(name, spec)| format!("{name}: {spec}")).collect::<Vec<_>>()
    };
    assert_eq!(
        specs(OpenOptions::new().scalars(true)),
        [
            "a.b: dense string [?]",
            "label: dense int64 [?]",
            "raw: sparse string [?, ?]",
            "score: dense float32 [?]"
        ]
    );
    assert_eq!(specs(OpenOptions::new())[1], "label: dense int64 [?, 1]");
}
