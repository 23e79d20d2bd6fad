//! A set of shards that is written one after the other, so that a conversion can be resumed.
//!
//! Shard `i` of `n` has the rows from `rows * i / n` on to `rows * (i + 1) / n`: which these are depends on the inputs and on
//! nothing else.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tfxio_core::{Dataset, Error, ErrorKind, Nested, RecordRun, Result, ScanRequest};
use tfxio_scan::cast::CastPlan;
use tfxio_store::output::bytes_of;
use tfxio_store::shards::ShardSpec;
use tfxio_store::url;

use super::feeding::{Meter, Way};
use super::resume::{self, ProgressFile};
use super::rows::InputRows;
use super::run::Outcome;
use super::{Conversion, Loss};

impl Conversion {
    /// Refuses what cannot be resumed: rows of which it is not known beforehand which shard they come to.
    pub(super) fn check_resume(&self) -> Result<()> {
        let request = &self.request;
        let what = if url::is_url(&self.output.to_string_lossy()) {
            "a conversion to objects cannot be resumed"
        } else if self.shard_names()?.is_none() {
            "a conversion is resumed shard by shard, and the output is not a set of a number of shards"
        } else if request.filter.is_some() || request.limit.is_some() || self.shaping.sample.is_some() {
            "a conversion of some of the rows, by a predicate, a limit or a sample, cannot be resumed"
        } else if request.on_error.skip().is_some() {
            "a conversion that skips damage cannot be resumed"
        } else {
            return Ok(());
        };
        let help =
            "write a set of files, such as train@16.tfrecord, of all rows, or convert without resuming";
        Err(Error::new(ErrorKind::InvalidArgument, what).help(help))
    }

    fn shard_names(&self) -> Result<Option<Vec<PathBuf>>> {
        let Some(spec) = ShardSpec::parse(&self.output.to_string_lossy())? else { return Ok(None) };
        let Some(count) = spec.count() else { return Ok(None) };
        Ok(Some((0..count).map(|shard| spec.name(shard, count).into()).collect()))
    }

    /// Writes the shards that are not whole. Returns what is written of all.
    pub(super) fn write_shards(&self, rows: &InputRows, way: &Way, meter: &Meter) -> Result<Outcome> {
        let (dataset, request, plan) = (rows.dataset(), rows.request(), &*way.plan);
        let names = self.shard_names()?.unwrap_or_default();
        let runs = runs(dataset, request)?;
        let rows = runs.iter().map(|run| run.records).fold(0, u64::saturating_add);
        let mut progress = ProgressFile::open(&self.output, &self.pinned(dataset, plan, rows, names.len())?)?;
        let files = names.iter().map(|name| name.to_string_lossy().into_owned()).collect();
        let mut all = Outcome { records: rows, files, ..Outcome::default() };
        let count = names.len() as u128;
        let border = |shard: usize| (u128::from(rows) * shard as u128 / count.max(1)) as u64;
        for (index, name) in names.iter().enumerate() {
            let (first, end) = (border(index), border(index + 1));
            let number = u32::try_from(index).unwrap_or(u32::MAX);
            let bytes = match progress.bytes(number, name) {
                Some(bytes) => bytes,
                None => {
                    resume::remove_unfinished(name);
                    let runs = between(&runs, first, end);
                    let (bytes, losses) = self.write_shard(name, dataset, &runs, request, way, meter)?;
                    let index = |loss: Loss| Some((plan.schema().index_of(&loss.column).ok()?, loss.what));
                    progress.add(number, name, losses.into_iter().filter_map(index))?;
                    bytes
                }
            };
            all.bytes = all.bytes.saturating_add(bytes);
            meter.say_records(end);
        }
        // Those of shards that were whole before, too.
        let named = |(index, what): (usize, String)| {
            Some(Loss::new(plan.schema().fields().get(index)?.name().clone(), what))
        };
        all.losses = progress.remove()?.into_iter().filter_map(named).collect();
        Ok(all)
    }

