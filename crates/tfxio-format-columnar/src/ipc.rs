//! Arrow IPC files as a format of files.

mod block;
mod dictionaries;
mod file;
mod messages;
mod sink;
mod sniff;
mod stream;
mod version;

use tfxio_core::{OptionSpec, OptionType};
use tfxio_scan::merge::UNION_BY_NAME;

use crate::columnar::{Columnar, ColumnarSink, columnar_format};

/// Arrow IPC files, also called Feather, version 2, and streams, whatever their ending; an output that ends with `.arrows` is a
/// stream. Both are read from Arrow 0.8 on (metadata of version 4 or 5), streams with or without the markers of Arrow 0.15.
///
/// Both are cut between record batches. A pipe is read once, one batch after the other. A damaged file is an error, also where the reader would panic: the first file that
/// is read puts a panic hook before the one of the program, which passes on all other panics.
#[derive(Clone, Copy, Debug, Default)]
pub struct IpcFormat;

const OPTIONS: [OptionSpec; 2] = [
    UNION_BY_NAME,
    OptionSpec::new(
        "output_compression",
        OptionType::OneOf(&["none", "lz4", "zstd"]),
        "Compression of buffers that are written. Default: none.",
    )
    .of_output(),
];

static FORMAT: Columnar = Columnar {
    name: "arrow",
    title: "Arrow",
    endings: &[".arrow", sink::STREAM, ".feather"],
    // Version 1 of Feather is refused when it is opened, with what can be done.
    sniff: |first_bytes| {
        first_bytes.starts_with(b"ARROW1")
            || first_bytes.starts_with(file::FEATHER_1)
            || sniff::is_stream(first_bytes)
    },
    options: &OPTIONS,
    group: "batch",
    groups: "batches",
    footer: file::open,
    sequential: Some(stream::sequential),
    refuse: sink::refuse,
    refuse_values: |_| Ok(()),
    is_common: |_| true,
    sink: |format, output, schema, options| match output.ends_with(sink::STREAM) {
        true => ColumnarSink::<sink::StreamOutput>::create(format, output, schema, options),
        false => ColumnarSink::<sink::Writer>::create(format, output, schema, options),
    },
};

columnar_format!(IpcFormat, FORMAT);
