//! Avro files through every command that takes them. `docs/key-expressions.md` and the README, whose commands are run, show
//! the most usual outputs.

mod bad_input;
mod convert;
mod head;
mod inspect;
mod keys;
mod reader_schema;
mod repair;
mod schema;
mod skip;
mod tensors;

use tempfile::TempDir;
use tfxio::avro_path::AvroSchema;
use tfxio::avro_path::container::{Codec, ContainerWriter};
use tfxio::avro_path::datum::write;

use crate::run::{path, root};

pub const PEOPLE: &str = "fixtures/avro/people.avro";

/// Numbers from 0 on, ten in a block but for the last; their text is `number N`.
pub fn numbers(folder: &TempDir, name: &str, count: i64, codec: Codec) -> String {
    let schema = AvroSchema::parse(
        r#"{"type": "record", "name": "row", "namespace": "a.b", "fields": [
            {"name": "n", "type": "long"}, {"name": "text", "type": "string"}]}"#,
    )
    .unwrap();
    let builder = ContainerWriter::builder(Vec::new(), &schema)
        .codec(codec)
        .sync_marker(*b"a marker of rows")
        .metadata("by", "a test");
    let mut writer = builder.build().unwrap();
    for n in 0..count {
        writer
            .write_with(|out| {
                write::long(out, n);
                write::string(out, &format!("number {n}"));
                Ok(())
            })
            .unwrap();
        if n % 10 == 9 {
            writer.end_block().unwrap();
        }
    }
    let file = path(folder, name);
    std::fs::write(&file, writer.finish().unwrap()).unwrap();
    file
}

/// A file of one record, whose bytes are taken as they are.
pub fn one(folder: &TempDir, name: &str, schema: &str, record: &[u8]) -> String {
    let schema = AvroSchema::parse(schema).unwrap();
    let mut writer = ContainerWriter::builder(Vec::new(), &schema).check(false).build().unwrap();
    writer.write(record).unwrap();
    let file = path(folder, name);
    std::fs::write(&file, writer.finish().unwrap()).unwrap();
    file
}

/// The same file, changed.
pub fn change(file: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = std::fs::read(root().join(file)).unwrap();
    change(&mut bytes);
    std::fs::write(file, bytes).unwrap();
}

/// Returns the position of some bytes.
pub fn find(bytes: &[u8], what: &[u8]) -> usize {
    bytes.windows(what.len()).position(|window| window == what).unwrap()
}
