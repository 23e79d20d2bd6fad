//! Several data sets, one after the other.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use tfxio_core::{
    Dataset, Entries, Error, ErrorKind, Loss, Partition, PartitionStatistics, RecordRun, Result, Scan,
    ScanRequest,
};

use super::layered;
use crate::merge::{self, Fitting, Merged};

/// Name under which a partition stores its data set.
const DATASET: &str = "dataset";

/// Several data sets of the same columns, one after the other.
#[derive(Debug)]
pub struct Concat {
    members: Vec<Member>,
    merged: Merged,
}

/// One of the data sets.
#[derive(Debug)]
struct Member {
    /// Its number, by which partitions name it.
    index: usize,
    /// Its name in messages.
    name: Arc<str>,
    dataset: Arc<dyn Dataset>,
}

impl Concat {
    /// Returns data sets as one. Columns are matched by their names, in the order of the first, and have types that hold the values of
    /// all.
    ///
    /// # Errors
    /// `InvalidArgument` without data sets; `SchemaMismatch` for a column that not all have, or have in types that have none in common.
    pub fn new(datasets: Vec<Arc<dyn Dataset>>) -> Result<Self> {
        let member = |(index, dataset)| Member { index, name: format!("data set {index}").into(), dataset };
        let members = datasets.into_iter().enumerate().map(member).collect::<Vec<_>>();
        let Some(Member { name, dataset, .. }) = members.first() else {
            let error = Error::new(ErrorKind::InvalidArgument, "there is no data set");
            return Err(error.help("name one or more, whose rows follow each other"));
        };
        let mut merged = Merged::of_data_sets(Arc::clone(name), Arc::clone(dataset.schema()));
        for Member { name, dataset, .. } in members.iter().skip(1) {
            merged.add(name, dataset.schema());
        }
        // What one has and another has not is an error now.
        merged.projected(&ScanRequest::new())?;
        Ok(Self { members, merged })
    }

    /// Returns the data set of a partition, and its partition.
    fn below(&self, partition: &Partition) -> Result<(&Member, Partition)> {
        let (partition, index) = layered::pop(partition, DATASET);
        let index = index.as_deref().and_then(|index| index.parse::<usize>().ok());
        let Some(member) = index.and_then(|index| self.members.get(index)) else {
            let what = "the partition does not say which of the data sets it is of";
            let error = Error::new(ErrorKind::InvalidArgument, what);
            let error = error.help("take the partition as it was planned");
            return Err(error.in_file(Arc::clone(&partition.file)));
        };
        Ok((member, partition))
    }

    /// Starts a scan of a data set with the columns of all.
    fn scan_of(
        &self,
        Member { name, dataset, .. }: &Member,
        request: &ScanRequest,
        scan: impl FnOnce(&ScanRequest) -> Result<Box<dyn Scan>>,
    ) -> Result<Box<dyn Scan>> {
        match self.merged.fitting(name, dataset.schema(), request)? {
            Some(Fitting { request, schema }) => Ok(merge::fitted(scan(&request)?, schema)),
            None => scan(request),
        }
    }

    /// Returns the only data set that has a file.
    fn of_file(&self, file: &Arc<str>) -> Result<&Member> {
        let mut found = None;
        for member in &self.members {
            let partitions = member.dataset.partitions(u64::MAX)?;
            let has = partitions.iter().any(|partition| partition.file == *file);
            if has && found.replace(member).is_some() {
                let what = "several of the data sets have this file, and records are taken by the number in their file";
                return Err(Error::new(ErrorKind::Unsupported, what).in_file(Arc::clone(file)));
            }
        }
        found.ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, format!("none of the data sets has the file {file:?}"))
        })
    }
}

impl Dataset for Concat {
    fn schema(&self) -> &SchemaRef {
        self.merged.schema()
    }

    fn partitions(&self, target_bytes: u64) -> Result<Vec<Partition>> {
        let mut planned = Vec::new();
        for Member { index, dataset, .. } in &self.members {
            let index = index.to_string();
            let partitions = dataset.partitions(target_bytes)?.into_iter();
            planned.extend(partitions.map(|partition| layered::push(partition, DATASET, &index)));
        }
        Ok(planned)
    }

