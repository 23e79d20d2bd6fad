//! `messages FOLDER`: writes records of three message types, with their descriptors, and measures how fast they become
//! columns; `benches/peers/peer_messages.py FOLDER` measures Python's protobuf on the same files.
//!
//! Prints one JSON line for each type and way: by `message-codec` in both layouts, and by prost-reflect with a conversion
//! of its messages to the plain layout. `mb_per_s` is 10^6 bytes of records a second in the fastest of seven runs.

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context as _, Result};
use benches::messages::{self, Reflected};
use message_codec::{Layout, MessagePlan, Origin, RecordDecoder as _};
use serde_json::json;
use tfrecord_io::FileWriter;

const RECORDS: usize = 16_384;
const ROWS: usize = 1024;
const RUNS: usize = 7;

fn main() -> Result<()> {
    let folder = PathBuf::from(std::env::args_os().nth(1).context("messages FOLDER")?);
    std::fs::create_dir_all(&folder)?;
    for name in messages::TYPES {
        let records = messages::records(name, RECORDS);
        let message = messages::message(name)?;
        let mut file = FileWriter::create(folder.join(format!("{name}.tfrecord")))?;
        for record in &records {
            file.write(record)?;
        }
        file.finish()?;
        std::fs::write(folder.join(format!("{name}.descriptor")), message.to_descriptor_set())?;
        for (layout, way) in [(Layout::Plain, "plain"), (Layout::Structured, "structured")] {
            let mut decoder = MessagePlan::builder(message.clone()).layout(layout).build()?.decoder();
            measure(name, way, &records, || {
                for (index, record) in (0..).zip(&records) {
                    decoder.push(record, Origin::record(index))?;
                    if decoder.rows() == ROWS {
                        drop(black_box(decoder.flush()?));
                    }
                }
                Ok(())
            })?;
        }
        let mut columns = Reflected::new(messages::descriptor(&message)?);
        measure(name, "prost-reflect", &records, || {
            for (index, record) in (1..).zip(&records) {
                columns.push(record)?;
                if index % ROWS == 0 {
                    drop(black_box(columns.finish()));
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Prints how fast the fastest run was.
fn measure(name: &str, way: &str, records: &[Vec<u8>], mut run: impl FnMut() -> Result<()>) -> Result<()> {
    let bytes = records.iter().map(Vec::len).sum::<usize>();
    let mut best = f64::INFINITY;
    for _ in 0..=RUNS {
        let start = Instant::now();
        run()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    let speed = (bytes as f64 / best / 1e4).round() / 100.0;
    println!(
        "{}",
        json!({"set": name, "way": way, "records": records.len(), "bytes": bytes, "mb_per_s": speed})
    );
    Ok(())
}
