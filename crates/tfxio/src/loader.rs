//! Batches of training data: the crate [`batch_loader`], with the formats of this crate and files wherever they lie.

use std::sync::Arc;

use batch_loader::config::{LoaderConfig, Located};
use batch_loader::{BatchLoader, LoaderBuilder};

use crate::{FileStore, formats};

/// Begins to build a loader of the data set that a configuration names: paths, and URLs where the features `object-store` or
/// `cloud` know them.
///
/// ```
/// use tfxio::batch_loader::config::LoaderConfig;
/// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/loader");
///
/// let config = LoaderConfig::from_file(format!("{folder}/digits.json"))?;
/// let builder = tfxio::loader::builder(config).inputs(["image"]).targets(["label"]);
/// let batch = builder.base_dir(folder).build()?.next_batch()?.unwrap();
/// assert_eq!(batch.get("image")?.shape(), [32, 8, 8]);
/// # Ok::<(), tfxio::Error>(())
/// ```
pub fn builder(config: impl Into<Located<LoaderConfig>>) -> LoaderBuilder {
    BatchLoader::builder(config).formats(&formats()).store(Arc::new(FileStore::default()))
}

/// The names of all tensors that a configuration makes, in its order.
#[must_use]
pub fn tensor_names(config: &LoaderConfig) -> Vec<Arc<str>> {
    let read = config.primary_features.iter().map(|feature| &feature.to_name);
    let made = config.secondary_features.iter().map(|feature| &feature.to_name);
    read.chain(made).cloned().collect()
}
