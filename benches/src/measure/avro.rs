//! `avro`: object containers to record batches, or by way of key expressions to tensors, which are dropped.
//!
//! From memory, the file's bytes are in memory, where one thread decodes them without a copy; from a file, it is opened
//! and read. Both times everything after that is timed: the header, decompression, making the decoder, decoding. With
//! several threads runs of blocks are decompressed and decoded side by side and come in the order of the file; a run
//! ends a batch.

use std::fs::File;
use std::hint::black_box;
use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use arrow_array::RecordBatch;
use avro_path::container::{Block, BlockDecoder, BlockRun, ContainerReader, ReaderBuilder};
use avro_path::key::KeyColumns;
use avro_path::program::KeyOptions;
use avro_path::record::{Layout, RecordOptions, RecordPlan};
use avro_path::{AvroDecoder, AvroSchema, BlockCursor, Key, KeyProgram};
use tensor_repr::{Adapter, feature_specs_from_json};
use tfxio_base::Threading;

use super::figure::{Done, Figure};
use super::framed::file_bytes;
use super::{From, Options};

/// The first bytes of every container.
const MAGIC: &[u8] = b"Obj\x01";

pub(super) fn measure(options: &Options) -> Result<Figure> {
    if options.arrow_avro {
        return peer(options);
    }
    let task = Arc::new(Work::read(options)?);
    with_source(options, |source| match source {
        Source::Threads(reader) => side_by_side(options, &task, reader),
        alone => decode_alone(options, &task, alone),
    })
}

/// Whether the file is an Avro object container.
pub(super) fn is_container(path: &Path) -> bool {
    let mut start = [0; MAGIC.len()];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == MAGIC
}

/// Blocks decompressed, and their records neither looked for nor at.
pub(super) fn scan(options: &Options) -> Result<Figure> {
    let each = |block: Block<'_>| {
        black_box(block.bytes());
        Done { records: block.count(), bytes: block.bytes().len() as u64 }
    };
    with_source(options, |source| {
        let mut sum = Done::default();
        match source {
            Source::Threads(reader) => {
                let blocks = reader
                    .map_blocks(&threading(options), move || move |block: Block<'_>| Ok(each(block)))?;
                for done in blocks {
                    sum = sum + done?;
                }
            }
            alone => alone.for_each(|block| {
                sum = sum + each(block);
                Ok(())
            })?,
        }
        Ok(sum)
    })
}

#[cfg(feature = "arrow-avro")]
use super::arrow_avro::measure as peer;

#[cfg(not(feature = "arrow-avro"))]
fn peer(_: &Options) -> Result<Figure> {
    anyhow::bail!("this `measure` was built without the feature `arrow-avro`")
}

type Reader = ContainerReader<Box<dyn Read + Send>>;

/// Source of blocks.
enum Source<'a> {
    /// For one thread.
    Reader(Reader),
    /// All bytes of a file, for one thread.
    Memory(Box<BlockDecoder>, &'a [u8]),
    /// For several threads.
    Threads(Reader),
}

impl Source<'_> {
    fn for_each(self, mut work: impl FnMut(Block<'_>) -> Result<()>) -> Result<()> {
        match self {
            Self::Reader(mut reader) | Self::Threads(mut reader) => {
                while let Some(block) = reader.next_block()? {
                    work(block)?;
                }
            }
            Self::Memory(mut decoder, mut input) => {
                while let Some(block) = decoder.next_block(&mut input)? {
                    work(block)?;
                }
                while let Some(block) = decoder.finish()? {
                    work(block)?;
                }
            }
        }
        Ok(())
    }
}

