//! Chosen records, block by block.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions, UInt64Array};
use arrow_schema::SchemaRef;
use arrow_select::take::take_record_batch;
use tfxio_core::{Batch, Error, ErrorKind, Origins, Position, RecordRun, Result, Scan, ScanRequest};

use super::dataset::Inner;
use super::decoder::Program;
use super::gathered::Gathered;
use super::open_file::OpenFile;
use super::table::Found;

/// Maximum number of files that are open at a time.
const OPEN_FILES: usize = 64;

/// Reads runs of records, a batch at a time: of each batch, every block is read once, whatever the order of the records.
pub(super) struct Take {
    dataset: Arc<Inner>,
    request: ScanRequest,
    /// Program of the columns; `None` where records are only counted.
    program: Option<Program>,
    schema: SchemaRef,
    runs: VecDeque<RecordRun>,
    left: u64,
    open: HashMap<Arc<str>, OpenFile>,
    /// The last record of each file whose blocks are not looked up yet.
    last: HashMap<Arc<str>, u64>,
    failed: bool,
}

/// A record of a batch.
struct Wanted {
    record: u64,
    /// Row of the batch.
    row: usize,
}

/// A row that was read: its index among the rows of all files of the batch, and the offset of its block.
#[derive(Clone, Copy)]
struct Row {
    index: u64,
    offset: u64,
}

impl Take {
    pub(super) fn open(
        dataset: Arc<Inner>,
        runs: &[RecordRun],
        program: Option<Program>,
        schema: SchemaRef,
        request: &ScanRequest,
    ) -> Result<Self> {
        // Rows that the filter leaves are counted above.
        let left = request.limit.filter(|_| request.filter.is_none()).unwrap_or(u64::MAX);
        Ok(Self {
            last: last_records(runs, left),
            dataset,
            request: request.clone(),
            program,
            schema,
            runs: runs.iter().filter(|run| run.records > 0).cloned().collect(),
            left,
            open: HashMap::new(),
            failed: false,
        })
    }

    fn fill(&mut self) -> Result<Option<Batch>> {
        // A batch of which everything is damaged and skipped has no rows.
        loop {
            self.request.cancel.check()?;
            let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(self.request.batch_rows.max(1));
            let chosen = self.choose(most);
            if chosen.is_empty() {
                return Ok(None);
            }
            let batch = self.read(chosen)?;
            if batch.num_rows() > 0 {
                self.left = self.left.saturating_sub(batch.num_rows() as u64);
                return Ok(Some(batch));
            }
        }
    }

    /// Takes the runs of the next batch.
    fn choose(&mut self, most: usize) -> Vec<RecordRun> {
        let mut left = most as u64;
        let mut chosen = Vec::new();
        while left > 0
            && let Some(run) = self.runs.front_mut()
        {
            let records = run.records.min(left);
            chosen.push(RecordRun::new(Arc::clone(&run.file), run.first, records));
            left -= records;
            run.first = run.first.saturating_add(records);
            run.records -= records;
            if run.records == 0 {
                self.runs.pop_front();
            }
        }
        chosen
    }

