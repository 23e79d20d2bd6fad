//! Arrow IPC files as a format of files.

mod file;
mod sink;

use std::sync::Arc;

use arrow_schema::SchemaRef;
use tfxio_core::{Dataset, FileFormat, Files, FormatOptions, OptionSpec, OptionType, Result, Sink};

use self::sink::IpcSink;
use crate::columnar::{Columnar, ColumnarFiles};

/// Arrow IPC files, also called Feather, version 2. Streams are not read.
///
/// Files are cut between record batches. A damaged file is an error, also where the reader would panic: the first file that
/// is read puts a panic hook before the one of the program, which passes on all other panics.
#[derive(Clone, Copy, Debug, Default)]
pub struct IpcFormat;

const OPTIONS: [OptionSpec; 1] = [OptionSpec::new(
    "output_compression",
    OptionType::OneOf(&["none", "lz4", "zstd"]),
    "Compression of buffers that are written. Default: none.",
)
.of_output()];

const FORMAT: Columnar = Columnar { name: "arrow", title: "Arrow", open: file::open };

impl FileFormat for IpcFormat {
    fn name(&self) -> &str {
        FORMAT.name
    }

    fn endings(&self) -> &[&str] {
        &[".arrow"]
    }

    fn sniff(&self, first_bytes: &[u8]) -> bool {
        // A stream is refused when it is opened, with what can be done.
        first_bytes.starts_with(b"ARROW1") || file::is_stream(first_bytes)
    }

    fn options(&self) -> Vec<OptionSpec> {
        OPTIONS.to_vec()
    }

    fn open(&self, files: Files, options: &FormatOptions) -> Result<Arc<dyn Dataset>> {
        Ok(Arc::new(ColumnarFiles::open(FORMAT, files, &options.clone().checked(FORMAT.name, &OPTIONS)?)?))
    }

    fn sink(&self, output: &str, schema: &SchemaRef, options: &FormatOptions) -> Result<Box<dyn Sink>> {
        let options = options.clone().checked(FORMAT.name, &OPTIONS)?;
        Ok(Box::new(IpcSink::create(output, schema, &options)?))
    }
}
