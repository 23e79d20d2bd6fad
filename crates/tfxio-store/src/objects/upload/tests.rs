//! Uploads that are cancelled, given up, or fail: nothing appears then.

use std::sync::Mutex as StdMutex;

use futures::FutureExt as _;
use object_store::memory::InMemory;
use object_store::{PutResult, UploadPart};

use super::*;

/// Behaviour of a request of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    Well,
    Fails,
    WaitsForEver,
}

/// An upload whose requests do as told, and that tells what was done with it.
#[derive(Debug)]
struct Told {
    part: Does,
    complete: Does,
    told: Arc<StdMutex<Vec<&'static str>>>,
}

async fn answer<T>(does: Does, well: T) -> Result<T, StoreError> {
    match does {
        Does::Well => Ok(well),
        Does::Fails => Err(StoreError::Generic { store: "told", source: "refused".into() }),
        Does::WaitsForEver => futures::future::pending().await,
    }
}

#[async_trait::async_trait]
impl MultipartUpload for Told {
    fn put_part(&mut self, _: PutPayload) -> UploadPart {
        self.told.lock().unwrap().push("part");
        answer(self.part, ()).boxed()
    }

    async fn complete(&mut self) -> Result<PutResult, StoreError> {
        self.told.lock().unwrap().push("complete");
        answer(self.complete, PutResult { e_tag: None, version: None }).await
    }

    async fn abort(&mut self) -> Result<(), StoreError> {
        self.told.lock().unwrap().push("abort");
        Ok(())
    }
}

fn upload(store: &Arc<InMemory>) -> ObjectUpload {
    let permits = Arc::new(Semaphore::new(MOST_PARTS));
    ObjectUpload::new(Arc::clone(store) as _, "a".into(), Arc::new(Runtime::start().unwrap()), permits)
}

/// Returns an upload that has begun, and what is told of it.
fn begun(part: Does, complete: Does) -> (ObjectUpload, Arc<StdMutex<Vec<&'static str>>>) {
    let mut upload = upload(&Arc::default());
    let told = Arc::default();
    *upload.upload().unwrap() = Some(Box::new(Told { part, complete, told: Arc::clone(&told) }));
    upload.is_begun = true;
    (upload, told)
}

fn is_there(store: &InMemory) -> bool {
    store.head(&Path::from("a")).now_or_never().unwrap().is_ok()
}

#[test]
fn nothing_appears_after_it_was_given_up() {
    for bytes in [0, 5, PART_BYTES + 1] {
        let store = Arc::new(InMemory::new());
        let mut upload = upload(&store);
        upload.write_all(&vec![7; bytes]).unwrap();
        upload.abort();
        let cancelled = |error: Error| assert_eq!(error.kind(), ErrorKind::Cancelled);
        assert!(upload.write_all(b"tail").is_err());
        cancelled(upload.close().unwrap_err());
        cancelled(upload.publish(true).unwrap_err());
        assert!(!is_there(&store), "{bytes}");
    }
}

#[test]
fn parts_and_one_part_appear_whole() {
    for bytes in [0, PART_BYTES, 2 * PART_BYTES + 1] {
        let store = Arc::new(InMemory::new());
        let mut upload = upload(&store);
        upload.write_all(&vec![7; bytes]).unwrap();
        upload.close().unwrap();
        assert!(!is_there(&store));
        upload.publish(false).unwrap();
        let found = store.head(&Path::from("a")).now_or_never().unwrap().unwrap();
        assert_eq!(found.size, bytes as u64);
    }
}

#[test]
fn after_a_part_that_failed_nothing_goes_well() {
    let (mut upload, told) = begun(Does::Fails, Does::Well);
    upload.write_all(b"some").unwrap();
    let text = "writing the object failed: the store refused or broke off; the source says more";
    assert_eq!(upload.close().unwrap_err().to_string(), text);
    let text = "the upload failed before, and can never be whole; write the object again";
    assert_eq!(upload.close().unwrap_err().to_string(), text);
    assert_eq!(upload.publish(true).unwrap_err().to_string(), text);
    assert!(upload.write_all(b"more").is_err());
    upload.abort();
    assert_eq!(*told.lock().unwrap(), ["part", "abort"]);
}

#[test]
fn waits_end_when_it_is_cancelled() {
    let (mut upload, told) = begun(Does::Well, Does::WaitsForEver);
    upload.write_all(b"some").unwrap();
    upload.close().unwrap();
    let cancel = upload.cancel();
    let publishing = std::thread::spawn(move || (upload.publish(true), upload));
    while !told.lock().unwrap().contains(&"complete") {
        std::thread::yield_now();
    }
    cancel.cancel();
    let (published, mut upload) = publishing.join().unwrap();
    assert_eq!(published.unwrap_err().kind(), ErrorKind::Cancelled);
    upload.abort();
    assert_eq!(*told.lock().unwrap(), ["part", "complete", "abort"]);
}

#[test]
fn a_part_stays_known_when_its_wait_is_cancelled() {
    let (mut upload, _) = begun(Does::WaitsForEver, Does::Well);
    upload.write_all(b"some").unwrap();
    upload.sending(ObjectUpload::send_part).unwrap();
    let cancel = upload.cancel();
    let closing = std::thread::spawn(move || (upload.close(), upload));
    cancel.cancel();
    let (closed, upload) = closing.join().unwrap();
    assert_eq!(closed.unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!(upload.under_way.len(), 1);
}
