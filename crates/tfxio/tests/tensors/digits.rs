//! The digits as tensors.

use tfxio::tensor_repr::Tensor;
use tfxio::{ExampleTfxIo, ReadOptions, RecordOptions, TensorReadOptions, TensorTfxIo, TfxIo};

use super::{fixture, floats, ints, schema};

const SCHEMA: &str = r#"
    feature { name: "id" type: BYTES shape { } presence { min_fraction: 1 } }
    feature { name: "image" type: FLOAT shape { dim { size: 8 } dim { size: 8 } } presence { min_fraction: 1 } }
    feature { name: "label" type: INT shape { } presence { min_fraction: 1 } }
"#;

fn digits() -> ExampleTfxIo {
    let pattern = fixture("digits/digits-?????-of-00003.tfrecord");
    ExampleTfxIo::builder([pattern]).metadata_schema(schema(SCHEMA)).build().unwrap()
}

#[test]
fn from_files_to_dense_tensors_nothing_is_copied() {
    let dataset = digits();
    let mut reader = dataset.read_all_tensors(&TensorReadOptions::default()).unwrap();
    let specs = reader.specs().iter().map(|(name, spec)| format!("{name}: {spec}")).collect::<Vec<_>>();
    assert_eq!(specs, ["id: dense string [?]", "image: dense float32 [?, 8, 8]", "label: dense int64 [?]"]);

    let (mut rows, mut pixels) = (0, 0.0);
    for batch in reader.by_ref() {
        let batch = batch.unwrap();
        let [(_, Tensor::Dense(id)), (_, image), (_, label)] = batch.as_slice() else { panic!("{batch:?}") };
        if rows == 0 {
            assert_eq!(floats(image)[..8], [0.0, 0.0, 5.0, 13.0, 9.0, 1.0, 0.0, 0.0]);
            assert_eq!(ints(label)[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
            assert_eq!(id.values().as_strings().unwrap().get(3), Some(&b"digit-0003"[..]));
        }
        assert_eq!(floats(image).len(), 64 * image.rows());
        pixels += floats(image).iter().map(|value| f64::from(*value)).sum::<f64>();
        rows += image.rows();
    }
    assert_eq!(rows, 1797);
    assert_eq!(reader.rows(), 1797);
    assert_eq!(pixels, 561_718.0);
    assert_eq!(reader.copy_count(), Some(Default::default()));
}

#[test]
fn splits_and_threads_give_the_same_tensors() {
    let options = TensorReadOptions::default().with_batch_size(100).with_tensors(["label", "image"]);
    let read = |dataset: &ExampleTfxIo| {
        let batches = dataset.read_all_tensors(&options).unwrap().collect::<Result<Vec<_>, _>>().unwrap();
        let images = batches.iter().flat_map(|batch| floats(&batch[1].1).to_vec()).collect::<Vec<_>>();
        (batches.iter().flat_map(|batch| ints(&batch[0].1).to_vec()).collect::<Vec<_>>(), images)
    };
    let all = read(&digits());
    assert_eq!(all.0.len(), 1797);

    let pattern = fixture("digits/digits-?????-of-00003.tfrecord");
    let builder = ExampleTfxIo::builder([pattern]).metadata_schema(schema(SCHEMA));
    let threads = RecordOptions::default().with_threads(3);
    assert_eq!(read(&builder.record_options(threads).build().unwrap()), all);

    let dataset = digits();
    let mut labels = Vec::new();
    for split in dataset.splits(20_000).unwrap() {
        for batch in dataset.read_tensors(&split, &options).unwrap() {
            labels.extend_from_slice(ints(&batch.unwrap()[0].1));
        }
    }
    assert_eq!(labels, all.0);
}

#[test]
fn the_adapter_is_for_the_batches_of_read() {
    let dataset = digits();
    let adapter = dataset.tensor_adapter().unwrap();
    let mut rows = 0;
    for batch in dataset.read_all(&ReadOptions::default()).unwrap() {
        let tensors = adapter.to_tensors(&batch.unwrap(), Some(&["label"])).unwrap();
        rows += ints(&tensors[0].1).len();
    }
    assert_eq!(rows, 1797);
}
