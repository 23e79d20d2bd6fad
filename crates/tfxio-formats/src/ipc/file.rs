//! Arrow IPC files: what their footers and messages claim is compared with the file before it is allocated or sliced.
//!
//! The decoder of `arrow-ipc` takes a block at a time and trusts what stands in it; see the
//! [format](https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format).

use std::collections::BTreeSet;
use std::fmt;
use std::io::SeekFrom;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{Block, CompressionType, MetadataVersion};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use tfxio_core::{Error, ErrorKind, Input, Limits};

use super::block::{self, ZSTD_RATIO};
use crate::columnar::{Failure, Footer, Group, GroupReader, without_footer};

/// What a file begins and ends with.
const MAGIC: &str = "ARROW1";
/// What ends a file: the length of the footer and `ARROW1`.
const TAIL: u64 = 10;
/// Rows that a batch may have although few bytes stand for them.
const FEW_ROWS: u64 = 1 << 24;
/// The same where columns are nulls or runs, for which rows take no bytes.
const EMPTY_ROWS: u64 = i32::MAX as u64;

/// Reads the footer of a file. May panic if it is damaged.
pub(super) fn open(mut file: Box<dyn Input>, bytes: u64, _: &Limits) -> Result<Arc<dyn Footer>, Failure> {
    let mut first_bytes = vec![0; bytes.min(8) as usize];
    file.seek(SeekFrom::Start(0))?;
    file.read_exact(&mut first_bytes)?;
    if is_stream(&first_bytes) {
        let error = Error::new(ErrorKind::Unsupported, "this is an Arrow IPC stream, which is not read");
        return Err(error.help("write an Arrow IPC file").into());
    }
    let mut tail = [0; TAIL as usize];
    let tail_at = bytes.checked_sub(TAIL);
    if let Some(tail_at) = tail_at {
        file.seek(SeekFrom::Start(tail_at))?;
        file.read_exact(&mut tail)?;
    }
    let Some(tail_at) = tail_at.filter(|_| tail.ends_with(MAGIC.as_bytes())) else {
        return Err(without_footer("Arrow", MAGIC, &first_bytes, bytes).into());
    };
    let length = read_footer_length(tail)?;
    let Some(footer_at) = tail_at.checked_sub(length as u64) else {
        let text = format!("the footer claims {length} bytes, and the file has {bytes}");
        return Err(block::damaged(text).into());
    };
    let mut footer = vec![0; length];
    file.seek(SeekFrom::Start(footer_at))?;
    file.read_exact(&mut footer)?;
    let footer = arrow_ipc::root_as_footer(&footer)
        .map_err(|error| block::damaged(format!("the footer is damaged: {error}")))?;
    let schema = footer.schema().ok_or_else(|| block::damaged("the footer has no schema"))?;
    if !schema.endianness().equals_to_target_endianness() {
        let what = "bytes in the order of another machine".to_owned();
        return Err(ArrowError::NotYetImplemented(what).into());
    }
    let schema = Arc::new(arrow_ipc::convert::fb_to_schema(schema));
    let dictionaries =
        footer.dictionaries().iter().flat_map(|blocks| blocks.iter().copied()).collect::<Vec<_>>();
    let batches = footer.recordBatches().iter().flat_map(|blocks| blocks.iter().copied()).collect::<Vec<_>>();
    dictionaries.iter().chain(&batches).try_for_each(|block| block::check_block(block, footer_at))?;
    let group = |block: &Block| {
        let (start, metadata, body) = block::numbers(block);
        Group { start, bytes: metadata.saturating_add(body) as u64, rows: None }
    };
    let groups = batches.iter().map(group).collect();
    let has_empty = schema.flattened_fields().iter().any(|field| is_empty(field.data_type()));
    let free_rows = if has_empty { EMPTY_ROWS } else { FEW_ROWS };
    Ok(Arc::new(IpcFooter { schema, version: footer.version(), dictionaries, batches, groups, free_rows }))
}

