//! Arrow IPC files as a format of files.

mod block;
mod file;
mod sink;

use tfxio_core::{OptionSpec, OptionType};

use crate::columnar::{Columnar, ColumnarSink, columnar_format};

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

static FORMAT: Columnar = Columnar {
    name: "arrow",
    title: "Arrow",
    endings: &[".arrow"],
    // A stream is refused when it is opened, with what can be done.
    sniff: |first_bytes| first_bytes.starts_with(b"ARROW1") || file::is_stream(first_bytes),
    options: &OPTIONS,
    group: "batch",
    groups: "batches",
    footer: file::open,
    refuse: |_, _| Ok(()),
    sink: ColumnarSink::<sink::Writer>::create,
};

columnar_format!(IpcFormat, FORMAT);
