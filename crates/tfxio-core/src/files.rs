//! The files of a data set.

use std::sync::Arc;

use tfxio_base::{Cancel, Error, ErrorKind, Result};

use crate::{Input, LocalStore, Partition, Store};

/// The files of a data set, in order, and the store that holds them.
///
/// ```no_run
/// use tfxio_core::Files;
///
/// let files = Files::local(["poems/one.txt", "poems/two.txt"])?;
/// for partition in files.byte_ranges(1 << 20)? {
///     let _input = files.open(&partition)?; // at the first byte of the range
/// }
/// # Ok::<(), tfxio_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Files {
    names: Arc<[Arc<str>]>,
    store: Arc<dyn Store>,
}

impl Files {
    /// Maximum number of files that a format looks at when it opens files that declare their columns: 1,000. Columns of
    /// later files must be among the columns of these.
    pub const LOOKED_AT: usize = 1000;

    /// Returns files of a store.
    #[must_use]
    pub fn new(names: impl IntoIterator<Item = Arc<str>>, store: Arc<dyn Store>) -> Self {
        Self { names: names.into_iter().collect(), store }
    }

    /// Returns local files.
    ///
    /// # Errors
    /// When one does not exist or is a directory.
    pub fn local<N: Into<Arc<str>>>(names: impl IntoIterator<Item = N>) -> Result<Self> {
        let files = Self::new(names.into_iter().map(Into::into), Arc::new(LocalStore));
        for name in &*files.names {
            files.store.size(name)?;
        }
        Ok(files)
    }

    /// Returns the names, in order.
    #[must_use]
    pub fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    /// Returns the store.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Returns partitions of about `target_bytes` for a format that can be entered at any byte. A file whose size is
    /// unknown is one partition.
    ///
    /// # Errors
    /// When the size of a file cannot be found.
    pub fn byte_ranges(&self, target_bytes: u64) -> Result<Vec<Partition>> {
        let target = target_bytes.max(1);
        let mut out = Vec::new();
        for name in &*self.names {
            let Some(size) = self.store.size(name)?.filter(|size| *size > target) else {
                out.push(Partition::whole(Arc::clone(name)));
                continue;
            };
            let count = size.div_ceil(target);
            let cut = |index: u64| {
                // Fits: index <= count <= size.
                u64::try_from(u128::from(size) * u128::from(index) / u128::from(count)).unwrap_or(size)
            };
            for index in 0..count {
                let end = if index + 1 == count { u64::MAX } else { cut(index + 1) };
                let partition = Partition::range(Arc::clone(name), cut(index), end);
                out.push(if index == 0 { partition.first_record(0) } else { partition });
            }
        }
        Ok(out)
    }

    /// Opens the file of a partition at the first byte of its range.
    ///
    /// # Errors
    /// When the file is not one of these or cannot be opened.
    pub fn open(&self, partition: &Partition) -> Result<Box<dyn Input>> {
        self.open_with(partition, &Cancel::default())
    }

    /// As [`open`](Self::open); waits for the store end when `cancel` is set.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with(&self, partition: &Partition, cancel: &Cancel) -> Result<Box<dyn Input>> {
        if !self.names.contains(&partition.file) {
            let what = format!("the partition {partition} is not of this data set");
            return Err(
                Error::new(ErrorKind::InvalidArgument, what).help("take partitions from the data set")
            );
        }
        let range = partition.start..partition.end;
        self.store
            .open(&partition.file, range, cancel)
            .map_err(|error| error.in_file(Arc::clone(&partition.file)))
    }
}
