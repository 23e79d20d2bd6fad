//! The stores that URLs lead to.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore};
use tfrecord_io::store::{self, Budget, Pace, Planner, Retry, StoreReader, StoreReaderBuilder};
use tfxio_base::{Cancel, OutputFile};
use tfxio_core::{Error, ErrorKind, Position};
use tokio::sync::Semaphore;

use super::StoreFile;
use super::locate::Location;
use super::prefetch::{NextFile, Prefetch};
use super::runtime::Runtime;
use super::upload::{MOST_PARTS, ObjectUpload};
use crate::url;

/// The stores that URLs lead to, and how objects are read: for the option `stores` of the opener. The module
/// [`objects`](mod@crate::objects) has an example.
///
/// Clones share connections and the thread that requests run on.
#[derive(Clone)]
pub struct Stores {
    /// Prefixes with a slash at their ends, and their stores.
    registered: Vec<(Arc<str>, Arc<dyn ObjectStore>)>,
    options: Vec<(String, String)>,
    retry: Retry,
    /// Bytes that one request asks for, and bytes of one file that may be under way.
    read_ahead: Option<(u64, u64)>,
    planner: Planner,
    budget: Budget,
    shared: Arc<Mutex<Shared>>,
}

/// Bytes of all files together that may be under way or waiting.
const TOTAL_READ_AHEAD: u64 = 256 << 20;

impl Default for Stores {
    fn default() -> Self {
        Self {
            registered: Vec::new(),
            options: Vec::new(),
            retry: Retry::default(),
            read_ahead: None,
            planner: Planner::default(),
            budget: Budget::new(TOTAL_READ_AHEAD),
            shared: Arc::default(),
        }
    }
}

/// Use of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Use {
    Read,
    Write,
}

/// State that is shared by all URLs.
#[derive(Default)]
struct Shared {
    runtime: Option<Arc<Runtime>>,
    /// Stores that were found by the URLs of their roots.
    #[cfg(feature = "cloud")]
    opened: HashMap<(String, Use), Arc<dyn ObjectStore>>,
    /// For the parts of uploads that are under way.
    permits: Option<Arc<Semaphore>>,
    /// Objects that were listed or opened.
    known: HashMap<Arc<str>, ObjectMeta>,
    /// Measured pace of each store, by its root.
    paces: HashMap<String, Pace>,
    /// Objects that readers open soon.
    prefetch: Vec<Weak<Prefetch>>,
}

