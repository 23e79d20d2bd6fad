//! The files of a data set.

mod remote;
mod shards;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tfxio_core::{DatasetSpec, Store};

use crate::config::DatasetSource;
use crate::error::Locate as _;
use crate::json::{MAX_BYTES, read_text, text_of};
use crate::manifest::{FILE_NAME, Manifest};
use crate::{Error, Kind, Result};

const EXTENSIONS: [&str; 2] = [".tfrecords", ".tfrecord"];

/// Manifest and files of a data set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Files {
    /// The path or URL of the manifest.
    pub(crate) manifest: Arc<str>,
    /// Paths and URLs in the order in which they are read without shuffling; at least one.
    pub(crate) files: Vec<Arc<str>>,
    /// The list that names them, and the line of each.
    pub(crate) listed: Option<(Arc<str>, Vec<u32>)>,
}

impl Files {
    /// Finds the files of a data set. Relative paths start at `base`, or at the working directory; the paths in a list,
    /// too. A file of a list that does not exist is an error when it is opened.
    ///
    /// # Errors
    ///
    /// * `NotFound` if the directory, list or manifest does not exist, or a directory lacks shards of a set; `Io` if
    ///   they cannot be read.
    /// * `InvalidValue` for an empty set of files, shards of two sets of one name, or a list or a name that is not
    ///   UTF-8.
    /// * `LimitExceeded` if a list has more than 64 MiB.
    pub(crate) fn find(
        dataset: &DatasetSource,
        base: Option<&Path>,
        store: Option<&dyn Store>,
    ) -> Result<Self> {
        let from_base = |path: &Path| match path.to_str() {
            Some(name) if is_url(name) => path.to_owned(),
            _ => base.map_or_else(|| path.to_owned(), |base| base.join(path)),
        };
        let at = |key: &str, error: Error| error.at_json(format!("dataset.args.{key}"));
        match dataset {
            DatasetSource::Dir { data_dir } => match data_dir.to_str() {
                Some(url) if is_url(url) => remote::folder(url, store),
                _ => directory(&from_base(data_dir)),
            }
            .and_then(|found| {
                shards::check(&found.files)?;
                Ok(found)
            })
            .map_err(|error| at("data_dir", error)),
            DatasetSource::List { manifest_file, list_file } => {
                let (list_file, manifest) = (from_base(list_file), from_base(manifest_file));
                let (files, lines) = list(&list_file, base, store)
                    .and_then(|listed| {
                        shards::refuse_mixed(&listed.0)?;
                        Ok(listed)
                    })
                    .map_err(|error| at("list_file", error))?;
                let manifest = match manifest.to_str() {
                    Some(url) if is_url(url) => Ok(url.into()),
                    _ => manifest_at(manifest),
                };
                let manifest = manifest.map_err(|error| at("manifest_file", error))?;
                let list_file = list_file.display().to_string().into();
                Ok(Self { manifest, files, listed: Some((list_file, lines)) })
            }
            DatasetSource::Spec { .. } => {
                let what = "a description names the files itself, and has no manifest";
                Err(at("spec_file", Error::new(Kind::InvalidValue, what)))
            }
        }
    }

    /// Reads the manifest.
    pub(crate) fn manifest(&self, store: Option<&dyn Store>) -> Result<Manifest> {
        if !is_url(&self.manifest) {
            return Manifest::from_file(&*self.manifest);
        }
        let key = if self.listed.is_some() { "manifest_file" } else { "data_dir" };
        let text = remote::text(&self.manifest, "manifest", Kind::InvalidJson, store)
            .map_err(|error| error.at_json(format!("dataset.args.{key}")))?;
        Manifest::from_json(&text).map_err(|error| error.in_file(Arc::clone(&self.manifest)))
    }

    /// The error of a file, with the line of the list that names it.
    pub(crate) fn locate(&self, file: usize, mut error: Error) -> Error {
        let Some((list, lines)) = &self.listed else { return error };
        let position = error.position_mut();
        let Some(name) = position.file.replace(Arc::clone(list)) else { return error };
        position.line = lines.get(file).copied();
        let what = format!("{name}: {}", error.what());
        error.saying(what)
    }
}

