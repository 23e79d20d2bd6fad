//! The bytes of an object as they are stored.

use std::ops::Range;

use object_store::ObjectMeta;

use super::fetch::Object;
use super::parts::Parts;
use crate::Result;

/// The bytes of an object as they are stored, in parts that are requested ahead of their use: what a
/// [`StoreReader`](super::StoreReader) decodes, for code that reads objects in another way.
///
/// ```
/// use std::sync::Arc;
///
/// use object_store::{ObjectStoreExt, memory::InMemory, path::Path};
/// use tfrecord_io::store::StoreReader;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = InMemory::new();
/// let path = Path::from("an/object");
/// store.put(&path, "0123456789".into()).await?;
///
/// let mut bytes = StoreReader::builder(Arc::new(store), path).part_bytes(3).open_bytes().await?;
/// assert_eq!(bytes.meta().size, 10);
/// bytes.start(4..10);
/// assert_eq!(bytes.next().await?.as_deref(), Some(&b"456"[..]));
/// assert_eq!(bytes.next().await?.as_deref(), Some(&b"789"[..]));
/// assert_eq!(bytes.next().await?, None);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct StoreBytes {
    meta: ObjectMeta,
    object: Object,
    parts: Parts,
    part_bytes: u64,
    read_ahead_bytes: u64,
}

impl Clone for StoreBytes {
    /// Returns the bytes of the same version of the object, from its beginning; requests are not shared.
    fn clone(&self) -> Self {
        Self::new(self.object.clone(), self.meta.clone(), self.part_bytes, self.read_ahead_bytes)
    }
}

impl StoreBytes {
    pub(super) fn new(object: Object, meta: ObjectMeta, part_bytes: u64, read_ahead_bytes: u64) -> Self {
        let parts = Parts::new(object.clone(), meta.size, 0..u64::MAX, part_bytes, read_ahead_bytes);
        Self { meta, object, parts, part_bytes, read_ahead_bytes }
    }

    /// Returns what the store said of the object when it was opened: size, time, ETag.
    pub fn meta(&self) -> &ObjectMeta {
        &self.meta
    }

    /// Continues with the parts of `range`, which may reach beyond the object, and drops requests under way.
    pub fn start(&mut self, range: Range<u64>) {
        let (object, end) = (self.object.clone(), range.end.min(self.meta.size));
        self.parts = Parts::new(object, end, range, self.part_bytes, self.read_ahead_bytes);
    }

    /// As [`start`](Self::start), with more after the end of the range for a record that reaches beyond it.
    pub(super) fn start_records(&mut self, range: Range<u64>) {
        let object = self.object.clone();
        self.parts = Parts::new(object, self.meta.size, range, self.part_bytes, self.read_ahead_bytes);
    }

    /// Returns the next part, or `None` at the end of the range or the object. A call may be dropped while it waits: nothing
    /// is lost.
    ///
    /// # Errors
    ///
    /// What the store says after all retries.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        self.parts.next().await
    }
}
