//! Settings that a saved state is compared with before it is restored.

use std::fmt::Debug;
use std::path::is_separator;
use std::sync::Arc;

use crate::config::{DatasetSource, LoaderConfig, LoaderType, OnError, Shuffle, write};
use crate::manifest::Manifest;
use crate::state::{FIRST_VERSION, Settings, hash};

/// Returns the settings that decide which batches come out, as a state of this version has them.
pub(super) fn settings(
    config: &LoaderConfig,
    manifest: &Manifest,
    [inputs, targets]: [&[Arc<str>]; 2],
    files: &[Arc<str>],
    sizes: &[Option<u64>],
    version: u32,
) -> Settings {
    let mut settings = Settings::default();
    if version == FIRST_VERSION {
        first_version(&mut settings, config, manifest, [inputs, targets]);
    } else {
        for (key, value) in write::decisive(config) {
            settings.note(&key, value);
        }
        settings.note("manifest", write::features_read(manifest, config));
        settings.note("inputs", write::json(inputs));
        settings.note("targets", write::json(targets));
        if !is_elastic(config) {
            settings.note("target_batch_size", config.target_batch_size.to_string());
            if let Some(shard) = config.shard.filter(|shard| shard.count > 1) {
                settings.note("shard", write::json(&shard));
            }
        }
    }
    if let Some(even) = config.even {
        settings.note("even", write::json(&even));
    }
    settings.files = files.len() as u64;
    let folder = match &config.dataset {
        Some(DatasetSource::Dir { .. } | DatasetSource::Spec { .. }) | None => common_folder(files),
        Some(DatasetSource::List { .. }) => 0,
    };
    let mut texts = Vec::new();
    for (name, size) in files.iter().zip(sizes) {
        texts.push(name.get(folder..).unwrap_or_default().as_bytes().to_vec());
        texts.push(format!("{size:?}").into_bytes());
    }
    settings.names = format!("{:016x}", hash(texts.iter().map(Vec::as_slice)));
    settings
}

/// Whether any number of hosts, with batches of any size, can go on from a state: under a shuffle of all examples,
/// unless each host has examples that wait in buckets or rows of its own.
fn is_elastic(config: &LoaderConfig) -> bool {
    let waits = config.bucket_by_length.is_some() || config.max_tokens.is_some() || config.pack.is_some();
    let is_shared = matches!(config.shuffle, Shuffle::Global | Shuffle::Blocks { .. } | Shuffle::Auto { .. });
    is_shared && !waits
}

/// The settings of the first version: what `{:?}` prints, as a hash if it is long.
fn first_version(
    settings: &mut Settings,
    config: &LoaderConfig,
    manifest: &Manifest,
    [inputs, targets]: [&[Arc<str>]; 2],
) {
    let mut note = |key: &str, value: &dyn Debug| {
        let text = format!("{value:?}");
        let text = if text.len() <= 80 { text } else { format!("#{:016x}", hash([text.as_bytes()])) };
        settings.configuration.insert(key.to_owned(), text);
    };
    match config.loader {
        // It had a field, which changed nothing.
        LoaderType::Independent => note("type", &format_args!("Independent {{ multi_load: false }}")),
        loader => note("type", &loader),
    }
    note("shuffle", &config.shuffle);
    note("primary_features", &config.primary_features);
    note("secondary_features", &config.secondary_features);
    note("processing_steps", &config.processing_steps);
    note("normalization", &config.normalization);
    note("padding", &config.padding);
    let on_corrupt = match config.on_error {
        OnError::Fail => "Fail",
        OnError::Skip(_) => "Skip",
    };
    note("on_corrupt", &format_args!("{on_corrupt}"));
    note("bucket_by_length", &config.bucket_by_length);
    note("manifest", manifest);
    note("inputs", &inputs);
    note("targets", &targets);
    if !is_elastic(config) {
        note("target_batch_size", &config.target_batch_size);
        note("shard", &config.shard);
    }
    // What the first version did not have.
    if !config.window_steps.is_empty() {
        note("window_steps", &config.window_steps);
    }
}

/// Returns the length of the common folder of all files, which may differ: a data set may move.
fn common_folder(names: &[Arc<str>]) -> usize {
    let Some(first) = names.first() else { return 0 };
    let mut shared = first.rfind(is_separator).map_or(0, |slash| slash + 1);
    for name in names {
        while shared > 0 && name.get(..shared) != first.get(..shared) {
            shared = first
                .get(..shared - 1)
                .and_then(|head| head.rfind(is_separator))
                .map_or(0, |slash| slash + 1);
        }
    }
    shared
}
