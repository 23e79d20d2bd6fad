//! Files and sets of shards that Avro is written to.

use avro_path::container::{FileWriter, WriterBuilder};
use avro_path::{AvroSchema, Result};
use tfxio_base::ClosedFile;
use tfxio_core::FormatOptions;
use tfxio_store::shards::Shard;

use tfxio_store::output::Output;

/// A container that is one of a set.
#[derive(Debug)]
pub(super) struct AvroFile(pub(super) FileWriter);

impl Shard for AvroFile {
    fn offset(&self) -> u64 {
        self.0.bytes_written()
    }

    fn close(self) -> Result<ClosedFile> {
        self.0.close()
    }
}

/// Creates an output: a file, or the shards of a pattern.
pub(super) fn create(
    output: &str,
    writer: WriterBuilder,
    schema: &AvroSchema,
    options: &FormatOptions,
) -> Result<Output<AvroFile>> {
    let schema = schema.clone();
    let open = move |file| writer.clone().target(file, &schema).into_file().map(AvroFile);
    Output::create(output, options, open)
}
