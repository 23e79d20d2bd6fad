//! Files that are opened soon: their bytes travel while those before are read.

use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt as _;
use tfrecord_io::store::StoreBytes;
use tfxio_core::Error;
use tokio::task::JoinHandle;

use super::runtime::Runtime;
use super::stores::Stores;

/// Files that one reader opens one after the other.
pub(super) struct Prefetch {
    stores: Stores,
    queue: Mutex<VecDeque<NextFile>>,
}

/// A file that is opened soon.
pub(super) struct NextFile {
    url: Arc<str>,
    range: Range<u64>,
    state: State,
}

enum State {
    Planned,
    /// With the bytes that it requests when it is open.
    Opening(Task, u64),
    Open(Box<StoreBytes>),
    /// Whoever opens it again is told why.
    Failed,
}

/// Asks for the size and the version of a file, and then for its first bytes; ends when this is dropped.
struct Task(JoinHandle<Result<StoreBytes, Error>>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl NextFile {
    /// Returns its bytes, which begin at its range. `None` if they were not asked for, or that failed.
    pub(super) async fn bytes(mut self) -> Option<StoreBytes> {
        if let State::Opening(task, _) = &mut self.state {
            let opened = (&mut task.0).await;
            self.opened(opened.ok().and_then(Result::ok));
        }
        match self.state {
            State::Open(bytes) => Some(*bytes),
            _ => None,
        }
    }

    fn opened(&mut self, bytes: Option<StoreBytes>) {
        self.state = bytes.map_or(State::Failed, |bytes| State::Open(Box::new(bytes)));
    }

    /// Opens it, and requests at most this number of bytes. Returns how many are left for the files after it.
    fn request(&mut self, stores: &Stores, runtime: &Runtime, room: u64) -> u64 {
        if matches!(self.state, State::Planned) {
            let Ok(reader) = stores.reader(&self.url) else { return 0 };
            let range = self.range.clone();
            let size =
                stores.known_size(&self.url).map(|size| size.min(range.end).saturating_sub(range.start));
            let mut open = async move {
                let mut bytes = reader.open_bytes().await?;
                bytes.start(range);
                bytes.request(room);
                Ok::<_, Error>(bytes)
            }
            .boxed();
            // At once, where a listing said all that is to be known.
            match (&mut open).now_or_never() {
                Some(opened) => self.opened(opened.ok()),
                None => {
                    self.state = State::Opening(Task(runtime.spawn(open)), size.unwrap_or(room).min(room))
                }
            }
        }
        if let State::Opening(task, _) = &mut self.state
            && let Some(opened) = (&mut task.0).now_or_never()
        {
            self.opened(opened.ok().and_then(Result::ok));
        }
        match &mut self.state {
            State::Open(bytes) => room.saturating_sub(bytes.request(room)),
            State::Opening(_, bytes) => room.saturating_sub(*bytes),
            State::Planned | State::Failed => 0,
        }
    }
}

impl Prefetch {
    pub(super) fn new(stores: Stores, files: Vec<(Arc<str>, Range<u64>)>) -> Self {
        let next = |(url, range)| NextFile { url, range, state: State::Planned };
        Self { stores, queue: Mutex::new(files.into_iter().map(next).collect()) }
    }

    fn queue(&self) -> MutexGuard<'_, VecDeque<NextFile>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a file that is opened now, and gives up those before it. `None` if it is not one of these.
    pub(super) fn take(&self, url: &str, range: &Range<u64>) -> Option<NextFile> {
        let mut queue = self.queue();
        let at = queue.iter().position(|next| *next.url == *url && next.range == *range)?;
        queue.drain(..=at).next_back()
    }

    /// Requests the next files, as far as this number of bytes goes.
    pub(super) fn request(&self, runtime: &Runtime, room: u64) {
        let mut left = room;
        runtime.within(|| {
            for next in self.queue().iter_mut() {
                if left == 0 {
                    break;
                }
                left = next.request(&self.stores, runtime, left);
            }
        });
    }
}

impl fmt::Debug for Prefetch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prefetch").field("files", &self.queue().len()).finish_non_exhaustive()
    }
}
