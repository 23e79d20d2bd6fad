//! Batches of training data: the crate [`batch_loader`], its files wherever [`InputFile`] finds them.

use std::io;
use std::sync::Arc;

use batch_loader::config::LoaderConfig;
use batch_loader::{Input, LocalFiles, Opener};

use crate::{Error, ErrorKind, InputFile, RecordOptions, expand_files_with, is_url};

/// Opens the files of a loader's data set: paths, and URLs where the features `object-store` or `cloud` know them.
///
/// ```
/// use std::sync::Arc;
/// use tfxio::batch_loader::BatchLoader;
/// use tfxio::batch_loader::config::LoaderConfig;
/// use tfxio::loader::InputFiles;
/// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/loader");
///
/// let config = LoaderConfig::from_file(format!("{folder}/digits.json"))?;
/// let mut loader = BatchLoader::builder(config)
///     .inputs(["image"])
///     .targets(["label"])
///     .base_dir(folder)
///     .opener(Arc::new(InputFiles::default()))
///     .build()?;
/// let batch = loader.next_batch()?.unwrap();
/// assert_eq!(batch.get("image")?.shape(), [32, 8, 8]);
/// # Ok::<(), tfxio::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct InputFiles {
    options: RecordOptions,
}

impl InputFiles {
    /// Opens URLs as the options say; nothing else of them counts.
    #[must_use]
    pub fn new(options: RecordOptions) -> Self {
        Self { options }
    }

    fn url(&self, name: &str) -> io::Result<InputFile> {
        InputFile::open(name, &self.options).map_err(as_io)
    }
}

impl Opener for InputFiles {
    fn open(&self, name: &str) -> io::Result<Box<dyn Input>> {
        if is_url(name) { Ok(Box::new(self.url(name)?)) } else { LocalFiles.open(name) }
    }

    fn size(&self, name: &str) -> io::Result<u64> {
        if is_url(name) { Ok(self.url(name)?.size()) } else { LocalFiles.size(name) }
    }

    fn list(&self, folder: &str) -> io::Result<Vec<Arc<str>>> {
        // A folder's name is no pattern.
        let mut pattern = String::new();
        for char in folder.trim_end_matches('/').chars() {
            match char {
                '*' | '?' | '[' => pattern.extend(['[', char, ']']),
                other => pattern.push(other),
            }
        }
        pattern.push_str("/**/*");
        expand_files_with([pattern], &self.options).map_err(as_io)
    }
}

/// The error of opening an input as one of reading, of the kind that it is.
fn as_io(error: Error) -> io::Error {
    let kind = match error.kind() {
        ErrorKind::NotFound => io::ErrorKind::NotFound,
        ErrorKind::PermissionDenied => io::ErrorKind::PermissionDenied,
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, error)
}

/// The names of all tensors that a configuration makes, in its order.
#[must_use]
pub fn tensor_names(config: &LoaderConfig) -> Vec<Arc<str>> {
    let read = config.primary_features.iter().map(|feature| &feature.to_name);
    let made = config.secondary_features.iter().map(|feature| &feature.to_name);
    read.chain(made).cloned().collect()
}
