//! Sinks of formats whose files are rows, one after the other.
//!
//! ```text
//! batch → encode → deal out → pack → write
//!         threads  one by one threads one by one
//! ```
//!
//! Rows are encoded a batch at a time. They are dealt out to the files of the output and gathered into blocks, whose borders depend
//! on the rows alone. Blocks are packed, which is compressing where the format does that block by block, and written in order. So the
//! files are the same for any number of threads, and the same as where batches are written one by one.

mod blocks;
mod dealer;

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::RecordBatch;
use tfrecord_io::shards::Shard;
use tfxio_core::{Batch, Error, Fed, Feed, Loss, Nested, Ordered, Result, Sink, Threading, Written};

use self::blocks::{Blocks, Packing};
pub use self::dealer::Block;
use self::dealer::Dealer;
use crate::output::{self, Output, Tally};

/// Rows as bytes, one after the other.
#[derive(Debug, Default)]
pub struct EncodedRows {
    bytes: Vec<u8>,
    /// End of each row in `bytes`.
    ends: Vec<usize>,
}

impl EncodedRows {
    /// Appends a row; nothing where `append` fails.
    pub fn push(&mut self, append: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Result<()> {
        let start = self.bytes.len();
        match append(&mut self.bytes) {
            Ok(()) => self.ends.push(self.bytes.len()),
            Err(error) => {
                self.bytes.truncate(start);
                return Err(error);
            }
        }
        Ok(())
    }
}

/// Makes bytes of rows. Each thread has one.
pub trait EncodeRows: Send + 'static {
    /// Appends the rows of a batch. Those before one that fails may be appended.
    fn encode(&mut self, batch: &RecordBatch, rows: &mut EncodedRows) -> Result<()>;

    /// Returns what is lost of the values that all encoders of the sink were given, as [`Sink::losses`]. Default: nothing.
    fn losses(&self) -> Vec<Loss> {
        Vec::new()
    }
}

/// Packs blocks into their stored form. Each thread has one.
pub trait Pack: Send + 'static {
    /// Stored form of a block.
    type Packed: Send + 'static;

    /// Packs a block.
    fn pack(&mut self, block: Block) -> Result<Self::Packed>;
}

/// A file of blocks.
pub trait BlockFile<T>: Shard + Send + 'static {
    /// Writes a packed block.
    fn write_block(&mut self, block: T) -> Result<()>;
}

/// Factory of the encoders or packers of threads.
pub type Make<T> = Arc<dyn Fn() -> Result<T> + Send + Sync>;

/// Row encoding and block layout of a format.
#[allow(missing_debug_implementations, reason = "it holds functions")]
pub struct RowFormat<E, P> {
    /// Factory of encoders.
    pub encoder: Make<E>,
    /// Factory of packers.
    pub packer: Make<P>,
    /// Bytes with which a block ends. `None`: its borders do not show in the file.
    pub block_len: Option<usize>,
    /// Whether packing is worth a thread.
    pub packs_apart: bool,
    /// Number of bytes of a file before its rows.
    pub head_len: u64,
}

/// Writes a file, or the shards of a pattern.
struct RowSink<E, P: Pack, F> {
    format: RowFormat<E, P>,
    encoder: E,
    packer: P,
    dealer: Arc<Mutex<Dealer>>,
    output: Output<F>,
    tally: Tally,
}

/// Returns a sink that writes to `output`, which was created under a name.
pub fn row_sink<E: EncodeRows, P: Pack, F: BlockFile<P::Packed>>(
    name: &str,
    format: RowFormat<E, P>,
    output: Output<F>,
) -> Result<Box<dyn Sink>> {
    let dealer = Dealer::new(output.sharding(), format.block_len, format.head_len);
    Ok(Box::new(RowSink {
        encoder: (format.encoder)()?,
        packer: (format.packer)()?,
        format,
        dealer: Arc::new(Mutex::new(dealer)),
        output,
        tally: Tally::new(name),
    }))
}

impl<E: EncodeRows, P: Pack, F: BlockFile<P::Packed>> RowSink<E, P, F> {
    fn write_block(&mut self, block: Block) -> Result<()> {
        let shard = block.shard;
        let packed = self.packer.pack(block)?;
        self.output.write_to(shard, |file| file.write_block(packed))
    }

    /// Deals out rows, and writes the blocks that are full.
    fn write_rows(&mut self, encoded: Encoded) -> Result<()> {
        let mut blocks = VecDeque::new();
        lock(&self.dealer).deal(encoded.rows, &mut blocks);
        blocks.into_iter().try_for_each(|block| self.write_block(block))?;
        encoded.failed.map_or(Ok(()), Err)
    }

    /// Writes the blocks that are not full.
    fn flush(&mut self) -> Result<()> {
        let mut blocks = VecDeque::new();
        lock(&self.dealer).end(&mut blocks);
        blocks.into_iter().try_for_each(|block| self.write_block(block))
    }

