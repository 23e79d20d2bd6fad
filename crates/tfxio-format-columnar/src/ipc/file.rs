//! Arrow IPC files: what their footers and messages claim is compared with the file before it is allocated or sliced.
//!
//! The decoder of `arrow-ipc` takes a block at a time and trusts its content; see the
//! [format](https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format).

use std::collections::BTreeSet;
use std::fmt;
use std::io::SeekFrom;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{Block, CompressionType, Message};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use tfxio_core::{Count, Error, ErrorKind, FormatOptions, Input, Limits, Projection, ScanRequest};

use super::block::{self, ZSTD_RATIO};
use super::sniff::is_stream;
use super::stream;
use super::version::{self, Unions};
use crate::columnar::{Failure, Footer, Group, GroupReader, without_footer};

/// Bytes at the beginning and the end of a file.
pub(super) const MAGIC: &str = "ARROW1";
/// Bytes at the beginning of a file of Feather, version 1.
pub(super) const FEATHER_1: &[u8] = b"FEA1";
/// Bytes that tell a stream from a file.
const FIRST_BYTES: u64 = 1 << 10;
/// Bytes after the footer of a file: its length and `ARROW1`.
const TAIL: u64 = 10;
/// Rows that a batch may have however few bytes it has.
const FEW_ROWS: u64 = 1 << 24;
/// Rows without bytes that each of many batches may have, whatever the limit of all together.
const FREE_ROWS: u64 = 1 << 16;

/// Reads the footer of a file. May panic if it is damaged.
pub(super) fn open(
    mut file: Box<dyn Input>,
    bytes: u64,
    options: &FormatOptions,
) -> Result<Arc<dyn Footer>, Failure> {
    let limits = &options.request.limits;
    let mut first_bytes = vec![0; bytes.min(FIRST_BYTES) as usize];
    file.seek(SeekFrom::Start(0))?;
    file.read_exact(&mut first_bytes)?;
    if is_stream(&first_bytes) {
        file.seek(SeekFrom::Start(0))?;
        return stream::open(file, bytes, limits);
    }
    if first_bytes.starts_with(FEATHER_1) {
        let error =
            Error::new(ErrorKind::Unsupported, "this is a Feather file of version 1, which is not read");
        return Err(error
            .help("write it again as version 2, which pyarrow.feather.write_feather does")
            .into());
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
        let text = format!("the footer claims {}, and the file has {bytes}", Count::of(length, "byte"));
        return Err(block::damaged(text).into());
    };
    let mut footer = vec![0; length];
    file.seek(SeekFrom::Start(footer_at))?;
    file.read_exact(&mut footer)?;
    let footer = arrow_ipc::root_as_footer(&footer)
        .map_err(|error| block::damaged(format!("the footer is damaged: {error}")))?;
    let schema = footer.schema().ok_or_else(|| block::contradictory("the footer has no schema"))?;
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
    // What each has is known when it is read.
    let free_rows = FreeRows::of(&schema, (limits.empty_rows / batches.len().max(1) as u64).max(FREE_ROWS));
    // All of them come before the first batch.
    let dictionaries = dictionaries.into_iter().map(|block| (0, block)).collect();
    Ok(Arc::new(IpcFooter { schema, dictionaries, batches, groups, free_rows }))
}

/// Returns whether bytes are a footer and what ends a file after it.
pub(super) fn is_footer(bytes: &[u8]) -> bool {
    let Some((footer, tail)) = bytes.split_last_chunk::<{ TAIL as usize }>() else { return false };
    read_footer_length(*tail).is_ok_and(|length| length == footer.len())
        && arrow_ipc::root_as_footer(footer).is_ok()
}

/// Rows that a batch may have whatever its bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct FreeRows {
    pub(super) most: u64,
    /// Whether they have no bytes, so that this is by the limit.
    is_limit: bool,
}

impl FreeRows {
    /// Returns the free rows of columns: `empty_rows` where columns are nulls or runs, or the schema has none.
    pub(super) fn of(schema: &Schema, empty_rows: u64) -> Self {
        let is_limit = schema.fields().is_empty()
            || schema.flattened_fields().iter().any(|field| is_empty(field.data_type()));
        Self { most: if is_limit { empty_rows } else { FEW_ROWS }, is_limit }
    }

    /// Takes away rows of a batch of this many bytes, which are more than bits in them. Refuses them where they are not left.
    pub(super) fn take(&mut self, rows: u64, bytes: usize) -> Result<(), ArrowError> {
        let empty = rows.saturating_sub((bytes as u64).saturating_mul(8));
        if !self.is_limit || empty == 0 {
            return Ok(());
        }
        let Some(left) = self.most.checked_sub(empty) else {
            let what = "the batches up to here claim more rows without bytes than the limit";
            return Err(block::damaged(format!("{what}{}", self.help())));
        };
        self.most = left;
        Ok(())
    }

    /// Returns the advice where there are more.
    pub(super) fn help(self) -> &'static str {
        if self.is_limit { "; raise the limit empty_rows if this is meant" } else { "" }
    }
}

pub(super) struct IpcFooter {
    pub(super) schema: SchemaRef,
    /// Dictionaries, and the number of batches that come before each.
    pub(super) dictionaries: Vec<(usize, Block)>,
    pub(super) batches: Vec<Block>,
    pub(super) groups: Vec<Group>,
    /// Rows that a batch may have whatever its bytes.
    pub(super) free_rows: FreeRows,
}

