//! `write-sets FOLDER`: writes the data sets of the comparisons that are made in Rust: messages of three types with their
//! descriptors, and clicks as tf.Examples. The others are written by `peers/gen_data.py`.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use bench_sets::messages;
use bench_sets::random::Random;
use benches::clicks::{self, Click};
use example_codec::ToExample as _;
use tfrecord_io::FileWriter;

const MESSAGES: usize = 16_384;
const CLICKS: u32 = 32_768;

fn main() -> Result<()> {
    let folder = PathBuf::from(std::env::args_os().nth(1).context("write-sets FOLDER")?);
    std::fs::create_dir_all(&folder)?;
    let write = |name: &str, records: &[Vec<u8>]| -> Result<()> {
        let mut file = FileWriter::create(folder.join(format!("{name}.tfrecord")))?;
        for record in records {
            file.write(record)?;
        }
        file.finish()?;
        Ok(())
    };
    for name in messages::TYPES {
        write(name, &messages::records(name, MESSAGES))?;
        let message = messages::message(name)?;
        std::fs::write(folder.join(format!("{name}.descriptor")), message.to_descriptor_set())?;
    }
    let records = (0..CLICKS).map(|number| Click::new(number).to_example_bytes());
    let records = records.collect::<Result<Vec<_>, _>>()?;
    write("clicks", &records)?;
    let mut random = Random::new(5);
    let shuffled = records.iter().map(|record| clicks::shuffled(record, &mut random));
    write("clicks_shuf", &shuffled.collect::<Vec<_>>())
}
