//! One range of an object, fetched with retries.

use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use futures::TryStreamExt as _;
use object_store::path::Path;
use object_store::{Error as StoreError, GetOptions, GetRange, ObjectMeta, ObjectStore};
use tfxio_base::Count;

use super::retry::{Retry, Tries, silence};
use super::window::Arrival;
use crate::{Error, ErrorKind, Kind, Result};

/// An object at the version that was seen first.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) store: Arc<dyn ObjectStore>,
    pub(super) path: Path,
    pub(super) name: Arc<str>,
    /// Metadata of that version from the store; `None` before the first request.
    pub(super) meta: Option<Arc<ObjectMeta>>,
    pub(super) retry: Retry,
}

impl Object {
    /// Returns the metadata of the object from the store.
    pub(super) async fn head(&self) -> Result<ObjectMeta> {
        let mut tries = Tries::new();
        loop {
            let options = GetOptions { head: true, ..GetOptions::default() };
            match self.retry.within(&tries, self.store.get_opts(&self.path, options)).await {
                Ok(result) => return Ok(result.meta),
                Err(error) => self.pause_or_fail(error, &mut tries, 0).await?,
            }
        }
    }

    /// Returns the bytes of `range`, which is within the object, and how they came.
    pub(super) async fn fetch_timed(&self, range: Range<u64>) -> Result<(Vec<u8>, Arrival)> {
        let len = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
        // A part's length is chosen by the reader, not claimed by the input.
        let mut bytes = Vec::with_capacity(len);
        let (mut tries, mut refused) = (Tries::new(), false);
        let sent = since_start();
        let mut first = None;
        loop {
            let before = bytes.len();
            let at = range.start + before as u64;
            let result = self.fetch_some(at..range.end, len, &mut bytes, &mut first, &mut tries).await;
            if bytes.len() >= len {
                bytes.truncate(len);
                let at = since_start();
                let latency = first.unwrap_or(at).saturating_sub(sent);
                return Ok((bytes, Arrival { bytes: len as u64, sent, latency, at, refused }));
            }
            let error = result.err().unwrap_or_else(|| StoreError::Generic {
                store: "store",
                source: "the answer ended before the range did".into(),
            });
            refused |= says(&error, &["status code: 503", "status code: 429"]);
            self.pause_or_fail(error, &mut tries, at).await?;
        }
    }

    /// Appends what one request brings; notes when its answer begins, if none had before.
    async fn fetch_some(
        &self,
        range: Range<u64>,
        len: usize,
        bytes: &mut Vec<u8>,
        first: &mut Option<Duration>,
        tries: &mut Tries,
    ) -> Result<(), StoreError> {
        let options = GetOptions {
            range: Some(GetRange::Bounded(range)),
            if_match: self.e_tag().filter(|e_tag| !is_weak(e_tag)).map(str::to_owned),
            ..GetOptions::default()
        };
        let result = self.retry.within(tries, self.store.get_opts(&self.path, options)).await?;
        first.get_or_insert_with(since_start);
        // Some servers do not look at the version that is asked for, and some have no ETags.
        if let Some(change) = self.meta.as_deref().and_then(|first| change(first, &result.meta)) {
            return Err(StoreError::Precondition { path: self.path.to_string(), source: change.into() });
        }
        let mut chunks = result.into_stream();
        while let Some(chunk) = self.retry.within(tries, chunks.try_next()).await? {
            if !chunk.is_empty() {
                tries.go_on();
            }
            // A store that sends more than was asked for must not fill our memory.
            let room = len.saturating_sub(bytes.len());
            bytes.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
            if bytes.len() >= len {
                break;
            }
        }
        Ok(())
    }

    fn e_tag(&self) -> Option<&str> {
        self.meta.as_ref()?.e_tag.as_deref()
    }

    async fn pause_or_fail(&self, error: StoreError, tries: &mut Tries, at: u64) -> Result<()> {
        self.retry.wait(error, tries, |error| self.error(error, at)).await
    }

    fn error(&self, error: StoreError, at: u64) -> Error {
        store_error(error, "reading the object").at_stored_byte(at).in_file(Arc::clone(&self.name))
    }
}

