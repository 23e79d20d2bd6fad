//! Names of columns.

use std::sync::Arc;

use tfxio_core::{Count, Error, ErrorKind, Limits, Result};

use super::cells::{Cells, Dialect};
use crate::lines::CheckHeader;

/// Returns the names that a header has.
///
/// # Errors
/// `Malformed` where it cannot be split into cells, or a name is not UTF-8.
pub(super) fn names(row: &[u8], dialect: &Dialect) -> Result<Vec<String>> {
    let mut cells = Cells::default();
    cells.split(row, dialect).map_err(|bad| {
        let what = format!("the header cannot be read: {}", bad.what);
        let help = dialect.escape_help(row).unwrap_or(bad.help);
        Error::new(ErrorKind::Malformed, what).help(help).at_record_byte(bad.at)
    })?;
    let name = |index| {
        let (bytes, _) = cells.get(row, index);
        std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| {
            let what = format!("the name of column {index} in the header is not UTF-8");
            Error::new(ErrorKind::Malformed, what).help("save the file as UTF-8, or give the names")
        })
    };
    (0..cells.len()).map(name).collect()
}

/// Refuses names of columns that are missing or the same.
pub(super) fn check(names: &[String], limits: &Limits) -> Result<()> {
    const REMEDY: &str =
        "give names with the option column_names, and say header=true so that the header is passed over";
    if names.len() > limits.columns {
        let columns = Count::of(names.len(), "column");
        let are = columns.verb("is", "are");
        let what = format!("there {are} {columns}, and the limit is {}", limits.columns);
        return Err(Error::new(ErrorKind::LimitExceeded, what)
            .help("check the delimiter, or raise the limit columns"));
    }
    if let Some(index) = names.iter().position(String::is_empty) {
        let what = format!("column {index} has no name");
        return Err(Error::new(ErrorKind::Malformed, what).help(REMEDY));
    }
    let mut seen = std::collections::HashMap::new();
    for (index, name) in names.iter().enumerate() {
        if let Some(before) = seen.insert(name, index) {
            let what = format!("columns {before} and {index} are both called {name:?}");
            return Err(Error::new(ErrorKind::Malformed, what).help(REMEDY));
        }
    }
    Ok(())
}

/// Returns what checks that the header of a file has these names; only their number, where other names were given.
pub(super) fn checker(names: Arc<[String]>, dialect: &Dialect, were_given: bool) -> CheckHeader {
    let dialect = dialect.clone();
    Arc::new(move |row| {
        let found = self::names(row, &dialect)?;
        if found.len() != names.len() {
            let (found, names) = (found.len(), names.len());
            let what = format!(
                "the header has {}, and the data set has {}",
                Count::of(found, "cell"),
                Count::of(names, "column")
            );
            return Err(
                Error::new(ErrorKind::Malformed, what).help("read files of the same columns together")
            );
        }
        match found.iter().zip(names.iter()).enumerate().find(|(_, (found, name))| found != name) {
            Some((index, (found, name))) if !were_given => {
                let what =
                    format!("the header calls column {index} {found:?}, and it is {name:?} in the data set");
                Err(Error::new(ErrorKind::Malformed, what).help("read files of the same columns together"))
            }
            _ => Ok(()),
        }
    })
}
