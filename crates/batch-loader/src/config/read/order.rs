//! The order of examples: shuffling and shards.

use std::ops::RangeInclusive;

use super::{AHEAD, COUNT};
use crate::config::setters::{FILENAMES, MIX_FILES};
use crate::config::{Even, KeepIndex, LoaderConfig, Shard, Shuffle};
use crate::json::{Keys, Node, Object};
use crate::{Kind, Result};

/// The keys of the buffers, what they may be, and what they are where they are not given.
const BUFFERS: [(&str, RangeInclusive<u32>, usize); 3] = [
    ("num_shuffle_buffer_elements", COUNT, 10_000),
    ("num_filenames_shuffle_buffer", COUNT, FILENAMES),
    ("num_mix_files", 1..=*AHEAD.end(), MIX_FILES),
];

/// The bytes of tensors that a shuffle of blocks holds where it is not said.
pub(crate) const SHUFFLE_BYTES: u64 = 256 << 20;
/// Bytes that it may hold.
const BYTES: RangeInclusive<u64> = 1 << 20..=1 << 50;
/// Streams that it may have.
const STREAMS: RangeInclusive<u32> = 1..=4096;

/// Kinds of shuffles that have names; the others are true and false.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    Global,
    Blocks,
    Auto,
}

pub(super) fn shuffle(object: &Object<'_>) -> Result<Shuffle> {
    let node = object.get("shuffle");
    let named = node.as_ref().and_then(|node| match node.string() {
        Ok("global") => Some(Named::Global),
        Ok("blocks") => Some(Named::Blocks),
        Ok("auto") => Some(Named::Auto),
        _ => None,
    });
    let is_buffered = match node.filter(|_| named.is_none()) {
        Some(node) => {
            node.bool().map_err(|_| node.invalid_type("true, false, \"blocks\", \"global\" or \"auto\""))?
        }
        None => false,
    };
    for (node, range) in BUFFERS.iter().filter_map(|(key, range, _)| Some((object.get(key)?, range))) {
        // Without shuffling they are ignored, but have to be integers all the same.
        if node.integer().is_none() {
            node.count(range.clone())?;
        }
        if let Some(named) = named {
            let what = match named {
                Named::Global => "a global shuffle has no buffer",
                Named::Blocks | Named::Auto => "a shuffle of blocks has no buffer of examples",
            };
            let error = node.error(Kind::InvalidValue, what);
            return Err(error.help("leave this out, or give \"shuffle\": true"));
        }
    }
    let is_of_blocks = matches!(named, Some(Named::Blocks | Named::Auto));
    for node in ["shuffle_bytes", "shuffle_streams"].iter().filter_map(|key| object.get(key)) {
        if !is_of_blocks {
            let error = node.error(Kind::InvalidValue, "only a shuffle of blocks has this");
            return Err(error.help("leave this out, or give \"shuffle\": \"blocks\""));
        }
    }
    let bytes = object.read("shuffle_bytes", |node| node.integer_in(BYTES))?.unwrap_or(SHUFFLE_BYTES);
    let streams = object.get("shuffle_streams").filter(|node| !node.is_null());
    let streams = streams.map(|node| node.integer_in(STREAMS).map(|streams| (streams, node))).transpose()?;
    match (named, streams) {
        (Some(Named::Global), _) => return Ok(Shuffle::Global),
        (Some(Named::Blocks), streams) => {
            return Ok(Shuffle::Blocks { bytes, streams: streams.map(|(streams, _)| streams) });
        }
        (Some(Named::Auto), Some((_, node))) => {
            let error = node.error(Kind::InvalidValue, "only a shuffle of blocks has streams");
            return Err(error.help("leave this out, or give \"shuffle\": \"blocks\""));
        }
        (Some(Named::Auto), None) => return Ok(Shuffle::Auto { bytes }),
        (None, _) => {}
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
