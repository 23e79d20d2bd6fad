//! The files of a data set.

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::config::Dataset;
use crate::json::text_of;
use crate::{Error, ErrorKind, Result};

/// The manifest at the top of a directory.
const MANIFEST: &str = "__manifest__.json";
const EXTENSIONS: [&str; 2] = [".tfrecords", ".tfrecord"];

/// What a data set consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Files {
    pub(crate) manifest: PathBuf,
    /// Paths and URLs in the order in which they are read without shuffling; at least one.
    pub(crate) files: Vec<Arc<str>>,
}

impl Files {
    /// Finds the files of a data set. Relative paths start at `base`, or at the working directory; those that a list
    /// holds, too. Whether the files of a list exist shows when they are opened.
    ///
    /// # Errors
    ///
    /// * `NotFound` if there is no such directory, list or manifest, `Io` if they cannot be read.
    /// * `InvalidValue` if there are no files, or a list or a name is no UTF-8.
    pub(crate) fn find(dataset: &Dataset, base: Option<&Path>) -> Result<Self> {
        let from_base = |path: &Path| base.map_or_else(|| path.to_owned(), |base| base.join(path));
        match dataset {
            Dataset::Dir { data_dir } => {
                refuse_url(data_dir, "list the objects in a file and take a data set of type \"list\"")
                    .and_then(|()| directory(&from_base(data_dir)))
                    .map_err(|error| error.at_path("dataset.args.data_dir"))
            }
            Dataset::List { manifest_file, list_file } => {
                let path = |key: &str| format!("dataset.args.{key}");
                let files = refuse_url(list_file, "only the files in the list can be elsewhere")
                    .and_then(|()| list(&from_base(list_file), base))
                    .map_err(|error| error.at_path(path("list_file")))?;
                let manifest = refuse_url(manifest_file, "only the files in the list can be elsewhere")
                    .and_then(|()| manifest_at(from_base(manifest_file)))
                    .map_err(|error| error.at_path(path("manifest_file")))?;
                Ok(Self { manifest, files })
            }
        }
    }
}

/// Whether a name is a URL and not a path.
pub(crate) fn is_url(name: &str) -> bool {
    name.split_once("://").is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    })
}

fn refuse_url(path: &Path, hint: &str) -> Result<()> {
    match path.to_str() {
        Some(name) if is_url(name) => {
            let what = format!("{name:?} is a URL, where a path on this machine is needed");
            Err(Error::new(ErrorKind::InvalidValue, what).with_hint(hint))
        }
        _ => Ok(()),
    }
}

fn manifest_at(path: PathBuf) -> Result<PathBuf> {
    let failed = |error| read_error(&path, "manifest", error);
    match fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => Err(failed(io::ErrorKind::IsADirectory.into())),
        Ok(_) => Ok(path),
        Err(error) => Err(failed(error)),
    }
}

fn read_error(path: &Path, what: &str, error: io::Error) -> Error {
    let name = path.display();
    match error.kind() {
        io::ErrorKind::NotFound => {
            Error::new(ErrorKind::NotFound, format!("the {what} {name} does not exist")).because(error)
        }
        _ => Error::new(ErrorKind::Io, format!("the {what} {name} cannot be read")).because(error),
    }
}

fn directory(top: &Path) -> Result<Files> {
    match fs::metadata(top) {
        Ok(metadata) if !metadata.is_dir() => {
            let what = format!("{} is no directory", top.display());
            return Err(Error::new(ErrorKind::InvalidValue, what)
                .with_hint("give the directory that holds the files"));
        }
        Ok(_) => {}
        Err(error) => return Err(read_error(top, "directory", error)),
    }
    let found = Found::below(top)?;
    let mut files = Vec::with_capacity(found.files.len());
    for path in &found.files {
        files.push(path.to_str().map(Arc::<str>::from).ok_or_else(|| {
            let what = format!("the name of the file {} is no UTF-8", path.display());
            Error::new(ErrorKind::InvalidValue, what).with_hint("rename it")
        })?);
    }
    if files.is_empty() {
        let what = format!("there is no file with an extension .tfrecords or .tfrecord in {}", top.display());
        let hint = match found.others {
            0 => "nor is there any other file".to_owned(),
            others => {
                format!("a data set of type \"list\" takes files of other names, of which there are {others}")
            }
        };
        return Err(Error::new(ErrorKind::InvalidValue, what).with_hint(hint));
    }
    files.sort_unstable();
    Ok(Files { manifest: manifest_at(top.join(MANIFEST))?, files })
}

/// What a walk through a directory has found.
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
            let failed = |error| read_error(&path, "directory", error);
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
        let name =
            path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        if EXTENSIONS.iter().any(|extension| name.ends_with(extension)) {
            self.files.push(path);
        } else if name != MANIFEST {
            self.others += 1;
        }
    }
}

/// The lines of a list; blank ones are ignored.
fn list(path: &Path, base: Option<&Path>) -> Result<Vec<Arc<str>>> {
    let name = path.display();
    let bytes = fs::read(path).map_err(|error| read_error(path, "list of files", error))?;
    let text = text_of(bytes, ErrorKind::InvalidValue).map_err(|error| error.in_file(name.to_string()))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let files = lines.map(|line| match base {
        Some(base) if !is_url(line) => base.join(line).display().to_string().into(),
        _ => line.into(),
    });
    let files = files.collect::<Vec<_>>();
    if files.is_empty() {
        let what = format!("the list of files {name} names none");
        return Err(Error::new(ErrorKind::InvalidValue, what).with_hint("give one path or URL a line"));
    }
    Ok(files)
}
