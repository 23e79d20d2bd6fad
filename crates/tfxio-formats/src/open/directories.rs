//! Choice of the files of a directory.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use tfxio_core::{Count, Formats};

use super::find::without_shard;

/// Names that a note lists.
const NAMED: usize = 5;

/// Receiver of notes about unexpected ways of opening.
#[derive(Clone)]
pub(super) struct Notes(pub(super) Arc<dyn Fn(&str) + Send + Sync>);

impl Notes {
    /// Says a sentence to whom notes are told, if anybody wants them.
    pub(super) fn say(notes: Option<&Self>, text: &str) {
        if let Some(notes) = notes {
            notes.0(text);
        }
    }
}

impl fmt::Debug for Notes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Notes")
    }
}

/// Returns the files below a directory whose names have the ending of a format, of the stated one where it is one of files; all files where
/// no name does. Notes the files that are left out, and values in the names of directories that are in no column.
pub(super) fn choose(
    directory: &str,
    files: Vec<Arc<str>>,
    formats: &Formats,
    stated: Option<&str>,
    note: impl Fn(&str),
) -> Vec<Arc<str>> {
    let stated = stated.filter(|name| formats.files().iter().any(|format| format.name() == *name));
    let fits = |name: &str| {
        let format = formats.by_ending(without_shard(name));
        format.is_some_and(|format| stated.is_none_or(|stated| format.name() == stated))
    };
    let (chosen, others): (Vec<_>, Vec<_>) = files.into_iter().partition(|name| fits(name));
    let relative = |name: &Arc<str>| -> String {
        let rest = name.strip_prefix(directory).unwrap_or(name);
        rest.trim_start_matches(['/', '\\']).to_owned()
    };
    let chosen = if chosen.is_empty() {
        others
    } else {
        if !others.is_empty() {
            let names = listed(others.iter().map(relative));
            let files = Count::of(others.len(), "file");
            let are = files.verb("is", "are");
            let say = match stated {
                Some(stated) => format!("{} say {stated}", files.verb("name does not", "names do not")),
                None => format!("{} no format", files.verb("name says", "names say")),
            };
            note(&format!("{directory}: {files} {are} left out, whose {say}: {names}"));
        }
        chosen
    };
    let mut keys: Vec<String> = Vec::new();
    for name in &chosen {
        let name = relative(name);
        let (folders, _) = name.rsplit_once(['/', '\\']).unwrap_or_default();
        for (key, _) in folders.split(['/', '\\']).filter_map(|folder| folder.split_once('=')) {
            if !key.is_empty() && keys.iter().all(|known| known != key) {
                keys.push(key.to_owned());
            }
        }
    }
    if !keys.is_empty() {
        let keys = listed(keys.into_iter());
        note(&format!("{directory}: the names of its directories say {keys}, which no column holds"));
    }
    chosen
}

/// Notes the files that are named by several patterns, and read once.
pub(super) fn say_again(files: &BTreeSet<Arc<str>>, note: impl Fn(&str)) {
    let names = listed(files.iter().map(|name| (**name).to_owned()));
    match files.len() {
        0 => {}
        1 => note(&format!("1 file is named more than once, and read once: {names}")),
        many => note(&format!("{many} files are named more than once, and read once: {names}")),
    }
}

/// Returns the first names with commas between them, and how many more there are.
fn listed(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    names.take(NAMED).collect::<Vec<_>>().join(", ") + &more
}
