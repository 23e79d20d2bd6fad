//! Doc comments that a reader cannot skim: first words that are not a noun or a verb, and phrases that stand for a standard word.

/// First words of a doc comment that neither name nor say what the item does.
const OPENERS: &[&str] = &[
    "what",
    "where",
    "how",
    "which",
    "of",
    "those",
    "that",
    "whose",
    "in what",
    "to those",
    "in which",
    "for what",
    "to what",
    "by what",
    "with what",
    "from what",
];

/// Phrases, each with what to write in its place.
const PHRASES: &[(&str, &str)] = &[
    ("stand", "be at, be in"),
    ("stands", "is at, is in"),
    ("lie", "be in, be at"),
    ("lies", "is in, is at"),
    ("say", "report, declare"),
    ("says", "reports, declares"),
    ("those that", "the noun"),
    ("those of", "the noun"),
    ("those in", "the noun"),
    ("are no", "are not"),
    ("was no", "was not"),
    ("were no", "were not"),
    ("goes over", "iterates over"),
    ("go over", "iterate over"),
    ("found out", "determined"),
    ("finds out", "determines"),
    ("find out", "determine"),
];

/// A line of a doc comment that is to be written anew.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// It begins a comment with one of the openers.
    Opener,
    /// It has a phrase.
    Phrase(&'static str, &'static str),
}

/// Returns the lines of doc comments of a file that are to be written anew, by their numbers from 1.
pub(super) fn look(text: &str) -> Vec<(usize, Found)> {
    let (mut found, mut begins, mut is_code) = (Vec::new(), true, false);
    for (at, line) in text.lines().enumerate() {
        let comment = line.trim_start();
        let comment = comment.strip_prefix("///").or_else(|| comment.strip_prefix("//!"));
        let Some(comment) = comment.map(str::trim) else {
            (begins, is_code) = (true, false);
            continue;
        };
        if comment.starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            let words = words(comment);
            let opener = begins && OPENERS.iter().any(|opener| starts(&words, opener));
            if opener {
                found.push((at + 1, Found::Opener));
            } else if let Some((phrase, instead)) = PHRASES.iter().find(|(phrase, _)| has(&words, phrase)) {
                found.push((at + 1, Found::Phrase(phrase, instead)));
            }
        }
        begins = comment.is_empty();
    }
    found
}

/// Returns the words of a line in lower case, without what stands in backticks.
fn words(line: &str) -> Vec<String> {
    let prose = line.split('`').step_by(2).collect::<Vec<_>>().join(" ` ");
    let words = prose.split_whitespace().map(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '`');
        word.to_lowercase()
    });
    words.filter(|word| !word.is_empty()).collect()
}

fn starts(words: &[String], phrase: &str) -> bool {
    let phrase = phrase.split(' ').collect::<Vec<_>>();
    words.len() >= phrase.len() && words.iter().zip(phrase).all(|(word, other)| word == other)
}

fn has(words: &[String], phrase: &str) -> bool {
    (0..words.len()).any(|at| words.get(at..).is_some_and(|rest| starts(rest, phrase)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_first_words_and_phrases_of_doc_comments() {
        let text = "//! What lies there.\n\n/// Rows of a file.\n///\n/// Of those, the first.\n/// Where it stands.\n// What it is.\nfn f() {}\n\
                    /// ```\n/// what(those)\n/// ```\n/// Index `what says` of a row, which says it.\n";
        let found = look(text);
        assert_eq!(
            found,
            [
                (1, Found::Opener),
                (5, Found::Opener),
                (6, Found::Phrase("stands", "is at, is in")),
                (12, Found::Phrase("says", "reports, declares")),
            ]
        );
    }
}
