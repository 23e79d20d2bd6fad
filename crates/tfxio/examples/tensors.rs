//! Columns as tensors, for any data set. `cargo run -p tfxio --features ndarray,dlpack --example tensors`
use tfxio::Representation;
use tfxio::prelude::*;

pub(crate) fn main() -> tfxio::Result<()> {
    let dataset = tfxio::open("fixtures/digits/digits@3.tfrecord")?;
    // Checked here, once; the format is asked for the layout that needs no copy. `tensors_of_group("serving")` takes them
    // from a schema.
    let image = Representation::dense([8, 8]);
    let tensors = dataset.tensors([("image", image), ("label", Representation::dense([]))])?;
    for batch in tensors.read(ScanRequest::new().batch_rows(32))? {
        let batch = batch?;
        let image = batch.dense("image")?;
        let view = image.ndarray::<f32>()?; // feature `ndarray`; no copy
        println!("{:?}, {} bytes copied", view.shape(), batch.copied_bytes());
        let _managed = image.to_dlpack(); // feature `dlpack`; no copy, keeps the memory alive
    }
    Ok(())
}
