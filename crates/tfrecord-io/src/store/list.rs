//! Patterns over the objects of a store.

use std::collections::HashMap;

use futures::TryStreamExt;
use object_store::path::Path;
use object_store::{GetOptions, ObjectMeta, ObjectStore};

use super::fetch::{Retry, store_error};
use crate::shards::{MATCH_OPTIONS, ShardSpec, unreadable};
use crate::{Error, ErrorKind, Result};

/// Returns the objects that a pattern means, in the order of their paths: the patterns of [`crate::shards`], over a store.
///
/// A pattern with wildcards lists what lies below the last `/` before the first of them.
///
/// # Errors
///
/// As [`crate::shards::expand`], and what the store says.
pub async fn expand(store: &dyn ObjectStore, pattern: &str, retry: Retry) -> Result<Vec<ObjectMeta>> {
    let failed = |error, doing| store_error(error, doing).in_file(pattern);
    // An object of exactly that name is meant, whatever is in it.
    if let Ok(path) = Path::parse(pattern) {
        let mut attempt = 0;
        loop {
            let options = GetOptions { head: true, ..GetOptions::default() };
            let error = match store.get_opts(&path, options).await {
                Ok(result) => return Ok(vec![result.meta]),
                Err(object_store::Error::NotFound { .. }) => break,
                Err(error) => error,
            };
            retry.wait(error, &mut attempt, |error| failed(error, "looking for the object")).await?;
        }
    }
    let spec = ShardSpec::parse(pattern)?;
    let glob = match &spec {
        Some(spec) => spec.glob(),
        None => pattern.to_string(),
    };
    let Some(wildcard) = glob.find(['*', '?', '[']) else {
        return Err(Error::new(ErrorKind::NotFound, "no such object")
            .help("check the bucket and the path")
            .in_file(pattern));
    };
    let matcher = glob::Pattern::new(&glob).map_err(|error| unreadable(error).in_file(pattern))?;
    let folder =
        glob.get(..wildcard).and_then(|start| start.rsplit_once('/')).map_or("", |(folder, _)| folder);
    let prefix = (!folder.is_empty()).then(|| Path::from(folder));
    let mut attempt = 0;
    let mut found: Vec<_> = loop {
        let fitting = store.list(prefix.as_ref()).try_filter(|meta| {
            let fits = matcher.matches_with(meta.location.as_ref(), MATCH_OPTIONS);
            futures::future::ready(fits)
        });
        match fitting.try_collect().await {
            Ok(found) => break found,
            Err(error) => {
                retry.wait(error, &mut attempt, |error| failed(error, "listing the store")).await?;
            }
        }
    };
    found.sort_by(|a: &ObjectMeta, b| a.location.cmp(&b.location));
    let names: Vec<String> = found.iter().map(|meta| meta.location.to_string()).collect();
    let Some(wanted) = crate::shards::complete_set(pattern, spec.as_ref(), &names)? else { return Ok(found) };
    let mut by_name: HashMap<String, ObjectMeta> = names.into_iter().zip(found).collect();
    Ok(wanted.iter().filter_map(|name| by_name.remove(name)).collect())
}
