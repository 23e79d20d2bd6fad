//! Data sets that are not on this machine.

use std::io::{self, Read as _};
use std::sync::Arc;

use super::{Files, MANIFEST, holds_records, none_found, read_error, refuse_long};
use crate::json::{MAX_BYTES, text_of};
use crate::source::Opener;
use crate::{Error, Kind, Result};

/// The files below a URL.
pub(super) fn folder(url: &str, opener: &dyn Opener) -> Result<Files> {
    let top = url.trim_end_matches('/');
    let all = opener.list(&format!("{top}/")).map_err(|error| failed(url, "directory", error))?;
    let is_manifest = |name: &str| name.rsplit('/').next() == Some(MANIFEST);
    let others = all.iter().filter(|name| !holds_records(name) && !is_manifest(name)).count();
    let mut files = all.into_iter().filter(|name| holds_records(name)).collect::<Vec<_>>();
    if files.is_empty() {
        return Err(none_found(url, others as u64));
    }
    files.sort_unstable();
    Ok(Files { manifest: format!("{top}/{MANIFEST}").into(), files, listed: None })
}

/// The text of a manifest or a list; `what` names it in errors.
pub(super) fn text(url: &str, what: &str, kind: Kind, opener: &dyn Opener) -> Result<String> {
    let mut bytes = Vec::new();
    opener
        .open(url)
        .and_then(|input| input.take(MAX_BYTES.saturating_add(1)).read_to_end(&mut bytes))
        .map_err(|error| failed(url, what, error))?;
    refuse_long(&bytes, what, url)?;
    text_of(bytes, kind).map_err(|error| error.in_file(Arc::<str>::from(url)))
}

fn failed(url: &str, what: &str, error: io::Error) -> Error {
    if error.kind() == io::ErrorKind::Unsupported {
        let what = format!("{url:?}: {error}");
        return Error::new(Kind::InvalidValue, what)
            .help("give a path on this machine, or an opener that knows such URLs");
    }
    read_error(url, what, error)
}