/// Whether a name is a URL and not a path.
pub(crate) fn is_url(name: &str) -> bool {
    name.split_once("://").is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    })
}

/// Reads the description of a data set: `DatasetSpec` as JSON, at a path or a URL. Relative paths of files start at
/// `base`.
///
/// # Errors
/// `NotFound` or `Io` if it cannot be read, `InvalidJson` if it is not a description.
pub(crate) fn described(path: &Path, base: Option<&Path>, store: Option<&dyn Store>) -> Result<DatasetSpec> {
    const WHAT: &str = "description";
    let (name, text) = match path.to_str() {
        Some(url) if is_url(url) => (url.to_owned(), remote::text(url, WHAT, Kind::InvalidJson, store)?),
        _ => {
            let path = base.map_or_else(|| path.to_owned(), |base| base.join(path));
            (path.display().to_string(), read_text(&path, WHAT)?)
        }
    };
    let spec = serde_json::from_str::<DatasetSpec>(&text).map_err(|error| {
        let what = format!("this is not the description of a data set: {error}");
        let help = "write one with `tfxio load --init`, or from `Dataset::spec`";
        Error::new(Kind::InvalidJson, what).help(help).in_file(name)
    });
    let mut spec = spec?;
    for file in &mut spec.files {
        if let Some(base) = base.filter(|_| !is_url(file)) {
            *file = base.join(&**file).display().to_string().into();
        }
    }
    Ok(spec)
}

/// Returns the name and the bytes of a file, at a path that starts at `base` or at a URL; `what` names it in errors.
///
/// # Errors
/// `NotFound` or `Io` if it cannot be read, `LimitExceeded` if it has more than 64 MiB.
pub(crate) fn contents(
    path: &Path,
    what: &str,
    base: Option<&Path>,
    store: Option<&dyn Store>,
) -> Result<(String, Vec<u8>)> {
    if let Some(url) = path.to_str().filter(|name| is_url(name)) {
        return Ok((url.to_owned(), remote::bytes(url, what, store)?));
    }
    let path = base.map_or_else(|| path.to_owned(), |base| base.join(path));
    let name = path.display().to_string();
    let mut bytes = Vec::new();
    File::open(&path)
        .and_then(|file| file.take(MAX_BYTES.saturating_add(1)).read_to_end(&mut bytes))
        .map_err(|error| read_error(&name, what, error))?;
    refuse_long(&bytes, what, &name)?;
    Ok((name, bytes))
}

fn manifest_at(path: PathBuf) -> Result<Arc<str>> {
    let failed = |error| read_error(&path.display().to_string(), "manifest", error);
    match fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => Err(failed(io::ErrorKind::IsADirectory.into())),
        Ok(_) => match path.to_str() {
            Some(name) => Ok(name.into()),
            None => Err(no_utf8(&path)),
        },
        Err(error) => Err(failed(error)),
    }
}

fn no_utf8(path: &Path) -> Error {
    let what = format!("the name of the file {} is not UTF-8", path.display());
    Error::new(Kind::InvalidValue, what).help("rename it")
}

fn read_error(name: &str, what: &str, error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::NotFound => {
            Error::new(Kind::NotFound, format!("the {what} {name} does not exist")).because(error)
        }
        _ => Error::new(Kind::Io, format!("the {what} {name} cannot be read")).because(error),
    }
}

/// Refuses the bytes of a file that was read until one byte over the bound.
fn refuse_long(bytes: &[u8], what: &str, name: &str) -> Result<()> {
    if bytes.len() as u64 <= MAX_BYTES {
        return Ok(());
    }
    Err(Error::new(Kind::LimitExceeded, format!("the {what} {name} has more than {MAX_BYTES} bytes")))
}

