//! Files in object stores: names that are URLs (feature `object-store`; for S3, Google Cloud Storage, Azure and HTTP,
//! `cloud`).
//!
//! With the feature `cloud` a URL can be used wherever a path of an input can. Stores are found by the URL and set up from the environment:
//!
//! | URL | store | variables of the environment |
//! | --- | --- | --- |
//! | `s3://BUCKET/KEY` | Amazon S3 and what speaks its protocol | `AWS_*`: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `AWS_ENDPOINT`; `AWS_SKIP_SIGNATURE=true` for public buckets |
//! | `gs://BUCKET/KEY` | Google Cloud Storage | `GOOGLE_*`: `GOOGLE_SERVICE_ACCOUNT`; `GOOGLE_SKIP_SIGNATURE=true` for public buckets |
//! | `az://CONTAINER/KEY`, `abfs[s]://…` | Azure Blob Storage | `AZURE_*`: `AZURE_STORAGE_ACCOUNT_NAME`, `AZURE_STORAGE_ACCOUNT_KEY` |
//! | `http://HOST/PATH`, `https://HOST/PATH` | a web server; URLs of the three above are known by their hosts | |
//!
//! [`object_store`] lists all variables; [`Stores::option`] sets the same options in the program. `file://` URLs are paths, in any
//! build. A store that the program has made itself serves the URLs that begin with a prefix ([`Stores::store`]); that needs the
//! feature `object-store` only.
//!
//! Patterns are as in [`tfrecord_io::shards`], over the listing of the store: `s3://bucket/train@16.tfrecord`,
//! `gs://bucket/data/*.tfrecord.gz`. What follows the bucket is taken as it is, but for HTTP, where `%20` is a space as everywhere on the
//! web, and where patterns need a server that lists (WebDAV).
//!
//! ```
//! use std::sync::Arc;
//!
//! use tfxio_formats::store::Stores;
//! use tfxio_formats::store::object_store::{ObjectStoreExt, memory::InMemory};
//! use tfxio_formats::{DatasetExt, OpenOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let store = Arc::new(InMemory::new());
//! # let mut shard = Vec::new();
//! # tfxio_formats::tfrecord_io::frame::append(&mut shard, b"a record");
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! #     for name in ["train-00000-of-00002", "train-00001-of-00002"] {
//! #         store.put(&name.into(), shard.clone().into()).await?;
//! #     }
//! #     Ok::<_, tfxio_formats::store::object_store::Error>(())
//! # })?;
//! let stores = Stores::default().store("memory://here", store);
//! let dataset = OpenOptions::new().stores(stores).format("raw").open("memory://here/train@2")?;
//! assert_eq!(&*dataset.spec()?.files[1], "memory://here/train-00001-of-00002");
//! assert_eq!(dataset.count()?, 2);
//! # Ok(())
//! # }
//! ```
//!
//! # Reads of objects
//!
//! In parts of 4 MiB, several at a time, ahead of decoding and within 64 MiB a file ([`Stores::read_ahead`]) and 256 MiB together
//! ([`Stores::total_read_ahead`]): as many as make reading faster. The next files of a set travel while the last bytes of the one
//! before are read. Ranges that are known before, such as the columns of a row group, are requested together ([`Planner`]). Requests that
//! fail in a way that may pass are sent again. All requests of a reader name the version of the object that the first one saw, so that an
//! object that is replaced meanwhile is an error, never a mixture. Requests run on one thread, `tfxio-store`, which starts with the first
//! URL; decoding happens where it does for files. Dropping a reader gives up its requests at once. The readers may be used inside and
//! outside of asynchronous programs; like readers of files, they block the thread that asks for a batch.
//!
//! # Writes of objects
//!
//! An output, an index or a repair may be a URL. An object of up to 8 MiB is one request; a larger one is a multipart upload, in parts of 8
//! MiB (after a thousand parts of 16 MiB, and so on). At most eight parts of all outputs of one [`Stores`] are under way at a time. The
//! object appears when it is complete. After an error, when a sink is dropped, and when a signal ends the command, the upload is aborted,
//! so that the store keeps no parts; only a process that is killed leaves some, which a lifecycle rule of the bucket removes. Each output
//! that is open holds one part in memory: a set of 100 shards takes 800 MiB.
//!
//! `train@16` is a set of 16 objects, which appear one after the other at the end. `train@*` needs files that can be renamed, so
//! the number of shards must be given.
//!
//! # Partitions
//!
//! Splits are cut like splits of files: by an index (`KEY.tfxi`) if one exists beside the object, otherwise by looking for records at the
//! cuts. The search reads [8 MiB](tfrecord_io::Splitter::DEFAULT_CONFIRM_BYTES) after each cut, when splits are made and again, at both
//! ends, when one is read: large splits, or an index, are worth their while. An index is good while the object has the size that was
//! indexed, and the ETag if the index has one.

mod locate;
mod object;
mod prefetch;
#[cfg(feature = "cloud")]
mod providers;
mod runtime;
mod stores;
mod upload;

pub use object_store;
pub use tfrecord_io::store::{Planner, Retry};

use self::object::StoreFile;
pub use self::stores::Stores;
