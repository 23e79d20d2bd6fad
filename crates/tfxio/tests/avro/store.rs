//! Avro files in object stores.

use std::sync::Arc;

use tfxio::avro_path::container::Codec;
use tfxio::store::Stores;
use tfxio::store::object_store::{ObjectStoreExt as _, memory::InMemory};
use tfxio::{AvroTfxIo, ReadOptions, RecordOptions, TfxIo as _};

use crate::made::{all, rows};

#[test]
fn objects_are_read_as_files_are() {
    let store = Arc::new(InMemory::new());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for (name, part) in [("d/a-0.avro", 0..2000), ("d/a-1.avro", 2000..3000)] {
        let bytes = rows(Codec::Deflate, part, 500);
        runtime.block_on(store.put(&name.into(), bytes.into())).unwrap();
    }
    for threads in [1, 2] {
        let stores = Stores::default().with_store("memory://here", store.clone()).with_read_ahead(1000, 4000);
        let options = RecordOptions::default().with_stores(stores).with_threads(threads);
        let dataset = AvroTfxIo::builder(["memory://here/d/*.avro"])
            .keys(["n"])
            .record_options(options)
            .build()
            .unwrap();
        assert_eq!(dataset.files().len(), 2);
        let count = |(batches, error): (Vec<arrow_array::RecordBatch>, Option<_>)| {
            assert!(error.is_none(), "{error:?}");
            batches.iter().map(arrow_array::RecordBatch::num_rows).sum::<usize>()
        };
        assert_eq!(count(all(dataset.read_all(&ReadOptions::default()).unwrap())), 3000);
        let splits = dataset.splits(3000).unwrap();
        assert!(splits.len() > 4, "{}", splits.len());
        let parts =
            splits.iter().map(|split| count(all(dataset.read(split, &ReadOptions::default()).unwrap())));
        assert_eq!(parts.sum::<usize>(), 3000);
        // A reader that nobody wants any more stops waiting for the store.
        let mut reader = dataset.read_all(&ReadOptions::default().with_batch_size(1)).unwrap();
        assert!(reader.next().unwrap().is_ok());
    }
}