impl Stores {
    /// Serves URLs that begin with `prefix` from this store, whose root is meant by the prefix: with
    /// `s3://bucket/data`, `s3://bucket/data/a/b` is the object `a/b`. Any scheme will do, also one that nobody knows. The
    /// longest prefix that fits counts, before the stores that are known by their URLs.
    #[must_use]
    pub fn store(mut self, prefix: &str, store: Arc<dyn ObjectStore>) -> Self {
        let prefix: Arc<str> = format!("{}/", prefix.trim_end_matches('/')).into();
        self.registered.retain(|(other, _)| *other != prefix);
        self.registered.push((prefix, store));
        self.registered.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.len()));
        // What is known of the objects of another store.
        self.shared = Arc::default();
        self
    }

    /// Sets an option of the stores that are found by their URLs, such as `aws_region`; it goes before the variable of
    /// the environment of the same name. An option of another kind of store is nothing to one; an option that no store
    /// knows is an error when a store is opened. Default: none.
    #[must_use]
    pub fn option(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.options.push((name.into(), value.into()));
        // Those that are open have other options.
        self.shared = Arc::default();
        self
    }

    /// Chooses how requests are repeated. Default: [`Retry::default`].
    #[must_use]
    pub fn retry(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }

    /// Sets the bytes that one request asks for, and the most bytes of one file that may be under way or waiting. Default: 4 MiB
    /// and 64 MiB.
    #[must_use]
    pub fn read_ahead(mut self, part_bytes: u64, ahead_bytes: u64) -> Self {
        self.read_ahead = Some((part_bytes, ahead_bytes));
        self
    }

    /// Sets the most bytes of all files together that may be under way or waiting, whatever the number of files that are open;
    /// one part of each file that is being read may be beyond. Default: 256 MiB.
    #[must_use]
    pub fn total_read_ahead(mut self, bytes: u64) -> Self {
        self.budget = Budget::new(bytes);
        self
    }

    /// Chooses how ranges that are known before they are read, such as the columns of a row group, become requests. Default:
    /// [`Planner::default`].
    #[must_use]
    pub fn planner(mut self, planner: Planner) -> Self {
        self.planner = planner;
        self
    }

    /// The URLs of the objects that a pattern means, in the order of their paths.
    pub fn expand(&self, pattern: &str, cancel: &Cancel) -> Result<Vec<Arc<str>>, Error> {
        let (store, location) = self.locate(pattern, Use::Read)?;
        if location.key.is_empty() {
            let message = "the URL names no object; write what stands in the bucket after it, for example a pattern such \
                           as s3://BUCKET/*.tfrecord, or a slash, for all of it";
            return Err(url::invalid(pattern, message));
        }
        let (key, retry) = (location.key.clone(), self.retry);
        let listing = location.listing(self.is_registered(pattern));
        let found = async move { store::expand(&*store, &key, retry, listing).await };
        let found = self.runtime()?.wait(cancel, found)?;
        let found = found.map_err(|error| named(error, pattern))?;
        Ok(self.urls(&location, &found))
    }

    /// The URLs of the objects below a prefix that ends with a slash, in the order of their paths.
    pub fn below(&self, prefix: &str, cancel: &Cancel) -> Result<Vec<Arc<str>>, Error> {
        let (store, location) = self.locate(prefix, Use::Read)?;
        let (key, retry) = (location.key.trim_end_matches('/').to_owned(), self.retry);
        let listing = location.listing(self.is_registered(prefix));
        let found = async move { store::below(&*store, &key, retry, listing).await };
        let found = self.runtime()?.wait(cancel, found)?;
        let found = found.map_err(|error| error.at(Position::new().file(prefix)))?;
        Ok(self.urls(&location, &found))
    }

    /// Returns the URLs of objects that were listed, and keeps their metadata.
    fn urls(&self, location: &Location, found: &[ObjectMeta]) -> Vec<Arc<str>> {
        let mut shared = self.shared();
        let urls = found.iter().map(|meta| {
            let url: Arc<str> = location.url(meta.location.as_ref()).into();
            shared.known.insert(Arc::clone(&url), meta.clone());
            url
        });
        urls.collect()
    }

    /// The object that a URL names.
    pub fn open(&self, url: &str, cancel: &Cancel) -> Result<StoreFile, Error> {
        let runtime = self.runtime()?;
        let bytes = runtime.wait(cancel, self.reader(url)?.open_bytes())??;
        // What was listed stays: it says which version is read. Otherwise the store is asked each time.
        let unlisted = || ObjectMeta { e_tag: None, ..bytes.meta().clone() };
        self.shared().known.entry(url.into()).or_insert_with(unlisted);
        let mut file = StoreFile::new(bytes, self.planner, runtime);
        file.set_cancel(cancel.clone());
        Ok(file)
    }

    /// As [`open`](Self::open), of which this range is read: it may be under way.
    pub fn open_range(&self, url: &str, range: Range<u64>, cancel: &Cancel) -> Result<StoreFile, Error> {
        let Some((prefetch, next)) = self.take_prefetched(url, &range) else { return self.open(url, cancel) };
        let runtime = self.runtime()?;
        let mut file = match runtime.wait(cancel, next.bytes())? {
            Some(bytes) => StoreFile::requested(bytes, range, self.planner, runtime),
            None => self.open(url, cancel)?,
        };
        file.set_cancel(cancel.clone());
        file.set_prefetch(prefetch);
        Ok(file)
    }

    /// Notes what a reader opens next; it is asked for as soon as all of the file before is.
    pub fn will_open(&self, files: Vec<(Arc<str>, Range<u64>)>) -> Box<dyn Send> {
        let prefetch = Arc::new(Prefetch::new(self.clone(), files));
        let mut shared = self.shared();
        shared.prefetch.retain(|other| other.strong_count() > 0);
        shared.prefetch.push(Arc::downgrade(&prefetch));
        Box::new(prefetch)
    }

    fn take_prefetched(&self, url: &str, range: &Range<u64>) -> Option<(Arc<Prefetch>, NextFile)> {
        let all: Vec<_> = self.shared().prefetch.iter().filter_map(Weak::upgrade).collect();
        all.into_iter().find_map(|prefetch| prefetch.take(url, range).map(|next| (prefetch, next)))
    }

    fn is_registered(&self, name: &str) -> bool {
        self.registered.iter().any(|(prefix, _)| Location::below(prefix, name).is_some())
    }

    /// Returns a reader of the object that a URL names.
    pub(super) fn reader(&self, url: &str) -> Result<StoreReaderBuilder, Error> {
        let (store, location) = self.locate(url, Use::Read)?;
        let path = Path::parse(&location.key).map_err(|error| {
            url::invalid(url, "no object can have this name; check the URL").because(error)
        })?;
        let pace = self.shared().paces.entry(location.root.clone()).or_default().clone();
        let mut reader =
            StoreReader::builder(store, path).name(url).retry(self.retry).pace(&pace).budget(&self.budget);
        // An ETag that has no quotes is not one that can be asked for.
        let known = self.shared().known.get(url).filter(|meta| is_tag(meta.e_tag.as_deref())).cloned();
        if let Some(meta) = known {
            reader = reader.meta(meta);
        }
        if let Some((part_bytes, ahead_bytes)) = self.read_ahead {
            reader = reader.part_bytes(part_bytes).read_ahead_bytes(ahead_bytes);
        }
        Ok(reader)
    }

    /// Creates an object, which appears when it is whole.
    pub fn create(&self, url: &str, overwrite: bool) -> Result<OutputFile, Error> {
        let (store, location) = self.locate(url, Use::Write)?;
        let path = Path::parse(&location.key).ok().filter(|path| {
            // A slash at the end is lost in a path.
            !location.key.is_empty() && !location.key.ends_with('/') && !path.as_ref().is_empty()
        });
        let Some(path) = path else {
            let message = "no object can have this name; write bucket and path of a file, as in s3://BUCKET/train.tfrecord";
            return Err(url::invalid(url, message));
        };
        self.shared().known.remove(url);
        let permits =
            self.shared().permits.get_or_insert_with(|| Arc::new(Semaphore::new(MOST_PARTS))).clone();
        let upload = ObjectUpload::new(store, path, self.runtime()?, permits);
        if !overwrite {
            upload.refuse_existing().map_err(|error| error.in_file(url))?;
        }
        Ok(OutputFile::upload(url, overwrite, Box::new(upload)))
    }

    /// Size of an object in bytes, of which nothing is read.
    pub fn size(&self, url: &str, cancel: &Cancel) -> Result<u64, Error> {
        self.known_size(url).map_or_else(|| self.open(url, cancel).map(|file| file.len()), Ok)
    }

    /// Size of an object in bytes, if it was listed or opened.
    pub(super) fn known_size(&self, url: &str) -> Option<u64> {
        self.shared().known.get(url).map(|meta| meta.size)
    }

    fn locate(&self, name: &str, to: Use) -> Result<(Arc<dyn ObjectStore>, Location), Error> {
        url::refuse_signature(name)?;
        for (prefix, store) in &self.registered {
            if let Some(location) = Location::below(prefix, name) {
                return Ok((Arc::clone(store), location));
            }
        }
        self.known(name, to)
    }

    #[cfg(not(feature = "cloud"))]
    fn known(&self, name: &str, _: Use) -> Result<(Arc<dyn ObjectStore>, Location), Error> {
        Err(unregistered(name, &Location::known(name)?))
    }

    /// The store that is known by the URL.
    #[cfg(feature = "cloud")]
    fn known(&self, name: &str, to: Use) -> Result<(Arc<dyn ObjectStore>, Location), Error> {
        let (location, url) = super::providers::location(name)?;
        if to == Use::Write {
            super::providers::refuse_web(name, &url)?;
        }
        let key = (location.root.clone(), to);
        if let Some(store) = self.shared().opened.get(&key) {
            return Ok((Arc::clone(store), location));
        }
        let runtime = self.runtime()?;
        let retry = match to {
            // Requests are sent again for what is missing, here, and by nobody else.
            Use::Read => object_store::RetryConfig { max_retries: 0, ..Default::default() },
            Use::Write => self.retry_of_writes(),
        };
        let store = runtime.within(|| super::providers::open(name, &url, &self.options, retry))?;
        self.shared().opened.insert(key, Arc::clone(&store));
        Ok((store, location))
    }

    /// A part of an upload can be sent again by its store only, which knows its number: it does so by the same rules.
    #[cfg(feature = "cloud")]
    fn retry_of_writes(&self) -> object_store::RetryConfig {
        let Retry { max_retries, first_pause, longest_pause, patience, .. } = self.retry;
        object_store::RetryConfig {
            backoff: object_store::BackoffConfig {
                init_backoff: first_pause,
                max_backoff: longest_pause,
                base: 2.0,
            },
            max_retries: usize::try_from(max_retries).unwrap_or(usize::MAX),
            retry_timeout: patience,
        }
    }

    fn runtime(&self) -> Result<Arc<Runtime>, Error> {
        let mut shared = self.shared();
        if let Some(runtime) = &shared.runtime {
            return Ok(Arc::clone(runtime));
        }
        Ok(Arc::clone(shared.runtime.insert(Arc::new(Runtime::start()?))))
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Stores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefixes = self.registered.iter().map(|(prefix, _)| prefix);
        // Not the values: keys and passwords may be among them.
        let options = self.options.iter().map(|(name, _)| name);
        f.debug_struct("Stores")
            .field("registered", &prefixes.collect::<Vec<_>>())
            .field("options", &options.collect::<Vec<_>>())
            .field("retry", &self.retry)
            .field("read_ahead", &self.read_ahead)
            .field("planner", &self.planner)
            .field("budget", &self.budget)
            .finish_non_exhaustive()
    }
}