/// Returns whether an ETag is one that no request can ask for: servers compare strong ones only (RFC 9110, 13.1.1).
fn is_weak(e_tag: &str) -> bool {
    e_tag.starts_with("W/")
}

/// Returns in which way an object is not the version that was seen first, if it can be told.
fn change(first: &ObjectMeta, now: &ObjectMeta) -> Option<String> {
    if first.size != now.size {
        return Some(format!("the object had {}, and has {} now", Count::of(first.size, "byte"), now.size));
    }
    // Servers make a strong ETag weak when they compress the answer.
    let opaque = |e_tag: &String| e_tag.strip_prefix("W/").unwrap_or(e_tag).to_owned();
    match (first.e_tag.as_ref().map(opaque), now.e_tag.as_ref().map(opaque)) {
        (Some(first), Some(now)) => {
            (first != now).then(|| format!("version {first} was asked for, and {now} was sent"))
        }
        _ => {
            let (first, now) = (first.last_modified, now.last_modified);
            // A server that gives no time has the first second of 1970; HTTP has whole seconds, and listings may have fractions.
            let is_known = first.timestamp() != 0 && now.timestamp() != 0;
            let is_whole = first.timestamp_subsec_nanos() == 0 || now.timestamp_subsec_nanos() == 0;
            let is_same = first == now || is_whole && first.timestamp() == now.timestamp();
            (is_known && !is_same).then(|| format!("the object was of {first}, and is of {now} now"))
        }
    }
}

/// Returns the time since a moment that is the same for all requests.
fn since_start() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// Description of a listing in errors.
pub(super) const LISTING: &str = "listing the store";

/// Returns an error of a store while `doing` something ("reading the object"), with advice.
pub fn store_error(error: StoreError, doing: &str) -> Error {
    let failed = |what: &str| format!("{doing} failed: {what}");
    if let Some(silence) = silence(&error) {
        let ours = Error::new(Kind::Store, failed(&silence.to_string()));
        let help = "the store does not answer; check the network and the endpoint, and try again later";
        return ours.help(help).because(error);
    }
    let ours = match &error {
        error if is_without_bucket(error) => {
            Error::new(ErrorKind::NotFound, failed("no such bucket"))
                .help("check its name, and the endpoint and the account that are set up")
        }
        StoreError::NotFound { .. } => {
            Error::new(ErrorKind::NotFound, failed("no such object")).help("check the bucket and the path")
        }
        error if is_denied(error) => {
            Error::new(ErrorKind::PermissionDenied, failed("permission denied"))
                .help("check the credentials and their rights")
        }
        StoreError::AlreadyExists { .. } => Error::new(ErrorKind::AlreadyExists, failed("the object exists already"))
            .help("remove it, choose another name, or allow overwriting"),
        other if ignores_ranges(other) => {
            Error::new(Kind::Store, failed("the server sent another part of the object than was asked for")).help(
                "it does not serve ranges of bytes (HTTP range requests), which reading needs; copy the file to a local disk",
            )
        }
        error if doing == LISTING && matches!(status(error), Some(405 | 501)) => {
            Error::new(ErrorKind::Unsupported, failed("the server does not list its files"))
                .help("web servers do so by WebDAV only; name each file by its URL")
        }
        StoreError::NotImplemented { .. } | StoreError::NotSupported { .. } => {
            Error::new(ErrorKind::Unsupported, failed("the store does not offer this"))
                .help("the source says what it lacks; write to a local disk and copy the file")
        }
        StoreError::Precondition { .. } => {
            Error::new(Kind::Store, failed("the object was replaced while it was being read"))
                .help("start again from its beginning")
        }
        _ => Error::new(Kind::Store, failed("the store refused or broke off")).help("the source says more"),
    };
    ours.because(error)
}

/// Error codes for a bucket (S3, Google Cloud Storage) or container (Azure) that does not exist.
const NO_BUCKET: [&str; 2] = ["<Code>NoSuchBucket</Code>", "<Code>ContainerNotFound</Code>"];

