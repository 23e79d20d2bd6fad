//! Shuffled, windowed, padded batches of any data set, and a state that another process goes on from.
//! `cargo run -p tfxio --features avro,loader --example train`
use tfxio::prelude::*;
use tfxio::{LoaderConfig, LoaderState};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    // From a manifest and a configuration …
    let config = LoaderConfig::from_file("fixtures/loader/digits.json")?;
    let from_files = tfxio::loader(config).inputs(["image"]).targets(["label"]);

    // … or over any data set, without either: its schema says what a manifest would.
    let people =
        OpenOptions::new().keys(["name.first", "friends[*].name.first"]).open("fixtures/avro/people.avro")?;
    let config = LoaderConfig::independent(32).shuffle_globally(7).epochs(3).pad("friends[*].name.first", 16);
    let mut loader = people.loader(config).inputs(["name.first", "friends[*].name.first"]).build()?;

    let stop = loader.stop_handle(); // for another thread, or a signal handler: ends every wait, `next_batch` included
    let mut state: Option<LoaderState> = None;
    while let Some(batch) = loader.next_batch()? {
        println!("epoch {}: {:?}", batch.epoch(), batch.get("friends[*].name.first")?.shape());
        state = Some(loader.state());
    }
    println!("{}", serde_json::to_string(&state)?); // `.state(state)` of a builder goes on from here
    drop((from_files, stop));
    Ok(())
}
