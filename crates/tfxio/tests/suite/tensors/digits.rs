//! The digits as tensors.

use std::sync::Arc;

use tfxio::Tensors;
use tfxio::prelude::*;
use tfxio::tensor_repr::Tensor;

use super::{by_schema, fixture, floats, ints, tensors};

const SCHEMA: &str = r#"
    feature { name: "id" type: BYTES shape { } presence { min_fraction: 1 } }
    feature { name: "image" type: FLOAT shape { dim { size: 8 } dim { size: 8 } } presence { min_fraction: 1 } }
    feature { name: "label" type: INT shape { } presence { min_fraction: 1 } }
"#;

fn digits() -> Arc<dyn Dataset> {
    by_schema(SCHEMA).open(fixture("digits/digits-?????-of-00003.tfrecord")).unwrap()
}

#[test]
fn from_files_to_dense_tensors_nothing_is_copied() {
    let tensors = tensors(&digits());
    let specs = tensors.specs().iter().map(|(name, spec)| format!("{name}: {spec}")).collect::<Vec<_>>();
    assert_eq!(specs, ["id: dense string [?]", "image: dense float32 [?, 8, 8]", "label: dense int64 [?]"]);

    let (mut rows, mut pixels) = (0, 0.0);
    for batch in tensors.read(ScanRequest::new()).unwrap() {
        let batch = batch.unwrap();
        assert_eq!(batch.copy_count(), Default::default());
        let [(_, Tensor::Dense(id)), (_, image), (_, label)] = &batch[..] else { panic!("{batch:?}") };
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
    assert_eq!(pixels, 561_718.0);
}

#[test]
fn partitions_and_threads_give_the_same_tensors() {
    let dataset = digits();
    let two = tensors(&dataset).select(["label", "image"]).unwrap();
    let request = ScanRequest::new().batch_rows(100);
    let read = |tensors: &Tensors, threads| {
        let batches = tensors.read(request.clone().threads(threads)).unwrap().collect::<Result<Vec<_>, _>>();
        let batches = batches.unwrap();
        let images = batches.iter().flat_map(|batch| floats(&batch[1].1).to_vec()).collect::<Vec<_>>();
        (batches.iter().flat_map(|batch| ints(&batch[0].1).to_vec()).collect::<Vec<_>>(), images)
    };
    let all = read(&two, 1);
    assert_eq!(all.0.len(), 1797);
    assert_eq!(read(&two, 3), all);

    let mut labels = Vec::new();
    for partition in dataset.partitions(20_000).unwrap() {
        for batch in two.scan(&partition, &request).unwrap() {
            labels.extend_from_slice(ints(&batch.unwrap()[0].1));
        }
    }
    assert_eq!(labels, all.0);
}

#[test]
fn the_adapter_is_for_the_batches_of_the_request() {
    let dataset = digits();
    let tensors = tensors(&dataset);
    let mut rows = 0;
    for batch in dataset.read(tensors.request(ScanRequest::new())).unwrap() {
        let tensors = tensors.adapter().to_tensors(&batch.unwrap(), Some(&["label"])).unwrap();
        rows += ints(&tensors[0].1).len();
    }
    assert_eq!(rows, 1797);
}
