//! Shards of other sets that stay beside a set that is written.

use std::path::Path;

use tfrecord_io::Kind;
use tfxio_base::ShardSets;
use tfxio_core::{Count, Result, Store};

use super::spec;
use crate::url;

/// Returns a sentence about shards of another number that have the name of an output and stay beside it: the folder then holds two sets of
/// one name. Nothing without such shards, or where they cannot be determined, as in a store that does not list.
pub fn shards_beside(output: &str, store: &dyn Store) -> Result<Option<String>> {
    let path = url::file_path(output).transpose()?;
    let Some((spec, count)) = spec(Path::new(path.as_deref().unwrap_or(output)))? else { return Ok(None) };
    const THEN: &str =
        "a folder or pattern with both is refused when it is read; remove them if they are of an earlier run";
    let found = match store.list(&spec.glob_of_any_number()) {
        Ok(found) => found,
        Err(error) if matches!(error.detail(), Some(Kind::ShardPattern)) => {
            let what = "shards of several other sets of this name are there, and stay beside what is written";
            return Ok(Some(format!("{output}: {what}; {THEN}")));
        }
        Err(_) => return Ok(None),
    };
    let sets = ShardSets::of(found.iter().map(|name| &**name)).counts();
    let Some(other) = sets.into_iter().find(|other| Some(*other) != count) else { return Ok(None) };
    let shards = Count::of(u64::from(other), "shard");
    let unless = if count.is_none() { " unless as many are written" } else { "" };
    let what = format!(
        "there are files of a set of {shards} of this name, which stay beside what is written{unless}"
    );
    Ok(Some(format!("{output}: {what}; {THEN}")))
}
