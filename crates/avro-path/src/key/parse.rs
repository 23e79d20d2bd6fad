//! Parser of key expressions. A loop over the tokens: nothing in the language nests deeper than a filter.

use std::sync::Arc;

use tfxio_core::Count;

use super::filter::ELEMENT;
use super::token::{Token, syntax, tokens};
use super::{Branch, Key, KeyStep, Segment, Span};
use crate::{Error, ErrorKind, Position, Result};

/// Bytes of a key.
pub(super) const LONGEST: usize = 16_384;
/// Steps of a key and of its filters together.
pub(super) const STEPS: usize = 256;

pub(super) fn parse(text: &str) -> Result<Key> {
    if text.len() > LONGEST {
        let what =
            format!("a key expression has {}, at most {LONGEST} are allowed", Count::of(text.len(), "byte"));
        return Err(Error::new(ErrorKind::LimitExceeded, what));
    }
    let mut parser = Parser { text, tokens: tokens(text)?, next: 0, steps: 0 };
    let from_root = parser.eat(&Token::At);
    let mut segments = Vec::new();
    let is_root = from_root && parser.peek().0 == &Token::End;
    if !is_root {
        if from_root {
            parser.eat(&Token::Dot);
        }
        parser.path(&mut segments)?;
        parser.entry_key(&mut segments)?;
    }
    if parser.peek().0 != &Token::End {
        return Err(match parser.peek().0 {
            Token::Equal | Token::NotEqual | Token::And => {
                parser.expected("the end").help("a comparison stands in brackets: friends[age=30].name")
            }
            _ if ends_with_entry_key(&segments) => {
                parser.expected("the end").help("nothing follows ~: the key of a map is a text")
            }
            _ => parser.expected("\".\", \"[\", \":\" or the end"),
        });
    }
    Ok(Key { text: Arc::from(text), from_root, segments, dtype: None })
}

fn ends_with_entry_key(segments: &[Segment]) -> bool {
    matches!(segments.last(), Some(Segment { step: KeyStep::EntryKey, .. }))
}

