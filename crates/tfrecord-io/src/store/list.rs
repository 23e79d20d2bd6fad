//! Patterns over the objects of a store.

use std::collections::HashMap;

use futures::TryStreamExt;
use object_store::path::Path;
use object_store::{GetOptions, ObjectMeta, ObjectStore};

use super::fetch::{LISTING, is_without_bucket, store_error};
use super::retry::{Retry, Tries};
use crate::shards::{MATCH_OPTIONS, ShardSpec, unreadable};
use crate::{Error, ErrorKind, Kind, Result};

/// Order in which a store lists objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Listing {
    /// Any order, or unknown. A listing that fails starts again, since objects before the last one may not have been
    /// listed. The default.
    #[default]
    Any,
    /// By the bytes of the paths, as Amazon S3 and Google Cloud Storage promise. A listing that fails continues after
    /// the last object.
    Sorted,
}

/// Returns the objects that a pattern means, in the order of their paths: the patterns of [`crate::shards`], over a store.
///
/// A pattern with wildcards lists everything below the last `/` before the first of them.
///
/// # Errors
///
/// As [`crate::shards::expand`], and the errors of the store.
pub async fn expand(
    store: &dyn ObjectStore,
    pattern: &str,
    retry: Retry,
    listing: Listing,
) -> Result<Vec<ObjectMeta>> {
    let failed = |error, doing| store_error(error, doing).in_file(pattern);
    // An object of exactly that name is meant, whatever is in it.
    if let Ok(path) = Path::parse(pattern) {
        let mut tries = Tries::new();
        loop {
            let options = GetOptions { head: true, ..GetOptions::default() };
            let error = match retry.within(&tries, store.get_opts(&path, options)).await {
                Ok(result) => return Ok(vec![result.meta]),
                Err(object_store::Error::NotFound { .. }) => break,
                Err(error) => error,
            };
            retry.wait(error, &mut tries, |error| failed(error, "looking for the object")).await?;
        }
    }
    let spec = ShardSpec::parse(pattern)?;
    let glob = match &spec {
        Some(spec) => spec.glob(),
        None => pattern.to_string(),
    };
    let Some(wildcard) = glob.find(['*', '?', '[']) else {
        return Err(no_object(store).await.in_file(pattern));
    };
    let matcher = glob::Pattern::new(&glob).map_err(|error| unreadable(error).in_file(pattern))?;
    let folder =
        glob.get(..wildcard).and_then(|start| start.rsplit_once('/')).map_or("", |(folder, _)| folder);
    let prefix = (!folder.is_empty()).then(|| Path::from(folder));
    let fits = |meta: &ObjectMeta| matcher.matches_with(meta.location.as_ref(), MATCH_OPTIONS);
    let found = list(store, prefix.as_ref(), retry, listing, fits, pattern, |error| failed(error, LISTING));
    let found = found.await?;
    let names: Vec<String> = found.iter().map(|meta| meta.location.to_string()).collect();
    let Some(wanted) = crate::shards::complete_set(pattern, spec.as_ref(), &names)? else { return Ok(found) };
    let mut by_name: HashMap<String, ObjectMeta> = names.into_iter().zip(found).collect();
    Ok(wanted.iter().filter_map(|name| by_name.remove(name)).collect())
}

/// Returns all objects below a folder, at any depth, in the order of their paths; all of the store where its name is empty.
///
/// # Errors
///
/// The errors of the store.
pub async fn below(
    store: &dyn ObjectStore,
    folder: &str,
    retry: Retry,
    listing: Listing,
) -> Result<Vec<ObjectMeta>> {
    let prefix = (!folder.is_empty()).then(|| Path::from(folder));
    let describe = |error| store_error(error, LISTING).in_file(folder);
    list(store, prefix.as_ref(), retry, listing, |_| true, folder, describe).await
}

/// Returns the objects below a prefix that fit, in the order of the paths. After a failure, the listing goes on where
/// it was if the store promises an order and has kept it so far, and from the beginning otherwise.
async fn list(
    store: &dyn ObjectStore,
    prefix: Option<&Path>,
    retry: Retry,
    order: Listing,
    fits: impl Fn(&ObjectMeta) -> bool,
    named: &str,
    describe: impl Fn(object_store::Error) -> Error,
) -> Result<Vec<ObjectMeta>> {
    let mut found: Vec<ObjectMeta> = Vec::new();
    // A store that listed out of order once may do so again.
    let (mut last, mut furthest, mut tries) = (None::<Path>, None::<Path>, Tries::new());
    let mut in_order = order == Listing::Sorted;
    loop {
        let goes_on = last.is_some();
        let mut listing = match &last {
            Some(last) => store.list_with_offset(prefix, last),
            None => store.list(prefix),
        };
        let mut round = Round::default();
        let error = loop {
            match retry.within(&tries, listing.try_next()).await {
                Ok(Some(meta)) => {
                    tries.heard();
                    if round.comes_back(&meta.location) {
                        let what = format!("the store lists the object {} again and again", meta.location);
                        let error = Error::new(Kind::Store, what).help("name each file by its URL");
                        return Err(error.in_file(named));
                    }
                    let follows = last.as_ref().is_none_or(|last| *last < meta.location);
                    last = Some(meta.location.clone());
                    in_order &= follows;
                    if follows && furthest < last {
                        // Not seen before.
                        furthest.clone_from(&last);
                        tries.go_on();
                    }
                    found.extend(fits(&meta).then_some(meta));
                }
                Ok(None) if in_order || !goes_on => {
                    found.sort_by(|a, b| a.location.cmp(&b.location));
                    return Ok(found);
                }
                // What comes before the offset may never have been listed.
                Ok(None) => break None,
                Err(error) => break Some(error),
            }
        };
        if let Some(error) = error {
            retry.wait(error, &mut tries, &describe).await?;
        }
        if !in_order {
            (found, last) = (Vec::new(), None);
        }
    }
}

/// Whether a listing goes round: an object comes back that was listed before. Keeps one at a time, by Brent's rule: each that is a
/// power of two of objects after the one before it, so that none of a listing that ends is met again.
#[derive(Default)]
struct Round {
    kept: Option<Path>,
    after: u64,
    until: u64,
}

impl Round {
    fn comes_back(&mut self, location: &Path) -> bool {
        if self.kept.as_ref() == Some(location) {
            return true;
        }
        self.after += 1;
        if self.after >= self.until {
            self.kept = Some(location.clone());
            (self.after, self.until) = (0, self.until.saturating_mul(2).max(1));
        }
        false
    }
}

/// Returns the error for a name that nothing has: whether there is a bucket is known from a listing.
async fn no_object(store: &dyn ObjectStore) -> Error {
    match store.list(Some(&Path::from("no-such-object"))).try_next().await {
        Err(error) if is_without_bucket(&error) => store_error(error, "looking for the object"),
        _ => Error::new(ErrorKind::NotFound, "no such object").help("check the bucket and the path"),
    }
}