    /// Writes one shard. Returns its size, and what is lost of its values.
    fn write_shard(
        &self,
        name: &Path,
        dataset: &Arc<dyn Dataset>,
        runs: &[RecordRun],
        request: &ScanRequest,
        way: &Way,
        meter: &Meter,
    ) -> Result<(u64, Vec<Loss>)> {
        let mut sink = self.format.sink(&name.to_string_lossy(), way.plan.schema(), &self.options)?;
        if !runs.is_empty() {
            let nested = Nested::new();
            let request = request.clone().spawn(nested.threading(&way.threading).spawn);
            let mut scan = dataset.take(runs, &request)?;
            way.write(&mut *sink, nested, move || scan.next_batch(), meter)?;
        }
        let losses = self.losses_of(&*sink)?;
        Ok((bytes_of(&sink.finish()?.files, &self.options), losses))
    }

    /// Returns what the shards are made of, a line each.
    fn pinned(
        &self,
        dataset: &Arc<dyn Dataset>,
        plan: &CastPlan,
        rows: u64,
        shards: usize,
    ) -> Result<Vec<String>> {
        let request = &self.request;
        let mut lines = vec![format!("tfxio {}: progress of a conversion", env!("CARGO_PKG_VERSION"))];
        lines.extend(resume::inputs(self.opening.files())?);
        lines.push(format!("from {} to {}", self.opening.format().name(), self.format.name()));
        lines.push(format!("options {:?}", self.stated));
        lines.extend(resume::option_files(self.stated.values()));
        // What files that options name say of the columns.
        lines.push(format!("columns of the inputs {:?}", dataset.schema().fields()));
        lines.push(format!("columns of the output {:?}", plan.schema().fields()));
        lines.push(format!("columns {:?}, {} rows a batch", request.columns, request.batch_rows));
        lines.push(format!("{:?}", self.shaping));
        lines.push(format!("rows {rows} in {shards} shards"));
        Ok(lines.into_iter().map(|line| line.replace('\n', " ")).collect())
    }
}

/// Returns all records, a run for each partition.
fn runs(dataset: &Arc<dyn Dataset>, request: &ScanRequest) -> Result<Vec<RecordRun>> {
    let mut runs: Vec<RecordRun> = Vec::new();
    for partition in dataset.partitions(u64::MAX)? {
        let records = dataset.count_rows(&partition, request)?;
        // The partitions of a file follow each other.
        match runs.last_mut().filter(|run| run.file == partition.file) {
            Some(run) => run.records = run.records.saturating_add(records),
            None => runs.push(RecordRun::new(Arc::clone(&partition.file), 0, records)),
        }
    }
    Ok(runs)
}

/// Returns the runs of the rows from `first` on to `end`, counted over all runs.
fn between(runs: &[RecordRun], first: u64, end: u64) -> Vec<RecordRun> {
    let mut start = 0u64;
    let mut found = Vec::new();
    for run in runs {
        let stop = start.saturating_add(run.records);
        let (from, to) = (first.max(start), end.min(stop));
        if from < to {
            found.push(RecordRun::new(Arc::clone(&run.file), run.first + (from - start), to - from));
        }
        start = stop;
    }
    found
}

#[cfg(test)]
mod tests {
    use tfxio_core::RecordRun;

    use super::between;

    #[test]
    fn shards_have_every_row_once() {
        let runs = [("a", 5), ("b", 0), ("c", 3), ("d", 9)];
        let runs = runs.map(|(file, rows)| RecordRun::new(file, 0, rows));
        for shards in 1..30u64 {
            let of = |shard| between(&runs, 17 * shard / shards, 17 * (shard + 1) / shards);
            let rows = (0..shards)
                .flat_map(of)
                .flat_map(|run| (run.first..run.first + run.records).map(move |row| (run.file.clone(), row)));
            let all = runs.iter().flat_map(|run| (0..run.records).map(|row| (run.file.clone(), row)));
            assert_eq!(rows.collect::<Vec<_>>(), all.collect::<Vec<_>>(), "{shards}");
        }
    }
}
