//! Looking at records for features of one value and for text.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use tfxio_core::{Column, ColumnPath, Dataset, OptionValue, Result, Scan as _};
use tfxio_scan::DatasetExt as _;
use tfxio_scan::cast::Profile;
use tfxio_scan::sampling::{WHOLE_BYTES, sample_of};
use tfxio_store::is_url;

use super::choose::Chosen;
use super::options::ValueOptions;
use super::steps;

/// Records that are sampled for all columns. After them only the columns are read that are still candidates, which images are not.
const FIRST: u64 = 64;

/// Parts in which a bounded number of bytes is read at least, and the most rows of one.
const PARTS: u64 = 8;
const BOUNDED_ROWS: usize = 16;

/// Candidate columns.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    /// Columns of lists that may have one value each.
    pub(super) scalars: HashSet<String>,
    /// Sequence features that may have one value in each step.
    pub(super) steps: BTreeSet<ColumnPath>,
    /// Bytes that may be text.
    pub(super) texts: BTreeSet<ColumnPath>,
}

/// Adds the candidates that are confirmed by all sampled records to the chosen columns. A column without a value in them stays as it is.
pub(super) fn look(
    dataset: &Arc<dyn Dataset>,
    mut wanted: Wanted,
    options: &ValueOptions,
    chosen: &mut Chosen,
) -> Result<()> {
    if wanted.is_empty() {
        return Ok(());
    }
    let most = match options.infer_records {
        Some(records) => records,
        None => most(dataset)?,
    };
    for records in [FIRST.min(most), most] {
        let names = wanted.columns();
        let columns = dataset.schema().fields().iter().map(|field| field.name().as_str());
        let columns = columns.filter(|name| names.contains(name)).map(Column::new).collect::<Vec<_>>();
        if columns.is_empty() || records == 0 {
            return Ok(());
        }
        let mut request = options.request.clone().columns(columns).limit(records);
        let mut left = options.infer_bytes.unwrap_or(u64::MAX);
        if let Some(bytes) = options.infer_bytes {
            request = request.batch_bytes((bytes / PARTS).max(1)).batch_rows(BOUNDED_ROWS);
        }
        let mut batches = dataset.read(request)?;
        let mut profile = Profile::new(batches.schema(), true, true);
        let mut steps = steps::Profile::new(wanted.steps.iter().cloned());
        while !(profile.is_decided() && steps.is_decided()) && left > 0 {
            let Some(batch) = batches.next_batch()? else { break };
            profile.push(batch.columns());
            steps.push(batch.columns());
            left = left.saturating_sub(batch.columns().get_array_memory_size() as u64);
        }
        if records == most {
            let scalars = profile.seen_single().filter(|name| wanted.scalars.contains(*name));
            chosen.scalars.extend(scalars.map(str::to_owned));
            let texts = profile.seen_texts().filter(|path| wanted.texts.contains(*path));
            chosen.texts.extend(texts.cloned());
            chosen.steps.extend(steps.single(true));
            return Ok(());
        }
        let (scalars, texts) = (profile.single(), profile.open_texts());
        wanted.scalars.retain(|name| scalars.contains_key(name));
        wanted.texts.retain(|path| texts.contains(path));
        wanted.steps = steps.single(false);
    }
    Ok(())
}

impl Wanted {
    fn is_empty(&self) -> bool {
        self.scalars.is_empty() && self.texts.is_empty() && self.steps.is_empty()
    }

    /// Returns the names of the columns.
    fn columns(&self) -> HashSet<&str> {
        let of_texts = self.texts.iter().chain(&self.steps).filter_map(|path| path.initial_step().ok());
        self.scalars.iter().map(String::as_str).chain(of_texts).collect()
    }
}

/// Returns the default number of sampled records: as many as schemas are inferred from.
fn most(dataset: &Arc<dyn Dataset>) -> Result<u64> {
    let Ok(spec) = dataset.local_spec() else { return Ok(sample_of([None], WHOLE_BYTES)) };
    let number = |key: &str| match spec.options.get(key) {
        Some(OptionValue::Count(number)) => Some(*number),
        _ => None,
    };
    if let Some(records) = number("infer_records") {
        return Ok(records);
    }
    let size = |file: &Arc<str>| {
        let file = std::fs::metadata(&**file).ok().filter(|_| !is_url(file))?;
        file.is_file().then_some(file.len())
    };
    Ok(sample_of(spec.files.iter().map(size), number("infer_bytes").unwrap_or(WHOLE_BYTES)))
}
