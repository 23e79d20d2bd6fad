//! Templates of column names.

use crate::{Error, Kind};

/// A name with placeholders for the tensor's name and the number of a dimension.
#[derive(Clone, Debug)]
pub(super) struct Template(String);

/// One part of a template.
enum Part<'a> {
    Text(&'a str),
    TensorName,
    Index,
    /// Text in braces that has no meaning, or a single brace.
    Unknown(&'a str),
}

impl Template {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Checks that everything in braces has a meaning.
    pub(super) fn check(&self, indexed: bool) -> Result<(), Error> {
        for part in self.parts() {
            let unknown = match part {
                Part::Unknown(text) => text,
                Part::Index if !indexed => "{index}",
                _ => continue,
            };
            let known = if indexed { "{tensor_name}, {index}" } else { "{tensor_name}" };
            let text = format!(
                "template {:?} of column names: {unknown:?} means nothing here, but {known}, {{{{ and }}}} do",
                self.0
            );
            return Err(Error::new(Kind::InvalidArgument, text));
        }
        Ok(())
    }

    pub(super) fn fill(&self, tensor: &str, index: usize) -> String {
        let mut name = String::new();
        for part in self.parts() {
            match part {
                Part::Text(text) | Part::Unknown(text) => name.push_str(text),
                Part::TensorName => name.push_str(tensor),
                Part::Index => name.push_str(&index.to_string()),
            }
        }
        name
    }

    fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        let mut rest = self.0.as_str();
        std::iter::from_fn(move || {
            let (part, length) = match rest.find(['{', '}']) {
                None if rest.is_empty() => return None,
                None => (Part::Text(rest), rest.len()),
                Some(0) if rest.starts_with("{{") || rest.starts_with("}}") => (Part::Text(&rest[..1]), 2),
                Some(0) if rest.starts_with("{tensor_name}") => (Part::TensorName, "{tensor_name}".len()),
                Some(0) if rest.starts_with("{index}") => (Part::Index, "{index}".len()),
                Some(0) => {
                    let end = rest.find('}').map_or(rest.len(), |end| end + 1);
                    (Part::Unknown(&rest[..end]), end)
                }
                Some(brace) => (Part::Text(&rest[..brace]), brace),
            };
            rest = &rest[length..];
            Some(part)
        })
    }
}
