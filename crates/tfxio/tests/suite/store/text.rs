//! CSV files and JSON lines in stores.

use std::sync::atomic::Ordering::SeqCst;

use arrow_select::concat::concat_batches;
use tfxio::convert::Conversion;
use tfxio::prelude::*;
use tfxio::{FileStore, Partition, Store as _};

use crate::store::flaky::Flaky;
use crate::store::{opener, rows, stores};

const ROWS: u64 = 3000;

fn csv() -> String {
    let row = |n: u64| format!("{n},\"text, {n}\n\"\n");
    "n,text\n".to_owned() + &(0..ROWS).map(row).collect::<String>()
}

fn json() -> String {
    (0..ROWS).map(|n| format!("{{\"n\": {n}, \"text\": \"text, {n}\\n\"}}\n")).collect()
}

#[test]
fn the_same_rows_as_from_files() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("a.csv", csv()), ("a.jsonl", json())] {
        let path = folder.path().join(name);
        std::fs::write(&path, &text).unwrap();
        let local = tfxio::open(&path).unwrap();
        let store = Flaky::new([(name, text.into_bytes())]);
        store.failures.store(2, SeqCst);
        let object = format!("memory://here/{name}");
        let stored = opener(store).open(object.as_str()).unwrap();
        assert_eq!((stored.schema(), rows(&stored) as u64), (local.schema(), ROWS));
        let all = |dataset: &std::sync::Arc<dyn Dataset>, partitions: &[Partition]| {
            let mut batches = Vec::new();
            for partition in partitions {
                let mut scan = dataset.scan(partition, &ScanRequest::new().batch_rows(100)).unwrap();
                batches.extend(
                    std::iter::from_fn(|| scan.next_batch().unwrap()).map(|batch| batch.into_columns()),
                );
            }
            concat_batches(dataset.schema(), &batches).unwrap()
        };
        let whole = all(&local, &local.partitions(u64::MAX).unwrap());
        for target in [1000, 20_000, u64::MAX] {
            assert_eq!(all(&stored, &stored.partitions(target).unwrap()), whole, "{name} {target}");
        }
        // Wherever somebody else cuts it.
        let cuts = [0, 1, 777, 30_001, u64::MAX];
        let ranges = cuts.windows(2).map(|cut| Partition::range(object.as_str(), cut[0], cut[1]));
        assert_eq!(all(&stored, &ranges.collect::<Vec<_>>()), whole, "{name}");
    }
}

#[test]
fn objects_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    std::fs::write(&path, csv()).unwrap();
    let store = Flaky::new([]);
    for output in ["memory://here/out.jsonl.gz", "memory://here/out@2.csv"] {
        let conversion = Conversion::builder([path.to_str().unwrap()], output).stores(stores(store.clone()));
        assert_eq!(conversion.build().unwrap().run(|_| {}).unwrap().records, ROWS);
        assert_eq!(rows(&opener(store.clone()).open(output).unwrap()) as u64, ROWS);
    }
    let files = FileStore::new(stores(store)).list("memory://here/*").unwrap();
    assert_eq!(files.len(), 3);
}
