//! A prompt, with history and completion.

use std::path::PathBuf;

use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{Context, Editor, Helper};
use tfxio::{Error, ErrorKind};

use super::Engine;
use crate::Done;
use crate::failure::{Failure, say};

/// Words that statements begin with and that stand between their parts.
const KEYWORDS: [&str; 32] = [
    "and", "as", "asc", "between", "by", "case", "copy", "count", "create", "desc", "describe", "distinct",
    "explain", "analyze", "from", "group", "having", "in", "is", "join", "left", "like", "limit", "not",
    "null", "on", "or", "order", "select", "to", "view", "where",
];

/// Reads statements until the end of the input, and runs each.
pub(super) fn run(engine: &Engine) -> Done {
    let failed =
        |error: ReadlineError| Failure::from(Error::new(ErrorKind::Io, "the prompt failed").because(error));
    let mut editor = Editor::<Words, DefaultHistory>::new().map_err(failed)?;
    editor.set_helper(Some(Words::new(engine)));
    let history = history();
    if let Some(file) = &history {
        // There is none the first time.
        let _ = editor.load_history(file);
    }
    let mut text = String::new();
    loop {
        match editor.readline(if text.is_empty() { "tfxio> " } else { "   ... " }) {
            Ok(line) => {
                if text.is_empty() && matches!(line.trim().trim_end_matches(';'), "exit" | "quit") {
                    break;
                }
                text.push_str(&line);
                text.push('\n');
                if text.trim().is_empty() {
                    text.clear();
                } else if line.trim_end().ends_with(';') {
                    let statement = std::mem::take(&mut text);
                    let _ = editor.add_history_entry(statement.trim());
                    go_on(engine.run(&statement))?;
                    // Views have become tables.
                    editor.set_helper(Some(Words::new(engine)));
                }
            }
            Err(ReadlineError::Interrupted) if text.is_empty() => break,
            // What was typed is given up.
            Err(ReadlineError::Interrupted) => text.clear(),
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(failed(error)),
        }
    }
    if let Some(file) = &history
        && let Err(error) = editor.save_history(file)
    {
        say(format_args!("note: the history was not saved to {}: {error}", file.display()));
    }
    Ok(())
}

/// Goes on after what was wrong with a statement, but not where nobody reads.
fn go_on(done: Done) -> Done {
    match done {
        Err(closed @ (Failure::Closed | Failure::Output(_))) => Err(closed),
        Err(failure) => {
            failure.print();
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

/// Returns the file of the history, whose folder exists.
fn history() -> Option<PathBuf> {
    let folder = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).or_else(|| {
        let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"))?;
        Some(PathBuf::from(home).join(".local").join("state"))
    })?;
    let folder = folder.join("tfxio");
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder.join("sql-history"))
}

/// Completes keywords, functions and tables; between quotes, names of files.
struct Words {
    words: Vec<String>,
    files: FilenameCompleter,
}

impl Words {
    fn new(engine: &Engine) -> Self {
        let context = engine.session.context();
        let state = context.state();
        let mut words = KEYWORDS.map(str::to_owned).to_vec();
        words.extend(state.scalar_functions().keys().cloned());
        words.extend(state.aggregate_functions().keys().cloned());
        words.extend(state.table_functions().keys().cloned());
        for catalog in context.catalog_names().iter().filter_map(|name| context.catalog(name)) {
            for schema in catalog.schema_names().iter().filter_map(|name| catalog.schema(name)) {
                words.extend(schema.table_names());
            }
        }
        words.sort();
        words.dedup();
        Self { words, files: FilenameCompleter::new() }
    }
}

impl Completer for Words {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        context: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let before = line.get(..at).unwrap_or(line);
        if before.matches('\'').count() % 2 == 1 {
            let start = before.rfind('\'').map_or(0, |quote| quote + 1);
            let name = before.get(start..).unwrap_or_default();
            let (offset, found) = self.files.complete(name, name.len(), context)?;
            return Ok((start + offset, found));
        }
        let start = before.rfind(|char: char| !(char.is_alphanumeric() || char == '_')).map_or(0, |end| {
            end + before.get(end..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
        });
        let begun = before.get(start..).unwrap_or_default().to_lowercase();
        if begun.is_empty() {
            return Ok((start, Vec::new()));
        }
        let found = self.words.iter().filter(|word| word.starts_with(&begun));
        let pair = |word: &String| Pair { display: word.clone(), replacement: word.clone() };
        Ok((start, found.map(pair).collect()))
    }
}

impl Highlighter for Words {}

impl Hinter for Words {
    type Hint = String;
}

impl Validator for Words {}

impl Helper for Words {}
