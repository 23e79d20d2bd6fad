//! Completions of Tab: words of SQL, functions, tables and columns; within single quotes, names of files.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use reedline::{Completer, CompletionResult, Span, Suggestion};

use super::super::SqlEngine;
use super::text::{Within, within};
use crate::escape;

/// Words that begin statements and separate their parts.
const KEYWORDS: [&str; 46] = [
    "all", "analyze", "and", "as", "asc", "between", "by", "case", "cast", "copy", "create", "cross", "desc",
    "describe", "distinct", "drop", "else", "end", "exists", "explain", "from", "full", "group", "having",
    "in", "inner", "is", "join", "left", "like", "limit", "not", "null", "offset", "on", "or", "order",
    "outer", "right", "select", "then", "to", "union", "view", "when", "where",
];

/// Words to offer, which statements add to.
#[derive(Debug, Default)]
pub(super) struct Words {
    functions: Vec<String>,
    /// Tables and columns.
    names: Vec<String>,
}

impl Words {
    /// Returns what the session knows now.
    pub(super) fn new(engine: &SqlEngine) -> Self {
        let context = engine.session.context();
        let state = context.state();
        let mut functions = state.scalar_functions().keys().cloned().collect::<Vec<_>>();
        functions.extend(state.aggregate_functions().keys().cloned());
        functions.extend(state.window_functions().keys().cloned());
        functions.extend(state.table_functions().keys().cloned());
        let mut names = engine.session.columns_read();
        for catalog in context.catalog_names().iter().filter_map(|name| context.catalog(name)) {
            for schema in catalog.schema_names().iter().filter_map(|name| catalog.schema(name)) {
                names.extend(schema.table_names());
            }
        }
        let sorted = |mut list: Vec<String>| {
            // What a terminal would act on is not typed for anybody.
            list.retain(|name| !name.contains(escape::is_control));
            list.sort();
            list.dedup();
            list
        };
        Self { functions: sorted(functions), names: sorted(names) }
    }

    /// Returns the completions of the end of a text.
    fn choices(&self, before: &str) -> Vec<Suggestion> {
        match within(before) {
            Within::Other => Vec::new(),
            Within::Words => self.words(before),
            Within::Name(start) => self.quoted_names(before, start),
            Within::Text(start) => files(before, start),
        }
    }

    /// Returns the words that begin as the text ends.
    fn words(&self, before: &str) -> Vec<Suggestion> {
        let is_part = |character: char| character.is_alphanumeric() || character == '_';
        let start = before.trim_end_matches(is_part).len();
        let begun = &before[start..];
        if begun.is_empty() {
            return Vec::new();
        }
        let lower = begun.to_lowercase();
        // Whoever types capitals goes on in capitals.
        let is_upper = begun.chars().any(char::is_uppercase) && !begun.chars().any(char::is_lowercase);
        let cased = |word: &str| if is_upper { word.to_uppercase() } else { word.to_owned() };
        let fits = |word: &&str| word.to_lowercase().starts_with(&lower);
        let keywords = KEYWORDS.into_iter().filter(fits).map(cased);
        let names = self.names.iter().map(String::as_str).filter(fits).map(quoted);
        let functions = self.functions.iter().map(String::as_str).filter(fits).map(cased);
        // What is a function and a column, too, is offered once.
        let mut offered = HashSet::new();
        let words = names.chain(keywords).chain(functions).filter(|word| offered.insert(word.clone()));
        words.map(|word| choice(before, start, word, None)).collect()
    }

    /// Returns the names in double quotes that begin as the text ends.
    fn quoted_names(&self, before: &str, start: usize) -> Vec<Suggestion> {
        let begun = before.get(start..).unwrap_or_default().replace("\"\"", "\"");
        let names = self.names.iter().filter(|name| name.starts_with(&begun));
        let quoted = |name: &String| {
            let value = format!("{}\"", name.replace('"', "\"\""));
            choice(before, start, value, Some(name.clone()))
        };
        names.map(quoted).collect()
    }
}

impl Completer for Words {
    fn complete(&mut self, text: &str, at: usize) -> CompletionResult {
        CompletionResult::fresh(self.choices(text.get(..at).unwrap_or_default()))
    }
}

/// Returns a name as SQL has it: in double quotes where it would be another without them.
fn quoted(name: &str) -> String {
    let is_plain = |character: char| character.is_ascii_lowercase() || character == '_';
    if name.starts_with(is_plain)
        && name.chars().all(|character| is_plain(character) || character.is_ascii_digit())
        && !KEYWORDS.contains(&name)
    {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Returns the files whose paths begin as the text in quotes does that the line ends with.
fn files(before: &str, start: usize) -> Vec<Suggestion> {
    let begun = before.get(start..).unwrap_or_default().replace("''", "'");
    // Stores are not listed while somebody types.
    if begun.contains("://") {
        return Vec::new();
    }
    let (folder, name) = begun.split_at(begun.rfind(std::path::is_separator).map_or(0, |slash| slash + 1));
    let listed = fs::read_dir(if folder.is_empty() { Path::new(".") } else { Path::new(folder) });
    let mut found = Vec::new();
    for entry in listed.into_iter().flatten().flatten() {
        // A name that is not text cannot be typed.
        let Ok(mut of) = entry.file_name().into_string() else { continue };
        if of.contains(escape::is_control) {
            continue;
        }
        if of.starts_with(name) && (name.starts_with('.') || !of.starts_with('.')) {
            if entry.path().is_dir() {
                of.push('/');
            }
            found.push(of);
        }
    }
    found.sort();
    let quoted = |of: String| choice(before, start, format!("{folder}{of}").replace('\'', "''"), Some(of));
    found.into_iter().map(quoted).collect()
}

/// Returns a completion, which replaces the text from a byte to its end.
fn choice(before: &str, start: usize, value: String, shown: Option<String>) -> Suggestion {
    let span = Span { start, end: before.len() };
    Suggestion { value, display_override: shown, span, ..Suggestion::default() }
}

#[cfg(test)]
mod tests;
