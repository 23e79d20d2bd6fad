//! Notes on lost information, each loss once with its columns.

use tfxio::convert::Loss;

use crate::failure::{self, options_as_flags};

/// The most columns of a loss that are named.
const COLUMNS: usize = 8;

/// Prints the losses: `losses` has columns, each with its loss; `more` is appended to each note.
pub(crate) fn say(losses: &[Loss], more: &str) {
    let mut said = Vec::new();
    for Loss { what, .. } in losses {
        if said.contains(&what) {
            continue;
        }
        said.push(what);
        let mut columns =
            losses.iter().filter(|other| other.what == *what).map(|loss| format!("{:?}", loss.column));
        let named = columns.by_ref().take(COLUMNS).collect::<Vec<_>>();
        let (further, noun) = (columns.count(), if named.len() == 1 { "column" } else { "columns" });
        let further = if further > 0 { format!(" and {further} more") } else { String::new() };
        let what = options_as_flags(what);
        failure::say(format_args!("note: {what} ({noun} {}{further}{more})", named.join(", ")));
    }
}