/// Returns the error for a URL whose store was not registered, in a build that knows no others.
#[cfg(any(test, not(feature = "cloud")))]
fn unregistered(name: &str, location: &Location) -> Error {
    let message = format!(
        "no store is registered for {}, and this build knows no others; register one (`Stores::store`), or build with the \
         feature `cloud`",
        location.root
    );
    let error = Error::new(ErrorKind::Unsupported, message).at(Position::new().file(name));
    error.remedied_by(tfxio_base::Remedy::ReadObjects)
}

/// Returns whether this is an ETag as requests have it; some listings leave out its quotes.
fn is_tag(e_tag: Option<&str>) -> bool {
    e_tag.is_some_and(|e_tag| e_tag.strip_prefix("W/").unwrap_or(e_tag).starts_with('"'))
}

/// An error of a store about a pattern, which the store knows by its path only, with the URL. A name without an ending may be meant as
/// that of a directory.
fn named(error: Error, url: &str) -> Error {
    let has_ending = url.rsplit('/').next().is_some_and(|name| name.contains('.'));
    let may_be_folder =
        error.is(ErrorKind::NotFound) && error.detail::<tfrecord_io::Kind>().is_none() && !has_ending;
    let hint = error.hint().filter(|_| may_be_folder);
    let hint = hint.map(|hint| format!("{hint}; to read all objects below it, write {url}/"));
    let error = error.at(Position::new().file(url));
    match hint {
        Some(hint) => error.help(hint),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_that_nobody_registered() {
        let name = "s3://bucket/a.tfrecord";
        let error = unregistered(name, &Location::known(name).unwrap());
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert_eq!(error.remedy(), Some(tfxio_base::Remedy::ReadObjects));
        assert_eq!(
            error.to_string(),
            "s3://bucket/a.tfrecord: no store is registered for s3://bucket/, and this build knows no others; register one \
             (`Stores::store`), or build with the feature `cloud`"
        );
    }
}
