//! Parser of the tests of a filter.

use super::parse::Parser;
use super::token::{Token, syntax};
use super::{KeyStep, Operand, OperandValue, Segment, Span, Test};
use crate::{Error, Result};

/// Help on how to write the element that a filter tests.
pub(super) const ELEMENT: &str = "the element itself is written \".\", as in tags[.='a']";

impl Parser<'_> {
    pub(super) fn test(&mut self) -> Result<Test> {
        if matches!(self.peek().0, Token::Equal | Token::NotEqual) {
            return Err(self.expected("a path or a constant").help(ELEMENT));
        }
        if self.peek().0 == &Token::And {
            return Err(self.expected("a path or a constant").help("one & joins two tests"));
        }
        let left = self.operand()?;
        let equal = match self.peek().0 {
            Token::Equal => true,
            Token::NotEqual => false,
            other => return Err(self.no_comparison(other, &left)),
        };
        self.next += 1;
        if equal && self.peek().0 == &Token::Equal {
            return Err(self.expected("a path or a constant").help("one = is enough"));
        }
        let right = self.operand()?;
        Ok(Test { left, equal, right })
    }

    /// Returns the error for a test that does not go on after its left side.
    #[cold]
    fn no_comparison(&self, found: &Token, left: &Operand) -> Error {
        let error = self.expected("\"=\" or \"!=\"");
        let OperandValue::Path { from_root: false, segments } = &left.value else { return error };
        match (found, segments.as_slice()) {
            (Token::Close, []) => error.help("all elements are named by [*]"),
            (Token::Close, [Segment { step: KeyStep::EntryKey, .. }]) => {
                error.help("~ stands after the brackets where the keys of a map are a column: cars[*]~")
            }
            (Token::Close, [Segment { step: KeyStep::Field(name), .. }]) => error.help(format!(
                "of an array, a filter names some elements: [{0}='…']; of a map, a key in quotes one value: ['{0}']",
                name.escape_debug()
            )),
            (Token::Tilde, _) => error.help("~ by itself is the key of a map's entry"),
            (Token::Number(_), []) => error.help("a number begins with a digit, as in 0.5"),
            (Token::Dot, []) => error.help(ELEMENT),
            _ => error,
        }
    }

    fn operand(&mut self) -> Result<Operand> {
        let goes_on = matches!(self.after(), Token::Dot | Token::Open | Token::Colon);
        let (token, span) = self.peek();
        let value = match token {
            Token::Name(name) if !goes_on => match name.as_str() {
                "true" => OperandValue::Boolean(true),
                "false" => OperandValue::Boolean(false),
                "null" => OperandValue::Null,
                _ => return self.operand_path(span),
            },
            Token::Quoted(text) if !goes_on => OperandValue::Text(text.clone()),
            Token::Name(_) | Token::Quoted(_) | Token::At | Token::Dot => return self.operand_path(span),
            Token::Tilde => {
                let segment = Segment { step: KeyStep::EntryKey, span, branches: Vec::new() };
                OperandValue::Path { from_root: false, segments: vec![segment] }
            }
            Token::Number(digits) => self.number(digits, span)?,
            Token::Star => {
                return Err(self.expected("a path or a constant").help("[*] stands alone in its brackets"));
            }
            _ => return Err(self.expected("a path or a constant")),
        };
        self.next += 1;
        self.count()?;
        Ok(Operand { value, span })
    }

    /// Parses a number as in JSON.
    fn number(&self, digits: &str, span: Span) -> Result<OperandValue> {
        let unsigned = digits.strip_prefix('-').unwrap_or(digits).as_bytes();
        if let [b'0', b'0'..=b'9', ..] = unsigned {
            let error = syntax(self.text, span, format!("the number {digits} begins with 0"));
            return Err(error.help("leave out the zero, or quote the number to compare strings"));
        }
        if digits.contains(['.', 'e', 'E']) {
            let float = digits.parse::<f64>().ok().filter(|float| float.is_finite());
            let error = || syntax(self.text, span, format!("the number {digits} is too large for a double"));
            return float.map(OperandValue::Float).ok_or_else(error);
        }
        let error = |_| syntax(self.text, span, format!("the number {digits} does not fit 64 bits"));
        digits.parse().map(OperandValue::Integer).map_err(error)
    }

    /// Parses a path from the root, from the element if it begins with a point, or from the element by the name of its
    /// field.
    fn operand_path(&mut self, span: Span) -> Result<Operand> {
        let mut segments = Vec::new();
        let from_root = self.eat(&Token::At);
        let is_pointed = self.eat(&Token::Dot);
        if is_pointed && !from_root && self.peek().0 == &Token::Colon {
            let branches = self.branches()?;
            self.push(&mut segments, Segment { step: KeyStep::Element, span, branches })?;
        }
        if from_root || is_pointed {
            self.subscripts(&mut segments, Self::selector)?;
        }
        if segments.is_empty() {
            match self.peek().0 {
                Token::Name(_) | Token::Quoted(_) => self.step(&mut segments, Self::selector)?,
                _ if from_root => {
                    let error = self.expected("a name");
                    return Err(match self.peek().0 {
                        Token::Equal | Token::NotEqual => error.help(format!("@ is the root; {ELEMENT}")),
                        _ => error,
                    });
                }
                // The element itself.
                _ => {
                    self.count()?;
                    return Ok(Operand { value: OperandValue::Path { from_root, segments }, span });
                }
            }
        }
        while self.eat(&Token::Dot) {
            self.step(&mut segments, Self::selector)?;
        }
        Ok(Operand { value: OperandValue::Path { from_root, segments }, span })
    }

    /// Parses `( index | map-key ) "]"`.
    fn selector(&mut self) -> Result<KeyStep> {
        let mut wanted = "an index or a quoted map key";
        if matches!(self.peek().0, Token::Number(_) | Token::Quoted(_)) {
            if let Some(step) = self.plain_subscript()?
                && self.eat(&Token::Close)
            {
                return Ok(step);
            }
            wanted = "\"]\"";
        }
        Err(self.expected(wanted).help("within a filter there are neither [*] nor filters"))
    }
}
