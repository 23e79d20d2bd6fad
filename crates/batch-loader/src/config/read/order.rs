//! The order of examples: shuffling and shards.

use std::ops::RangeInclusive;

use super::{AHEAD, COUNT};
use crate::config::{Even, KeepIndex, LoaderConfig, Shard, Shuffle};
use crate::json::{Keys, Node, Object};
use crate::{Kind, Result};

/// The keys of the buffers, what they may be, and what they are where they are not given.
const BUFFERS: [(&str, RangeInclusive<u32>, usize); 3] = [
    ("num_shuffle_buffer_elements", COUNT, 10_000),
    ("num_filenames_shuffle_buffer", COUNT, 1000),
    ("num_mix_files", 1..=*AHEAD.end(), 4),
];

pub(super) fn shuffle(object: &Object<'_>) -> Result<Shuffle> {
    let node = object.get("shuffle");
    let is_global = node.as_ref().is_some_and(|node| matches!(node.string(), Ok("global")));
    let is_buffered = match node.filter(|_| !is_global) {
        Some(node) => node.bool().map_err(|_| node.invalid_type("true, false or \"global\""))?,
        None => false,
    };
    for (node, range) in BUFFERS.iter().filter_map(|(key, range, _)| Some((object.get(key)?, range))) {
        // Without shuffling they are ignored, but have to be integers all the same.
        if node.integer().is_none() {
            node.count(range.clone())?;
        }
        if is_global {
            let error = node.error(Kind::InvalidValue, "a global shuffle has no buffer");
            return Err(error.help("leave this out, or give \"shuffle\": true"));
        }
    }
    if is_global {
        return Ok(Shuffle::Global);
    }
    if !is_buffered {
        return Ok(Shuffle::Off);
    }
    let [elements, filenames, mix_files] = BUFFERS.map(|(key, range, default)| {
        object.read(key, |node| node.count(range)).map(|given| given.unwrap_or(default))
    });
    Ok(Shuffle::Buffer { elements: elements?, filenames: filenames?, mix_files: mix_files? })
}

pub(super) fn even(node: &Node<'_>) -> Result<Even> {
    node.word("way to make hosts even", &[("drop", Even::Drop), ("repeat", Even::Repeat)])
}

/// `index` and `index_dir`.
pub(super) fn index(object: &Object<'_>, config: &mut LoaderConfig) -> Result<()> {
    let words = [("none", KeepIndex::None), ("beside", KeepIndex::Beside), ("cache", KeepIndex::Cache)];
    config.index = object.read("index", |node| node.word("way to keep indexes", &words))?.unwrap_or_default();
    let Some(node) = object.get("index_dir") else { return Ok(()) };
    let folder = node.name()?;
    if config.index != KeepIndex::Cache {
        let error = node.error(Kind::InvalidValue, "indexes are not kept in a folder");
        return Err(error.help("give \"index\": \"cache\", or leave this out"));
    }
    config.index_dir = Some(folder.into());
    Ok(())
}

pub(super) fn shard(node: &Node<'_>) -> Result<Shard> {
    let object = node.object(Keys::new("shard", &["index", "count"], &[]))?;
    let count: u32 = object.need("count")?.integer_in(COUNT)?;
    let index = object.need("index")?.integer_in(0..=count.saturating_sub(1))?;
    Ok(Shard { index, count })
}
