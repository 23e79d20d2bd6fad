//! Several fields of one type: no decision between them.

use arrow_buffer::ToByteSlice;

use super::column::Offset;
use super::run::Run;
use super::tree::{Node, Same, SameKind, Step};
use crate::datum::At;
use crate::{Error, Result};

/// The fewest fields of one type that are worth a step of their own kind.
const FEWEST: usize = 4;

impl<'d, O: Offset> Run<'_, 'd, O> {
    #[inline(never)]
    pub(super) fn same(&mut self, same: &Same, at: usize) -> Result<usize> {
        match same.kind {
            SameKind::Long => self.numbers(same, at, At::long),
            SameKind::Float => self.numbers(same, at, At::float),
            SameKind::Double => self.numbers(same, at, At::double),
            SameKind::String => self.strings(same, at),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn numbers<T: ToByteSlice>(
        &mut self,
        same: &Same,
        mut at: usize,
        read: impl Fn(At<'d>, usize) -> Result<(T, usize)>,
    ) -> Result<usize> {
        for (number, &column) in same.columns.iter().enumerate() {
            match read(self.bytes, at) {
                Ok((found, end)) => {
                    self.columns[column].push_number(found);
                    at = end;
                }
                Err(error) => return Err(in_field(same, number, error)),
            }
        }
        Ok(at)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn strings(&mut self, same: &Same, mut at: usize) -> Result<usize> {
        for (number, &column) in same.columns.iter().enumerate() {
            at = match self.string(column, at) {
                Ok(end) => end,
                Err(error) => return Err(in_field(same, number, error)),
            };
        }
        Ok(at)
    }
}

#[cold]
fn in_field(same: &Same, number: usize, error: Error) -> Error {
    match same.names.get(number) {
        Some(name) => error.within(name),
        None => error,
    }
}

/// The same steps, neighbours of one type together where they are several.
pub(super) fn together(steps: Vec<Step>) -> Box<[Step]> {
    let mut together = Vec::with_capacity(steps.len());
    let mut steps = steps.into_iter().peekable();
    while let Some(first) = steps.next() {
        let kind = kind(&first).map(|(kind, _)| kind);
        let mut neighbours = vec![first];
        while let Some(next) =
            steps.next_if(|next| kind.is_some() && self::kind(next).map(|(kind, _)| kind) == kind)
        {
            neighbours.push(next);
        }
        match kind {
            Some(kind) if neighbours.len() >= FEWEST => {
                let columns = neighbours.iter().filter_map(|step| self::kind(step).map(|(_, column)| column));
                let columns = columns.collect();
                let names = neighbours.into_iter().map(|step| step.name).collect();
                let node = Node::Same(Box::new(Same { kind, columns, names }));
                together.push(Step { node, name: "".into() });
            }
            _ => together.extend(neighbours),
        }
    }
    together.into()
}

/// The type of a step of which there are often several, and its column.
fn kind(step: &Step) -> Option<(SameKind, usize)> {
    match step.node {
        Node::Long(column) => Some((SameKind::Long, column)),
        Node::Float(column) => Some((SameKind::Float, column)),
        Node::Double(column) => Some((SameKind::Double, column)),
        Node::String(column) => Some((SameKind::String, column)),
        _ => None,
    }
}