/// Times `work` on the container, opened anew for each run.
fn with_source(options: &Options, mut work: impl FnMut(Source<'_>) -> Result<Done>) -> Result<Figure> {
    let name = options.file.to_string_lossy();
    let builder = ReaderBuilder::default().name(name.as_ref());
    let is_alone = options.threads.get() == 1;
    match options.from {
        From::Memory if is_alone => {
            let bytes = file_bytes(&options.file)?;
            Figure::time(options, || work(Source::Memory(Box::new(builder.clone().build_decoder()), &bytes)))
        }
        From::Memory => {
            let bytes: Arc<[u8]> = file_bytes(&options.file)?.into();
            Figure::time(options, || {
                let bytes: Box<dyn Read + Send> = Box::new(Cursor::new(Arc::clone(&bytes)));
                work(Source::Threads(builder.clone().source(bytes).build()?))
            })
        }
        From::File => Figure::time(options, || {
            let file = File::open(&options.file).with_context(|| format!("cannot open {name}"))?;
            let reader = builder.clone().source(Box::new(file) as Box<dyn Read + Send>).build()?;
            work(if is_alone { Source::Reader(reader) } else { Source::Threads(reader) })
        }),
    }
}

/// Output of the records, ready for any number of decoders.
enum Work {
    /// Plainly typed columns with 32-bit offsets, as arrow-avro's.
    Records(RecordPlan),
    /// A column for each key expression.
    Keys(KeyProgram),
    /// Tensors of such columns.
    Tensors(KeyProgram, Arc<Adapter>),
}

impl Work {
    fn read(options: &Options) -> Result<Self> {
        let writer = ContainerReader::open(&options.file)?.header().schema().clone();
        let reader = match &options.reader_schema {
            Some(path) => {
                let text = std::fs::read_to_string(path);
                AvroSchema::parse(&text.with_context(|| format!("cannot read {}", path.display()))?)?
            }
            None => writer.clone(),
        };
        if let Some(path) = &options.features {
            return Self::tensors(&writer, path);
        }
        if !options.key.is_empty() {
            return Ok(Self::Keys(Self::keys(&writer, &reader, &options.key)?));
        }
        let plain = RecordOptions::default().layout(Layout::Plain).large_offsets(false);
        let plain = match &options.columns {
            Some(columns) => plain.fields(columns),
            None => plain,
        };
        Ok(Self::Records(RecordPlan::builder(&reader).writer(&writer).options(plain).build()?))
    }

    fn keys(writer: &AvroSchema, reader: &AvroSchema, keys: &[String]) -> Result<KeyProgram> {
        let keys = keys.iter().map(|key| Key::parse(key)).collect::<Result<Vec<_>, _>>()?;
        let named = keys.iter().map(|key| (key.text(), key));
        Ok(KeyProgram::builder(reader, named).writer(writer).build()?)
    }

    /// The features of a JSON file.
    fn tensors(schema: &AvroSchema, path: &Path) -> Result<Self> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let specs = feature_specs_from_json(&text).with_context(|| path.display().to_string())?;
        let mut columns = KeyColumns::new(schema);
        let mut numbers = Vec::new();
        for (name, spec) in &specs {
            let keys = spec.keys(name);
            let read_as = keys.keys.iter().map(String::as_str).zip(keys.dtypes.iter().copied());
            numbers.push(columns.add_as(keys.base.as_deref(), read_as)?);
        }
        let program = columns.program(KeyOptions::default())?;
        let arrow = program.arrow_schema();
        let bound = specs.iter().zip(numbers).map(|((name, spec), numbers)| {
            let fields = numbers.iter().map(|&number| arrow.field(number)).collect::<Vec<_>>();
            Ok((name.as_str(), spec.representation_of(name, &fields)?))
        });
        let bound = bound.collect::<Result<Vec<_>>>()?;
        Ok(Self::Tensors(program, Arc::new(Adapter::builder(arrow, bound).build()?)))
    }

    fn decoder(&self) -> Decoder {
        match self {
            Self::Records(plan) => Decoder { rows: plan.decoder(), adapter: None },
            Self::Keys(program) => Decoder { rows: program.decoder(), adapter: None },
            Self::Tensors(program, adapter) => {
                Decoder { rows: program.decoder(), adapter: Some(Arc::clone(adapter)) }
            }
        }
    }
}

/// A decoder, and what makes tensors of its batches.
struct Decoder {
    rows: AvroDecoder,
    adapter: Option<Arc<Adapter>>,
}

impl Decoder {
    /// Decodes a block; batches come out as they are full.
    fn push(&mut self, block: &Block<'_>, limit: usize, mut out: impl FnMut(RecordBatch)) -> Result<()> {
        let mut cursor = BlockCursor::default();
        while !cursor.decode(block, &mut self.rows, limit)? {
            out(self.flush()?);
        }
        Ok(())
    }

    /// A batch, from which its tensors have been made.
    fn flush(&mut self) -> Result<RecordBatch> {
        let batch = black_box(self.rows.flush()?);
        if let Some(adapter) = &self.adapter {
            drop(black_box(adapter.tensors(&batch)?));
        }
        Ok(batch)
    }
}

fn decode_alone(options: &Options, work: &Work, source: Source<'_>) -> Result<Done> {
    let mut decoder = work.decoder();
    let mut sum = Done::default();
    source.for_each(|block| {
        decoder.push(&block, options.batch.get(), drop)?;
        sum = sum + Done { records: block.count(), bytes: block.bytes().len() as u64 };
        Ok(())
    })?;
    decoder.flush()?;
    Ok(sum)
}

fn threading(options: &Options) -> Threading {
    Threading::new().threads(options.threads.get())
}

fn side_by_side(options: &Options, work: &Arc<Work>, source: Reader) -> Result<Done> {
    let (batch, work) = (options.batch.get(), Arc::clone(work));
    let runs = source.map_runs(&threading(options), move || {
        let mut decoder = work.decoder();
        move |run: &mut BlockRun| decode(&mut decoder, run, batch).transpose().map(Ok)
    })?;
    let mut sum = Done::default();
    for batches in runs {
        let (done, batches) = batches??;
        drop(black_box(batches));
        sum = sum + done;
    }
    Ok(sum)
}

/// A run of blocks as batches, from which their tensors have been made already. `None` behind its end.
fn decode(
    decoder: &mut Decoder,
    run: &mut BlockRun,
    limit: usize,
) -> Result<Option<(Done, Vec<RecordBatch>)>> {
    let (mut done, mut batches) = (Done::default(), Vec::new());
    while let Some(block) = run.next_block()? {
        decoder.push(&block, limit, |batch| batches.push(batch))?;
        done = done + Done { records: block.count(), bytes: block.bytes().len() as u64 };
    }
    if decoder.rows.rows() > 0 {
        batches.push(decoder.flush()?);
    }
    Ok((done.records > 0).then_some((done, batches)))
}
