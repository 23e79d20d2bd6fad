//! Encodes a batch as it comes from Parquet or SQL, values and not lists. `cargo run -p example-codec --example encode`
use std::sync::Arc;

use example_codec::arrow_array::{
    ArrayRef, BooleanArray, Float32Array, Int32Array, RecordBatch, StringArray,
};
use example_codec::{EncodedExamples, EncoderOptions, ExampleEncoder, ExampleView};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let batch = RecordBatch::try_from_iter([
        ("id", Arc::new(Int32Array::from(vec![1, 2])) as ArrayRef),
        ("price", Arc::new(Float32Array::from(vec![Some(9.5), None]))),
        ("sold", Arc::new(BooleanArray::from(vec![true, false]))),
        ("name", Arc::new(StringArray::from(vec!["a", "b"]))),
    ])?;

    let encoder =
        ExampleEncoder::builder(&batch.schema()).options(EncoderOptions::default().text(true)).build()?;
    let mut examples = EncodedExamples::new(); // its memory is used again by the next batch
    encoder.encode(&batch, &mut examples)?;
    for record in examples.iter() {
        let view = ExampleView::parse(record)?;
        println!("{} bytes, id {:?}", record.len(), view.get("id")?.to_int64()?);
    }
    Ok(())
}
