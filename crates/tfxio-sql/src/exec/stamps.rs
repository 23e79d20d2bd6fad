//! Stamps of the files of a plan, by which a file that has changed since is refused.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tfxio_core::{Error, ErrorKind, Partition, Result, Store};
use tfxio_scan::ScanWatch;

use crate::plan::PartitionPlan;

/// Size and version of a file, which tell it from another one of the same name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Stamp {
    /// Bytes, as stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    /// The version that the store gives, such as an ETag. Local files have none: a copy of one has another time.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
}

impl Stamp {
    fn of(store: &dyn Store, file: &str) -> Result<Self> {
        Ok(Self { size: store.size(file)?, version: store.version(file)? })
    }
}

/// Stamps of the files of a plan, taken when it was made.
#[derive(Clone, Debug)]
pub(crate) struct Stamps {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) of: BTreeMap<Arc<str>, Stamp>,
}

impl Stamps {
    /// Asks the store for the files of a plan; it blocks.
    pub(crate) fn take(store: Arc<dyn Store>, plan: &PartitionPlan) -> Result<Self> {
        let files = plan.groups.iter().flatten().map(|part| &part.file).collect::<BTreeSet<_>>();
        let stamp = |file: &Arc<str>| {
            let stamp = Stamp::of(&*store, file).map_err(|error| error.in_file(Arc::clone(file)))?;
            Ok((Arc::clone(file), stamp))
        };
        let of = files.into_iter().map(stamp).collect::<Result<_>>()?;
        Ok(Self { store, of })
    }

    /// Returns the stamps of a plan's files.
    pub(crate) fn among(&self, plan: &PartitionPlan) -> BTreeMap<Arc<str>, Stamp> {
        let files = plan.groups.iter().flatten().map(|part| &part.file).collect::<BTreeSet<_>>();
        let stamps = self.of.iter().filter(|(file, _)| files.contains(file));
        stamps.map(|(file, stamp)| (Arc::clone(file), stamp.clone())).collect()
    }

    /// Asks the store for a file; it blocks.
    ///
    /// # Errors
    /// When it is not the one that it was.
    pub(crate) fn check(&self, file: &Arc<str>) -> Result<()> {
        let Some(before) = self.of.get(file) else { return Ok(()) };
        let now = Stamp::of(&*self.store, file).map_err(|error| error.in_file(Arc::clone(file)))?;
        let what = match (before, &now) {
            (Stamp { size: Some(before), .. }, Stamp { size: Some(now), .. }) if before != now => {
                format!("the file has {now} bytes here, and had {before} where the plan was made")
            }
            (Stamp { version: Some(before), .. }, Stamp { version: Some(now), .. }) if before != now => {
                format!("the file is version {now} here, and was {before} where the plan was made")
            }
            _ => return Ok(()),
        };
        let error = Error::new(ErrorKind::SchemaMismatch, what).in_file(Arc::clone(file));
        Err(error.help("let all machines see the same files, and run the statement again"))
    }
}

/// Check of the files of each scan against the stamps of the plan.
pub(super) struct Checked(pub(super) Arc<Stamps>);

impl ScanWatch for Checked {
    fn opening(&mut self, partitions: &[Partition]) -> Result<()> {
        partitions.iter().try_for_each(|partition| self.0.check(&partition.file))
    }
}
