//! Errors of data sets in the words of manifests and configurations.

use std::sync::Arc;

use tfxio_core::{Damage, OverBudget, Remedy};

use crate::error::{Locate as _, REWRITE_OR_SKIP};
use crate::{Error, Kind};

/// Facts about a data set that its errors are explained with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Explain {
    /// Whether a manifest describes it.
    manifest: bool,
    /// Whether the manifest declares the files to be compressed.
    is_compressed: bool,
}

impl Explain {
    /// Returns the facts of a manifest.
    pub(super) fn manifest(is_compressed: bool) -> Self {
        Self { manifest: true, is_compressed }
    }

    /// Returns whether a manifest describes the data set.
    pub(super) fn is_manifest(&self) -> bool {
        self.manifest
    }

    /// Returns whether a manifest declares the files to be compressed.
    pub(super) fn is_compressed(&self) -> bool {
        self.is_compressed
    }

    /// Returns an error of the data set as one of the loader.
    #[cold]
    pub(super) fn error(&self, error: Error) -> Error {
        use tfxio_core::ErrorKind as Coarse;

        if error.detail::<Kind>().is_some() {
            return error;
        }
        let kind = match error.kind() {
            Coarse::LimitExceeded => Kind::LimitExceeded,
            Coarse::Malformed => Kind::Corrupt,
            Coarse::NotFound => Kind::NotFound,
            Coarse::Cancelled => Kind::Stopped,
            Coarse::SchemaMismatch => Kind::Record,
            kind if kind.is_io() => Kind::Io,
            _ => Kind::Source,
        };
        let over_budget = error.detail::<OverBudget>().is_some();
        let mut what = error.what().to_owned();
        let mut hint = error.hint().map(str::to_owned);
        let (mut position, mut skips) = (error.position().clone(), false);
        if self.manifest {
            match kind {
                Kind::Corrupt if error.damage() == Some(Damage::OtherFormat) => {
                    hint = Some(
                        "check that it is a TFRecord file, and `compression` in the manifest".to_owned(),
                    );
                }
                Kind::Corrupt if position.record.is_some() => {
                    hint = Some(REWRITE_OR_SKIP.to_owned());
                    skips = true;
                }
                Kind::Record => {
                    position.tensor = position.column.take();
                    hint = Some("correct the record, or what the manifest says of the feature".to_owned());
                }
                Kind::NotFound => {
                    what = "no such file".to_owned();
                    hint = Some("check the list of files and the paths in it".to_owned());
                }
                _ => {}
            }
        }
        let mut ours = Error::new(kind, what).at(position);
        if let Some(hint) = hint {
            ours = ours.help(hint);
        }
        if skips {
            ours = ours.remedied_by(Remedy::SkipDamage);
        }
        let ours = ours.because(error);
        if over_budget { ours.over_budget() } else { ours }
    }
}

/// Returns the error of a compressed file whose records cannot be entered.
pub(super) fn no_order(file: &str) -> Error {
    let what = format!(
        "a global shuffle reads records in any order, which a compressed file does not allow: {file}"
    );
    Error::new(Kind::InvalidValue, what)
        .help(
            "shuffle through a buffer, which decompresses it once, or write the data set without compression",
        )
        .at_json("shuffle")
}

/// Returns the error of a compressed file whose records are to be counted.
pub(super) fn no_count(file: &Arc<str>) -> Error {
    let what = "how many records a compressed file has shows only when all of it is decompressed";
    Error::new(Kind::InvalidValue, what)
        .help("index it first (`tfxio index FILE`), or write it without compression or in gzip members")
        .in_file(Arc::clone(file))
}
