//! Reads one file on several threads, cut by bytes. `cargo run -p tfrecord-io --example split -- FILE`
use std::thread;

use tfrecord_io::{Result, SplitReader, splits};

fn main() -> Result<()> {
    let Some(path) = std::env::args().nth(1) else {
        println!("usage: split FILE");
        return Ok(());
    };
    // Arithmetic: nothing is read for it. Each split could be read on another machine.
    let splits = splits::cut(std::fs::metadata(&path)?.len(), 16 << 20);
    let count = |split| -> Result<u64> {
        let mut reader = SplitReader::open(&path, split)?;
        while reader.next_record()?.is_some() {}
        Ok(reader.records_read())
    };
    let counts = thread::scope(|scope| {
        let threads = splits.into_iter().map(|split| scope.spawn(move || count(split))).collect::<Vec<_>>();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect::<Result<Vec<_>>>()
    })?;
    println!("{} records in {} splits", counts.iter().sum::<u64>(), counts.len());
    Ok(())
}
