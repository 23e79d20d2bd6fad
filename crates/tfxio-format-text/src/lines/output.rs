//! Files of text that are written, plain or compressed with gzip.

use std::io::{BufWriter, Write as _};
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use tfxio_base::{ClosedFile, OutputFile, WriteErrors};
use tfxio_core::{FormatOptions, OptionSpec, OptionType, Result, Sink};
use tfxio_store::shards::Shard;

use tfxio_store::output::{Output, SHARD_BYTES_OPTION};
use tfxio_store::row_sink::{Block, BlockFile, EncodeRows, Pack, RowFormat, row_sink};

/// Bytes that are gathered before they are written.
const BUFFER: usize = 256 << 10;

/// The options of files that are written.
pub(crate) const OPTIONS: [OptionSpec; 3] = [
    OptionSpec::new(
        "output_compression",
        OptionType::OneOf(&["auto", "none", "gzip"]),
        "Compression of files that are written. Default: by the ending of the name, .gz.",
    )
    .of_output(),
    OptionSpec::new(
        "level",
        OptionType::Count,
        "Compression level of files that are written, 0 to 9. Default: 6.",
    )
    .of_output(),
    SHARD_BYTES_OPTION,
];

/// A file of text.
pub(crate) struct TextFile {
    writer: Writer,
    errors: WriteErrors,
    offset: u64,
}

enum Writer {
    Plain(BufWriter<OutputFile>),
    Gzip(Box<BufWriter<GzEncoder<OutputFile>>>),
}

impl TextFile {
    fn create(file: OutputFile, level: Option<Compression>, head: &[u8]) -> Result<Self> {
        let errors = file.errors();
        let writer = match level {
            Some(level) => {
                Writer::Gzip(Box::new(BufWriter::with_capacity(BUFFER, GzEncoder::new(file, level))))
            }
            None => Writer::Plain(BufWriter::with_capacity(BUFFER, file)),
        };
        let mut created = Self { writer, errors, offset: 0 };
        created.write(head)?;
        Ok(created)
    }

    /// Appends text.
    fn write(&mut self, text: &[u8]) -> Result<()> {
        let written = match &mut self.writer {
            Writer::Plain(writer) => writer.write_all(text),
            Writer::Gzip(writer) => writer.write_all(text),
        };
        self.offset = self.offset.saturating_add(text.len() as u64);
        written.map_err(|error| self.errors.of_io(error))
    }
}

impl Shard for TextFile {
    fn offset(&self) -> u64 {
        self.offset
    }

    fn close(self) -> Result<ClosedFile> {
        let file = match self.writer {
            Writer::Plain(writer) => writer.into_inner().map_err(std::io::IntoInnerError::into_error),
            Writer::Gzip(writer) => {
                writer.into_inner().map_err(std::io::IntoInnerError::into_error).and_then(GzEncoder::finish)
            }
        };
        file.map_err(|error| self.errors.of_io(error))?.close()
    }
}

/// Lines are stored as they are, or as one stream.
struct Plain;

impl Pack for Plain {
    type Packed = Block;

    fn pack(&mut self, block: Block) -> Result<Block> {
        Ok(block)
    }
}

impl BlockFile<Block> for TextFile {
    fn write_block(&mut self, block: Block) -> Result<()> {
        self.write(&block.bytes)
    }
}

/// Returns a sink that writes rows to a file, or to the shards of a pattern, each of which begins with `head`.
pub(crate) fn sink<E: EncodeRows + Clone + Sync>(
    output: &str,
    options: &FormatOptions,
    head: Vec<u8>,
    encoder: E,
) -> Result<Box<dyn Sink>> {
    let format = RowFormat {
        encoder: Arc::new(move || Ok(encoder.clone())),
        packer: Arc::new(|| Ok(Plain)),
        block_len: None,
        packs_apart: false,
        head_len: head.len() as u64,
    };
    row_sink(output, format, create(output, options, head)?)
}

/// Creates an output: a file, or the shards of a pattern, each of which begins with `head`.
fn create(output: &str, options: &FormatOptions, head: Vec<u8>) -> Result<Output<TextFile>> {
    let is_gzip = match options.text("output_compression") {
        Some("gzip") => true,
        Some("none") => false,
        _ => {
            let name = output.to_ascii_lowercase();
            name.ends_with(".gz") || name.ends_with(".gzip")
        }
    };
    let level = options.count("level").map_or(6, |level| u32::try_from(level.min(9)).unwrap_or(9));
    let level = is_gzip.then(|| Compression::new(level));
    let head: Arc<[u8]> = head.into();
    Output::create(output, options, move |file| TextFile::create(file, level, &head))
}
