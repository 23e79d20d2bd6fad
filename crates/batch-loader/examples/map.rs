//! Scales images on the threads of the loader, ahead of the training step.
//! `cargo run -p tfxio-batch-loader --example map -- fixtures/loader/digits.json`
use std::error::Error;
use std::path::Path;

use batch_loader::config::LoaderConfig;
use batch_loader::{Batch, BatchLoader, MapError};
use tensor_repr::{DenseTensor, Values};

/// Brings pixels from 0 to 16 to floats from 0 to 1.
fn scaled(mut batch: Batch) -> Result<Batch, MapError> {
    let image = batch.get("image")?;
    let pixels = image.values().as_slice::<f32>().ok_or("pixels are floats")?;
    let scaled = pixels.iter().map(|pixel| pixel / 16.0).collect::<Vec<_>>();
    let tensor = DenseTensor::try_new(image.shape().to_vec(), Values::from_vec(scaled))?;
    batch.replace("image", tensor)?;
    Ok(batch)
}

fn main() -> Result<(), Box<dyn Error>> {
    let Some(file) = std::env::args().nth(1) else {
        println!("usage: map CONFIG.json");
        return Ok(());
    };
    let folder = Path::new(&file).parent().unwrap_or_else(|| Path::new("."));
    let builder = BatchLoader::builder(LoaderConfig::from_file(&file)?).formats(&tfxio_formats::formats());
    let builder = builder.base_dir(folder).inputs(["image"]).targets(["label"]).map(scaled);
    // Batches are memory of their own, which vectors take over.
    let loader = builder.reuse_memory(false).build()?;
    for batch in loader {
        let [image] = batch?.into_tensors(["image"])?;
        // Not copied, as nobody else has it; `from_vec` of candle and burn take it.
        let (shape, values) = image.into_parts();
        let pixels = values.try_into_vec::<f32>().map_err(|_| "pixels are floats")?;
        let brightest = pixels.iter().copied().fold(0.0, f32::max);
        println!("{shape:?}, at most {brightest}");
    }
    Ok(())
}
