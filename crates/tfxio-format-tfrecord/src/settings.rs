//! Options of the format TFRecord.

use tfrecord_io::frame::Verify;
use tfrecord_io::{Compression, FileWriter, Reader, ReaderBuilder, WriterBuilder};
use tfxio_core::{FormatOptions, Limits, OptionSpec, OptionType, OptionValue, Result};
use tfxio_scan::sampling::WHOLE_BYTES;
use tfxio_store::output::{Output, SHARD_BYTES_OPTION};

use super::index_storage::IndexStorage;

/// The options of the format.
const OPTIONS: [OptionSpec; 12] = [
    OptionSpec::new(
        "records",
        OptionType::Text,
        "Format of the records: example, sequence_example, raw or proto. Default: found out from the records.",
    ),
    OptionSpec::new(
        "compression",
        OptionType::OneOf(&["auto", "none", "gzip", "zlib"]),
        "Compression of every file that is read; one that has another is an error. Default: found out for each file.",
    ),
    OptionSpec::new(
        "verify",
        OptionType::OneOf(&["all", "headers", "none"]),
        "Checksums to compare: of lengths and payloads, of lengths, or none. Default: all.",
    ),
    OptionSpec::new(
        "index",
        OptionType::Bool,
        "Whether the index beside a file is used, which must fit its file. Default: true.",
    ),
    OptionSpec::new(
        "keep_index",
        OptionType::OneOf(&["none", "beside", "cache"]),
        "Where the index of a local file is kept that was made to find its records by number: nowhere, beside the file, or \
         in a folder. Default: none.",
    ),
    OptionSpec::new(
        "index_dir",
        OptionType::Text,
        "Folder of kept indexes. Default: tfxio/indexes among the caches of the user.",
    ),
    OptionSpec::new(
        "infer_records",
        OptionType::Count,
        "Number of records that a schema is inferred from. Default: all where the files are local and together have at \
         most as many bytes as infer_bytes says, else 10,000.",
    ),
    OptionSpec::new(
        "infer_bytes",
        OptionType::Count,
        "Bytes of local files, as stored, up to which a schema is inferred from all their records. Default: 256 MiB.",
    ),
    OptionSpec::new(
        OUTPUT_COMPRESSION,
        OptionType::OneOf(&["auto", "none", "gzip", "zlib"]),
        "Compression of files that are written. Default: by the ending of the name, .gz or .zlib.",
    )
    .of_output(),
    OptionSpec::new(
        LEVEL,
        OptionType::Count,
        "Compression level of files that are written, 0 to 9. Default: 6.",
    )
    .of_output(),
    OptionSpec::new(
        SINGLE_MEMBER,
        OptionType::Bool,
        "Whether gzip is written as a single member, which TensorFlow 1.12 and older need. Default: false, a member for each \
         MiB, so that readers can enter the file.",
    )
    .of_output(),
    SHARD_BYTES_OPTION,
];

/// Returns all options. Formats of records may depend on the option of feature specs.
pub(super) fn options() -> Vec<OptionSpec> {
    #[allow(unused_mut, reason = "a feature adds one")]
    let mut options = OPTIONS.to_vec();
    #[cfg(feature = "tensors")]
    options.push(tfxio_core::shared_options::FEATURES_OPTION);
    options
}

const OUTPUT_COMPRESSION: &str = "output_compression";
const LEVEL: &str = "level";
const SINGLE_MEMBER: &str = "single_member";

/// Creates an output: a file, or the shards of a pattern.
pub(super) fn create(output: &str, options: &FormatOptions) -> Result<Output<FileWriter>> {
    let writer = writer(output, options);
    Output::create(output, options, move |file| writer.target(file).into_file())
}

/// Returns the bytes and the level of the members of a gzip file that is written; nothing for other files.
pub(super) fn members(output: &str, options: &FormatOptions) -> Option<(usize, u32)> {
    let writer = writer(output, options);
    writer.members()
}

/// Returns whether indexes beside files are used.
pub(super) fn uses_index(options: &FormatOptions) -> bool {
    options.values().get("index") != Some(&OptionValue::Bool(false))
}

/// Returns how files of a name are written.
fn writer(output: &str, options: &FormatOptions) -> WriterBuilder {
    let compression =
        compression(options, OUTPUT_COMPRESSION).unwrap_or_else(|| Compression::of_file_name(output));
    let mut writer = WriterBuilder::default().compression(compression);
    if let Some(level) = options.count(LEVEL) {
        writer = writer.level(u32::try_from(level).unwrap_or(u32::MAX));
    }
    if options.flag(SINGLE_MEMBER) { writer.single_member() } else { writer }
}

/// Returns the compression that is stated of files that are read.
pub(super) fn stated_compression(options: &FormatOptions) -> Option<Compression> {
    compression(options, "compression")
}

/// Returns which checksums are compared.
pub(super) fn stated_verify(options: &FormatOptions) -> Verify {
    match options.text("verify") {
        Some("headers") => Verify::Headers,
        Some("none") => Verify::None,
        _ => Verify::All,
    }
}

/// Returns the compression that an option states.
fn compression(options: &FormatOptions, key: &str) -> Option<Compression> {
    match options.text(key) {
        Some("none") => Some(Compression::None),
        Some("gzip") => Some(Compression::Gzip),
        Some("zlib") => Some(Compression::Zlib),
        _ => None,
    }
}

/// The values of the options.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) compression: Option<Compression>,
    pub(super) verify: Verify,
    pub(super) index: bool,
    pub(super) index_storage: IndexStorage,
    pub(super) infer_records: Option<u64>,
    pub(super) infer_bytes: u64,
}

impl Settings {
    /// # Errors
    /// `InvalidArgument` without a folder for indexes.
    pub(super) fn new(options: &FormatOptions) -> Result<Self> {
        Ok(Self {
            compression: stated_compression(options),
            verify: stated_verify(options),
            index: uses_index(options),
            index_storage: IndexStorage::new(options)?,
            infer_records: options.count("infer_records"),
            infer_bytes: options.count("infer_bytes").unwrap_or(WHOLE_BYTES),
        })
    }

    /// Returns a reader of the records of `source`. Payloads are checked where they are used: see [`Chunk`](super::chunk::Chunk).
    pub(super) fn reader<R>(&self, source: R, limits: &Limits) -> ReaderBuilder<R> {
        let verify = if self.verify == Verify::All { Verify::Headers } else { self.verify };
        Reader::builder(source).compression(self.compression).verify(verify).limits(*limits)
    }
}
