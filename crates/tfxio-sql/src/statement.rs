//! Statements: texts taken apart, and where in them something is wrong.

pub(crate) mod as_text;
pub(crate) mod depth;

use std::collections::VecDeque;

use datafusion::error::{DataFusionError, Result};
use datafusion::sql::parser::{DFParserBuilder, Statement};
use datafusion::sql::sqlparser::ast::Statement as SqlStatement;
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer, Word};

use crate::deep;

/// Takes a text apart into its statements.
///
/// # Errors
/// When it is not SQL; [`mark`] shows the position. When a statement is nested too deep.
pub(crate) fn parse(text: &str) -> Result<VecDeque<Statement>> {
    let dialect = GenericDialect {};
    let tokens = Tokenizer::new(&dialect, text).tokenize_with_location();
    let tokens = tokens.map_err(|error| DataFusionError::SQL(Box::new(error.into()), None))?;
    let is_long = depth::check_words(&tokens)?;
    let parse = || {
        let parser = DFParserBuilder::new(with_options(tokens)).with_dialect(&dialect);
        let statements = parser.build()?.parse_statements().map_err(depth::explained)?;
        statements.iter().try_for_each(depth::check)?;
        Ok(statements)
    };
    if is_long { deep::run(parse) } else { parse() }
}

/// Returns whether a statement is nested so deep that not every thread has a stack that is large enough for it.
pub(crate) fn is_deep(statement: &Statement) -> bool {
    depth::of(statement) > depth::FLAT
}

/// Returns the name of the table that a statement creates, as DataFusion looks it up.
pub(crate) fn creates(statement: &Statement) -> Option<String> {
    let Statement::Statement(statement) = statement else { return None };
    let SqlStatement::CreateTable(table) = &**statement else { return None };
    let name = table.name.0.last()?.as_ident()?;
    Some(if name.quote_style.is_some() { name.value.clone() } else { name.value.to_lowercase() })
}

/// Inserts the word `options` before a list that follows the output of `copy … to 'x'`, where it may be left out.
fn with_options(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut out = Vec::<TokenWithSpan>::with_capacity(tokens.len() + 1);
    // Whether the statement is a copy, and whether its output was just named.
    let (mut is_copy, mut before) = (false, [Token::SemiColon, Token::SemiColon]);
    for token in tokens {
        let is_word = |token: &Token, keyword| matches!(token, Token::Word(word) if word.keyword == keyword);
        if !matches!(token.token, Token::Whitespace(_)) {
            if before[1] == Token::SemiColon {
                is_copy = is_word(&token.token, Keyword::COPY);
            }
            let is_named =
                matches!(before[1], Token::SingleQuotedString(_)) && is_word(&before[0], Keyword::TO);
            if is_copy && is_named && token.token == Token::LParen {
                let word = Word { value: "options".to_owned(), quote_style: None, keyword: Keyword::OPTIONS };
                out.push(TokenWithSpan { token: Token::Word(word), span: token.span });
            }
            before.swap(0, 1);
            before[1] = token.token.clone();
        }
        out.push(token);
    }
    out
}

/// Returns two lines: the line of a statement that an error is about, and a mark under the word; `None` where the error
/// has no position.
///
/// ```
/// use datafusion::error::DataFusionError;
/// use tfxio_sql::{Session, mark};
///
/// let error = Session::parse("select 1 fro t").unwrap_err();
/// assert_eq!(mark(&error, "select 1 fro t").unwrap(), "  select 1 fro t\n               ^");
/// ```
#[must_use]
pub fn mark(error: &DataFusionError, text: &str) -> Option<String> {
    let (line, first, length) = of_span(error).or_else(|| of_text(error))?;
    let line = text.lines().nth(line.checked_sub(1)?)?;
    let column = first.checked_sub(1)?;
    let line = line.chars().map(|char| if char.is_control() { ' ' } else { char }).collect::<String>();
    let length = length
        .unwrap_or_else(|| word(&line, column))
        .clamp(1, line.chars().count().saturating_sub(column).max(1));
    (column <= line.chars().count())
        .then(|| format!("  {line}\n  {}{}", " ".repeat(column), "^".repeat(length)))
}

/// Line, column and length of what an error is about.
type Spot = (usize, usize, Option<usize>);

/// Returns the position in the diagnostic that DataFusion attaches to names it does not find.
fn of_span(error: &DataFusionError) -> Option<Spot> {
    let span = error.diagnostic()?.span?;
    let number = |number: u64| usize::try_from(number).ok().filter(|number| *number > 0);
    let (line, column) = (number(span.start.line)?, number(span.start.column)?);
    let is_of_line = span.end.line == span.start.line;
    let length = is_of_line.then(|| span.end.column.saturating_sub(span.start.column)).and_then(number);
    Some((line, column, length))
}

/// Returns the position in the text of a parser error: `at Line: 1, Column: 8`.
fn of_text(error: &DataFusionError) -> Option<Spot> {
    let text = error.strip_backtrace();
    let (_, rest) = text.rsplit_once("Line: ")?;
    let (line, rest) = rest.split_once(", Column: ")?;
    let end = rest.find(|char: char| !char.is_ascii_digit()).unwrap_or(rest.len());
    Some((line.parse().ok()?, rest.get(..end)?.parse().ok()?, None))
}

/// Returns the length of the word at a column.
fn word(line: &str, column: usize) -> usize {
    line.chars().skip(column).take_while(|char| char.is_alphanumeric() || *char == '_').count()
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn options_of_a_copy_need_no_word() {
        for (text, expected) in [
            ("copy (select 1) to 'x' (shards 8)", "COPY (SELECT 1) TO x OPTIONS ('shards' 8)"),
            ("select 1; copy t to 'x' options (a b, shards 2)", "COPY t TO x OPTIONS ('a' 'b', 'shards' 2)"),
            ("copy (select 'a' in ('to', 'x')) to 'x'", "COPY (SELECT 'a' IN ('to', 'x')) TO x"),
        ] {
            let statements = parse(text).expect(text);
            let last = statements.back().expect(text).to_string();
            assert_eq!(last.replace("= ", "").to_lowercase(), expected.to_lowercase(), "{text}");
        }
        assert!(parse("copy t to").is_err());
    }
}
