//! The reader of damaged files.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use super::engine::{Engine, Found};
use super::input::Input;
use super::report::{Damage, LastGood, Report};
use super::stream::Stream;
use crate::compression::Compression;
use crate::reader::{Record, open_file};
use crate::{Error, Kind, Limits, Result};

/// What to do about damage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Policy {
    /// The first damage is an error.
    Fail,
    /// A record whose payload is damaged is skipped, if the next one follows where it should. Other damage is an error.
    SkipRecord,
    /// The next good record is searched, whatever the damage. The default.
    #[default]
    Resync,
}

/// How much may be lost before it is an error after all. The default is any amount.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Budget {
    /// The most damages. A damage is one record, or more if they lie side by side and their lengths are unknown.
    pub damages: u64,
    /// The most bytes lost, uncompressed and compressed ones together.
    pub bytes: u64,
    /// The greatest share of the uncompressed bytes, from 0 to 1. Judged at the end of the input, because a share of
    /// the first few bytes says nothing.
    pub share: f64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { damages: u64::MAX, bytes: u64::MAX, share: 1.0 }
    }
}

impl Budget {
    /// Sets [`Budget::damages`].
    pub fn damages(mut self, damages: u64) -> Self {
        self.damages = damages;
        self
    }

    /// Sets [`Budget::bytes`].
    pub fn bytes(mut self, bytes: u64) -> Self {
        self.bytes = bytes;
        self
    }

    /// Sets [`Budget::share`].
    pub fn share(mut self, share: f64) -> Self {
        self.share = share;
        self
    }
}

/// Sets up a [`SalvageReader`] over a source: a path, which [`open`](Self::open) opens, or any `Read`, which
/// [`build`](Self::build) takes. Made by [`SalvageReader::builder`].
///
/// ```
/// use tfrecord_io::{Kind, frame};
/// use tfrecord_io::salvage::{Budget, Policy, SalvageReader};
///
/// let mut file = Vec::new();
/// frame::append(&mut file, b"one");
/// frame::append(&mut file, b"two");
/// file[12] ^= 1;
///
/// let mut reader = SalvageReader::new(&file[..]);
/// assert_eq!(reader.next_record()?.map(|record| record.data), Some(&b"two"[..]));
///
/// let mut reader = SalvageReader::builder(&file[..]).policy(Policy::Fail).build();
/// assert_eq!(reader.next_record().unwrap_err().detail(), Some(&Kind::PayloadCrc));
///
/// let budget = Budget::default().damages(0);
/// let mut reader = SalvageReader::builder(&file[..]).budget(budget).build();
/// assert_eq!(reader.next_record().unwrap_err().detail(), Some(&Kind::SalvageBudget));
/// # Ok::<(), tfrecord_io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SalvageBuilder<S> {
    source: S,
    policy: Policy,
    budget: Budget,
    compression: Option<Compression>,
    limits: Limits,
    lookahead_bytes: usize,
    name: Option<Arc<str>>,
}

impl<S> SalvageBuilder<S> {
    /// Resync, any amount of damage, compression detected, default limits.
    fn over(source: S) -> Self {
        Self {
            source,
            policy: Policy::default(),
            budget: Budget::default(),
            compression: None,
            limits: Limits::default(),
            lookahead_bytes: 16 << 20,
            name: None,
        }
    }

    /// Sets what to do about damage. Default: [`Policy::Resync`].
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// How much may be lost. Default: any amount.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// States the compression; `None` detects it. Default: `None`. To be stated if the first bytes are damaged.
    pub fn compression(mut self, compression: Option<Compression>) -> Self {
        self.compression = compression;
        self
    }

    /// Sets the limits. Default: [`Limits::default`].
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// How far the records after a damage are followed in order to tell those of the file from those that a payload
    /// holds. Default: 16 MiB. TFRecord data in a damaged payload that is longer may be taken for records.
    pub fn lookahead_bytes(mut self, bytes: usize) -> Self {
        self.lookahead_bytes = bytes;
        self
    }

    /// Names the source in errors and in the report. [`open`](Self::open) uses the path.
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = Some(name.into());
        self
    }
}

impl<R: Read> SalvageBuilder<R> {
    /// Reads the source, which stands at the start of a file.
    pub fn build(self) -> SalvageReader<R> {
        let stream = Stream::new(Input::new(self.source, self.compression, self.limits));
        SalvageReader {
            engine: Engine::new(stream, self.policy, self.limits.record_bytes, self.lookahead_bytes),
            report: Report { file: self.name, ..Report::default() },
            budget: self.budget,
            last_good: None,
        }
    }
}