    /// Encodes on the threads of a feed.
    fn write_encoded(&mut self, encoded: Fed<Encoded>, progress: &mut dyn FnMut(u64)) -> Result<()> {
        let mut rows = 0u64;
        for encoded in encoded {
            let encoded = encoded?;
            let count = encoded.rows.ends.len() as u64;
            self.write_rows(encoded)?;
            rows = rows.saturating_add(count);
            progress(rows);
        }
        self.flush()
    }

    /// Packs on these threads, too.
    fn write_packed(&mut self, feed: Feed, progress: &mut dyn FnMut(u64)) -> Result<()> {
        let (threading, nested) = (feed.threading().clone(), Nested::new());
        let encoded = self.encoded(feed.within(&nested))?;
        let source = Blocks::new(encoded, Arc::clone(&self.dealer));
        let packer = Arc::clone(&self.format.packer);
        let packed = Ordered::over(source, &threading, nested, move || Ok(Packing::new(packer()?)))?;
        write_blocks(packed, &mut self.output, progress).map(drop)
    }

    fn encoded(&self, feed: Feed) -> Result<Fed<Encoded>> {
        let encoder = Arc::clone(&self.format.encoder);
        feed.map(move || {
            let mut encoder = encoder()?;
            Ok(move |batch: Batch| Ok(Encoded::of(&mut encoder, &batch)))
        })
    }
}

/// Packs rows that are encoded already, on several threads.
#[allow(missing_debug_implementations, reason = "it holds functions")]
pub struct Packers<P> {
    /// Factory of packers.
    pub packer: Make<P>,
    /// Bytes with which a block ends.
    pub block_len: usize,
    /// Threads that pack.
    pub threading: Threading,
    /// The queue whose threads the source of the rows was given.
    pub nested: Nested,
}

impl<P: Pack> Packers<P> {
    /// Writes rows, the same as one by one. Returns their number.
    pub fn write<F: BlockFile<P::Packed>>(
        self,
        rows: impl Iterator<Item = Result<EncodedRows>> + Send + 'static,
        output: &mut Output<F>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<u64> {
        let Self { packer, block_len, threading, nested } = self;
        let dealer = Dealer::new(output.sharding(), Some(block_len), 0);
        let encoded = rows.map(|rows| Ok(Encoded { rows: rows?, failed: None }));
        let source = Blocks::new(encoded, Arc::new(Mutex::new(dealer)));
        let packed = Ordered::over(source, &threading, nested, move || Ok(Packing::new(packer()?)))?;
        write_blocks(packed, output, progress)
    }
}

fn write_blocks<P: Pack, F: BlockFile<P::Packed>>(
    packed: Ordered<Packing<P>>,
    output: &mut Output<F>,
    progress: &mut dyn FnMut(u64),
) -> Result<u64> {
    let mut rows = 0u64;
    for block in packed {
        let block = block?;
        output.write_to(block.shard, |file| file.write_block(block.packed))?;
        rows = rows.saturating_add(block.rows);
        progress(rows);
    }
    Ok(rows)
}

impl<E: EncodeRows, P: Pack, F: BlockFile<P::Packed>> Sink for RowSink<E, P, F> {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let encoded = Encoded::of(&mut self.encoder, batch);
        let written = self.write_rows(encoded);
        self.tally.add(batch, written)
    }

    fn write_all(&mut self, feed: Feed, progress: &mut dyn FnMut(u64)) -> Result<()> {
        let before = lock(&self.dealer).rows();
        let written = if self.format.packs_apart && feed.threading().threads > 1 {
            self.write_packed(feed, progress)
        } else {
            self.encoded(feed).and_then(|encoded| self.write_encoded(encoded, progress))
        };
        let rows = lock(&self.dealer).rows().saturating_sub(before);
        self.tally.add_rows(rows, written)
    }

    fn losses(&self) -> Vec<Loss> {
        self.encoder.losses()
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        let rows = self.tally.rows()?;
        self.flush()?;
        let files = self.output.finish()?;
        Ok(Written::new(rows, output::written(&files)))
    }
}

impl<E, P: Pack, F> fmt::Debug for RowSink<E, P, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowSink").field("tally", &self.tally).finish_non_exhaustive()
    }
}

/// The rows of a batch.
struct Encoded {
    rows: EncodedRows,
    /// Error of the row after them, if it failed.
    failed: Option<Error>,
}

impl Encoded {
    fn of(encoder: &mut impl EncodeRows, batch: &Batch) -> Self {
        let mut rows = EncodedRows::default();
        let failed = encoder.encode(batch.columns(), &mut rows).err();
        Self { rows, failed: failed.map(|error| batch.locate(error)) }
    }
}

fn lock(dealer: &Mutex<Dealer>) -> MutexGuard<'_, Dealer> {
    dealer.lock().unwrap_or_else(PoisonError::into_inner)
}
