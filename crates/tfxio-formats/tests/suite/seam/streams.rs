//! Batches as a stream.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use arrow_array::RecordBatch;
use futures_core::Stream as _;
use tfxio_formats::tfxio_core::{Dataset, Result, ScanRequest, Spawn};
use tfxio_formats::{BatchStream, DatasetExt as _, open};

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

/// The blocking pool of a runtime.
#[derive(Debug)]
struct Tokio(tokio::runtime::Handle);

impl Spawn for Tokio {
    fn spawn(&self, task: Box<dyn FnOnce() + Send>) {
        self.0.spawn_blocking(task);
    }
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
    // Within `poll`, and on a plain executor.
    same(block_on(collect(digits().read_stream(request()))));
    same(block_on(collect(digits().read_stream(request().spawn(Arc::new(Dropping))))));
    for threads in [1, 3] {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let spawn = Arc::new(Tokio(runtime.handle().clone()));
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
        let spawn = Arc::new(Tokio(runtime.handle().clone()));
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
