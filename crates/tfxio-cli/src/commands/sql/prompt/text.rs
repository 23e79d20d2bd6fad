//! Tokens of an unfinished SQL text, as DataFusion splits it: whether it is complete, and the context of its end.

use tfxio::sql::datafusion::sql::sqlparser::dialect::GenericDialect;
use tfxio::sql::datafusion::sql::sqlparser::tokenizer::{Location, Token, Tokenizer, Whitespace};

/// Context of the end of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Within {
    /// Words and signs.
    Words,
    /// A text in single quotes, which begins at a byte.
    Text(usize),
    /// A name in quotes, which begins at a byte.
    Name(usize),
    /// A comment, or a text of another kind.
    Other,
}

/// Returns the context of the end of a text, and whether its last token is a semicolon.
fn end(text: &str) -> (Within, bool) {
    let mut tokens = Vec::new();
    let is_taken =
        Tokenizer::new(&GenericDialect {}, text).tokenize_with_location_into_buf(&mut tokens).is_ok();
    let is_space = |token: &Token| matches!(token, Token::Whitespace(_));
    let last = tokens.iter().map(|token| &token.token).rfind(|token| !is_space(token));
    let is_ended = last == Some(&Token::SemiColon);
    let token = tokens.last();
    if is_taken {
        let within = match token.map(|token| &token.token) {
            Some(Token::Whitespace(Whitespace::SingleLineComment { comment, .. }))
                if !comment.ends_with('\n') =>
            {
                Within::Other
            }
            _ => Within::Words,
        };
        return (within, is_ended);
    }
    // The token that goes on begins after the others.
    let start = token.map_or(0, |token| offset(text, token.span.end));
    let rest = text.get(start..).unwrap_or_default();
    match rest.chars().next() {
        Some('\'') => (Within::Text(start + 1), false),
        Some('"' | '`') => (Within::Name(start + 1), false),
        Some('/') => (Within::Other, false),
        // Of another kind, or wrong: whoever runs it says so.
        _ => (Within::Other, text.trim_end().ends_with(';')),
    }
}

/// Returns the byte of a location.
fn offset(text: &str, location: Location) -> usize {
    let number = |of: u64| usize::try_from(of.saturating_sub(1)).unwrap_or(usize::MAX);
    let lines = text.split_inclusive('\n').take(number(location.line));
    let start = lines.map(str::len).sum::<usize>();
    let line = text.get(start..).unwrap_or_default();
    start + line.chars().take(number(location.column)).map(char::len_utf8).sum::<usize>()
}

/// Returns what the end of a text is within.
pub(super) fn within(text: &str) -> Within {
    end(text).0
}

/// Returns whether a text is a whole statement, or several: whether it ends with a semicolon that is not within quotes.
pub(super) fn is_complete(text: &str) -> bool {
    end(text).1
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
            "select /* /* ; */ ' */ 1;",
            "select $$a;$$;",
            "select U&'\\zzzz';",
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
            "select 1; /* /* */ ;",
            "select `;",
            "select é, '日\n本;",
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
        assert_eq!(within("select 'é'\n, \"日\",\n'🦀' as \"B"), Within::Name(32));
        assert_eq!(within("from 'a' where `B"), Within::Name(16));
        assert_eq!(within("select -- 'x"), Within::Other);
        assert_eq!(within("select /* /* */ 'x"), Within::Other);
        assert_eq!(within("select $$x"), Within::Other);
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
