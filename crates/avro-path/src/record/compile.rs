//! Compilation of shapes to the operations that fill them.

use crate::Result;
use crate::plan::compile::{Compiler, ValueSource, Want, chosen, item_steps, no_such_value};
use crate::plan::op::{Items, Op};
use crate::plan::shape::{Kind, Shape};
use crate::schema::{Type, TypeId};

impl Want for &Shape {
    const NAMES_BRANCH: bool = false;

    fn is_nothing(self) -> bool {
        false
    }

    fn field(self, number: usize) -> Option<Self> {
        let Kind::Struct(children) = &self.kind else { return None };
        let at = children.binary_search_by_key(&number, |child| child.number).ok()?;
        children.get(at).map(|child| &child.shape)
    }

    fn branch(
        self,
        compiler: &mut Compiler<'_>,
        source: ValueSource,
        number: usize,
        branches: &[TypeId],
    ) -> Result<Op> {
        let schema = compiler.schema;
        let Some(&id) = branches.get(number) else { return Ok(no_such_value()) };
        let mut fills = Vec::new();
        if matches!(schema.get(id), Type::Null) {
            self.absent(&mut fills);
            compiler.take(fills.len())?;
            return Ok(if fills.is_empty() { Op::Nothing } else { Op::Absent(fills.into()) });
        }
        let others = branches.iter().filter(|branch| !matches!(schema.get(**branch), Type::Null)).count();
        if others <= 1 {
            return compiler.read(source, id, self);
        }
        let (present, inner) = self.innermost();
        let Kind::Struct(children) = &inner.kind else { return Ok(no_such_value()) };
        for child in children.iter().filter(|child| child.number != number) {
            child.shape.absent(&mut fills);
        }
        compiler.take(fills.len())?;
        let op = match inner.field(number) {
            Some(shape) => compiler.read(source, id, shape)?,
            // Not asked for, or left out.
            None => compiler.skip(source, id),
        };
        Ok(chosen(present, fills, &[], op))
    }

    fn value(self, compiler: &mut Compiler<'_>, source: ValueSource, id: TypeId) -> Result<Op> {
        let (present, shape) = self.innermost();
        let op = match (compiler.schema.get(id), compiler.elements(source, id)) {
            (Type::Record(record), _) => compiler.record(source, record, shape)?,
            (_, Some(elements)) => {
                let Kind::List { ends, item } = &shape.kind else { return Ok(no_such_value()) };
                let (key, value) = if elements.is_map {
                    let (Some(key), Some(value)) = (item.field(0), item.field(1)) else {
                        return Ok(no_such_value());
                    };
                    let Kind::Strings(key) = key.innermost().1.kind else { return Ok(no_such_value()) };
                    (Some(Op::String(key)), value)
                } else {
                    (None, &**item)
                };
                let steps = item_steps(key, compiler.read(elements.source, elements.id, value)?);
                Items { ends: *ends, more_ends: Box::default(), least: elements.least, steps }.into_op()
            }
            _ => compiler.leaf(source, id, shape),
        };
        Ok(chosen(present, Vec::new(), &[], op))
    }
}
