//! Counts the records of files, compressed or not. `cargo run -p tfrecord-io --example count -- FILE…`
use tfrecord_io::{BatchSize, Reader, RecordBuffer};

fn main() -> tfrecord_io::Result<()> {
    let mut batch = RecordBuffer::new();
    for path in std::env::args().skip(1) {
        let mut reader = Reader::open(&path)?;
        let mut bytes = 0;
        while reader.read_batch(&mut batch, BatchSize::records(1024))? > 0 {
            bytes += batch.iter().map(|record| record.data.len()).sum::<usize>();
        }
        println!("{path}: {} records, {bytes} bytes, {}", reader.records_read(), reader.compression()?);
    }
    Ok(())
}
