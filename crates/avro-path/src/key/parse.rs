//! Text to a key expression. A loop over the tokens: nothing in the language nests deeper than a filter.

use std::sync::Arc;

use super::token::{Token, syntax, tokens};
use super::{Branch, Key, Operand, OperandValue, Segment, Span, Step, Test};
use crate::{Error, ErrorKind, Result};

/// Bytes of a key.
const LONGEST: usize = 16_384;
/// Steps of a key and of its filters together.
const STEPS: usize = 256;

pub(super) fn parse(text: &str) -> Result<Key> {
    if text.len() > LONGEST {
        let what = format!("a key expression has {} bytes, at most {LONGEST} are allowed", text.len());
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
    }
    if parser.peek().0 != &Token::End {
        return Err(match parser.peek().0 {
            Token::Equal | Token::NotEqual | Token::And => {
                parser.expected("the end").with_hint("a comparison stands in brackets: friends[age=30].name")
            }
            _ => parser.expected("\".\", \"[\", \":\" or the end"),
        });
    }
    Ok(Key { text: Arc::from(text), from_root, segments })
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(Token, Span)>,
    next: usize,
    steps: usize,
}

impl Parser<'_> {
    fn peek(&self) -> (&Token, Span) {
        match self.tokens.get(self.next) {
            Some((token, span)) => (token, *span),
            None => (&Token::End, Span { start: self.text.len() }),
        }
    }

    fn after(&self) -> &Token {
        self.tokens.get(self.next + 1).map_or(&Token::End, |(token, _)| token)
    }

    fn eat(&mut self, token: &Token) -> bool {
        let is_it = self.peek().0 == token;
        self.next += usize::from(is_it);
        is_it
    }

    #[cold]
    fn expected(&self, what: &str) -> Error {
        let (token, span) = self.peek();
        syntax(self.text, span, format!("expected {what}, found {}", token.shown()))
    }

    /// `( step | subscripts ) { "." step }`
    fn path(&mut self, segments: &mut Vec<Segment>) -> Result<()> {
        if self.peek().0 != &Token::Open {
            self.step(segments)?;
        } else {
            self.subscripts(segments)?;
        }
        while self.eat(&Token::Dot) {
            self.step(segments)?;
        }
        Ok(())
    }

    fn step(&mut self, segments: &mut Vec<Segment>) -> Result<()> {
        let (name, span) = self.name()?;
        let branches = self.branches()?;
        self.push(segments, Segment { step: Step::Field(name), span, branches })?;
        self.subscripts(segments)
    }

    fn name(&mut self) -> Result<(String, Span)> {
        let (token, span) = self.peek();
        let name = match token {
            Token::Name(name) | Token::Quoted(name) => name.clone(),
            Token::Number(_) => {
                return Err(self.expected("a name").with_hint("an index stands in brackets: friends[2]"));
            }
            Token::Open => {
                return Err(self.expected("a name").with_hint("there is no \".\" before a bracket"));
            }
            Token::Star => return Err(self.expected("a name").with_hint("all elements are named by [*]")),
            _ => return Err(self.expected("a name")),
        };
        self.next += 1;
        Ok((name, span))
    }

    fn branches(&mut self) -> Result<Vec<Branch>> {
        let mut branches = Vec::new();
        while self.eat(&Token::Colon) {
            let (token, span) = self.peek();
            let (Token::Name(name) | Token::Quoted(name)) = token else {
                let error = self.expected("the name of a type");
                return Err(error.with_hint("after \":\" stands the branch of a union: value:string"));
            };
            branches.push(Branch { name: name.clone(), span });
            self.next += 1;
            self.count()?;
        }
        Ok(branches)
    }

    fn subscripts(&mut self, segments: &mut Vec<Segment>) -> Result<()> {
        while self.peek().0 == &Token::Open {
            let span = self.peek().1;
            self.next += 1;
            let step = self.subscript()?;
            self.close(&step)?;
            let branches = self.branches()?;
            self.push(segments, Segment { step, span, branches })?;
        }
        Ok(())
    }

    fn subscript(&mut self) -> Result<Step> {
        let is_alone = self.after() == &Token::Close || matches!(self.peek().0, Token::Star | Token::Close);
        // Of a slice, the colon is what does not fit.
        let is_slice = matches!(self.peek().0, Token::Number(_)) && self.after() == &Token::Colon;
        if (is_alone || is_slice)
            && let Some(step) = self.plain_subscript()?
        {
            return Ok(step);
        }
        let mut tests = vec![self.test()?];
        while self.eat(&Token::And) {
            tests.push(self.test()?);
        }
        Ok(Step::Filter(tests))
    }

    /// `*`, an index or a map key.
    fn plain_subscript(&mut self) -> Result<Option<Step>> {
        let (token, span) = self.peek();
        let step = match token {
            Token::Star => Step::All,
            Token::Quoted(key) => Step::MapKey(key.clone()),
            Token::Number(digits) => Step::Index(self.index(digits, span)?),
            Token::Close => {
                let error = self.expected("\"*\", an index, a quoted map key or a filter");
                return Err(error.with_hint("all elements are named by [*]"));
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

    fn close(&mut self, step: &Step) -> Result<()> {
        if self.eat(&Token::Close) {
            return Ok(());
        }
        let error = match (step, self.peek().0) {
            (Step::Index(_), Token::Colon) => self.expected("\"]\"").with_hint(
                "there are no slices: name one element by its index, all by [*], or some by a filter",
            ),
            (Step::Filter(_), Token::Equal | Token::NotEqual) => {
                self.expected("\"&\" or \"]\"").with_hint("several tests are joined by &: [a=b&b=c]")
            }
            (Step::Filter(_), _) => self.expected("\"&\" or \"]\""),
            (Step::MapKey(_), Token::Name(_) | Token::Quoted(_)) => {
                self.expected("\"]\"").with_hint("a quote within quotes is written with a backslash")
            }
            _ => self.expected("\"]\""),
        };
        Err(error)
    }

    fn test(&mut self) -> Result<Test> {
        let left = self.operand()?;
        let equal = match self.peek().0 {
            Token::Equal => true,
            Token::NotEqual => false,
            Token::Close if matches!(left.value, OperandValue::Path { .. }) => {
                let error = self.expected("\"=\" or \"!=\"");
                return Err(error.with_hint("the key of a map needs quotes: cars['nickname']"));
            }
            _ => return Err(self.expected("\"=\" or \"!=\"")),
        };
        self.next += 1;
        let right = self.operand()?;
        Ok(Test { left, equal, right })
    }

    fn operand(&mut self) -> Result<Operand> {
        let goes_on = matches!(self.after(), Token::Dot | Token::Open);
        let (token, span) = self.peek();
        let value = match token {
            Token::Name(name) if !goes_on => match name.as_str() {
                "true" => OperandValue::Boolean(true),
                "false" => OperandValue::Boolean(false),
                "null" => OperandValue::Null,
                _ => return self.operand_path(span),
            },
            Token::Quoted(text) if !goes_on => OperandValue::Text(text.clone()),
            Token::Name(_) | Token::Quoted(_) | Token::At => return self.operand_path(span),
            Token::Number(digits) => self.number(digits, span)?,
            Token::Star => {
                return Err(self
                    .expected("a path or a constant")
                    .with_hint("[*] stands alone in its brackets"));
            }
            _ => return Err(self.expected("a path or a constant")),
        };
        self.next += 1;
        self.count()?;
        Ok(Operand { value, span })
    }

    /// A number as JSON has it.
    fn number(&self, digits: &str, span: Span) -> Result<OperandValue> {
        let unsigned = digits.strip_prefix('-').unwrap_or(digits).as_bytes();
        if let [b'0', b'0'..=b'9', ..] = unsigned {
            let error = syntax(self.text, span, format!("the number {digits} begins with 0"));
            return Err(error.with_hint("leave out the zero, or quote the number to compare strings"));
        }
        if digits.contains(['.', 'e', 'E']) {
            let float = digits.parse::<f64>().ok().filter(|float| float.is_finite());
            let error = || syntax(self.text, span, format!("the number {digits} is too large for a double"));
            return float.map(OperandValue::Float).ok_or_else(error);
        }
        let error = |_| syntax(self.text, span, format!("the number {digits} does not fit 64 bits"));
        digits.parse().map(OperandValue::Integer).map_err(error)
    }

    /// `[ "@" [ "." ] ] plain { "." plain }`
    fn operand_path(&mut self, span: Span) -> Result<Operand> {
        let from_root = self.eat(&Token::At);
        if from_root {
            self.eat(&Token::Dot);
        }
        let mut segments = Vec::new();
        loop {
            let (name, span) = self.name()?;
            self.push(&mut segments, Segment { step: Step::Field(name), span, branches: Vec::new() })?;
            while self.peek().0 == &Token::Open {
                let span = self.peek().1;
                self.next += 1;
                let (token, inner) = self.peek();
                let step = match token {
                    Token::Number(digits) => Step::Index(self.index(digits, inner)?),
                    Token::Quoted(key) => Step::MapKey(key.clone()),
                    _ => {
                        let error = self.expected("an index or a quoted map key");
                        return Err(error.with_hint("within a filter there are neither [*] nor filters"));
                    }
                };
                self.next += 1;
                if !self.eat(&Token::Close) {
                    let error = self.expected("\"]\"");
                    return Err(error.with_hint("within a filter there are neither [*] nor filters"));
                }
                self.push(&mut segments, Segment { step, span, branches: Vec::new() })?;
            }
            if self.peek().0 == &Token::Colon {
                let error = self.expected("\"=\" or \"!=\"");
                return Err(error.with_hint("within a filter there are no branches"));
            }
            if !self.eat(&Token::Dot) {
                break;
            }
        }
        Ok(Operand { value: OperandValue::Path { from_root, segments }, span })
    }

    fn push(&mut self, segments: &mut Vec<Segment>, segment: Segment) -> Result<()> {
        segments.push(segment);
        self.count()
    }

    fn count(&mut self) -> Result<()> {
        self.steps += 1;
        if self.steps <= STEPS {
            return Ok(());
        }
        let span = self.peek().1;
        let what = format!("the key has more than {STEPS} steps");
        Err(Error::new(ErrorKind::LimitExceeded, what).in_key(self.text, span.column(self.text)))
    }
}