impl<P: AsRef<Path>> SalvageBuilder<P> {
    /// Opens the file.
    ///
    /// # Errors
    ///
    /// The file is missing, is a directory, or may not be read.
    pub fn open(self) -> Result<SalvageReader<File>> {
        let (file, name) = open_file(self.path())?;
        let Self { source: _, policy, budget, compression, limits, lookahead_bytes, name: given } = self;
        let name = Some(given.unwrap_or(name));
        Ok(SalvageBuilder { source: file, policy, budget, compression, limits, lookahead_bytes, name }
            .build())
    }

    /// Returns the path of the file.
    pub(super) fn path(&self) -> &Path {
        self.source.as_ref()
    }
}

/// Reads the good records of a damaged file and reports what is lost. Made by a [`SalvageBuilder`].
#[derive(Debug)]
pub struct SalvageReader<R = File> {
    engine: Engine<R>,
    report: Report,
    budget: Budget,
    last_good: Option<LastGood>,
}

impl SalvageReader<File> {
    /// Opens a file with default settings.
    ///
    /// # Errors
    ///
    /// As [`SalvageBuilder::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::builder(path).open()
    }

    /// Returns a builder of a reader over `source`: a path or any [`Read`].
    pub fn builder<S>(source: S) -> SalvageBuilder<S> {
        SalvageBuilder::over(source)
    }
}

impl<R: Read> SalvageReader<R> {
    /// Reads from `source` with default settings.
    pub fn new(source: R) -> Self {
        SalvageBuilder::over(source).build()
    }

    /// Returns the next good record, or `None` at the end. The records are numbered without the lost ones; their offsets are
    /// those in the uncompressed stream.
    ///
    /// # Errors
    ///
    /// - Reading fails.
    /// - [`Kind::NotTfRecord`]: the file begins like a file of another kind.
    /// - [`Kind::SalvageBudget`]: more is damaged than the budget allows.
    /// - The damage itself, as far as the [`Policy`] does not allow it.
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>> {
        loop {
            match self.engine.advance() {
                Ok(Found::Record) => break,
                Ok(Found::Damage(mut damage)) => {
                    damage.last_good = self.last_good;
                    self.report.add(damage);
                    self.check_budget(damage.start, damage.compressed)?;
                }
                Ok(Found::End) => return self.check_share().map(|()| None),
                Err(error) => {
                    let error = if error.position().byte.is_some() {
                        error.at_record(self.report.records)
                    } else {
                        error
                    };
                    return Err(error.in_file_if_known(self.report.file.as_ref()));
                }
            }
        }
        let (offset, data) = self.engine.record();
        let index = self.report.records;
        self.report.records += 1;
        self.report.payload_bytes = self.report.payload_bytes.saturating_add(data.len() as u64);
        self.last_good = Some(LastGood { index, offset });
        Ok(Some(Record { offset, index, data }))
    }

    /// Returns what was found so far. Complete when [`next_record`](Self::next_record) has given `None`.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Takes the damages that were listed so far out of the report, whose sums stay: a reader that looks at them as it
    /// goes needs no memory for them.
    pub fn take_damages(&mut self) -> Vec<Damage> {
        std::mem::take(&mut self.report.damages)
    }

    /// Gives the report out.
    pub fn into_report(self) -> Report {
        self.report
    }

    fn check_budget(&self, start: u64, compressed: bool) -> Result<()> {
        let Report { lost_bytes, lost_compressed_bytes, .. } = self.report;
        let bytes = lost_bytes.saturating_add(lost_compressed_bytes);
        let damages = self.report.damage_count();
        let what = if damages > self.budget.damages {
            format!("{damages} places are damaged; the budget allows {}", self.budget.damages)
        } else if bytes > self.budget.bytes {
            format!("{bytes} bytes are lost; the budget allows {}", self.budget.bytes)
        } else {
            return Ok(());
        };
        let error = self.over_budget(what);
        Err(if compressed { error.at_stored_byte(start) } else { error.at_byte(start) })
    }

    fn check_share(&self) -> Result<()> {
        let all = self.engine.offset();
        let lost = self.report.lost_bytes;
        let share = lost as f64 / all.max(1) as f64;
        if share > self.budget.share {
            let allowed = self.budget.share * 100.0;
            let percent = share * 100.0;
            let what =
                format!("{lost} of {all} bytes are lost, {percent:.2} %; the budget allows {allowed:.2} %");
            return Err(self.over_budget(what));
        }
        Ok(())
    }

    fn over_budget(&self, what: String) -> Error {
        Error::new(Kind::SalvageBudget, what)
            .help("raise the budget to take what is good all the same, or copy the file again")
            .in_file_if_known(self.report.file.as_ref())
    }
}
