//! The names of a file that is being written.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::unfinished;
use crate::{Error, ErrorKind, Result};

/// Links that may lead to each other.
const LINKS: usize = 40;

/// A temporary file; removed when dropped.
#[derive(Debug)]
pub(super) struct Temporary(Option<PathBuf>);

impl Temporary {
    /// Renames the file, and forgets it if that went well.
    pub(super) fn leave(mut self, rename: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
        if let Some(path) = &self.0 {
            unfinished::remove(path, || rename(path))?;
        }
        self.0 = None;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // Nobody could be told if this failed.
            let _ = unfinished::remove(path, || fs::remove_file(path));
        }
    }
}

/// Creates the temporary file beside the target, or opens a pipe or a device. Returns the target, past all links.
pub(super) fn create(path: &Path, overwrite: bool) -> Result<(PathBuf, Option<Temporary>, File)> {
    let fail = |error| Error::io(error, "creating the file");
    let target = follow(path).map_err(fail)?;
    let old = match fs::metadata(&target) {
        Ok(found) if found.is_dir() => {
            let what = "creating the file failed: this is a directory";
            return Err(Error::new(ErrorKind::IsDirectory, what).help("give the name of a file in it"));
        }
        Ok(found) if !found.is_file() => {
            let file = OpenOptions::new().write(true).open(&target).map_err(fail)?;
            return Ok((target, None, file));
        }
        Ok(_) if !overwrite => return Err(exists()),
        Ok(found) => Some(found),
        Err(_) => None,
    };
    let Some(file_name) = target.file_name() else {
        return Err(Error::new(ErrorKind::InvalidArgument, "the path of an output names no file"));
    };
    loop {
        let temporary = target.with_file_name(temporary_name(&file_name.to_string_lossy()));
        match unfinished::create(&temporary, || create_new(&temporary, old.as_ref())) {
            Ok(file) => return Ok((target, Some(Temporary(Some(temporary))), file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let folder = target.parent().unwrap_or(Path::new("")).display();
                let what = format!("creating the file failed: the directory \"{folder}\" does not exist");
                return Err(Error::new(ErrorKind::NotFound, what)
                    .help("make the directory first")
                    .because(error));
            }
            Err(error) => return Err(fail(error)),
        }
    }
}

/// Returns standard output as a file, without a buffer.
#[cfg(unix)]
pub(super) fn stdout() -> io::Result<File> {
    use std::os::fd::AsFd as _;

    io::stdout().as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(windows)]
pub(super) fn stdout() -> io::Result<File> {
    use std::os::windows::io::AsHandle as _;

    io::stdout().as_handle().try_clone_to_owned().map(File::from)
}

#[cfg(not(any(unix, windows)))]
pub(super) fn stdout() -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Gives a file another name, in one step that fails with `AlreadyExists` if the name is taken.
pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Ok(()) => {
            // The file has its name; a second one, which says that it is temporary, harms nothing.
            let _ = fs::remove_file(from);
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // A file system without hard links.
        Err(_) => rename_claimed(from, to),
    }
}

/// Gives a file another name, which an empty file claims before.
fn rename_claimed(from: &Path, to: &Path) -> io::Result<()> {
    drop(OpenOptions::new().write(true).create_new(true).open(to)?);
    fs::rename(from, to).inspect_err(|_| {
        // The claim is ours, and nobody could be told if this failed.
        let _ = fs::remove_file(to);
    })
}

pub(super) fn exists() -> Error {
    Error::new(ErrorKind::AlreadyExists, "the output file exists already")
        .help("remove it, choose another name, or allow overwriting")
}

/// Returns the file that a path leads to: through a symbolic link, the file it names is replaced and not the link. A link
/// may lead to a file that does not exist yet.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        if !fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink()) {
            return Ok(path);
        }
        match fs::metadata(&path) {
            Ok(found) if found.is_file() => return fs::canonicalize(&path),
            // The link itself opens a pipe or a device, such as /dev/stdout, which may have no other name.
            Ok(_) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let to = fs::read_link(&path)?;
                path = path.parent().unwrap_or(Path::new("")).join(to);
            }
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many links lead to each other"))
}

/// Creates a file that does not exist, with the mode of the one that it will replace.
fn create_new(path: &Path, old: Option<&Metadata>) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if let Some(old) = old {
        use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};

        // Nobody else may open it before it has its mode.
        let file = options.mode(0o600).open(path)?;
        // A file system without modes has none to keep.
        let _ = file.set_permissions(fs::Permissions::from_mode(old.permissions().mode() & 0o777));
        return Ok(file);
    }
    #[cfg(not(unix))]
    let _ = old;
    options.open(path)
}

/// Returns a name that no other writer of this machine uses at the moment, and that patterns such as `*` do not match.
fn temporary_name(name: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let process = std::process::id();
    // File systems stop at 255 bytes.
    let start: String = name.chars().take(50).collect();
    format!(".{start}.{process}-{count}.tmp")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io;
    use std::path::Path;
    use std::sync::Barrier;

    use super::{rename_claimed, rename_new};

    #[test]
    fn one_of_several_writers_gets_the_name() {
        let folder = tempfile::tempdir().unwrap();
        let ways: [fn(&Path, &Path) -> io::Result<()>; 2] = [rename_new, rename_claimed];
        for (way, rename) in ways.into_iter().enumerate() {
            for round in 0..20 {
                let to = folder.path().join(format!("{way}-{round}"));
                let start = Barrier::new(4);
                let winners = std::thread::scope(|scope| {
                    let writers = (0..4).map(|writer| {
                        let from = folder.path().join(format!("{way}-{round}-{writer}.tmp"));
                        fs::write(&from, writer.to_string()).unwrap();
                        let (to, start) = (&to, &start);
                        scope.spawn(move || {
                            start.wait();
                            let renamed = rename(&from, to);
                            assert_eq!(from.exists(), renamed.is_err());
                            if let Err(error) = &renamed {
                                assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
                            }
                            renamed.is_ok().then_some(writer)
                        })
                    });
                    let writers = writers.collect::<Vec<_>>();
                    writers.into_iter().filter_map(|writer| writer.join().unwrap()).collect::<Vec<_>>()
                });
                assert_eq!(winners.len(), 1);
                assert_eq!(fs::read_to_string(&to).unwrap(), winners[0].to_string());
            }
        }
    }
}
