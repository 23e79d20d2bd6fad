//! Predicates from their text form.

use std::str::FromStr;
use std::sync::Arc;

use tfxio_base::{Error, ErrorKind};

use super::{Comparison, Literal, Predicate, is_keyword};
use crate::ColumnPath;

/// Maximum depth of parentheses and `not`.
const DEPTH: u32 = 100;

impl FromStr for Predicate {
    type Err = Error;

    /// Parses the output of [`Display`](std::fmt::Display): `label = 7 and (user.name in ('a', 'b') or not x is null)`.
    /// Names that are not plain words are in double quotes.
    fn from_str(text: &str) -> Result<Self, Error> {
        let mut parser = Parser { text, at: 0, depth: 0 };
        let predicate = parser.any()?;
        parser.skip_space();
        match parser.rest() {
            "" => Ok(predicate),
            _ => Err(parser.expected("`and`, `or` or the end")),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
}

type Parsed<T> = Result<T, Error>;

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    #[cold]
    fn expected(&self, what: &str) -> Error {
        let before = self.text.get(..self.at).unwrap_or_default();
        let found = match self.rest() {
            "" => "the end".to_owned(),
            rest => format!("{:?}", rest.chars().take(20).collect::<String>()),
        };
        let what = format!(
            "the predicate {:?} is not valid at character {}: expected {what}, found {found}",
            self.text,
            before.chars().count() + 1
        );
        Error::new(ErrorKind::InvalidArgument, what)
    }

    /// Takes a sign, if it comes next.
    fn sign(&mut self, sign: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    /// Returns the plain word that comes next.
    fn peek_word(&mut self) -> &'a str {
        self.skip_space();
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    }

    /// Takes a keyword, if it comes next.
    fn keyword(&mut self, keyword: &str) -> bool {
        let found = self.peek_word().eq_ignore_ascii_case(keyword);
        self.at += if found { keyword.len() } else { 0 };
        found
    }

    fn any(&mut self) -> Parsed<Predicate> {
        let mut any = vec![self.all()?];
        while self.keyword("or") {
            any.push(self.all()?);
        }
        Ok(one_or(any, Predicate::Or))
    }

    fn all(&mut self) -> Parsed<Predicate> {
        let mut all = vec![self.negated()?];
        while self.keyword("and") {
            all.push(self.negated()?);
        }
        Ok(one_or(all, Predicate::And))
    }

    fn negated(&mut self) -> Parsed<Predicate> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.expected("fewer parentheses and `not`"));
        }
        let predicate = if self.keyword("not") {
            self.negated()?.not()
        } else if self.sign("(") {
            let inner = self.any()?;
            if !self.sign(")") {
                return Err(self.expected("`)`"));
            }
            inner
        } else if self.keyword("true") {
            Predicate::And(Vec::new())
        } else if self.keyword("false") {
            Predicate::Or(Vec::new())
        } else {
            self.of_column()?
        };
        self.depth -= 1;
        Ok(predicate)
    }

    fn of_column(&mut self) -> Parsed<Predicate> {
        let path = self.path()?;
        if self.keyword("is") {
            let not = self.keyword("not");
            if !self.keyword("null") {
                return Err(self.expected("`null`"));
            }
            let predicate = Predicate::IsNull { path };
            return Ok(if not { predicate.not() } else { predicate });
        }
        let not = self.keyword("not");
        if self.keyword("in") {
            let predicate = Predicate::In { path, values: self.values()? };
            return Ok(if not { predicate.not() } else { predicate });
        }
        if not {
            return Err(self.expected("`in`"));
        }
        // The longer sign of two with the same beginning goes first.
        let signs = [
            ("==", Comparison::Equal),
            ("=", Comparison::Equal),
            ("!=", Comparison::NotEqual),
            ("<>", Comparison::NotEqual),
            ("<=", Comparison::LessOrEqual),
            ("<", Comparison::Less),
            (">=", Comparison::GreaterOrEqual),
            (">", Comparison::Greater),
        ];
        let found = signs.into_iter().find(|(sign, _)| self.sign(sign));
        let Some((_, comparison)) = found else {
            return Err(self.expected("a comparison, `in` or `is null`"));
        };
        Ok(Predicate::Compare { path, comparison, value: self.literal()? })
    }

    fn path(&mut self) -> Parsed<ColumnPath> {
        let mut steps: Vec<Arc<str>> = Vec::new();
        loop {
            let word = self.peek_word();
            if self.rest().starts_with('"') {
                steps.push(self.quoted('"')?.into());
            } else if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) || is_keyword(word) {
                return Err(self.expected("a column"));
            } else {
                self.at += word.len();
                steps.push(word.into());
            }
            if !self.sign(".") {
                return Ok(ColumnPath::new(steps));
            }
        }
    }

    fn values(&mut self) -> Parsed<Vec<Literal>> {
        if !self.sign("(") {
            return Err(self.expected("`(` and values"));
        }
        let mut values = Vec::new();
        if self.sign(")") {
            return Ok(values);
        }
        loop {
            values.push(self.literal()?);
            if self.sign(")") {
                return Ok(values);
            }
            if !self.sign(",") {
                return Err(self.expected("`,` or `)`"));
            }
        }
    }

    fn literal(&mut self) -> Parsed<Literal> {
        self.skip_space();
        if self.rest().starts_with('\'') {
            return Ok(Literal::Text(self.quoted('\'')?.into()));
        }
        for (word, value) in [("true", true), ("false", false)] {
            if self.keyword(word) {
                return Ok(Literal::Boolean(value));
            }
        }
        let rest = self.rest();
        let mut before = ' ';
        let end = rest.find(|c: char| {
            let of_exponent = matches!(before, 'e' | 'E');
            let inside =
                c.is_ascii_alphanumeric() || c == '.' || "+-".contains(c) && (before == ' ' || of_exponent);
            before = c;
            !inside
        });
        let number = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let literal = match number.parse() {
            Ok(integer) => Literal::Integer(integer),
            Err(_) => Literal::number(number).ok_or_else(|| {
                let error = self.expected("a value: a number, 'text', true or false");
                match number.eq_ignore_ascii_case("null") {
                    true => error.help("null is found by `COLUMN is null`"),
                    false => error,
                }
            })?,
        };
        self.at += number.len();
        Ok(literal)
    }

    /// Takes text in quotes. Two quotes in it are an escaped one.
    fn quoted(&mut self, quote: char) -> Parsed<String> {
        let start = self.at;
        let mut text = String::new();
        let mut chars = self.rest().char_indices().skip(1).peekable();
        while let Some((at, c)) = chars.next() {
            if c != quote {
                text.push(c);
            } else if chars.next_if(|(_, next)| *next == quote).is_some() {
                text.push(quote);
            } else {
                self.at = start + at + quote.len_utf8();
                return Ok(text);
            }
        }
        self.at = self.text.len();
        Err(self.expected(&format!("a closing {quote}")))
    }
}