    fn scan(&self, partition: &Partition, request: &ScanRequest) -> Result<Box<dyn Scan>> {
        let (member, partition) = self.below(partition)?;
        let scan = self.scan_of(member, request, |request| member.dataset.scan(&partition, request))?;
        Ok(layered::scan(scan, DATASET, member.index.to_string()))
    }

    fn scan_schema(&self, request: &ScanRequest) -> Result<SchemaRef> {
        self.merged.projected(request)
    }

    fn losses(&self) -> Vec<Loss> {
        let mut seen = HashSet::new();
        let losses = self.members.iter().flat_map(|member| member.dataset.losses());
        losses.filter(|loss| seen.insert(loss.clone())).collect()
    }

    fn notes(&self) -> Vec<String> {
        let mut seen = HashSet::new();
        let notes = self.members.iter().flat_map(|member| member.dataset.notes());
        notes.filter(|note| seen.insert(note.clone())).collect()
    }

    fn check_complete(&self) -> Result<()> {
        self.members.iter().try_for_each(|member| member.dataset.check_complete())
    }

    fn take(&self, runs: &[RecordRun], request: &ScanRequest) -> Result<Box<dyn Scan>> {
        let Some(first) = runs.first() else {
            let schema = self.merged.projected(request)?;
            return Ok(Box::new(Taken { scans: Vec::new().into_iter(), open: None, schema }));
        };
        let mut scans = Vec::new();
        let mut start = 0;
        let mut of = self.of_file(&first.file)?;
        for (at, run) in runs.iter().enumerate() {
            let member = self.of_file(&run.file)?;
            if !std::ptr::eq(member, of) {
                scans.push((of, runs.get(start..at).unwrap_or_default()));
                (of, start) = (member, at);
            }
        }
        scans.push((of, runs.get(start..).unwrap_or_default()));
        let scans = scans
            .into_iter()
            .map(|(of, runs)| self.scan_of(of, request, |request| of.dataset.take(runs, request)));
        let scans = scans.collect::<Result<Vec<_>>>()?;
        let schema = self.merged.projected(request)?;
        Ok(Box::new(Taken { scans: scans.into_iter(), open: None, schema }))
    }

    fn take_in_file(
        &self,
        file: &Partition,
        runs: &[RecordRun],
        request: &ScanRequest,
    ) -> Result<Box<dyn Scan>> {
        let (member, file) = self.below(file)?;
        self.scan_of(member, request, |request| member.dataset.take_in_file(&file, runs, request))
    }

    fn statistics(&self, partition: &Partition) -> Result<PartitionStatistics> {
        let (Member { dataset, .. }, partition) = self.below(partition)?;
        let mut statistics = dataset.statistics(&partition)?;
        self.merged.keep_alike(dataset.schema(), &mut statistics.columns);
        Ok(statistics)
    }

    fn count_rows(&self, partition: &Partition, request: &ScanRequest) -> Result<u64> {
        let (Member { dataset, .. }, partition) = self.below(partition)?;
        dataset.count_rows(&partition, &request.counting())
    }

    fn leaves_out(&self) -> bool {
        self.members.iter().any(|member| member.dataset.leaves_out())
    }

    fn count_records(&self, partition: &Partition, request: &ScanRequest) -> Result<u64> {
        let (Member { dataset, .. }, partition) = self.below(partition)?;
        dataset.count_records(&partition, &request.counting())
    }

    fn entries(&self, partition: &Partition, records: u64) -> Result<Entries> {
        let (Member { dataset, .. }, partition) = self.below(partition)?;
        dataset.entries(&partition, records)
    }
}

/// The records that were taken of several data sets.
struct Taken {
    scans: std::vec::IntoIter<Box<dyn Scan>>,
    open: Option<Box<dyn Scan>>,
    schema: SchemaRef,
}

impl Scan for Taken {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn next_batch(&mut self) -> Result<Option<tfxio_core::Batch>> {
        loop {
            if let Some(scan) = &mut self.open
                && let Some(batch) = scan.next_batch()?
            {
                return Ok(Some(batch));
            }
            self.open = self.scans.next();
            if self.open.is_none() {
                return Ok(None);
            }
        }
    }
}
