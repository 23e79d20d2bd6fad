//! Cancelled waits for a store: while a request pauses, a body does not come, a listing goes on.

use std::time::Duration;

use s3_bed::{Fault, Request};
use tfxio::prelude::*;
use tfxio::store::Retry;
use tfxio::{Cancel, ErrorKind, Result};

use crate::s3::{Bed, records};

/// Longer than any test runs.
const FOR_EVER: Duration = Duration::from_secs(24 * 3600);

/// Does something in a thread that meets a fault, cancels it as soon as it has, and returns how it ended.
fn cancelled(
    bed: &Bed,
    meant: fn(&Request) -> bool,
    fault: Fault,
    work: impl FnOnce(OpenOptions, Cancel) -> Result<()> + Send + 'static,
) -> ErrorKind {
    bed.proxy.set_rule(move |request| if meant(request) { fault } else { Fault::None });
    // With less patience than a pause, a request fails as soon as its answer comes.
    let retry = Retry::default().first_pause(FOR_EVER).longest_pause(FOR_EVER).patience(2 * FOR_EVER);
    let cancel = Cancel::new();
    let opener = OpenOptions::new().stores(bed.stores().retry(retry)).format("raw");
    let (opener, token) = (opener.cancel(cancel.clone()), cancel.clone());
    let thread = std::thread::spawn(move || work(opener, token));
    while !bed.proxy.requests().iter().any(meant) {
        std::thread::yield_now();
    }
    cancel.cancel();
    thread.join().unwrap().unwrap_err().kind()
}

fn open(opener: OpenOptions, pattern: &str) -> Result<()> {
    opener.open(pattern).map(drop)
}

fn read(opener: OpenOptions, cancel: Cancel) -> Result<()> {
    // Opened with a token of its own.
    let dataset = opener.open("s3://bucket/a.tfrecord")?;
    dataset.read(ScanRequest::new().cancel(cancel))?.try_for_each(|batch| batch.map(drop))
}

#[test]
fn every_wait_ends() {
    let Some(bed) = Bed::start() else { return };
    bed.server.put("a.tfrecord", records(3_000_000));
    for fault in [Fault::Status(503), Fault::Delay(FOR_EVER)] {
        let list = |opener: OpenOptions, _: Cancel| open(opener, "s3://bucket/*.tfrecord");
        assert_eq!(cancelled(&bed, Request::is_list, fault, list), ErrorKind::Cancelled, "{fault:?}");
        let head = |opener: OpenOptions, _: Cancel| open(opener, "s3://bucket/a.tfrecord");
        let is_head = |request: &Request| request.method == "HEAD";
        assert_eq!(cancelled(&bed, is_head, fault, head), ErrorKind::Cancelled, "{fault:?}");
        assert_eq!(cancelled(&bed, Request::is_read, fault, read), ErrorKind::Cancelled, "{fault:?}");
    }
    // A body that has begun.
    let far = |request: &Request| request.range.as_ref().is_some_and(|range| range.start > 0);
    assert_eq!(cancelled(&bed, far, Fault::Stall(1000), read), ErrorKind::Cancelled);
}
