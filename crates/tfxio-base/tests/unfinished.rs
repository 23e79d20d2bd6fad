//! The end of the process while uploads are written. It stays so, and has a process of its own.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::io::{self, Write};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Barrier};
use std::thread;

use tfxio_base::{Cancel, OutputFile, Result, Upload, remove_unfinished};

/// An upload to a store that never answers.
#[derive(Debug)]
struct Stuck {
    told: Sender<&'static str>,
    cancel: Cancel,
    /// Passed when all uploads are given up: none waits for another to be.
    together: Arc<Barrier>,
}

impl Write for Stuck {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes != b"waits" {
            self.cancel.check()?;
            return Ok(bytes.len());
        }
        self.told.send("waits").unwrap();
        let (cancelled, wait) = mpsc::channel();
        let _guard = self.cancel.on_cancel(move || cancelled.send(()).unwrap());
        wait.recv().unwrap();
        self.told.send("cancelled").unwrap();
        Err(self.cancel.check().unwrap_err().into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Upload for Stuck {
    fn close(&mut self) -> Result<()> {
        Ok(())
    }

    fn publish(&mut self, _: bool) -> Result<()> {
        self.told.send("published").unwrap();
        Ok(())
    }

    fn abort(&mut self) {
        self.cancel.cancel();
        self.together.wait();
        self.told.send("aborted").unwrap();
    }

    fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }
}

#[test]
fn uploads_under_way_are_cancelled_and_given_up() {
    let (told, says) = mpsc::channel();
    let together = Arc::new(Barrier::new(2));
    let stuck = || {
        let (told, together) = (told.clone(), Arc::clone(&together));
        Box::new(Stuck { told, cancel: Cancel::new(), together })
    };
    let mut idle = OutputFile::upload("s3://b/idle", true, stuck());
    let mut busy = OutputFile::upload("s3://b/busy", true, stuck());
    thread::spawn(move || {
        drop(busy.write_all(b"waits"));
        // Waits for the process to end.
        let _ = busy.finish();
    });
    assert_eq!(says.recv().unwrap(), "waits");
    remove_unfinished();
    assert!(idle.write_all(b"more").is_err());
    let mut said: Vec<_> = says.try_iter().collect();
    said.sort_unstable();
    assert_eq!(said, ["aborted", "aborted", "cancelled"]);
    // Dropping it would wait for the end of the process.
    std::mem::forget(idle);
}
