//! What a saved state is compared with before it is restored.

use std::sync::Arc;

use crate::Result;
use crate::config::{Dataset, LoaderConfig, Shuffle};
use crate::files::is_url;
use crate::manifest::Manifest;
use crate::source::Parts;
use crate::state::{Settings, hash};

/// What decides which batches come out.
pub(super) fn settings(
    config: &LoaderConfig,
    manifest: &Manifest,
    inputs: &[Arc<str>],
    targets: &[Arc<str>],
    parts: &dyn Parts,
) -> Result<Settings> {
    let mut settings = Settings::default();
    settings.note("type", &config.loader);
    settings.note("target_batch_size", &config.target_batch_size);
    settings.note("drop_remainder", &config.drop_remainder);
    settings.note("epochs", &config.epochs);
    settings.note("shuffle", &config.shuffle);
    settings.note("primary_features", &config.primary_features);
    settings.note("secondary_features", &config.secondary_features);
    settings.note("processing_steps", &config.processing_steps);
    settings.note("normalization", &config.normalization);
    settings.note("padding", &config.padding);
    settings.note("on_corrupt", &config.on_corrupt);
    settings.note("bucket_by_length", &config.bucket_by_length);
    settings.note("manifest", manifest);
    settings.note("inputs", &inputs);
    settings.note("targets", &targets);
    // Any number of hosts can go on with a global shuffle, unless each has examples that wait in buckets of its own.
    if config.shuffle != Shuffle::Global || config.bucket_by_length.is_some() {
        settings.note("shard", &config.shard);
    }
    settings.files = parts.names().len() as u64;
    let folder = match &config.dataset {
        Dataset::Dir { .. } => common_folder(parts.names()),
        Dataset::List { .. } => 0,
    };
    let mut texts = Vec::new();
    for (part, name) in parts.names().iter().enumerate() {
        texts.push(name.get(folder..).unwrap_or_default().as_bytes().to_vec());
        // Asking a store for every size would take longer than loading the first batches.
        let size = if is_url(name) { None } else { parts.size(part)? };
        texts.push(format!("{size:?}").into_bytes());
    }
    settings.names = format!("{:016x}", hash(texts.iter().map(Vec::as_slice)));
    Ok(settings)
}

/// The length of the folder in which all files lie: a data set may move to another.
fn common_folder(names: &[Arc<str>]) -> usize {
    let Some(first) = names.first() else { return 0 };
    let mut shared = first.rfind('/').map_or(0, |slash| slash + 1);
    for name in names {
        while shared > 0 && name.get(..shared) != first.get(..shared) {
            shared = first.get(..shared - 1).and_then(|head| head.rfind('/')).map_or(0, |slash| slash + 1);
        }
    }
    shared
}
