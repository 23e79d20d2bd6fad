//! Reads an object in a tokio service: two splits of it at once, on the one thread of the runtime.
//! `cargo run -p tfrecord-io --example store --features async`
use std::sync::Arc;

use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt as _};
use tfrecord_io::store::StoreReader;
use tfrecord_io::{BatchSize, RecordBuffer, Split, frame, splits};

/// Returns how many records begin in a split, and the sum of their numbers.
async fn sum(store: Arc<dyn ObjectStore>, path: Path, split: Split) -> tfrecord_io::Result<(u64, u64)> {
    let mut reader = StoreReader::builder(store, path).open_split(split).await?;
    let (mut batch, mut sum) = (RecordBuffer::new(), 0);
    while reader.read_batch(&mut batch, BatchSize::records(1024)).await? > 0 {
        let numbers = batch.iter().filter_map(|record| record.data.try_into().ok());
        sum += numbers.map(u64::from_le_bytes).sum::<u64>();
    }
    Ok((reader.records_read(), sum))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
    let mut file = Vec::new();
    for number in 0..100_000_u64 {
        frame::append(&mut file, &number.to_le_bytes());
    }
    let (path, bytes) = (Path::from("numbers.tfrecord"), file.len() as u64);
    store.put(&path, file.into()).await?;

    let reads = splits::cut(bytes, bytes.div_ceil(2))
        .into_iter()
        .map(|split| sum(Arc::clone(&store), path.clone(), split));
    for (records, sum) in futures::future::try_join_all(reads).await? {
        println!("{records} records, whose numbers sum up to {sum}");
    }
    Ok(())
}
