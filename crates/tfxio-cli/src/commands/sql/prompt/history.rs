//! The statements that were typed before, in this session and in earlier ones.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::failure::say;

/// Statements that are kept from one session to the next.
pub(super) const KEPT: usize = 1000;

/// The file that statements are added to.
#[derive(Debug, Default)]
pub(super) struct History {
    last: Option<String>,
    file: Option<File>,
}

impl History {
    /// Returns the file, and the statements of earlier sessions, oldest first; prints a note if statements cannot be
    /// kept.
    pub(super) fn load() -> (Self, Vec<String>) {
        let Some(path) = path(|name| std::env::var_os(name)) else { return Default::default() };
        Self::of(&path).unwrap_or_else(|error| {
            say(format_args!("note: statements are not kept in {}: {error}", path.display()));
            Default::default()
        })
    }

    fn of(path: &Path) -> io::Result<(Self, Vec<String>)> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut how = OpenOptions::new();
        how.append(true).create(true);
        // Statements may hold what is nobody else's business.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut how, 0o600);
        let mut file = how.open(path)?;
        let text = String::from_utf8_lossy(&fs::read(path)?).into_owned();
        let mut statements = text.lines().map(decode).collect::<Vec<_>>();
        if statements.len() > 2 * KEPT {
            // The oldest go. Sessions append, so that one beside this loses nothing but what it types meanwhile.
            statements.drain(..statements.len() - KEPT);
            let kept = statements.iter().map(|statement| encode(statement) + "\n").collect::<String>();
            fs::write(path, kept)?;
            file = how.open(path)?;
        }
        Ok((Self { last: statements.last().cloned(), file: Some(file) }, statements))
    }

    /// Adds a statement that is run.
    pub(super) fn add(&mut self, statement: &str) {
        if self.last.as_deref() == Some(statement) {
            return;
        }
        self.last = Some(statement.to_owned());
        if let Some(file) = &mut self.file
            && let Err(error) = file.write_all((encode(statement) + "\n").as_bytes())
        {
            say(format_args!("note: statements are no longer kept: {error}"));
            self.file = None;
        }
    }
}

/// Returns where they are kept, by the variables of the XDG Base Directory Specification.
fn path(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| {
        let home = absolute("HOME").or_else(|| absolute("USERPROFILE"))?;
        Some(home.join(".local").join("state"))
    })?;
    Some(state.join("tfxio").join("sql_history"))
}

/// Returns a statement as one line.
fn encode(statement: &str) -> String {
    statement.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}

fn decode(line: &str) -> String {
    let mut statement = String::with_capacity(line.len());
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match (character, character == '\\') {
            (_, true) => match characters.next() {
                Some('n') => statement.push('\n'),
                Some('r') => statement.push('\r'),
                other => statement.extend(other),
            },
            (character, false) => statement.push(character),
        }
    }
    statement
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn the_file_is_in_the_folder_of_state() {
        let of = |variables: &[(&str, &str)]| {
            path(|name| variables.iter().find(|(of, _)| *of == name).map(|(_, value)| value.into()))
        };
        let (state, home) = (("XDG_STATE_HOME", "/state"), ("HOME", "/home/ada"));
        assert_eq!(of(&[state, home]).unwrap(), Path::new("/state/tfxio/sql_history"));
        let default = Path::new("/home/ada/.local/state/tfxio/sql_history");
        assert_eq!(of(&[home]).unwrap(), default);
        // A relative path is to be ignored, and so is an empty one.
        assert_eq!(of(&[("XDG_STATE_HOME", "state"), home]).unwrap(), default);
        assert_eq!(of(&[("XDG_STATE_HOME", ""), home]).unwrap(), default);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn statements_are_kept_from_one_session_to_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a/b/sql_history");
        let kept = || History::of(&file).unwrap().1;
        let texts = ["select 1;", "select '\\n'\nfrom x;", "select 3;"];
        let (mut history, none) = History::of(&file).unwrap();
        assert!(none.is_empty());
        // The same one twice is one.
        for text in [texts[0], texts[1], texts[1], texts[2]] {
            history.add(text);
        }
        assert_eq!(kept(), texts);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        }
        // Of two sessions at once, both are kept.
        let mut beside = History::of(&file).unwrap().0;
        history.add("select 4;");
        beside.add("select 5;");
        assert_eq!(kept()[3..], ["select 4;", "select 5;"]);
        for number in 0..2 * KEPT {
            beside.add(&format!("select {number};"));
        }
        let last = kept();
        assert_eq!((last.len(), &*last[KEPT - 1]), (KEPT, "select 1999;"));
        assert_eq!(kept(), last);
        assert!(History::of(&folder.path().join("a")).is_err());
    }
}
