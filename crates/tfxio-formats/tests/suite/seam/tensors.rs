//! Columns of any data set as tensors.

use tfxio_formats::tensor_repr::Representation;
use tfxio_formats::tfxio_core::ScanRequest;
use tfxio_formats::{OpenOptions, TensorsExt as _, open};

fn fixture(name: &str) -> String {
    format!("{}/../../fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn dense_tensors_share_the_memory_of_columns() {
    let dataset = open(fixture("digits/digits@3.tfrecord")).unwrap();
    let image = Representation::dense([8, 8]);
    let tensors = dataset.tensors([("image", image), ("label", Representation::dense([]))]).unwrap();
    let names = tensors.specs().iter().map(|(name, _)| &**name).collect::<Vec<_>>();
    assert_eq!(names, ["image", "label"]);
    let mut rows = 0;
    for batch in tensors.read(ScanRequest::new().batch_rows(100)).unwrap() {
        let batch = batch.unwrap();
        assert_eq!(batch.copied_bytes(), 0);
        let shape = batch.dense("image").unwrap().shape();
        assert_eq!(shape[1..], [8, 8]);
        rows += shape[0];
    }
    assert_eq!(rows, 1797);
    // The same by partitions, as an engine reads them.
    let mut images = 0;
    for partition in dataset.partitions(50_000).unwrap() {
        for batch in tensors.scan(&partition, &ScanRequest::new()).unwrap() {
            images += batch.unwrap().dense("image").unwrap().shape()[0];
        }
    }
    assert_eq!(images, 1797);
}

#[test]
fn an_error_of_a_tensor_names_the_record() {
    let dataset = open(fixture("digits/digits@3.tfrecord")).unwrap();
    let tensors = dataset.tensors([("image", Representation::dense([9, 9]))]).unwrap();
    let error = tensors.read(ScanRequest::new()).unwrap().next().unwrap().unwrap_err().to_string();
    assert!(error.contains("digits-00000-of-00003.tfrecord, byte 0, record 0"), "{error}");
    let error = dataset.tensors([("imag", Representation::dense([8, 8]))]).unwrap_err().to_string();
    assert!(error.contains("image"), "{error}");
    let error = dataset.tensors_of_group("serving").unwrap_err().to_string();
    assert!(error.contains("opened without one"), "{error}");
    let error = OpenOptions::new().format("raw").open(fixture("digits/digits@3.tfrecord")).unwrap();
    assert!(error.tensors([("image", Representation::dense([8, 8]))]).is_err());
}
