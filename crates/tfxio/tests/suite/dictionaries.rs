//! Columns of dictionaries go from format to format and stay dictionaries.
#![cfg(all(feature = "parquet", feature = "ipc"))]

use std::path::Path;

use arrow_schema::DataType;
use tfxio::convert::Conversion;
use tfxio::{DatasetExt as _, ScanRequest};

fn convert(input: &Path, output: &Path) {
    let conversion = Conversion::builder([input.to_str().unwrap()], output).build().unwrap();
    assert_eq!(conversion.run(|_| {}).unwrap().records, 40);
}

/// Asserts that a file has the rows of `make_columnar.py`, with names in a dictionary.
fn check(path: &Path) {
    let dataset = tfxio::open(path.to_str().unwrap()).unwrap();
    let kind = dataset.schema().field_with_name("name").unwrap().data_type();
    assert!(matches!(kind, DataType::Dictionary(..)), "{}: {kind}", path.display());
    for (filter, rows) in
        [("name = 'row 30'", 1), ("name is null", 13), ("name != 'row 0'", 26), ("id >= 16", 24)]
    {
        let batches = dataset.read(ScanRequest::new().filter(filter.parse().unwrap())).unwrap();
        let found = batches.map(|batch| batch.unwrap().num_rows()).sum::<usize>();
        assert_eq!(found, rows, "{}: {filter}", path.display());
    }
}

#[test]
fn between_parquet_files_arrow_files_and_streams() {
    let folder = tempfile::tempdir().unwrap();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/columnar");
    for from in ["pyarrow-dictionary.parquet", "pyarrow-deltas.arrows"] {
        let input = fixtures.join(from);
        check(&input);
        let mut before = input;
        for name in ["a.arrow", "b.arrows", "c.parquet", "d.arrows", "e.arrow", "f.parquet"] {
            let output = folder.path().join(format!("{from}-{name}"));
            convert(&before, &output);
            check(&output);
            before = output;
        }
    }
}

#[cfg(feature = "tensors")]
#[test]
fn as_tensors_of_their_values() {
    use tfxio::TensorsExt as _;
    use tfxio::tensor_repr::Representation;

    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/columnar");
    let read = |name: &str| {
        let dataset = tfxio::open(fixtures.join(name).to_str().unwrap()).unwrap();
        let tensors =
            dataset.tensors([("name", Representation::dense([])), ("id", Representation::dense([]))]);
        let request = ScanRequest::new().filter("not name is null and id < 30".parse().unwrap());
        let batches = tensors.unwrap().read(request).unwrap();
        batches.map(|batch| batch.unwrap().into_tensors()).collect::<Vec<_>>()
    };
    let plain = read("pyarrow.parquet");
    assert_eq!(plain.len(), 1);
    for name in ["pyarrow-dictionary.parquet", "pyarrow-deltas.arrow", "polars-categorical.parquet"] {
        assert_eq!(read(name), plain, "{name}");
    }
}

#[cfg(feature = "loader")]
#[test]
fn as_batches_of_a_loader() {
    use tfxio::LoaderConfig;
    use tfxio::prelude::*;

    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/columnar");
    let load = |name: &str| {
        let dataset = tfxio::open(fixtures.join(name).to_str().unwrap()).unwrap();
        let filter = "not name is null and id < 30".parse().unwrap();
        let config = LoaderConfig::independent(4).shuffle_globally(1).filter(filter);
        let loader = dataset.loader(config).inputs(["name", "id"]).build().unwrap();
        let loaded = loader.map(|batch| {
            let batch = batch.unwrap();
            batch.inputs().map(|(name, tensor)| (name.clone(), tensor.clone())).collect::<Vec<_>>()
        });
        loaded.collect::<Vec<_>>()
    };
    let plain = load("pyarrow.parquet");
    assert_eq!(plain.len(), 5);
    assert_eq!(load("pyarrow-dictionary.parquet"), plain);
}