impl IpcFooter {
    /// Returns the rows that the message of a batch claims, if its body of this many bytes can have them.
    pub(super) fn checked_rows(&self, body: usize, message: &Message<'_>) -> Result<u64, Failure> {
        let rows = message.header_as_record_batch().map_or(0, |batch| batch.length());
        let most = (body as u64).saturating_mul(8 * ZSTD_RATIO).max(self.free_rows.most);
        let rows = u64::try_from(rows).ok().filter(|rows| *rows <= most);
        rows.ok_or_else(|| {
            block::damaged(format!(
                "a batch of {} claims an impossible number of rows{}",
                Count::of(body, "byte"),
                self.free_rows.help()
            ))
            .into()
        })
    }

    fn decoder(&self, projection: Option<&Vec<usize>>) -> FileDecoder {
        let decoder = version::decoder(&self.schema);
        match projection {
            Some(columns) => decoder.with_projection(columns.clone()),
            None => decoder,
        }
    }
}

impl Footer for IpcFooter {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn groups(&self) -> &[Group] {
        &self.groups
    }

    fn rows(&self, group: usize, input: &mut dyn Input) -> Result<u64, Failure> {
        if let Some(rows) = self.groups.get(group).and_then(|group| group.rows) {
            return Ok(rows);
        }
        let Some(block) = self.batches.get(group) else { return Ok(0) };
        let (_, _, body) = block::numbers(block);
        let head = block::head(block, input)?;
        self.checked_rows(body, &block::message(&head)?)
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
        input: Box<dyn Input>,
        projection: &Projection,
        request: &ScanRequest,
        _: usize,
    ) -> Result<Box<dyn GroupReader>, Failure> {
        let is_cut = projection.read().len() < self.schema.fields().len();
        let projection = is_cut.then(|| projection.read().to_vec());
        let decoder = self.decoder(projection.as_ref());
        let (limits, unions) = (request.limits, Unions::of(&self.schema));
        Ok(Box::new(IpcBatches {
            unions,
            footer: self,
            input,
            projection,
            decoder,
            dictionaries: 0,
            limits,
            is_announced: false,
            entered: None,
        }))
    }
}

impl fmt::Debug for IpcFooter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IpcFooter").field("groups", &self.groups).finish_non_exhaustive()
    }
}

struct IpcBatches {
    unions: Unions,
    footer: Arc<IpcFooter>,
    input: Box<dyn Input>,
    /// Columns that are read; nothing where all are.
    projection: Option<Vec<usize>>,
    /// Holds the dictionaries that were read.
    decoder: FileDecoder,
    /// Number of the dictionaries that were read.
    dictionaries: usize,
    limits: Limits,
    /// Whether all batches were announced.
    is_announced: bool,
    /// Batch to read, and its rows that are wanted.
    entered: Option<(usize, Range<u64>)>,
}

impl IpcBatches {
    /// Announces the batches that are read next, with the dictionaries before them that were not read.
    fn will_read(&mut self, groups: Range<usize>) {
        let wanted = self.footer.dictionaries.partition_point(|(batch, _)| *batch < groups.end);
        let known = if self.dictionaries > wanted { 0 } else { self.dictionaries };
        let dictionaries = self.footer.dictionaries.get(known..wanted).unwrap_or_default();
        let batches = self.footer.batches.get(groups).unwrap_or_default();
        let blocks = dictionaries.iter().map(|(_, block)| block).chain(batches).map(|block| {
            let (start, metadata, body) = block::numbers(block);
            start..start.saturating_add(metadata.saturating_add(body) as u64)
        });
        self.input.will_read(&blocks.collect::<Vec<_>>());
    }

    /// Reads the dictionaries that come before a batch, and no later ones, which may replace them.
    fn read_dictionaries(&mut self, group: usize) -> Result<(), Failure> {
        let footer = Arc::clone(&self.footer);
        let wanted = footer.dictionaries.partition_point(|(batch, _)| *batch <= group);
        if self.dictionaries > wanted {
            self.decoder = footer.decoder(self.projection.as_ref());
            self.dictionaries = 0;
        }
        for (_, block) in footer.dictionaries.get(self.dictionaries..wanted).unwrap_or_default() {
            let buffer = block::read(&mut *self.input, block, &self.limits, footer.free_rows)?;
            self.unions.check(&buffer, self.projection.as_deref())?;
            self.decoder.read_dictionary(block, &buffer)?;
        }
        self.dictionaries = wanted;
        Ok(())
    }
}

impl GroupReader for IpcBatches {
    fn read_whole(&mut self, groups: Option<Range<usize>>) {
        if let Some(groups) = groups {
            self.will_read(groups);
            self.is_announced = true;
        }
    }

    fn enter(&mut self, group: usize, rows: Range<u64>) -> Result<Vec<Range<u64>>, Failure> {
        if !self.is_announced {
            self.will_read(group..group.saturating_add(1));
        }
        self.entered = Some((group, rows.clone()));
        Ok(vec![rows])
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, Failure> {
        let Some((group, rows)) = self.entered.take() else { return Ok(None) };
        self.read_dictionaries(group)?;
        let Some(block) = self.footer.batches.get(group) else { return Ok(None) };
        let buffer = block::read(&mut *self.input, block, &self.limits, self.footer.free_rows)?;
        self.unions.check(&buffer, self.projection.as_deref())?;
        let batch = self.decoder.read_record_batch(block, &buffer)?;
        Ok(batch.map(|batch| {
            let row = |row: u64| usize::try_from(row).unwrap_or(usize::MAX).min(batch.num_rows());
            let (start, end) = (row(rows.start), row(rows.end));
            batch.slice(start, end.saturating_sub(start))
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
