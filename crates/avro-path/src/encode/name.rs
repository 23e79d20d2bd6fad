//! Valid Avro names for Arrow names, which may be any text.

use std::collections::HashMap;

/// Returns whether a name is valid in Avro: letters of ASCII, digits and `_`, no digit first.
pub(super) fn is_valid(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Names that were given, each once.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// For each name the last number that was appended to it.
    taken: HashMap<String, u64>,
}

impl Names {
    /// Returns the name, with a number appended if it was given before.
    pub(super) fn give(&mut self, name: &str) -> String {
        let mut number = match self.taken.get(name) {
            None => {
                self.taken.insert(name.to_owned(), 1);
                return name.to_owned();
            }
            Some(number) => *number,
        };
        loop {
            number += 1;
            let numbered = format!("{name}_{number}");
            if !self.taken.contains_key(&numbered) {
                self.taken.insert(numbered.clone(), 1);
                self.taken.insert(name.to_owned(), number);
                return numbered;
            }
        }
    }
}

/// Returns a valid name for each name, no two the same. Valid names stay as they are.
pub(super) fn valid_names<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Vec<String> {
    let mut given = Names::default();
    let first = names
        .clone()
        .map(|name| (is_valid(name) && !given.taken.contains_key(name)).then(|| given.give(name)));
    let first = first.collect::<Vec<_>>();
    first
        .into_iter()
        .zip(names)
        .map(|(valid, name)| valid.unwrap_or_else(|| given.give(&made_valid(name))))
        .collect()
}

fn made_valid(name: &str) -> String {
    let mut valid = name.replace(|c: char| !c.is_ascii_alphanumeric() && c != '_', "_");
    if valid.is_empty() || valid.starts_with(|c: char| c.is_ascii_digit()) {
        valid.insert(0, '_');
    }
    valid
}

#[cfg(test)]
mod tests {
    use super::valid_names;

    #[test]
    fn names_are_valid_and_different_and_stay_where_they_can() {
        let names = ["a b", "a_b", "", "9", "größe", "a-b", "a_b", "a_b_2", "_"];
        assert_eq!(
            valid_names(names.into_iter()),
            ["a_b_3", "a_b", "__2", "_9", "gr__e", "a_b_4", "a_b_5", "a_b_2", "_"]
        );
    }
}