/// Returns the only predicate, or all of them joined.
fn one_or(mut all: Vec<Predicate>, join: impl FnOnce(Vec<Predicate>) -> Predicate) -> Predicate {
    match all.pop() {
        Some(one) if all.is_empty() => one,
        last => {
            all.extend(last);
            join(all)
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Comparison, Literal, Predicate};

    #[test]
    fn what_is_printed_is_read() {
        let texts = [
            "label = 7",
            "a.b != 'it''s' and not c is null",
            "(a < 1 or b >= -2.5) and c in (1, 2, true)",
            "not (a = 1 and b = 2) or x in ()",
            "\"##SEQUENCE##\".\"two \"\" words\".\"and\" <= 1e300",
            "true",
            "false",
            "x > 170141183460469231731687303715884105727",
            "x > 9007199254740993.0 or x < 1e-400",
        ];
        for text in texts {
            let predicate = text.parse::<Predicate>().expect(text);
            let again = predicate.to_string();
            assert_eq!(again.parse::<Predicate>().expect(text), predicate, "{text}: {again}");
        }
        assert_eq!(
            "a=-1".parse::<Predicate>().expect("short"),
            Predicate::compare("a", Comparison::Equal, -1)
        );
        assert_eq!(
            "A IS NOT NULL AND b not in('x')".parse::<Predicate>().expect("words").to_string(),
            "not A is null and not b in ('x')"
        );
        let float = "x = 1.0".parse::<Predicate>().expect("a number");
        assert!(matches!(float, Predicate::Compare { value: Literal::Float(_), .. }));
    }

    #[test]
    fn errors_say_where() {
        let texts = [
            ("", "1: expected a column, found the end"),
            ("label = = 7", "9: expected a value: a number, 'text', true or false, found \"= 7\""),
            ("label", "6: expected a comparison, `in` or `is null`, found the end"),
            ("é is 7", "6: expected `null`, found \"7\""),
            ("(a = 1", "7: expected `)`, found the end"),
            ("a = 'x", "7: expected a closing ', found the end"),
            ("a = 1 b = 2", "7: expected `and`, `or` or the end, found \"b = 2\""),
            ("a in (1 2)", "9: expected `,` or `)`, found \"2)\""),
            ("7 = a", "1: expected a column, found \"7 = a\""),
        ];
        for (text, expected) in texts {
            let error = text.parse::<Predicate>().expect_err(text).to_string();
            assert_eq!(error, format!("the predicate {text:?} is not valid at character {expected}"));
        }
        let deep = "(".repeat(100_000);
        assert!(deep.parse::<Predicate>().is_err());
    }
}
