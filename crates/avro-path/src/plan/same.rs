//! Several fields of one type, one after the other: no decision between them.

use std::ops::Range;
use std::sync::Arc;

use arrow_buffer::ToByteSlice;

use super::op::{Op, RecordStep};
use super::stores::Stores;
use crate::buffers::{Binary, Offset};
use crate::datum::At;
use crate::{Error, Result};

/// The fewest fields of one type that are worth a step of their own.
const FEWEST: usize = 4;

/// Types of which there are often several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Long,
    Float,
    Double,
    String,
}

/// Fields of one type, one after the other, each with a buffer of its own.
#[derive(Debug)]
pub(crate) struct Same {
    kind: Kind,
    buffers: Box<[usize]>,
    names: Box<[Arc<str>]>,
}

/// Appends the string at an offset, and returns the offset of its end.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn string<O: Offset>(texts: &mut Binary<O>, bytes: At<'_>, at: usize) -> Result<usize> {
    match bytes.short_text(at) {
        Some(text) => {
            texts.push_short(text);
            Ok(at + 1 + text.length())
        }
        None => any_string(texts, bytes, at),
    }
}

/// Appends strings of these numbers. An error comes with the number of the one that is wrong.
pub(super) fn strings<O: Offset>(
    texts: &mut Binary<O>,
    mut numbers: Range<u64>,
    bytes: At<'_>,
    mut at: usize,
) -> Result<usize, (u64, Error)> {
    loop {
        let (appended, end) = texts.push_shorts(numbers.end - numbers.start, bytes, at);
        numbers.start += appended;
        let Some(number) = numbers.next() else { return Ok(end) };
        at = any_string(texts, bytes, end).map_err(|error| (number, error))?;
    }
}

#[inline(never)]
fn any_string<O: Offset>(texts: &mut Binary<O>, bytes: At<'_>, at: usize) -> Result<usize> {
    let (text, end) = bytes.text(at)?;
    texts.push_text(text);
    Ok(end)
}

impl Same {
    /// Appends the values from an offset on, and returns the offset of their end.
    #[inline(never)]
    pub(super) fn append<O: Offset>(
        &self,
        stores: &mut Stores<O>,
        bytes: At<'_>,
        at: usize,
    ) -> Result<usize> {
        match self.kind {
            Kind::Long => self.numbers(stores, bytes, at, At::long),
            Kind::Float => self.numbers(stores, bytes, at, At::float),
            Kind::Double => self.numbers(stores, bytes, at, At::double),
            Kind::String => self.each(at, |buffer, at| string(&mut stores.binaries[buffer], bytes, at)),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn numbers<'d, O: Offset, T: ToByteSlice>(
        &self,
        stores: &mut Stores<O>,
        bytes: At<'d>,
        at: usize,
        read: impl Fn(At<'d>, usize) -> Result<(T, usize)>,
    ) -> Result<usize> {
        self.each(at, |buffer, at| {
            let (found, end) = read(bytes, at)?;
            stores.values[buffer].push(found);
            Ok(end)
        })
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn each(&self, mut at: usize, mut append: impl FnMut(usize, usize) -> Result<usize>) -> Result<usize> {
        for (number, &buffer) in self.buffers.iter().enumerate() {
            at = match append(buffer, at) {
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

impl RecordStep {
    /// Returns the type and the buffer, if the step only appends a value of a type of which there are often several.
    fn kind(&self) -> Option<(Kind, usize)> {
        match self.op {
            Op::Long(values) => Some((Kind::Long, values)),
            Op::Float(values) => Some((Kind::Float, values)),
            Op::Double(values) => Some((Kind::Double, values)),
            Op::String(strings) => Some((Kind::String, strings)),
            _ => None,
        }
    }
}

/// Puts neighbours of one type together where they are several.
pub(super) fn together(steps: Vec<RecordStep>) -> Box<[RecordStep]> {
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
        let buffers = neighbours.iter().filter_map(|step| step.kind().map(|(_, buffer)| buffer)).collect();
        let names = neighbours.into_iter().map(|step| step.name.unwrap_or_default()).collect();
        together.push(RecordStep { op: Op::Same(Box::new(Same { kind, buffers, names })), name: None });
    }
    together.into()
}
