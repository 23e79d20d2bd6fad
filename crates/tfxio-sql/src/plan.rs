//! Partitions of a plan and their statistics.

use tfxio_core::{Dataset, Estimate, Partition, PartitionStatistics, Result};

/// The least bytes that are worth a partition.
const LEAST: u64 = 1 << 20;
/// Bytes of a partition where the size of the data set is not known.
const UNKNOWN: u64 = 64 << 20;

/// The partitions of a plan: each is read by one task, one part after the other.
#[derive(Clone, Debug)]
pub(crate) struct PartitionPlan {
    pub(crate) groups: Vec<Vec<Partition>>,
    /// Statistics of each group.
    pub(crate) statistics: Vec<Vec<PartitionStatistics>>,
    /// Statistics of whole files, which may be more exact than the sum over their parts.
    pub(crate) whole: Vec<PartitionStatistics>,
}

/// Plans at most `most` partitions. Files stay whole where records have to be counted from their beginning.
pub(crate) fn plan(dataset: &dyn Dataset, most: usize, keep_files: bool) -> Result<PartitionPlan> {
    let files = dataset.partitions(u64::MAX)?;
    let whole = files.iter().map(|file| dataset.statistics(file)).collect::<Result<Vec<_>>>()?;
    let total = whole
        .iter()
        .zip(&files)
        .try_fold(0u64, |sum, (statistics, file)| sum.checked_add(bytes(file, statistics)?));
    let most = most.max(1);
    let target = total.map_or(UNKNOWN, |total| total.div_ceil(most as u64).max(LEAST));
    let parts = if keep_files || total.is_some_and(|total| total <= LEAST) {
        files
    } else {
        dataset.partitions(target)?
    };
    let statistics = parts.iter().map(|part| dataset.statistics(part)).collect::<Result<Vec<_>>>()?;
    let (groups, statistics) = group(parts, statistics, most);
    Ok(PartitionPlan { groups, statistics, whole })
}

/// Returns the bytes of a partition as stored, where they are known.
fn bytes(partition: &Partition, statistics: &PartitionStatistics) -> Option<u64> {
    match statistics.bytes {
        Estimate::Exact(bytes) | Estimate::Bound(bytes) => Some(bytes),
        Estimate::Unknown if partition.end == u64::MAX => local_size(partition),
        Estimate::Unknown => partition.end.checked_sub(partition.start),
    }
}

fn local_size(partition: &Partition) -> Option<u64> {
    let size = std::fs::metadata(&*partition.file).ok().filter(std::fs::Metadata::is_file)?.len();
    size.checked_sub(partition.start)
}

type Groups = (Vec<Vec<Partition>>, Vec<Vec<PartitionStatistics>>);

/// Deals partitions to groups of about the same size. Neighbours stay together where there are more of them than groups.
fn group(parts: Vec<Partition>, statistics: Vec<PartitionStatistics>, most: usize) -> Groups {
    let sizes =
        parts.iter().zip(&statistics).map(|(part, known)| bytes(part, known).unwrap_or(UNKNOWN).max(1));
    let sizes = sizes.collect::<Vec<_>>();
    let total = sizes.iter().fold(0u128, |sum, size| sum + u128::from(*size)).max(1);
    let count = most.min(parts.len()).max(1);
    let mut groups = (vec![Vec::new(); count], vec![Vec::new(); count]);
    let mut before = 0u128;
    for (at, (part, (known, size))) in parts.into_iter().zip(statistics.into_iter().zip(sizes)).enumerate() {
        // The group in which the middle of the partition falls.
        let middle = before + u128::from(size) / 2;
        before += u128::from(size);
        let group =
            if count == 1 { 0 } else { usize::try_from(middle * count as u128 / total).unwrap_or(at) };
        let group = group.min(count - 1);
        groups.0[group].push(part);
        groups.1[group].push(known);
    }
    let mut kept =
        groups.0.into_iter().zip(groups.1).filter(|(parts, _)| !parts.is_empty()).collect::<Vec<_>>();
    if kept.is_empty() {
        kept.push((Vec::new(), Vec::new()));
    }
    kept.into_iter().unzip()
}
