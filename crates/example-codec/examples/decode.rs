//! Decodes tf.Examples to a batch of Arrow. `cargo run -p example-codec --example decode`
use example_codec::{Example, ExampleDecoder, ExampleSchema, FeatureField, FeatureKind, Origin};

fn main() -> Result<(), example_codec::Error> {
    let records = [
        Example::new().int64("label", [3]).float("weights", [0.5, 0.25]).to_vec(),
        Example::new().int64("label", [7]).to_vec(),
    ];

    // Without a schema, the columns are those of each batch.
    let schema = ExampleSchema::new([
        FeatureField::new("label", FeatureKind::Int64).required(),
        FeatureField::new("weights", FeatureKind::Float),
    ])?;
    let mut decoder = ExampleDecoder::builder().schema(schema).build()?;
    for (number, record) in records.iter().enumerate() {
        decoder.push(record, Origin::record(number as u64))?; // an error names the record
    }
    println!("{:?}", decoder.flush()?);
    Ok(())
}
