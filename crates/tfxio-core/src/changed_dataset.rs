//! Data sets derived from another by changing its columns.

use std::fmt;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use tfxio_base::{Error, ErrorKind, Result};

use crate::{
    Dataset, DatasetSpec, Entries, Loss, Partition, PartitionStatistics, RecordRun, Scan, ScanRequest,
};

/// A data set with the rows of another, whose columns it changes: a [`Dataset`] by four methods, which hands down all else.
///
/// ```
/// use std::sync::Arc;
///
/// use arrow_schema::SchemaRef;
/// use tfxio_core::{ChangedDataset, Dataset, Result, Scan, ScanRequest};
///
/// /// The columns of a data set in the same order, whatever a request says.
/// #[derive(Debug)]
/// struct AllColumns(Arc<dyn Dataset>);
///
/// impl ChangedDataset for AllColumns {
///     fn below(&self) -> &Arc<dyn Dataset> {
///         &self.0
///     }
///     fn schema(&self) -> &SchemaRef {
///         self.0.schema()
///     }
///     fn request_below(&self, request: &ScanRequest) -> Result<ScanRequest> {
///         let mut below = request.clone();
///         below.columns = None;
///         Ok(below)
///     }
///     fn change(&self, scan: Box<dyn Scan>, _request: &ScanRequest) -> Result<Box<dyn Scan>> {
///         Ok(scan)
///     }
///     fn scan_schema(&self, _request: &ScanRequest) -> Result<SchemaRef> {
///         Ok(Arc::clone(self.0.schema()))
///     }
/// }
///
/// /// It is a data set.
/// fn opened(dataset: Arc<dyn Dataset>) -> Arc<dyn Dataset> {
///     Arc::new(AllColumns(dataset))
/// }
/// ```
pub trait ChangedDataset: fmt::Debug + Send + Sync {
    /// Returns the data set that is read.
    fn below(&self) -> &Arc<dyn Dataset>;

    /// Returns the schema of the batches that a request without columns gets.
    fn schema(&self) -> &SchemaRef;

    /// Returns the request that the data set below is given for one of this.
    ///
    /// # Errors
    /// `InvalidArgument` for columns that do not exist.
    fn request_below(&self, request: &ScanRequest) -> Result<ScanRequest>;

    /// Changes a scan of the data set below, which is one of [`request_below`](Self::request_below), to one of the request.
    ///
    /// # Errors
    /// When the columns cannot be changed. Errors in the data come from the scan.
    fn change(&self, scan: Box<dyn Scan>, request: &ScanRequest) -> Result<Box<dyn Scan>>;

    /// Returns the schema of the batches of a request, as [`Dataset::scan_schema`] does.
    ///
    /// # Errors
    /// As [`request_below`](Self::request_below).
    fn scan_schema(&self, request: &ScanRequest) -> Result<SchemaRef>;

    /// Returns whether scans return exactly the rows that satisfy the filter of a request, as [`Dataset::applies_filter`] does. Default:
    /// where those below do.
    fn applies_filter(&self, request: &ScanRequest) -> bool {
        self.request_below(request).is_ok_and(|request| self.below().applies_filter(&request))
    }

    /// Returns what reading loses, as [`Dataset::losses`] does. Default: what the data set below loses.
    fn losses(&self) -> Vec<Loss> {
        self.below().losses()
    }

    /// Returns what is known of a partition, as [`Dataset::statistics`] does. Default: what is known below.
    ///
    /// # Errors
    /// As [`Dataset::statistics`].
    fn statistics(&self, partition: &Partition) -> Result<PartitionStatistics> {
        self.below().statistics(partition)
    }

    /// Returns a description for another process, as [`Dataset::spec`] does. Default: there is none.
    ///
    /// # Errors
    /// `Unsupported` where there is none.
    fn spec(&self) -> Result<DatasetSpec> {
        let what = "a data set that is made of another has no description to open it by in another process";
        Err(Error::new(ErrorKind::Unsupported, what).help("open the other there, and make it again"))
    }

    /// Returns a description for this process, as [`Dataset::local_spec`] does. Default: [`spec`](Self::spec).
    ///
    /// # Errors
    /// As [`spec`](Self::spec).
    fn local_spec(&self) -> Result<DatasetSpec> {
        self.spec()
    }
}

impl<D: ChangedDataset> Dataset for D {
    fn schema(&self) -> &SchemaRef {
        ChangedDataset::schema(self)
    }

    fn partitions(&self, target_bytes: u64) -> Result<Vec<Partition>> {
        self.below().partitions(target_bytes)
    }

    fn scan(&self, partition: &Partition, request: &ScanRequest) -> Result<Box<dyn Scan>> {
        self.change(self.below().scan(partition, &self.request_below(request)?)?, request)
    }

    fn applies_filter(&self, request: &ScanRequest) -> bool {
        ChangedDataset::applies_filter(self, request)
    }

    fn scan_all(&self, partitions: &[Partition], request: &ScanRequest) -> Result<Option<Box<dyn Scan>>> {
        let scan = self.below().scan_all(partitions, &self.request_below(request)?)?;
        scan.map(|scan| self.change(scan, request)).transpose()
    }

    fn scan_schema(&self, request: &ScanRequest) -> Result<SchemaRef> {
        ChangedDataset::scan_schema(self, request)
    }

    fn losses(&self) -> Vec<Loss> {
        ChangedDataset::losses(self)
    }

    fn notes(&self) -> Vec<String> {
        self.below().notes()
    }

    fn check_complete(&self) -> Result<()> {
        self.below().check_complete()
    }

    fn take(&self, runs: &[RecordRun], request: &ScanRequest) -> Result<Box<dyn Scan>> {
        self.change(self.below().take(runs, &self.request_below(request)?)?, request)
    }

    fn take_in_file(
        &self,
        file: &Partition,
        runs: &[RecordRun],
        request: &ScanRequest,
    ) -> Result<Box<dyn Scan>> {
        self.change(self.below().take_in_file(file, runs, &self.request_below(request)?)?, request)
    }

    fn statistics(&self, partition: &Partition) -> Result<PartitionStatistics> {
        ChangedDataset::statistics(self, partition)
    }

    fn count_rows(&self, partition: &Partition, request: &ScanRequest) -> Result<u64> {
        // Columns have other names below.
        self.below().count_rows(partition, &request.counting())
    }

    fn leaves_out(&self) -> bool {
        self.below().leaves_out()
    }

    fn count_records(&self, partition: &Partition, request: &ScanRequest) -> Result<u64> {
        self.below().count_records(partition, &request.counting())
    }

    fn entries(&self, partition: &Partition, records: u64) -> Result<Entries> {
        self.below().entries(partition, records)
    }

    fn spec(&self) -> Result<DatasetSpec> {
        ChangedDataset::spec(self)
    }

    fn local_spec(&self) -> Result<DatasetSpec> {
        ChangedDataset::local_spec(self)
    }
}
