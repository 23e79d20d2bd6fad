//! Large files made of one block of records again and again, for showing that their size costs no memory.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result};
use tfrecord_io::{Compression, Writer};

use bench_sets::sets::Set;

/// Writes the records of `set` to `path` until the uncompressed file has at least `bytes`; returns how many it has.
///
/// With gzip each repetition is a member, which is compressed once and written often.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &Path, set: &Set, compression: Compression, bytes: u64) -> Result<u64> {
    let block = match compression {
        Compression::None => set.file.clone(),
        other => {
            let mut writer = Writer::builder(Vec::new()).compression(other).single_member().build()?;
            for record in set.records() {
                writer.write(record)?;
            }
            writer.finish()?
        }
    };
    let times = bytes.div_ceil(set.bytes().max(1));
    repeat(path, &block, times).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(times * set.bytes())
}

fn repeat(path: &Path, block: &[u8], times: u64) -> io::Result<()> {
    let mut file = File::create(path)?;
    for _ in 0..times {
        file.write_all(block)?;
    }
    file.flush()
}
