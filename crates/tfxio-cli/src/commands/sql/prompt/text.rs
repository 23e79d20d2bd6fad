//! What a text of SQL says so far: whether it is complete, and what its end is within.

/// What the end of a text is within.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Within {
    /// Words and signs.
    Words,
    /// A text in single quotes, which begins at a byte.
    Text(usize),
    /// A name in double quotes, which begins at a byte.
    Name(usize),
    /// A comment.
    Comment,
}

/// Returns what the end of a text is within, and whether the last sign outside of comments is a semicolon.
fn end(text: &str) -> (Within, bool) {
    let (mut within, mut is_ended) = (Within::Words, false);
    let mut is_line_comment = false;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        match (within, character) {
            // Two quotes within quotes are one of what these hold.
            (Within::Text(_), '\'') | (Within::Name(_), '"') if next == Some(character) => {
                characters.next();
            }
            (Within::Text(_), '\'') | (Within::Name(_), '"') => within = Within::Words,
            (Within::Text(_) | Within::Name(_), _) => {}
            (Within::Comment, '\n') if is_line_comment => within = Within::Words,
            (Within::Comment, '*') if !is_line_comment && next == Some('/') => {
                characters.next();
                within = Within::Words;
            }
            (Within::Comment, _) => {}
            (Within::Words, '-') if next == Some('-') => (within, is_line_comment) = (Within::Comment, true),
            (Within::Words, '/') if next == Some('*') => {
                characters.next();
                (within, is_line_comment) = (Within::Comment, false);
            }
            (Within::Words, '\'') => (within, is_ended) = (Within::Text(at + 1), false),
            (Within::Words, '"') => (within, is_ended) = (Within::Name(at + 1), false),
            (Within::Words, character) if character.is_whitespace() => {}
            (Within::Words, character) => is_ended = character == ';',
        }
    }
    // The line of the comment is at its end, and nothing else of the text is open.
    if within == Within::Comment && is_line_comment && is_ended {
        return (Within::Words, true);
    }
    (within, is_ended)
}

/// Returns what the end of a text is within.
pub(super) fn within(text: &str) -> Within {
    end(text).0
}

/// Returns whether a text is a whole statement, or several: whether it ends with a semicolon that is not within quotes.
pub(super) fn is_complete(text: &str) -> bool {
    end(text) == (Within::Words, true)
}

/// Returns whether a text ends the prompt.
pub(super) fn is_farewell(text: &str) -> bool {
    matches!(text.trim().trim_end_matches(';').trim_end(), "exit" | "quit")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_ends_with_its_semicolon() {
        for text in [
            "select 1;",
            "select 1 ; \n",
            "select ';';",
            "select 'it''s';",
            "select \";\" from t;",
            "select 1; -- one",
            "select 1 /* ; */;",
            "select 1; select 2;",
            ";",
        ] {
            assert!(is_complete(text), "{text}");
        }
    }

    #[test]
    fn what_is_open_goes_on() {
        for text in [
            "",
            "select 1",
            "select ';",
            "select 'it'';",
            "select \";",
            "select 1 -- ;",
            "select 1 /* ;",
            "select 1; select 2",
            "select 1; 'x'",
        ] {
            assert!(!is_complete(text), "{text}");
        }
    }

    #[test]
    fn what_the_end_is_within() {
        assert_eq!(within("select la"), Within::Words);
        assert_eq!(within("from 'a/b"), Within::Text(6));
        assert_eq!(within("from 'it''s"), Within::Text(6));
        assert_eq!(within("from 'a' where \"B"), Within::Name(16));
        assert_eq!(within("select -- 'x"), Within::Comment);
        assert_eq!(within("select -- 'x\n"), Within::Words);
        assert_eq!(within("select /* 'x */ y"), Within::Words);
    }

    #[test]
    fn words_end_the_prompt() {
        for text in ["exit", "quit;", " exit ;\n"] {
            assert!(is_farewell(text), "{text}");
        }
        assert!(!is_farewell("select exit;"));
    }
}
