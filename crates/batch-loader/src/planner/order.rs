//! Order in which the files of an epoch are opened.

use tfxio_core::random::{Stream, derive};

use super::{ExamplePlan, Order};

/// The files of this host in the order of an epoch, by their numbers.
pub(super) fn files(plan: &ExamplePlan, epoch: u64) -> Vec<u32> {
    let mut files = (0..plan.parts).collect::<Vec<_>>();
    if let Order::Shuffled { filenames, .. } = plan.order {
        let mut stream = Stream::new(derive(plan.seed, "files", &[epoch]));
        files = shuffled(files, filenames, &mut stream);
    }
    // Every host shuffles the same list, so that taking every n-th leaves no file out. Which files a host
    // has must not differ between epochs, as its caches hold them.
    if let Some(shard) = plan.shard.filter(|_| shards_by_file(plan)) {
        files.retain(|file| file % shard.count == shard.index);
    }
    files.iter_mut().for_each(|file| *file = file.saturating_add(plan.first));
    files
}

/// Whether each host has files of its own. Otherwise it has examples of every file.
pub(super) fn shards_by_file(plan: &ExamplePlan) -> bool {
    plan.shard.is_some_and(|shard| plan.parts >= shard.count)
}

/// The items in the order in which a shuffle buffer of that size gives them out.
pub(super) fn shuffled(items: Vec<u32>, elements: usize, stream: &mut Stream) -> Vec<u32> {
    let mut out = Vec::with_capacity(items.len());
    let mut buffer = Vec::new();
    let mut items = items.into_iter();
    loop {
        while buffer.len() < elements.max(1) {
            match items.next() {
                Some(item) => buffer.push(item),
                None => break,
            }
        }
        if buffer.is_empty() {
            return out;
        }
        let slot = usize::try_from(stream.below(buffer.len() as u64)).unwrap_or(0);
        out.push(buffer.swap_remove(slot));
    }
}