/// Returns whether a file begins with the marker and the length of a message, as a stream does. A TFRecord file that did
/// would begin with a record of more than 4 GiB.
pub(super) fn is_stream(first_bytes: &[u8]) -> bool {
    match *first_bytes {
        [0xff, 0xff, 0xff, 0xff, a, b, c, d, ..] => (1..1 << 24).contains(&i32::from_le_bytes([a, b, c, d])),
        _ => false,
    }
}

struct IpcFooter {
    schema: SchemaRef,
    version: MetadataVersion,
    dictionaries: Vec<Block>,
    batches: Vec<Block>,
    groups: Vec<Group>,
    /// Rows that a batch may have whatever its bytes.
    free_rows: u64,
}

impl Footer for IpcFooter {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn groups(&self) -> &[Group] {
        &self.groups
    }

    fn rows(&self, group: usize, input: &mut dyn Input) -> Result<u64, Failure> {
        let Some(block) = self.batches.get(group) else { return Ok(0) };
        let (_, _, body) = block::numbers(block);
        let head = block::head(block, input)?;
        let message = block::message(&head)?;
        let rows = message.header_as_record_batch().map_or(0, |batch| batch.length());
        let most = (body as u64).saturating_mul(8 * ZSTD_RATIO).max(self.free_rows);
        let rows = u64::try_from(rows).ok().filter(|rows| *rows <= most);
        rows.ok_or_else(|| {
            block::damaged(format!("a batch of {body} bytes claims an impossible number of rows")).into()
        })
    }

    fn compressions(
        &self,
        group: usize,
        input: &mut dyn Input,
        names: &mut BTreeSet<String>,
    ) -> Result<(), Failure> {
        let Some(block) = self.batches.get(group) else { return Ok(()) };
        let head = block::head(block, input)?;
        let compression =
            block::message(&head)?.header_as_record_batch().and_then(|batch| batch.compression());
        let name = compression.map_or("none", |compression| match compression.codec() {
            CompressionType::LZ4_FRAME => "lz4",
            _ => "zstd",
        });
        names.insert(name.to_owned());
        Ok(())
    }

    fn reader(
        self: Arc<Self>,
        mut input: Box<dyn Input>,
        columns: Vec<usize>,
        _: usize,
        limits: &Limits,
    ) -> Result<Box<dyn GroupReader>, Failure> {
        let mut decoder = FileDecoder::new(Arc::clone(&self.schema), self.version);
        for block in &self.dictionaries {
            let buffer = block::read(&mut *input, block, limits, self.free_rows)?;
            decoder.read_dictionary(block, &buffer)?;
        }
        if columns.len() < self.schema.fields().len() {
            decoder = decoder.with_projection(columns);
        }
        Ok(Box::new(Batches { footer: self, input, decoder, limits: *limits, entered: None }))
    }
}

impl fmt::Debug for IpcFooter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IpcFooter").field("groups", &self.groups).finish_non_exhaustive()
    }
}

struct Batches {
    footer: Arc<IpcFooter>,
    input: Box<dyn Input>,
    decoder: FileDecoder,
    limits: Limits,
    /// Batch to read, and the number of its rows to pass over.
    entered: Option<(usize, usize)>,
}

impl GroupReader for Batches {
    fn enter(&mut self, group: usize, skip: u64) -> Result<(), Failure> {
        self.entered = Some((group, usize::try_from(skip)?));
        Ok(())
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, Failure> {
        let Some((group, skip)) = self.entered.take() else { return Ok(None) };
        let Some(block) = self.footer.batches.get(group) else { return Ok(None) };
        let buffer = block::read(&mut *self.input, block, &self.limits, self.footer.free_rows)?;
        let batch = self.decoder.read_record_batch(block, &buffer)?;
        Ok(batch.map(|batch| {
            let skip = skip.min(batch.num_rows());
            batch.slice(skip, batch.num_rows() - skip)
        }))
    }
}

/// Whether the rows of a column take no bytes of their own.
fn is_empty(kind: &DataType) -> bool {
    match kind {
        DataType::Null | DataType::RunEndEncoded(..) => true,
        DataType::Dictionary(_, value) => is_empty(value),
        _ => false,
    }
}
