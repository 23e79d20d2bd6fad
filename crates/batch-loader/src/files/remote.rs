//! Data sets that are not on this machine.

use std::io::Read as _;
use std::sync::Arc;

use tfxio_core::{Cancel, Store};

use super::{Files, holds_records, none_found, refuse_long};
use crate::json::{MAX_BYTES, text_of};
use crate::manifest::FILE_NAME;
use crate::{Error, Kind, Result};

/// The files below a URL.
pub(super) fn folder(url: &str, store: Option<&dyn Store>) -> Result<Files> {
    let top = url.trim_end_matches('/');
    // A folder's name is not a pattern.
    let mut pattern = String::new();
    for char in top.chars() {
        match char {
            '*' | '?' | '[' => pattern.extend(['[', char, ']']),
            other => pattern.push(other),
        }
    }
    pattern.push_str("/**/*");
    let all = known(url, store)?.list(&pattern).map_err(|error| failed(url, "directory", error))?;
    let is_manifest = |name: &str| name.rsplit('/').next() == Some(FILE_NAME);
    let others = all.iter().filter(|name| !holds_records(name) && !is_manifest(name)).count();
    let mut files = all.into_iter().filter(|name| holds_records(name)).collect::<Vec<_>>();
    if files.is_empty() {
        return Err(none_found(url, others as u64));
    }
    files.sort_unstable();
    Ok(Files { manifest: format!("{top}/{FILE_NAME}").into(), files, listed: None })
}

/// The text of a manifest or a list; `what` names it in errors.
pub(super) fn text(url: &str, what: &str, kind: Kind, store: Option<&dyn Store>) -> Result<String> {
    text_of(bytes(url, what, store)?, kind).map_err(|error| error.in_file(Arc::<str>::from(url)))
}

/// The bytes of a file; `what` names it in errors.
pub(super) fn bytes(url: &str, what: &str, store: Option<&dyn Store>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    known(url, store)?
        .open(url, 0..MAX_BYTES.saturating_add(1), &Cancel::default())
        .and_then(|input| {
            let read = input.take(MAX_BYTES.saturating_add(1)).read_to_end(&mut bytes);
            read.map_err(|error| Error::io(error, "reading"))
        })
        .map_err(|error| failed(url, what, error))?;
    refuse_long(&bytes, what, url)?;
    Ok(bytes)
}

/// The store, where there is one that may know URLs.
fn known<'a>(url: &str, store: Option<&'a dyn Store>) -> Result<&'a dyn Store> {
    store.ok_or_else(|| {
        let what = format!("{url:?}: this is a URL, and the loader was given no store");
        Error::new(Kind::InvalidValue, what)
            .help("give a path on this machine, or a store that knows such URLs: `LoaderBuilder::store`")
    })
}

fn failed(url: &str, what: &str, error: Error) -> Error {
    if error.is(tfxio_core::ErrorKind::NotFound) {
        return Error::new(Kind::NotFound, format!("the {what} {url} does not exist")).because(error);
    }
    Error::new(Kind::Io, format!("the {what} {url} cannot be read")).because(error)
}
