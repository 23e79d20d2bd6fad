//! Makes tensors of a batch, by representations in code. `cargo run -p tensor-repr --example adapter`
use std::sync::Arc;

use tensor_repr::arrow_array::builder::{Int64Builder, ListBuilder};
use tensor_repr::arrow_array::{ArrayRef, RecordBatch};
use tensor_repr::{Adapter, DenseRepresentation, ScalarValue, VarLenRaggedRepresentation};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = ListBuilder::new(Int64Builder::new());
    words.append_value([Some(7), Some(8)]);
    words.append_value([Some(9)]);
    let batch = RecordBatch::try_from_iter([("words", Arc::new(words.finish()) as ArrayRef)])?;

    let padded =
        DenseRepresentation::default().column("words").shape(vec![None]).padding(ScalarValue::Int(0));
    let ragged = VarLenRaggedRepresentation::default().column("words");
    // Checked against the schema here, and nowhere later.
    let adapter =
        Adapter::builder(batch.schema(), [("padded", padded.into()), ("ragged", ragged.into())]).build()?;
    let tensors = adapter.tensors(&batch)?;
    println!("{:?}", tensors.dense("padded")?);
    println!("{:?}", tensors.ragged("ragged")?);

    // The memory itself, for `Tensor::from_vec` of candle or `TensorData::new` of burn.
    let (shape, values) = tensors.dense("padded")?.clone().into_parts();
    println!("{shape:?} {:?}", values.try_into_vec::<i64>().ok());
    Ok(())
}
