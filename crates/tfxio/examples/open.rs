//! Reads any data set. `cargo run -p tfxio --features avro,tensors --example open`
use tfxio::prelude::*;

pub(crate) fn main() -> tfxio::Result<()> {
    // The format is found out from the first bytes and the name; a path, a glob, shards, or a URL.
    let dataset = tfxio::open("fixtures/digits/digits@3.tfrecord")?; // Arc<dyn Dataset>
    println!("{} columns", dataset.schema().fields().len()); // fixed by `open`; asking costs no I/O

    // One partition after the other, in order, on two threads: an iterator of arrow's RecordBatch.
    for batch in dataset.read(ScanRequest::new().columns(["label", "image"]).batch_rows(512).threads(2))? {
        println!("{} rows", batch?.num_rows());
    }

    // Exactly the rows that satisfy a predicate, at most ten of them; a format may skip by it, the result is the same.
    let sevens = dataset.read(ScanRequest::new().filter("label = 7".parse()?).limit(10))?;
    println!("{} batches of sevens", sevens.count());

    // What to say when the files do not: said once, for every format.
    let sessions = OpenOptions::new()
        .format("sequence_example")
        .set("schema", "fixtures/tensors/sessions.pbtxt")? // else inferred; an unknown key names the nearest
        .source_column("source") // file, byte and record of each row
        .open("fixtures/tensors/sessions.tfrecord")?;
    assert_eq!(sessions.count()?, 3); // from an index or block headers where there are any, else by framing alone

    // Key expressions are columns of the data set.
    let people =
        OpenOptions::new().keys(["name.first", "friends[*].age"]).open("fixtures/avro/people.avro")?;
    assert_eq!(people.schema().field(1).name(), "friends[*].age");
    Ok(())
}
