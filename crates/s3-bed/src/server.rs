//! The server, which ends with the test that started it.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// The key that the server knows.
pub const ACCESS_KEY: &str = "AKIATESTS";
/// Its secret, which must be in no message.
pub const SECRET_KEY: &str = "wJalrXUtnFEMIsecret";

/// An S3-compatible server, which ends when this is dropped. Its buckets are folders of a temporary one.
#[derive(Debug)]
pub struct Server {
    process: Child,
    url: String,
    folder: TempDir,
}

impl Server {
    /// Starts a server with one bucket, `bucket`. `None` where `TFXIO_S3_SERVER` does not name the program.
    ///
    /// # Panics
    /// When the program cannot be run.
    #[must_use]
    pub fn start() -> Option<Self> {
        let Some(program) = std::env::var_os("TFXIO_S3_SERVER").filter(|program| !program.is_empty()) else {
            println!("left out: TFXIO_S3_SERVER is not set (`cargo xtask test --s3` sets it)");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("bucket")).unwrap();
        let mut command = Command::new(program);
        command.arg(folder.path()).args([ACCESS_KEY, SECRET_KEY]);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut url).unwrap();
        assert!(url.starts_with("http://127.0.0.1:"), "the server says {url:?}");
        Some(Self { process, url: url.trim_end().to_owned(), folder })
    }

    /// Returns its URL, without a slash at the end.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the path of an object of the bucket.
    #[must_use]
    pub fn path(&self, key: &str) -> PathBuf {
        self.folder.path().join("bucket").join(key)
    }

    /// Writes an object into the bucket.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn put(&self, key: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(key);
        fs::create_dir_all(path.parent().unwrap_or(Path::new(""))).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Returns the keys of the objects in the bucket, in order: what a crash or an abort has left is not among them.
    ///
    /// # Panics
    /// When a folder cannot be listed.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        fn below(folder: &Path, prefix: &str, keys: &mut Vec<String>) {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let key = format!("{prefix}{}", entry.file_name().to_string_lossy());
                if entry.file_type().unwrap().is_dir() {
                    below(&entry.path(), &format!("{key}/"), keys);
                } else {
                    keys.push(key);
                }
            }
        }
        let mut keys = Vec::new();
        below(&self.path(""), "", &mut keys);
        keys.sort();
        keys
    }

    /// Returns the number of multipart uploads that were begun and neither completed nor aborted.
    ///
    /// # Panics
    /// When the folder cannot be listed.
    #[must_use]
    pub fn uploads(&self) -> usize {
        let names = fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().starts_with(".upload")).count()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It ends when its input does; nobody could be told if that failed.
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}
