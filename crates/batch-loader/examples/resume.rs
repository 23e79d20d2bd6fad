//! Loads ten batches and saves where it is; the next run goes on from there.
//! `cargo run -p tfxio-batch-loader --example resume -- CONFIG.json STATE.json`
use std::error::Error;
use std::fs;
use std::path::Path;

use batch_loader::config::LoaderConfig;
use batch_loader::{BatchLoader, LoaderState};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(file), Some(state)) = (args.next(), args.next()) else {
        println!("usage: resume CONFIG.json STATE.json");
        return Ok(());
    };
    let config = LoaderConfig::from_file(&file)?;
    let saved = if Path::new(&state).exists() {
        Some(LoaderState::from_json(&fs::read_to_string(&state)?)?)
    } else {
        None
    };
    let names = config.tensor_names();
    let mut loader = BatchLoader::builder(config)
        .formats(&tfxio_formats::formats())
        .inputs(names.iter().cloned())
        .base_dir(Path::new(&file).parent().unwrap_or_else(|| Path::new(".")))
        .state(saved)
        .build()?;
    for _ in 0..10 {
        let Some(batch) = loader.next_batch()? else {
            println!("the end");
            break;
        };
        let first = batch.origins().next();
        println!("epoch {}, {} rows, the first of {first:?}", batch.epoch(), batch.len());
    }
    fs::write(&state, loader.state().to_json())?;
    Ok(())
}
