//! Reading over damage.

use std::fmt;
use std::sync::Arc;

use tfrecord_io::salvage::{Budget, Damage, Policy, Report};
use tfxio_core::{Error, ErrorKind, Position, Skip, SkippedRange};

/// What to do about damaged records, for [`RecordOptions::with_salvage`](crate::RecordOptions::with_salvage).
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use tfxio_formats::{RawRecordTfxIo, ReadOptions, RecordOptions, Salvage};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/damaged/bit-in-length.tfrecord");
///
/// let lost = Arc::new(Mutex::new(0));
/// let salvage = Salvage::default().on_report({
///     let lost = Arc::clone(&lost);
///     move |report| *lost.lock().unwrap() += report.lost_bytes
/// });
/// let options = RecordOptions::default().with_salvage(salvage);
/// let dataset = RawRecordTfxIo::new([file])?.with_record_options(options);
/// let rows = dataset.read_all(&ReadOptions::default())?.map(|batch| batch.map(|batch| batch.num_rows()));
/// assert_eq!(rows.sum::<Result<usize, _>>()?, 5);
/// assert_eq!(*lost.lock().unwrap(), 127);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Salvage {
    pub(super) policy: Policy,
    pub(super) budget: Budget,
    pub(super) on_report: Option<TakeReport>,
    /// Where [`RecordOptions::with_on_error`](crate::RecordOptions::with_on_error) wants to be told.
    pub(super) skip: Option<Skip>,
}

type TakeReport = Arc<dyn Fn(&Report) + Send + Sync>;

impl Salvage {
    /// Skips whatever is damaged, within the budget of `skip`.
    pub(super) fn skipping(skip: Skip) -> Self {
        Self { skip: Some(skip), ..Self::default() }
    }

    /// Chooses what to read over. Default: everything, with a search for the next good record ([`Policy::Resync`]).
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Sets how much of each file may be lost before reading it is an error. Default: any amount.
    #[must_use]
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// Takes the report of each file, once it was read to its end; on a reading thread, so it should not take long.
    /// Default: none is taken.
    #[must_use]
    pub fn on_report(mut self, take: impl Fn(&Report) + Send + Sync + 'static) -> Self {
        self.on_report = Some(Arc::new(take));
        self
    }
}

impl fmt::Debug for Salvage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Salvage")
            .field("policy", &self.policy)
            .field("budget", &self.budget)
            .field("on_report", &self.on_report.is_some())
            .field("skip", &self.skip)
            .finish()
    }
}

/// Reports the damages of a file. `unlisted` is the number of those that a reader has met and not kept.
pub(super) fn add(skip: &Skip, file: &Arc<str>, damages: &[Damage], unlisted: u64) -> Result<(), Error> {
    for damage in damages {
        let reason = damage.reason.to_string();
        let mut range = SkippedRange::new(Arc::clone(file), damage.start, damage.end, reason);
        range.records = damage.lost_records;
        skip.add(range.compressed(damage.compressed))?;
    }
    if unlisted == 0 {
        return Ok(());
    }
    let listed = Report::MOST_LISTED;
    let message = format!("more than {listed} damages follow each other without a whole record between them");
    let position = Position::new().file(Arc::clone(file));
    Err(Error::new(ErrorKind::LimitExceeded, message).help("repair the file, or write it again").at(position))
}

/// Whether an error is that of damaged bytes, and not of what is asked of good ones.
pub(crate) fn is_damage(error: &Error) -> bool {
    error.kind() == ErrorKind::Malformed
}

/// What an error says, without the file, which a skipped range names itself.
pub(crate) fn reason(error: &Error) -> String {
    let text = error.to_string();
    let file = error.position().file.as_deref();
    let rest = file.and_then(|file| text.strip_prefix(file));
    let rest = rest.and_then(|rest| rest.strip_prefix(", ").or_else(|| rest.strip_prefix(": ")));
    rest.map_or_else(|| text.clone(), str::to_owned)
}