fn directory(top: &Path) -> Result<Files> {
    match fs::metadata(top) {
        Ok(metadata) if !metadata.is_dir() => {
            let what = format!("{} is not a directory", top.display());
            return Err(Error::new(Kind::InvalidValue, what).help("give the directory that holds the files"));
        }
        Ok(_) => {}
        Err(error) => {
            let is_missing = error.kind() == io::ErrorKind::NotFound;
            let failed = read_error(&top.display().to_string(), "directory", error);
            // A name with such a character may exist all the same.
            let is_pattern = top.to_string_lossy().contains(['*', '?', '[']);
            return Err(if is_missing && is_pattern {
                failed.help(
                    "patterns are not expanded: give the directory, or list the files and take a data set of type \"list\"",
                )
            } else {
                failed
            });
        }
    }
    let found = Found::below(top)?;
    let mut files = Vec::with_capacity(found.files.len());
    for path in &found.files {
        files.push(path.to_str().map(Arc::<str>::from).ok_or_else(|| no_utf8(path))?);
    }
    if files.is_empty() {
        return Err(none_found(&top.display().to_string(), found.others));
    }
    files.sort_unstable();
    Ok(Files { manifest: manifest_at(top.join(FILE_NAME))?, files, listed: None })
}

/// A folder has no file of records, but others.
fn none_found(folder: &str, others: u64) -> Error {
    let what = format!("there is no file with an extension .tfrecords or .tfrecord in {folder}");
    let hint = match others {
        0 => "nor is there any other file".to_owned(),
        others => {
            format!("a data set of type \"list\" takes files of other names, of which there are {others}")
        }
    };
    Error::new(Kind::InvalidValue, what).help(hint)
}

/// Returns whether a file holds records, by its extension.
fn holds_records(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    EXTENSIONS.iter().any(|extension| name.ends_with(extension))
}

/// Result of a walk through a directory.
#[derive(Default)]
struct Found {
    files: Vec<PathBuf>,
    /// Files that have other names.
    others: u64,
    /// Directories that were read, so that each is read once, whatever links lead to it.
    read: HashSet<PathBuf>,
    /// Links, which are followed after everything else, so that files keep the names that they have without them.
    links: Vec<PathBuf>,
}

impl Found {
    fn below(top: &Path) -> Result<Self> {
        let mut found = Self::default();
        found.walk(top.to_owned())?;
        while !found.links.is_empty() {
            let mut links = std::mem::take(&mut found.links);
            links.sort_unstable();
            for link in links {
                // A link that leads nowhere is reported when the file is opened.
                if fs::metadata(&link).is_ok_and(|metadata| metadata.is_dir()) {
                    found.walk(link)?;
                } else {
                    found.file(link);
                }
            }
        }
        Ok(found)
    }

    fn walk(&mut self, top: PathBuf) -> Result<()> {
        let mut open = vec![top];
        while let Some(path) = open.pop() {
            let failed = |error| read_error(&path.display().to_string(), "directory", error);
            if !self.read.insert(fs::canonicalize(&path).map_err(failed)?) {
                continue;
            }
            for entry in fs::read_dir(&path).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                let kind = entry.file_type().map_err(failed)?;
                if kind.is_symlink() {
                    self.links.push(entry.path());
                } else if kind.is_dir() {
                    open.push(entry.path());
                } else {
                    self.file(entry.path());
                }
            }
        }
        Ok(())
    }

    fn file(&mut self, path: PathBuf) {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if holds_records(&name) {
            self.files.push(path);
        } else if name != FILE_NAME {
            self.others += 1;
        }
    }
}

/// The files that a list names, and their lines; blank ones are ignored.
fn list(path: &Path, base: Option<&Path>, store: Option<&dyn Store>) -> Result<(Vec<Arc<str>>, Vec<u32>)> {
    let name = path.display().to_string();
    let text = if is_url(&name) {
        remote::text(&name, "list of files", Kind::InvalidValue, store)?
    } else {
        let (_, bytes) = contents(path, "list of files", None, store)?;
        text_of(bytes, Kind::InvalidValue).map_err(|error| error.in_file(name.as_str()))?
    };
    let lines = text.lines().map(str::trim).zip(1..=u32::MAX).filter(|(line, _)| !line.is_empty());
    let files = lines.map(|(line, number)| {
        let file = match base {
            Some(base) if !is_url(line) => base.join(line).display().to_string().into(),
            _ => line.into(),
        };
        (file, number)
    });
    let files = files.collect::<(Vec<_>, Vec<_>)>();
    if files.0.is_empty() {
        let what = format!("the list of files {name} names none");
        return Err(Error::new(Kind::InvalidValue, what).help("give one path or URL a line"));
    }
    Ok(files)
}
