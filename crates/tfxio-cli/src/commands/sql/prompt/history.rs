//! The statements that were typed before, in this session and in earlier ones.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::failure::say;

/// Statements that are kept from one session to the next.
const KEPT: usize = 1000;

/// The statements, oldest first, and the one that is shown.
#[derive(Debug, Default)]
pub(super) struct History {
    statements: Vec<String>,
    /// The number of the one that is shown; none where it is the text that is being typed.
    shown: Option<usize>,
    /// What was typed before one of them was shown.
    draft: String,
    file: Option<File>,
}

impl History {
    /// Returns those of earlier sessions, and says so where they cannot be kept.
    pub(super) fn load() -> Self {
        let Some(path) = path(|name| std::env::var_os(name)) else { return Self::default() };
        Self::of(&path).unwrap_or_else(|error| {
            say(format_args!("note: statements are not kept in {}: {error}", path.display()));
            Self::default()
        })
    }

    fn of(path: &Path) -> io::Result<Self> {
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
        Ok(Self { statements, file: Some(file), ..Self::default() })
    }

    /// Adds a statement that was run.
    pub(super) fn add(&mut self, statement: &str) {
        self.shown = None;
        if self.statements.last().is_some_and(|last| last == statement) {
            return;
        }
        self.statements.push(statement.to_owned());
        if let Some(file) = &mut self.file
            && let Err(error) = file.write_all((encode(statement) + "\n").as_bytes())
        {
            say(format_args!("note: statements are no longer kept: {error}"));
            self.file = None;
        }
    }

    /// Returns the statement before the one that is shown; `typed` is what is shown now.
    pub(super) fn older(&mut self, typed: &str) -> Option<&str> {
        let number = self.shown.unwrap_or(self.statements.len()).checked_sub(1)?;
        if self.shown.is_none() {
            typed.clone_into(&mut self.draft);
        }
        self.shown = Some(number);
        self.statements.get(number).map(String::as_str)
    }

    /// Returns the statement after the one that is shown; after the last, what was typed before.
    pub(super) fn newer(&mut self) -> Option<&str> {
        let number = self.shown? + 1;
        self.shown = (number < self.statements.len()).then_some(number);
        Some(self.statements.get(number).unwrap_or(&self.draft))
    }

    /// Ends looking at them: what is shown is what is being typed.
    pub(super) fn leave(&mut self) {
        self.shown = None;
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
        let texts = ["select 1;", "select '\\n'\nfrom x;", "select 3;"];
        let mut history = History::of(&file).unwrap();
        // The same one twice is one.
        for text in [texts[0], texts[1], texts[1], texts[2]] {
            history.add(text);
        }
        assert_eq!(history.statements, texts);
        let mut again = History::of(&file).unwrap();
        assert_eq!(again.statements, texts);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        }
        for number in 0..2 * KEPT {
            again.add(&format!("select {number};"));
        }
        let last = History::of(&file).unwrap();
        assert_eq!((last.statements.len(), &*last.statements[KEPT - 1]), (KEPT, "select 1999;"));
        assert_eq!(History::of(&file).unwrap().statements, last.statements);
        assert!(History::of(&folder.path().join("a")).is_err());
    }

    #[test]
    fn up_and_down() {
        let mut history = History::default();
        assert_eq!((history.older("x").map(str::to_owned), history.newer()), (None, None));
        history.add("1;");
        history.add("2;");
        assert_eq!(history.older("begun"), Some("2;"));
        assert_eq!(history.older("2;"), Some("1;"));
        assert_eq!(history.older("1;"), None);
        assert_eq!(history.newer(), Some("2;"));
        assert_eq!(history.newer(), Some("begun"));
        assert_eq!(history.newer(), None);
        assert_eq!(history.older("begun"), Some("2;"));
        history.leave();
        assert_eq!(history.older("2; and more"), Some("2;"));
        assert_eq!(history.newer(), Some("2; and more"));
    }
}