    fn read(&mut self, runs: Vec<RecordRun>) -> Result<Batch> {
        // The files in the order in which they come first.
        let mut files: Vec<(Arc<str>, Vec<Wanted>)> = Vec::new();
        let mut file_indices: HashMap<Arc<str>, usize> = HashMap::new();
        let mut numbers = Vec::new();
        for run in runs {
            let index = *file_indices.entry(Arc::clone(&run.file)).or_insert_with(|| {
                files.push((Arc::clone(&run.file), Vec::new()));
                files.len() - 1
            });
            let Some((_, wanted)) = files.get_mut(index) else { continue };
            for record in run.first..run.first.saturating_add(run.records) {
                wanted.push(Wanted { record, row: numbers.len() });
                numbers.push((index, record));
            }
        }
        let mut rows = vec![None; numbers.len()];
        let mut chunks = Gathered::new(Arc::clone(&self.schema));
        for (file, wanted) in &mut files {
            wanted.sort_unstable_by_key(|wanted| wanted.record);
            let base = chunks.rows() as u64;
            if let Some(chunk) = self.read_file(file, wanted, base, &mut rows)? {
                chunks.push(chunk);
            }
        }
        let mut origins = Origins::default();
        for ((index, record), row) in numbers.iter().zip(&rows) {
            if let (Some((file, _)), Some(row)) = (files.get(*index), row) {
                origins.push(Arc::clone(file), *record, Some(row.offset));
            }
        }
        let indices = rows.iter().flatten().map(|row| row.index).collect::<Vec<_>>();
        if self.program.is_none() {
            let options = RecordBatchOptions::new().with_row_count(Some(indices.len()));
            let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), Vec::new(), &options)?;
            return Ok(Batch::new(batch, origins));
        }
        let batch = chunks.take()?.unwrap_or_else(|| RecordBatch::new_empty(Arc::clone(&self.schema)));
        let is_in_order =
            indices.len() == batch.num_rows() && indices.iter().copied().eq(0..indices.len() as u64);
        let batch = if is_in_order { batch } else { take_record_batch(&batch, &UInt64Array::from(indices))? };
        Ok(Batch::new(batch, origins))
    }

    /// Reads records of a file, in the order of the file, and sets the row of each, counted from `base`.
    fn read_file(
        &mut self,
        file: &Arc<str>,
        wanted: &[Wanted],
        base: u64,
        rows: &mut [Option<Row>],
    ) -> Result<Option<RecordBatch>> {
        if let Some(last) = self.last.remove(file) {
            // Reads the heads of all blocks at once. What is wrong with one is said where its records are read.
            let _ = self.dataset.metadata.block_of(file, last, &self.request.limits, &self.request.cancel);
        }
        self.announce(file, wanted)?;
        let mut made = 0_u64;
        let mut rest = wanted;
        while let Some(first) = rest.first() {
            self.request.cancel.check()?;
            let found = self.dataset.metadata.block_of(
                file,
                first.record,
                &self.request.limits,
                &self.request.cancel,
            )?;
            let found = found.ok_or_else(|| missing(file, first.record))?;
            let count = rest.partition_point(|wanted| wanted.record < found.next_record);
            let (of_block, after) = rest.split_at(count);
            rest = after;
            // A record that is asked for twice is decoded once.
            let mut records = of_block.iter().map(|wanted| wanted.record).collect::<Vec<_>>();
            records.dedup();
            let read = self.read_block(file, &found, &records)?;
            let mut known = records.iter().zip(read).peekable();
            let mut at = None;
            for wanted in of_block {
                while known.peek().is_some_and(|(record, _)| **record <= wanted.record) {
                    at = known.next().and_then(|(record, is_good)| {
                        let index = base.saturating_add(made);
                        made += u64::from(is_good);
                        is_good.then_some((*record, index))
                    });
                }
                if let (Some((record, index)), Some(row)) = (at, rows.get_mut(wanted.row)) {
                    *row = (record == wanted.record).then_some(Row { index, offset: found.position.offset });
                }
            }
        }
        match self.open.get_mut(file).and_then(|open| open.decoder.as_mut()) {
            Some(decoder) => Ok(Some(decoder.flush()?.0)),
            None => Ok(None),
        }
    }

    /// Announces the blocks of a file that are read next. An error in one is reported where its records are read.
    fn announce(&mut self, file: &Arc<str>, wanted: &[Wanted]) -> Result<()> {
        if self.program.is_none() || self.request.on_error.skip().is_some() {
            return Ok(());
        }
        let (mut blocks, mut rest) = (Vec::new(), wanted);
        while let Some(first) = rest.first() {
            self.request.cancel.check()?;
            let (limits, cancel) = (&self.request.limits, &self.request.cancel);
            let Ok(Some(found)) = self.dataset.metadata.block_of(file, first.record, limits, cancel) else {
                break;
            };
            blocks.push(found.position.offset..found.end);
            let count = rest.partition_point(|wanted| wanted.record < found.next_record);
            rest = rest.get(count..).unwrap_or_default();
        }
        if let Some(open) = self.open_file(file)? {
            open.announce(&blocks);
        }
        Ok(())
    }

    /// Returns a file, which is opened where it is not open; nothing where records are only counted.
    fn open_file(&mut self, file: &Arc<str>) -> Result<Option<&mut OpenFile>> {
        let Self { dataset, request, program: Some(program), open, .. } = self else { return Ok(None) };
        if !open.contains_key(file) && open.len() >= OPEN_FILES {
            open.clear();
        }
        Ok(Some(match open.entry(Arc::clone(file)) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(OpenFile::open(dataset, file, Some(&*program), request)?),
        }))
    }

    /// Decodes records of a block, which are sorted. Returns which of them are good: all, unless damage is skipped.
    fn read_block(&mut self, file: &Arc<str>, found: &Found, records: &[u64]) -> Result<Vec<bool>> {
        let (dataset, request) = (Arc::clone(&self.dataset), self.request.clone());
        match self.open_file(file)? {
            Some(open) => open.read(&dataset.metadata, file, found, records, &request),
            None => Ok(vec![true; records.len()]),
        }
    }
}

/// Returns the last record of each file among the first `left` records of runs.
fn last_records(runs: &[RecordRun], mut left: u64) -> HashMap<Arc<str>, u64> {
    let mut last = HashMap::new();
    for run in runs {
        let records = run.records.min(left);
        left -= records;
        let Some(record) = run.first.saturating_add(records).checked_sub(1).filter(|_| records > 0) else {
            continue;
        };
        let known = last.entry(Arc::clone(&run.file)).or_insert(record);
        *known = record.max(*known);
    }
    last
}

/// Returns the error of a record that a file does not have.
fn missing(file: &Arc<str>, record: u64) -> Error {
    let what = format!("there is no record {record} in the file");
    let error = Error::new(ErrorKind::InvalidArgument, what);
    error.help("take the numbers from the files as they are now").at(Position::new().file(Arc::clone(file)))
}

impl Scan for Take {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        if self.failed {
            return Ok(None);
        }
        let batch = self.fill();
        self.failed = batch.is_err();
        batch
    }
}

impl fmt::Debug for Take {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Take")
            .field("runs", &self.runs.len())
            .field("left", &self.left)
            .finish_non_exhaustive()
    }
}
