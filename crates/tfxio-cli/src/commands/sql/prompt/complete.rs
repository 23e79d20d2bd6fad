//! What Tab offers: words of SQL, functions, tables and columns; within single quotes, names of files.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use super::super::Engine;
use super::text::{Within, within};

/// Words that statements begin with and that stand between their parts.
const KEYWORDS: [&str; 46] = [
    "all", "analyze", "and", "as", "asc", "between", "by", "case", "cast", "copy", "create", "cross", "desc",
    "describe", "distinct", "drop", "else", "end", "exists", "explain", "from", "full", "group", "having",
    "in", "inner", "is", "join", "left", "like", "limit", "not", "null", "offset", "on", "or", "order",
    "outer", "right", "select", "then", "to", "union", "view", "when", "where",
];

/// What may stand in place of the end of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    /// The byte from which on it does.
    pub(super) start: usize,
    /// What is typed.
    pub(super) value: String,
    /// What is shown where there are several.
    pub(super) shown: String,
}

/// What there is to offer, which statements add to.
#[derive(Debug, Default)]
pub(super) struct Words {
    functions: Vec<String>,
    /// Tables and columns.
    names: Vec<String>,
}

impl Words {
    /// Looks at what the session knows now.
    pub(super) fn renew(&mut self, engine: &Engine) {
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
            list.sort();
            list.dedup();
            list
        };
        *self = Self { functions: sorted(functions), names: sorted(names) };
    }

    /// Returns what may stand in place of the end of a text.
    pub(super) fn complete(&self, before: &str) -> Vec<Choice> {
        match within(before) {
            Within::Comment => Vec::new(),
            Within::Words => self.words(before),
            Within::Name(start) => self.quoted_names(before, start),
            Within::Text(start) => files(before, start),
        }
    }

    /// Returns the words that begin as the text ends.
    fn words(&self, before: &str) -> Vec<Choice> {
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
        words.map(|word| Choice { start, shown: word.clone(), value: word }).collect()
    }

    /// Returns the names in double quotes that begin as the text ends.
    fn quoted_names(&self, before: &str, start: usize) -> Vec<Choice> {
        let begun = before.get(start..).unwrap_or_default().replace("\"\"", "\"");
        let names = self.names.iter().filter(|name| name.starts_with(&begun));
        let choice = |name: &String| {
            let value = format!("{}\"", name.replace('"', "\"\""));
            Choice { start, value, shown: name.clone() }
        };
        names.map(choice).collect()
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
fn files(before: &str, start: usize) -> Vec<Choice> {
    let begun = before.get(start..).unwrap_or_default().replace("''", "'");
    // Stores are not listed while somebody types.
    if begun.contains("://") {
        return Vec::new();
    }
    let (folder, name) = begun.split_at(begun.rfind('/').map_or(0, |slash| slash + 1));
    let listed = fs::read_dir(if folder.is_empty() { Path::new(".") } else { Path::new(folder) });
    let mut found = Vec::new();
    for entry in listed.into_iter().flatten().flatten() {
        // A name that is not text cannot be typed.
        let Ok(mut of) = entry.file_name().into_string() else { continue };
        if of.starts_with(name) && (name.starts_with('.') || !of.starts_with('.')) {
            if entry.path().is_dir() {
                of.push('/');
            }
            found.push(of);
        }
    }
    found.sort();
    let choice = |of: String| Choice { start, value: format!("{folder}{of}").replace('\'', "''"), shown: of };
    found.into_iter().map(choice).collect()
}

/// Returns the beginning that all values have in common.
pub(super) fn common(choices: &[Choice]) -> &str {
    let Some((first, others)) = choices.split_first() else { return "" };
    let mut common = first.value.as_str();
    for other in others {
        let same = common.chars().zip(other.value.chars()).take_while(|(one, other)| one == other);
        common = &common[..same.map(|(one, _)| one.len_utf8()).sum()];
    }
    common
}

#[cfg(test)]
mod tests;
