//! Readers over object stores, for S3, GCS, Azure, HTTP, local files and memory alike (feature `async`).
//!
//! A [`StoreReader`] requests an object in parts, several at a time and ahead of decoding, within a bound of bytes. A
//! request that fails temporarily, or whose answer is cut short, is sent again for the rest, with growing pauses. All
//! requests name the version of the object that the first one saw, so that an object that is replaced meanwhile gives
//! an error and not a mixture.
//!
//! Decoding is that of [`Reader`](crate::Reader): the same batches, the same errors. It happens in the
//! task that asks for batches; requests run in tasks of their own, so a tokio runtime is needed.
//!
//! ```
//! use std::sync::Arc;
//!
//! use tfrecord_io::store::StoreReader;
//! use tfrecord_io::store::object_store::{ObjectStore, ObjectStoreExt, memory::InMemory, path::Path};
//! use tfrecord_io::{BatchSize, RecordBuffer, frame};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut file = Vec::new();
//! frame::append(&mut file, b"one");
//! frame::append(&mut file, b"two");
//! let store = InMemory::new();
//! let path = Path::from("train.tfrecord");
//! store.put(&path, file.into()).await?;
//!
//! let mut reader = StoreReader::builder(Arc::new(store), path).open().await?;
//! let mut batch = RecordBuffer::new();
//! while reader.read_batch(&mut batch, BatchSize::records(1024)).await? > 0 {
//!     assert_eq!(batch.len(), 2);
//! }
//! # Ok(())
//! # }
//! ```

mod budget;
mod bytes;
mod fetch;
mod list;
mod pace;
mod plan;
mod ranges;
mod reader;
mod retry;
mod split;
mod window;

/// The crate of stores, in the version of the signatures.
pub use object_store;

pub use budget::Budget;
pub use bytes::StoreBytes;
pub use fetch::store_error;
pub use list::{Listing, below, expand};
pub use pace::Pace;
pub use plan::Planner;
pub use ranges::StoreRanges;
pub use reader::{StoreReader, StoreReaderBuilder};
pub use retry::Retry;
