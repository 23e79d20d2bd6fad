//! Files made for tests.

use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use tfxio::avro_path::AvroSchema;
use tfxio::avro_path::container::{Codec, ContainerWriter};
use tfxio::avro_path::datum::write;
use tfxio::prelude::*;
use tfxio::{Error, Patterns};

/// A number, its text, and the numbers below it, three at most.
pub const SCHEMA: &str = r#"{"type": "record", "name": "row", "fields": [
    {"name": "n", "type": "long"}, {"name": "text", "type": ["null", "string"]},
    {"name": "below", "type": {"type": "array", "items": "int"}}]}"#;

/// Rows from a number on; every third has no text.
pub fn rows(codec: Codec, numbers: std::ops::Range<i64>, block_bytes: usize) -> Vec<u8> {
    let schema = AvroSchema::parse(SCHEMA).unwrap();
    let builder = ContainerWriter::builder(Vec::new(), &schema)
        .codec(codec)
        .block_bytes(block_bytes)
        .sync_marker(*b"a marker of rows");
    let mut writer = builder.build().unwrap();
    for n in numbers {
        writer
            .write_with(|out| {
                write::long(out, n);
                write::long(out, i64::from(n % 3 != 0));
                if n % 3 != 0 {
                    write::string(out, &format!("row {n}"));
                }
                let below = n.min(3);
                if below > 0 {
                    write::long(out, below);
                    (0..below).for_each(|below| write::long(out, below));
                }
                write::long(out, 0);
                Ok(())
            })
            .unwrap();
    }
    writer.finish().unwrap()
}

/// Writes a file; its name.
pub fn file(folder: &tempfile::TempDir, name: &str, bytes: &[u8]) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    text(&path)
}

pub fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

pub fn people() -> String {
    text(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/avro/people.avro"))
}

/// The batches before an error, and the error.
pub fn all(scan: &mut dyn Scan) -> (Vec<RecordBatch>, Option<Error>) {
    let schema = Arc::clone(scan.schema());
    let mut batches = Vec::new();
    loop {
        match scan.next_batch() {
            Ok(Some(batch)) => {
                assert_eq!(batch.schema(), schema);
                batches.push(batch.into_columns());
            }
            Ok(None) => break,
            Err(error) => {
                assert!(scan.next_batch().unwrap().is_none(), "nothing follows an error");
                return (batches, Some(error));
            }
        }
    }
    assert!(scan.next_batch().unwrap().is_none());
    (batches, None)
}

/// The batches of a data set, which has no damage.
pub fn read(dataset: &Arc<dyn Dataset>, request: ScanRequest) -> Vec<RecordBatch> {
    let (batches, error) = all(&mut dataset.read(request).unwrap());
    assert!(error.is_none(), "{error:?}");
    batches
}

/// The columns of these keys.
pub fn open(patterns: impl Patterns, keys: &[&str]) -> Arc<dyn Dataset> {
    OpenOptions::new().keys(keys.iter().copied()).open(patterns).unwrap()
}
