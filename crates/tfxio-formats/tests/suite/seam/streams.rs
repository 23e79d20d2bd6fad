//! Batches as a stream.

use std::future::poll_fn;
use std::ops::Range;
use std::pin::pin;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use arrow_array::RecordBatch;
use futures_core::Stream as _;
use tfxio_formats::tfxio_core::{
    Cancel, Dataset, Error, ErrorKind, Input, LocalStore, Result, ScanRequest, Spawn, Store,
};
use tfxio_formats::{BatchStream, DatasetExt as _, OpenOptions, open};

use crate::seam::test_files::{self, FileLayout, write};

fn digits() -> Arc<dyn Dataset> {
    open(format!("{}/../../fixtures/digits/digits@3.tfrecord", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

async fn collect(stream: BatchStream) -> Vec<Result<RecordBatch>> {
    let mut stream = pin!(stream);
    let mut all = Vec::new();
    while let Some(batch) = poll_fn(|context| stream.as_mut().poll_next(context)).await {
        all.push(batch);
    }
    // It stays at its end.
    assert!(poll_fn(|context| stream.as_mut().poll_next(context)).await.is_none());
    all
}

/// Drops every task.
#[derive(Debug)]
struct Dropping;

impl Spawn for Dropping {
    fn spawn(&self, task: Box<dyn FnOnce() + Send>) {
        drop(task);
    }
}

/// Runs a future on this thread.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

#[test]
fn a_stream_gives_what_the_iterator_gives() {
    let request = || ScanRequest::new().batch_rows(100).filter("label > 3".parse().unwrap()).limit(700);
    let expected = digits().read(request()).unwrap().collect::<Result<Vec<_>>>().unwrap();
    let same = |batches: Vec<Result<RecordBatch>>| {
        assert_eq!(batches.into_iter().collect::<Result<Vec<_>>>().unwrap(), expected);
    };
    // On threads, within `poll`, and on a plain executor.
    same(block_on(collect(digits().read_stream(request()))));
    same(block_on(collect(digits().read_stream(request().spawn(Arc::new(Dropping))))));
    for threads in [1, 3] {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let spawn = Arc::new(runtime.handle().clone());
        let stream = digits().read_stream(request().threads(threads).spawn(spawn));
        same(runtime.block_on(collect(stream)));
    }
}

#[test]
fn errors_are_items_and_the_last_ones() {
    let request = ScanRequest::new().columns(["no_such_column"]);
    let all = block_on(collect(digits().read_stream(request)));
    assert_eq!(all.len(), 1);
    let error = all[0].as_ref().unwrap_err().to_string();
    assert!(error.contains("no_such_column"), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "a", FileLayout::Plain, 50);
    let whole = std::fs::read(&file).unwrap();
    let dataset = test_files::open(std::slice::from_ref(&file));
    std::fs::write(&file, &whole[..whole.len() - 3]).unwrap();
    let all = block_on(collect(dataset.read_stream(ScanRequest::new().batch_rows(20))));
    assert_eq!(all.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, true, true, false]);
}

#[test]
fn a_stream_may_be_dropped_at_any_moment() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let request = || {
        let spawn = Arc::new(runtime.handle().clone());
        ScanRequest::new().batch_rows(10).threads(2).spawn(spawn)
    };
    drop(digits().read_stream(request()));
    let rows = runtime.block_on(async {
        let mut stream = pin!(digits().read_stream(request()));
        let batch = poll_fn(|context| stream.as_mut().poll_next(context)).await;
        // The next one is under way when the stream is dropped.
        let _ = stream.as_mut().poll_next(&mut Context::from_waker(Waker::noop()));
        batch.unwrap().unwrap().num_rows()
    });
    assert_eq!(rows, 10);
}

/// A store whose every call waits until the runtime has turned its timer once.
#[derive(Debug)]
struct Waiting(Mutex<Receiver<()>>);

impl Waiting {
    fn wait(&self) -> Result<()> {
        // The timer of a runtime that is blocked never comes.
        let turned = self.0.lock().unwrap().recv_timeout(Duration::from_secs(30));
        turned.map_err(|_| Error::new(ErrorKind::Other, "the runtime is blocked"))
    }
}

impl Store for Waiting {
    fn list(&self, pattern: &str) -> Result<Vec<Arc<str>>> {
        self.wait()?;
        LocalStore.list(pattern)
    }

    fn size(&self, name: &str) -> Result<Option<u64>> {
        self.wait()?;
        LocalStore.size(name)
    }

    fn open(&self, name: &str, range: Range<u64>, cancel: &Cancel) -> Result<Box<dyn Input>> {
        self.wait()?;
        LocalStore.open(name, range, cancel)
    }
}

#[test]
fn a_timer_of_the_runtime_comes_while_a_store_waits() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let (turned, waits) = mpsc::channel();
    let options = OpenOptions::new().store(Arc::new(Waiting(Mutex::new(waits))));
    let pattern =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/digits/digits-00000-of-00003.tfrecord");
    let rows = runtime.block_on(async {
        let timer = tokio::spawn(async move {
            loop {
                tokio::time::sleep(Duration::from_millis(20)).await;
                if turned.send(()).is_err() {
                    break;
                }
            }
        });
        let dataset = options.open_async(pattern).await.unwrap();
        let handle = Arc::new(tokio::runtime::Handle::current());
        let mut rows = Vec::new();
        // By the default, and on the pool of the runtime.
        for request in [ScanRequest::new(), ScanRequest::new().threads(2).spawn(handle)] {
            let batches = collect(dataset.read_stream(request)).await;
            rows.push(batches.into_iter().map(|batch| batch.unwrap().num_rows()).sum::<usize>());
        }
        timer.abort();
        rows
    });
    assert_eq!(rows, [599, 599]);
}

#[test]
fn a_data_set_is_open_after_the_future_that_opened_it() {
    let digits = format!("{}/../../fixtures/digits/digits@3.tfrecord", env!("CARGO_MANIFEST_DIR"));
    let dataset = block_on(OpenOptions::new().open_async(digits)).unwrap();
    assert_eq!(
        dataset.read(ScanRequest::new()).unwrap().map(|batch| batch.unwrap().num_rows()).sum::<usize>(),
        1797
    );
    let missing = block_on(OpenOptions::new().open_async("no/such/file.tfrecord"));
    assert_eq!(missing.unwrap_err().kind(), ErrorKind::NotFound);
    // A future that is dropped before it began does nothing.
    drop(OpenOptions::new().open_async("no/such/file.tfrecord"));
    // One whose task is refused is done within `poll`.
    let refused = OpenOptions::new().spawn(Arc::new(Dropping)).open_async("no/such/file.tfrecord");
    assert_eq!(block_on(refused).unwrap_err().kind(), ErrorKind::NotFound);
}
