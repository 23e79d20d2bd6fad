//! Several fields of one type, one after the other: no decision between them.

use std::sync::Arc;

use arrow_buffer::ToByteSlice;

use crate::buffers::Texts;
use crate::datum::At;
use crate::{Error, Result};

/// The fewest fields of one type that are worth a step of their own.
const FEWEST: usize = 4;

/// Types of which there are often several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Long,
    Float,
    Double,
    String,
}

/// Fields of one type, one after the other, each with a column of its own.
#[derive(Debug)]
pub(crate) struct Same {
    kind: Kind,
    columns: Box<[usize]>,
    names: Box<[Arc<str>]>,
}

/// Where values go: columns by their numbers, which are of the values' types.
pub(crate) trait Sink {
    type Texts: Texts;

    fn number<T: ToByteSlice>(&mut self, column: usize, value: T);
    fn texts(&mut self, column: usize) -> &mut Self::Texts;
}

/// Appends the string that begins there, and says where it ends.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn string<S: Sink + ?Sized>(
    sink: &mut S,
    column: usize,
    bytes: At<'_>,
    at: usize,
) -> Result<usize> {
    match bytes.short_text(at) {
        Some(text) => {
            sink.texts(column).push_short(text);
            Ok(at + 1 + text.length())
        }
        None => any_string(sink.texts(column), bytes, at),
    }
}

/// Appends so many strings. An error comes with the number of the one that is wrong.
#[inline(never)]
pub(crate) fn strings<T: Texts>(
    texts: &mut T,
    count: u64,
    bytes: At<'_>,
    mut at: usize,
) -> Result<usize, (u64, Error)> {
    for number in 0..count {
        if let Some(text) = bytes.short_text(at) {
            texts.push_short(text);
            at += 1 + text.length();
            continue;
        }
        at = any_string(texts, bytes, at).map_err(|error| (number, error))?;
    }
    Ok(at)
}

#[inline(never)]
fn any_string<T: Texts>(texts: &mut T, bytes: At<'_>, at: usize) -> Result<usize> {
    let (text, end) = bytes.text(at)?;
    texts.push_text(text);
    Ok(end)
}

impl Same {
    /// Appends the values that begin there, and says where they end.
    #[inline(never)]
    pub(crate) fn append<S: Sink + ?Sized>(&self, sink: &mut S, bytes: At<'_>, at: usize) -> Result<usize> {
        match self.kind {
            Kind::Long => self.numbers(sink, bytes, at, At::long),
            Kind::Float => self.numbers(sink, bytes, at, At::float),
            Kind::Double => self.numbers(sink, bytes, at, At::double),
            Kind::String => self.each(at, |column, at| string(sink, column, bytes, at)),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn numbers<'d, S: Sink + ?Sized, T: ToByteSlice>(
        &self,
        sink: &mut S,
        bytes: At<'d>,
        at: usize,
        read: impl Fn(At<'d>, usize) -> Result<(T, usize)>,
    ) -> Result<usize> {
        self.each(at, |column, at| {
            let (found, end) = read(bytes, at)?;
            sink.number(column, found);
            Ok(end)
        })
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn each(&self, mut at: usize, mut append: impl FnMut(usize, usize) -> Result<usize>) -> Result<usize> {
        for (number, &column) in self.columns.iter().enumerate() {
            at = match append(column, at) {
                Ok(end) => end,
                Err(error) => return Err(self.in_field(number, error)),
            };
        }
        Ok(at)
    }

    #[cold]
    fn in_field(&self, number: usize, error: Error) -> Error {
        match self.names.get(number) {
            Some(name) => error.within(name),
            None => error,
        }
    }
}

/// What is done with a field of a record.
pub(crate) trait Step: Sized {
    /// If it only appends a value of a type of which there are often several: which, and to which column.
    fn kind(&self) -> Option<(Kind, usize)>;
    /// The field's name.
    fn into_name(self) -> Arc<str>;
    /// What is done with several fields.
    fn of(same: Same) -> Self;
}

/// The same steps, neighbours of one type together where they are several.
pub(crate) fn together<S: Step>(steps: Vec<S>) -> Box<[S]> {
    let mut together = Vec::with_capacity(steps.len());
    let mut steps = steps.into_iter().peekable();
    while let Some(first) = steps.next() {
        let Some((kind, _)) = first.kind() else {
            together.push(first);
            continue;
        };
        let mut neighbours = vec![first];
        while let Some(next) = steps.next_if(|next| next.kind().is_some_and(|(next, _)| next == kind)) {
            neighbours.push(next);
        }
        if neighbours.len() < FEWEST {
            together.extend(neighbours);
            continue;
        }
        let columns = neighbours.iter().filter_map(|step| step.kind().map(|(_, column)| column)).collect();
        let names = neighbours.into_iter().map(S::into_name).collect();
        together.push(S::of(Same { kind, columns, names }));
    }
    together.into()
}
