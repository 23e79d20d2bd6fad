//! Selection of fields by dotted names.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::key::token::leading_quoted;
use crate::{Error, ErrorKind, Result};

/// The names that are asked for below a type; `None` for all.
pub(super) type Wanted<'w> = Option<&'w [&'w str]>;

/// Selected parts of a record or union.
pub(super) struct Selection<'w>(Option<HashMap<Cow<'w, str>, Below<'w>>>);

/// Selections below a name, one for each time it was selected; `None` for all of it.
type Below<'w> = Vec<Option<&'w str>>;

impl<'w> Selection<'w> {
    /// Selects among the parts of a type that is `described` in errors.
    ///
    /// # Errors
    /// When a name does not begin with the name of a part.
    pub(super) fn new<'n>(
        wanted: Wanted<'w>,
        known: impl Iterator<Item = &'n str> + Clone,
        described: impl Fn() -> String,
    ) -> Result<Self> {
        let Some(wanted) = wanted else { return Ok(Self(None)) };
        let names = known.clone().collect::<HashSet<_>>();
        let mut selected: HashMap<_, Below<'w>> = HashMap::new();
        for &name in wanted {
            let mut is_known = false;
            for (first, below) in splits(name) {
                if names.contains(&*first) {
                    is_known = true;
                    selected.entry(first).or_default().push(below);
                }
            }
            if !is_known {
                let first = match leading_quoted(name) {
                    Some((quoted, below)) if below.is_empty() || below.starts_with('.') => quoted,
                    _ => name.split('.').next().unwrap_or_default().to_owned(),
                };
                let what = format!("no field {first:?} in {}", described());
                let error = Error::new(ErrorKind::InvalidArgument, what);
                return Err(error.help(tfxio_core::suggest::hint(&first, known, "fields")));
            }
        }
        Ok(Self(Some(selected)))
    }

    /// Returns the selections below a part: `None` if the part is not selected, `Some(None)` if all of it is.
    pub(super) fn below(&self, name: &str) -> Option<Option<Vec<&'w str>>> {
        let Some(selected) = &self.0 else { return Some(None) };
        // All of it, also where a part is asked for besides.
        selected.get(name).map(|below| below.iter().copied().collect())
    }
}

/// Returns the ways to divide a dotted name into the name of a part and the selection below it. A name in quotes is
/// whole, dots and all.
fn splits(name: &str) -> Vec<(Cow<'_, str>, Option<&str>)> {
    if let Some((quoted, below)) = leading_quoted(name) {
        let below = match below {
            "" => None,
            below => match below.strip_prefix('.') {
                Some(below) => Some(below),
                None => return Vec::new(),
            },
        };
        return vec![(quoted.into(), below)];
    }
    let dots = name.match_indices('.').filter_map(|(at, _)| name.split_at_checked(at));
    let splits = dots.map(|(first, below)| (first.into(), below.strip_prefix('.')));
    splits.chain([(name.into(), None)]).collect()
}
