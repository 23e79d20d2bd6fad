//! Avro files in object stores.

use std::sync::Arc;

use tfxio::avro_path::container::Codec;
use tfxio::prelude::*;
use tfxio::store::Stores;
use tfxio::store::object_store::{ObjectStoreExt as _, memory::InMemory};

use crate::avro::test_files::{all, rows};

#[test]
fn a_schema_to_read_with_is_an_object_too() {
    let store = Arc::new(InMemory::new());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let put = |name: &str, bytes: Vec<u8>| runtime.block_on(store.put(&name.into(), bytes.into())).unwrap();
    put("a.avro", rows(Codec::Null, 0..10, 10));
    let schema = r#"{"type": "record", "name": "row", "fields": [{"name": "n", "type": "long"}]}"#;
    put("a.avsc", schema.as_bytes().to_vec());
    let options = OpenOptions::new().stores(Stores::default().store("memory://here", store.clone()));
    let options = options.set("reader_schema", "memory://here/a.avsc").unwrap();
    let dataset = options.open("memory://here/a.avro").unwrap();
    assert_eq!(dataset.schema().fields().len(), 1);
    assert_eq!(dataset.count().unwrap(), 10);
}

#[test]
fn a_schema_to_write_with_is_an_object_too() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(InMemory::new());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let put = |name: &str, bytes: Vec<u8>| runtime.block_on(store.put(&name.into(), bytes.into())).unwrap();
    put("a.avro", rows(Codec::Null, 0..10, 10));
    let schema = r#"{"type": "record", "name": "chosen", "fields": [{"name": "n", "type": "long"}]}"#;
    put("a.avsc", schema.as_bytes().to_vec());
    let output = folder.path().join("out.avro");
    let conversion = tfxio::convert::Conversion::builder(["memory://here/a.avro"], &output)
        .stores(Stores::default().store("memory://here", store.clone()))
        .request(ScanRequest::new().columns(["n"]))
        .set("writer_schema", "memory://here/a.avsc")
        .unwrap();
    assert_eq!(conversion.build().unwrap().run(|_| {}).unwrap().records, 10);
    let written = tfxio::avro_path::container::ContainerReader::open(&output).unwrap();
    assert!(written.header().schema().text().contains("chosen"));
}

#[test]
fn objects_are_read_as_files_are() {
    let store = Arc::new(InMemory::new());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for (name, part) in [("d/a-0.avro", 0..2000), ("d/a-1.avro", 2000..3000)] {
        let bytes = rows(Codec::Deflate, part, 500);
        runtime.block_on(store.put(&name.into(), bytes.into())).unwrap();
    }
    for threads in [1, 2] {
        let stores = Stores::default().store("memory://here", store.clone()).read_ahead(1000, 4000);
        let options = OpenOptions::new().keys(["n"]).stores(stores);
        let dataset = options.open("memory://here/d/*.avro").unwrap();
        assert_eq!(dataset.spec().unwrap().files.len(), 2);
        let request = ScanRequest::new().threads(threads);
        let count = |scan: &mut dyn Scan| {
            let (batches, error) = all(scan);
            assert!(error.is_none(), "{error:?}");
            batches.iter().map(arrow_array::RecordBatch::num_rows).sum::<usize>()
        };
        assert_eq!(count(&mut dataset.read(request.clone()).unwrap()), 3000);
        let partitions = dataset.partitions(3000).unwrap();
        assert!(partitions.len() > 4, "{}", partitions.len());
        let parts =
            partitions.iter().map(|partition| count(&mut *dataset.scan(partition, &request).unwrap()));
        assert_eq!(parts.sum::<usize>(), 3000);
        // A reader that nobody wants any more stops waiting for the store.
        let mut reader = dataset.read(request.batch_rows(1)).unwrap();
        assert!(reader.next().unwrap().is_ok());
    }
}
