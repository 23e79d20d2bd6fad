//! Indexes that are kept from one process to the next.

use std::path::{Path, PathBuf};

use tfrecord_io::Index;
use tfrecord_io::index::{Check, Stamp};
use tfxio_core::{Error, ErrorKind, FormatOptions, Position, Result};

/// Storage of indexes that did not exist.
#[derive(Clone, Debug, Default)]
pub(super) enum IndexStorage {
    /// Nowhere.
    #[default]
    None,
    /// Beside their files.
    Beside,
    /// In a folder, under names made of the names of the files, their sizes and when they were modified.
    Folder(PathBuf),
}

impl IndexStorage {
    /// Reads the options `keep_index` and `index_dir`.
    ///
    /// # Errors
    /// `InvalidArgument` without a folder for a cache.
    pub(super) fn new(options: &FormatOptions) -> Result<Self> {
        match options.text("keep_index") {
            Some("beside") => Ok(Self::Beside),
            Some("cache") => {
                let folder = options.text("index_dir").map(PathBuf::from).or_else(cache_folder);
                folder.map(Self::Folder).ok_or_else(|| {
                    let what = "there is no folder for caches: neither XDG_CACHE_HOME nor HOME is set";
                    Error::new(ErrorKind::InvalidArgument, what).help("name one in `index_dir`")
                })
            }
            _ => Ok(Self::None),
        }
    }

    /// Returns the index of a file from the folder, if there is one that fits.
    pub(super) fn find(&self, file: &Path) -> Option<Index> {
        let path = self.path(file, &Stamp::of_file(file).ok()?)?;
        let index = Index::load(path).ok()?;
        index.check_file(file, Check::Stamp).is_ok().then_some(index)
    }

    /// Keeps the index of a file, if that is wanted. It has to know when the file was modified.
    pub(super) fn keep(&self, file: &Path, index: &Index) -> Result<()> {
        if index.stamp().modified_ns.is_none() {
            return Ok(());
        }
        let saved = match (self, self.path(file, index.stamp())) {
            (Self::Beside, _) => index.write_beside(file).map(|_| ()),
            (_, Some(path)) => {
                // What hinders this shows when the index is written.
                let _ = path.parent().map(std::fs::create_dir_all);
                index.save(path)
            }
            (_, None) => return Ok(()),
        };
        saved.map_err(|error| {
            let help = match self {
                Self::Beside => "keep it in the cache, or keep none",
                _ => "give another `index_dir`, or keep none",
            };
            Error::new(ErrorKind::Io, "the index of this file cannot be kept")
                .help(help)
                .at(Position::new().file(file.to_string_lossy()))
                .because(error)
        })
    }

    fn path(&self, file: &Path, stamp: &Stamp) -> Option<PathBuf> {
        let Self::Folder(folder) = self else { return None };
        let path = std::fs::canonicalize(file).ok()?;
        let path = path.as_os_str().as_encoded_bytes();
        let (size, time) = (stamp.file_bytes.to_le_bytes(), stamp.modified_ns?.to_le_bytes());
        let half = |tag: &[u8]| hash([tag, path, &size, &time]);
        Some(folder.join(format!("{:016x}{:016x}.tfxi", half(b"0"), half(b"1"))))
    }
}

/// The hash FNV-1a of texts, each of which is followed by a byte that no text has.
fn hash<'a>(texts: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    let bytes = texts.into_iter().flat_map(|text| text.iter().chain(&[0xff]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Returns the folder `tfxio/indexes` among this user's caches.
fn cache_folder() -> Option<PathBuf> {
    let var = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    // The XDG specification has relative paths ignored.
    let caches = var("XDG_CACHE_HOME").filter(|path| path.is_absolute());
    let caches = caches.or_else(|| var("LOCALAPPDATA").filter(|_| cfg!(windows)));
    let caches = caches.or_else(|| Some(var("HOME")?.join(".cache")))?;
    Some(caches.join(Path::new("tfxio").join("indexes")))
}
