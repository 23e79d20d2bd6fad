//! The part of a training program that no framework changes: the loader, and checkpoints from which it goes on.
//!
//! A checkpoint has the weights and the state of the loader, in one file that appears whole. A program that is killed goes on from the
//! last one, and ends with the weights that it would have without the interruption.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use batch_loader::config::LoaderConfig;
use batch_loader::{BatchLoader, LoaderState};
use serde::{Deserialize, Serialize};

/// Pixels of an image, and kinds of digits.
pub const PIXELS: usize = 64;
pub const DIGITS: usize = 10;
/// Weights of a model: one of each pixel for each digit, and one for each digit.
pub const WEIGHTS: usize = PIXELS * DIGITS + DIGITS;

/// Step of gradient descent.
pub const RATE: f32 = 0.3;
/// Batches between two checkpoints.
const BETWEEN: usize = 20;

/// A regression of digits by their pixels.
pub trait Model: Sized {
    /// Makes a model of [`WEIGHTS`].
    fn new(weights: Vec<f32>) -> Result<Self, Box<dyn Error>>;

    /// Learns from a batch: images of [`PIXELS`] values from 0 to 16, and their digits. Returns the mean loss before.
    fn learn(&mut self, images: Vec<f32>, labels: Vec<i64>) -> Result<f32, Box<dyn Error>>;

    /// Returns the weights.
    fn weights(&self) -> Result<Vec<f32>, Box<dyn Error>>;
}

/// Weights after some batches, and the position of the loader.
#[derive(Serialize, Deserialize)]
struct Checkpoint {
    batches: usize,
    weights: Vec<f32>,
    loader: LoaderState,
}

/// Trains until the model has seen a number of batches: `PROGRAM CONFIG.json CHECKPOINT.json BATCHES`.
///
/// # Errors
/// When the data cannot be read, or the checkpoint cannot be written.
pub fn train<M: Model>() -> Result<(), Box<dyn Error>> {
    let args = env::args().skip(1).collect::<Vec<_>>();
    let [config, checkpoint, batches] = &*args else {
        println!("usage: CONFIG.json CHECKPOINT.json BATCHES");
        return Ok(());
    };
    let (checkpoint, batches) = (PathBuf::from(checkpoint), batches.parse::<usize>()?);
    let saved = match fs::read(&checkpoint) {
        Ok(bytes) => Some(serde_json::from_slice::<Checkpoint>(&bytes)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    let (mut seen, weights, state) = match saved {
        Some(Checkpoint { batches, weights, loader }) => (batches, weights, Some(loader)),
        None => (0, vec![0.0; WEIGHTS], None),
    };
    let mut model = M::new(weights)?;
    let folder = Path::new(config).parent().unwrap_or_else(|| Path::new("."));
    let config = LoaderConfig::from_file(config)?.into_inner().shuffle_globally(7).epochs(u64::MAX);
    let mut loader = BatchLoader::builder(config)
        .formats(&tfxio_formats::formats())
        .base_dir(folder)
        .inputs(["image"])
        .targets(["label"])
        .state(state)
        // Tensors of the frameworks take over the memory of batches.
        .reuse_memory(false)
        .build()?;
    while seen < batches {
        let Some(batch) = loader.next_batch()? else { break };
        let [images, labels] = batch.into_tensors(["image", "label"])?;
        let images = images.into_parts().1.try_into_vec::<f32>();
        let labels = labels.into_parts().1.try_into_vec::<i64>();
        let (Ok(images), Ok(labels)) = (images, labels) else {
            return Err("images are float32, and labels int64".into());
        };
        let loss = model.learn(images, labels)?;
        seen += 1;
        if seen % BETWEEN == 0 || seen == batches {
            let saved = Checkpoint { batches: seen, weights: model.weights()?, loader: loader.state() };
            let new = checkpoint.with_extension("new");
            fs::write(&new, serde_json::to_vec(&saved)?)?;
            fs::rename(&new, &checkpoint)?;
            println!("{seen} batches: loss {loss}");
        }
    }
    Ok(())
}