/// Parser of the contents of brackets, after the first of them.
type Brackets<'a> = fn(&mut Parser<'a>) -> Result<KeyStep>;

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    tokens: Vec<(Token, Span)>,
    pub(super) next: usize,
    steps: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn peek(&self) -> (&Token, Span) {
        match self.tokens.get(self.next) {
            Some((token, span)) => (token, *span),
            None => (&Token::End, Span { start: self.text.len() }),
        }
    }

    pub(super) fn after(&self) -> &Token {
        self.tokens.get(self.next + 1).map_or(&Token::End, |(token, _)| token)
    }

    pub(super) fn eat(&mut self, token: &Token) -> bool {
        let is_it = self.peek().0 == token;
        self.next += usize::from(is_it);
        is_it
    }

    #[cold]
    pub(super) fn expected(&self, what: &str) -> Error {
        let (token, span) = self.peek();
        syntax(self.text, span, format!("expected {what}, found {}", token.shown()))
    }

    /// Parses `( step | subscripts ) { "." step }`.
    fn path(&mut self, segments: &mut Vec<Segment>) -> Result<()> {
        if self.peek().0 != &Token::Open {
            self.step(segments, Self::subscript)?;
        } else {
            self.subscripts(segments, Self::subscript)?;
        }
        while self.eat(&Token::Dot) {
            self.step(segments, Self::subscript)?;
        }
        Ok(())
    }

    /// Parses `[ "~" ]` after a path.
    fn entry_key(&mut self, segments: &mut Vec<Segment>) -> Result<()> {
        let span = self.peek().1;
        if self.peek().0 != &Token::Tilde {
            return Ok(());
        }
        let stands_after = segments.last().filter(|segment| segment.branches.is_empty());
        if !matches!(stands_after, Some(Segment { step: KeyStep::All | KeyStep::Filter(_), .. })) {
            let error = self.expected("\".\", \"[\", \":\" or the end");
            return Err(error.help("~ stands after [*] or a filter, for the keys of a map: cars[*]~"));
        }
        self.next += 1;
        self.push(segments, Segment { step: KeyStep::EntryKey, span, branches: Vec::new() })
    }

    /// Parses `name { ":" branch } subscripts`.
    pub(super) fn step(&mut self, segments: &mut Vec<Segment>, brackets: Brackets<'a>) -> Result<()> {
        let (name, span) = self.name()?;
        let branches = self.branches()?;
        self.push(segments, Segment { step: KeyStep::Field(name), span, branches })?;
        self.subscripts(segments, brackets)
    }

    pub(super) fn name(&mut self) -> Result<(String, Span)> {
        let (token, span) = self.peek();
        if let Token::Name(name) | Token::Quoted(name) = token {
            let name = name.clone();
            self.next += 1;
            return Ok((name, span));
        }
        let error = self.expected("a name");
        Err(match token {
            Token::Number(_) => error.help("an index stands in brackets: friends[2]"),
            Token::Open => error.help("there is no \".\" before a bracket"),
            Token::Star => error.help("all elements are named by [*]"),
            _ => error,
        })
    }

    pub(super) fn branches(&mut self) -> Result<Vec<Branch>> {
        let mut branches = Vec::new();
        while self.eat(&Token::Colon) {
            let (token, span) = self.peek();
            let (Token::Name(name) | Token::Quoted(name)) = token else {
                let error = self.expected("the name of a type");
                return Err(error.help("after \":\" stands the branch of a union: value:string"));
            };
            branches.push(Branch { name: name.clone(), span });
            self.next += 1;
            self.count()?;
        }
        Ok(branches)
    }

    /// Parses `{ "[" brackets { ":" branch } }`.
    pub(super) fn subscripts(&mut self, segments: &mut Vec<Segment>, brackets: Brackets<'a>) -> Result<()> {
        while self.peek().0 == &Token::Open {
            let span = self.peek().1;
            self.next += 1;
            let step = brackets(self)?;
            let branches = self.branches()?;
            self.push(segments, Segment { step, span, branches })?;
        }
        Ok(())
    }

    /// Parses `( "*" | index | map-key | test { "&" test } ) "]"`.
    fn subscript(&mut self) -> Result<KeyStep> {
        let is_alone = self.after() == &Token::Close || matches!(self.peek().0, Token::Star | Token::Close);
        // Of a slice, the colon is what does not fit.
        let is_slice = matches!(self.peek().0, Token::Number(_)) && self.after() == &Token::Colon;
        let plain = if is_alone || is_slice { self.plain_subscript()? } else { None };
        let step = match plain {
            Some(step) => step,
            None => {
                let mut tests = vec![self.test()?];
                while self.eat(&Token::And) {
                    tests.push(self.test()?);
                }
                KeyStep::Filter(tests)
            }
        };
        self.close(&step)?;
        Ok(step)
    }

    /// Parses `*`, an index or a map key.
    pub(super) fn plain_subscript(&mut self) -> Result<Option<KeyStep>> {
        let (token, span) = self.peek();
        let step = match token {
            Token::Star => KeyStep::All,
            Token::Quoted(key) => KeyStep::MapKey(key.clone()),
            Token::Number(digits) => KeyStep::Index(self.index(digits, span)?),
            Token::Close => {
                let error = self.expected("\"*\", an index, a quoted map key or a filter");
                return Err(error.help("all elements are named by [*]"));
            }
            _ => return Ok(None),
        };
        self.next += 1;
        Ok(Some(step))
    }

    fn index(&self, digits: &str, span: Span) -> Result<i64> {
        if digits.contains(['.', 'e', 'E']) {
            let what = format!("an index is a whole number, not {digits}");
            return Err(syntax(self.text, span, what));
        }
        digits
            .parse()
            .map_err(|_| syntax(self.text, span, format!("the index {digits} does not fit 64 bits")))
    }

    fn close(&mut self, step: &KeyStep) -> Result<()> {
        if self.eat(&Token::Close) {
            return Ok(());
        }
        let is_filter = matches!(step, KeyStep::Filter(_));
        let error = self.expected(if is_filter { "\"&\" or \"]\"" } else { "\"]\"" });
        Err(match (step, self.peek().0) {
            (KeyStep::Index(_), Token::Colon) => error
                .help("there are no slices: name one element by its index, all by [*], or some by a filter"),
            (KeyStep::All, Token::Equal | Token::NotEqual) => error.help(ELEMENT),
            (KeyStep::Filter(_), Token::Equal | Token::NotEqual) => {
                error.help("several tests are joined by &: [a=b&b=c]")
            }
            (KeyStep::Filter(tests), Token::Number(_))
                if tests.last().is_some_and(|test| test.right.is_element()) =>
            {
                error.help("a number begins with a digit, as in 0.5")
            }
            (KeyStep::Filter(_), Token::Name(_)) => {
                error.help("several tests are joined by & alone: [a=b&b=c]")
            }
            (KeyStep::MapKey(_), Token::Name(_) | Token::Quoted(_)) => {
                error.help("a quote within quotes is written with a backslash")
            }
            _ => error,
        })
    }

    pub(super) fn push(&mut self, segments: &mut Vec<Segment>, segment: Segment) -> Result<()> {
        segments.push(segment);
        self.count()
    }

    pub(super) fn count(&mut self) -> Result<()> {
        self.steps += 1;
        if self.steps <= STEPS {
            return Ok(());
        }
        let span = self.peek().1;
        let what = format!("the key has more than {STEPS} steps");
        Err(Error::new(ErrorKind::LimitExceeded, what)
            .at(Position::new().key(self.text).key_column(span.column(self.text))))
    }
}
