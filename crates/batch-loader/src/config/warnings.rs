//! Warnings about settings that are allowed, and probably not meant.

use super::{LoaderConfig, LoaderType, Located, Operation, SliceAxis};
use crate::error::Locate as _;
use crate::{Error, Kind};

impl Located<LoaderConfig> {
    /// Returns warnings about settings that are probably not meant, each with its file, line and column as far as they
    /// are known. A loader logs them when it is built.
    ///
    /// ```
    /// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/loader");
    /// let mut config = batch_loader::config::LoaderConfig::from_file(format!("{folder}/digits.json"))?;
    /// assert!(config.warnings().is_empty());
    /// (config.seed, config.sloppy_interleave) = (Some(1), true);
    /// assert!(config.warnings()[0].contains("the order differs from run to run"));
    /// # Ok::<(), batch_loader::Error>(())
    /// ```
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let mut out = Vec::new();
        let mut warn = |path: &str, what: String, hint: &str| {
            let warning = Error::new(Kind::InvalidValue, what).help(hint).at_json(path);
            out.push(self.locate(warning).to_string());
        };
        if matches!(self.loader, LoaderType::ContinuousSequence { .. }) {
            for (at, step) in self.processing_steps.iter().enumerate() {
                let Operation::Slice(slice) = &step.operation else { continue };
                let whole = SliceAxis::Range { start: None, stop: None, step: 1 };
                if slice.axes.first().is_none_or(|first| *first == whole) {
                    continue;
                }
                let what = format!(
                    "the slice {slice} is taken of each record, before windows are cut: steps are missing in windows \
                     that lie over the end of a record"
                );
                warn(
                    &format!("processing_steps[{at}].args.slice"),
                    what,
                    "to take a part of each window, use `window_steps`",
                );
            }
        }
        if let (LoaderType::ContinuousSequence { .. }, Some(filter)) = (self.loader, &self.filter) {
            let what = format!(
                "the steps of records that do not satisfy {:?} are missing in windows",
                filter.to_string()
            );
            warn("filter", what, "write the records that are wanted as files of their own");
        }
        if self.sloppy_interleave && self.seed.is_some() {
            let what = "with `sloppy_interleave`, the order differs from run to run in spite of the seed";
            warn("sloppy_interleave", what.to_owned(), "leave `sloppy_interleave` out to repeat a run");
        }
        out
    }
}
