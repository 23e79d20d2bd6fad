//! A distributed engine: plans in one process, scans in others, and splits scans that turn out long.
//! `cargo run -p tfxio --example engine`
use std::collections::VecDeque;
use std::error::Error;

use tfxio::prelude::*;
use tfxio::{DatasetSpec, Partition, Scan};

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    // The driver. A spec holds locations, format, options and the schema: opening it again looks at no data.
    let dataset = tfxio::open("fixtures/digits/digits@3.tfrecord")?;
    let request = ScanRequest::new().columns(["label"]).batch_rows(50);
    let encode = |partition: &Partition| {
        serde_json::to_vec(&(dataset.spec()?, partition, &request)).map_err(Box::<dyn Error>::from)
    };
    let mut tasks = dataset.partitions(64 << 20)?.iter().map(encode).collect::<Result<VecDeque<_>, _>>()?;

    // A worker, in another process: bytes in, batches out.
    let mut rows = 0;
    while let Some(task) = tasks.pop_front() {
        let (spec, partition, request): (DatasetSpec, Partition, ScanRequest) =
            serde_json::from_slice(&task)?;
        let mut scan: Box<dyn Scan> = spec.open()?.scan(&partition, &request)?; // starts no thread; `Send`
        while let Some(batch) = scan.next_batch()? {
            rows += batch.num_rows(); // `batch.origins()` says which record each row was
            // Give the second half of what is left to somebody else: every record stays in exactly one of the two.
            if let Some(tail) = scan.try_split(0.5)? {
                tasks.push_back(encode(&tail)?);
            }
        }
    }
    assert_eq!(rows, 1_797);
    Ok(())
}