/// Returns whether an answer has one of these codes. Failed listings have no type to match on.
fn says(error: &StoreError, codes: &[&str]) -> bool {
    let (StoreError::NotFound { source, .. } | StoreError::Generic { source, .. }) = error else {
        return false;
    };
    let text = source.to_string();
    codes.iter().any(|code| text.contains(code))
}

/// Returns whether the bucket does not exist.
pub(super) fn is_without_bucket(error: &StoreError) -> bool {
    says(error, &NO_BUCKET)
}

fn is_denied(error: &StoreError) -> bool {
    matches!(error, StoreError::PermissionDenied { .. } | StoreError::Unauthenticated { .. })
        || says(error, &["<Code>AccessDenied</Code>", "status code: 403", "status code: 401"])
}

/// Returns the status of an answer. Most have no type to match on.
fn status(error: &StoreError) -> Option<u16> {
    let StoreError::Generic { source, .. } = error else { return None };
    let text = source.to_string();
    let (_, rest) = text.split_once("status code: ")?;
    rest.get(..3)?.parse().ok()
}

/// Returns whether a status would be the same for every request like this one: all that begin with 4 (RFC 9110, 15.5)
/// except the ones about time, locks or load, and those for what the server does not implement.
fn is_lasting(status: u16) -> bool {
    match status {
        408 | 423 | 425 | 429 => false,
        400..=499 | 501 | 505 => true,
        _ => false,
    }
}

/// Returns whether a retry cannot help.
pub(super) fn is_permanent(error: &StoreError) -> bool {
    // S3 says of a connection that was too slow that the request is wrong.
    let is_slow = says(error, &["<Code>RequestTimeout</Code>"]);
    if is_without_bucket(error) || is_denied(error) || !is_slow && status(error).is_some_and(is_lasting) {
        return true;
    }
    matches!(
        error,
        StoreError::NotFound { .. }
            | StoreError::InvalidPath { .. }
            | StoreError::NotSupported { .. }
            | StoreError::AlreadyExists { .. }
            | StoreError::Precondition { .. }
            | StoreError::NotModified { .. }
            | StoreError::NotImplemented { .. }
            | StoreError::UnknownConfigurationKey { .. }
    )
}

/// Returns whether a server answers a request for a range with all of the object or another range, as it will the next time. The
/// error has no type that could be asked for.
pub(super) fn ignores_ranges(error: &StoreError) -> bool {
    let (StoreError::Generic { source, .. } | StoreError::NotSupported { source }) = error else {
        return false;
    };
    let text = source.to_string();
    text.starts_with("Received non-partial response when range requested")
        || text.starts_with("Range request not supported")
        || (text.starts_with("Requested ") && text.contains(", got "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn web_servers_without_ranges() {
        let error = StoreError::NotSupported { source: "Range request not supported by http://h/a".into() };
        let text = store_error(error, "reading the object").to_string();
        assert!(text.contains("it does not serve ranges of bytes") && !text.contains("write"), "{text}");
    }

    #[test]
    fn only_what_may_change_is_asked_for_again() {
        let answer = |text: &str| StoreError::Generic {
            store: "HTTP",
            source: format!(
                "Error performing PROPFIND http://h/ - Server returned non-2xx status code: {text}"
            )
            .into(),
        };
        for (text, lasts) in [
            ("501 Not Implemented: ", true),
            ("505 HTTP Version Not Supported: ", true),
            ("405 Method Not Allowed: ", true),
            ("400 Bad Request: <Code>InvalidArgument</Code>", true),
            ("400 Bad Request: <Code>RequestTimeout</Code>", false),
            ("410 Gone: ", true),
            ("408 Request Timeout: ", false),
            ("425 Too Early: ", false),
            ("429 Too Many Requests: ", false),
            ("500 Internal Server Error: ", false),
            ("502 Bad Gateway: ", false),
            ("503 Slow Down: status code: 404", false),
            ("504 Gateway Timeout: ", false),
            ("", false),
            ("50", false),
            ("5é1", false),
        ] {
            assert_eq!(is_permanent(&answer(text)), lasts, "{text}");
        }
        assert!(!is_permanent(&StoreError::Generic {
            store: "S3",
            source: "the connection was reset".into()
        }));
    }
}
