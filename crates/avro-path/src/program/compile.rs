//! Key expressions and a schema to a prefix tree.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::tree::{
    Branch, Comparison, Each, Filter, Group, Items, Node, Read, Select, Side, Step, Tree, Union, Value,
};
use crate::datum::{SkipFields, SkipPlan};
use crate::key::resolve::{Leaf, Move, check_test, resolve, resolve_operand};
use crate::key::{Key, Operand, OperandValue, Test};
use crate::schema::{Schema, Type, TypeId};
use crate::walk::together;
use crate::{Error, ErrorKind, Result};

/// The most steps of a record that take the place of the field with that record.
const INLINE: usize = 32;

/// The tree of several keys over one schema.
pub(super) fn compile<'k>(schema: &Schema, keys: impl Iterator<Item = &'k Key>) -> Result<Tree> {
    let mut compiler = Compiler {
        schema,
        skip: Arc::new(SkipPlan::new(schema)),
        main: Drafts::new(schema.root()),
        first: Drafts::new(schema.root()),
        slots: 0,
        keys: Cell::new(0),
        symbols: Cell::new(0),
    };
    let mut columns = Vec::new();
    for key in keys {
        columns.push((compiler.key(key, columns.len())?, key.rank()));
    }
    let first = if compiler.first.has_slots {
        let mut first = compiler.node(&compiler.first, 0, 0).node;
        without_rest(&mut first);
        Some(first)
    } else {
        None
    };
    let main = compiler.node(&compiler.main, 0, 0).node;
    let copies = columns.iter().filter(|(leaf, _)| *leaf == Leaf::Binary).count() as u64;
    // An offset or a number, and perhaps a null, which is remembered by its number; symbols come from the schema.
    let widest = (columns.len() as u64).saturating_mul(16).saturating_add(compiler.symbols.get());
    let (slots, keys) = (compiler.slots, compiler.keys.get());
    Ok(Tree { first, main, columns, copies, widest, slots, keys })
}

/// A node of the tree while keys are added.
#[derive(Debug)]
struct Draft<'k> {
    ty: TypeId,
    /// By the number of the field or branch.
    parts: BTreeMap<usize, usize>,
    groups: Vec<(Chosen<'k>, usize)>,
    columns: Vec<usize>,
    slots: Vec<usize>,
}

/// Which items a group is for.
#[derive(Debug)]
enum Chosen<'k> {
    All,
    Index(i64),
    Key(&'k str),
    Filter { tests: &'k [Test], compiled: Vec<Comparison>, slots: Vec<usize> },
}

impl Chosen<'_> {
    fn is(&self, next: &Move<'_>) -> bool {
        match (self, next) {
            (Self::All, Move::All) => true,
            (Self::Index(a), Move::Index(b)) => a == b,
            (Self::Key(a), Move::MapKey(b)) => a == b,
            (Self::Filter { tests: a, .. }, Move::Filter(b)) => a == b,
            _ => false,
        }
    }
}

#[derive(Debug)]
struct Drafts<'k> {
    list: Vec<Draft<'k>>,
    has_slots: bool,
}

impl<'k> Drafts<'k> {
    fn new(root: TypeId) -> Self {
        let mut drafts = Self { list: Vec::new(), has_slots: false };
        drafts.add(root);
        drafts
    }

    fn add(&mut self, ty: TypeId) -> usize {
        self.list.push(Draft {
            ty,
            parts: BTreeMap::new(),
            groups: Vec::new(),
            columns: Vec::new(),
            slots: Vec::new(),
        });
        self.list.len() - 1
    }

    /// The child of a field or a branch.
    fn part(&mut self, at: usize, number: usize, ty: TypeId) -> usize {
        if let Some(&child) = self.list[at].parts.get(&number) {
            return child;
        }
        let child = self.add(ty);
        self.list[at].parts.insert(number, child);
        child
    }
}

/// A finished node and the columns below it.
struct Finished {
    node: Node,
    columns: Vec<usize>,
}

struct Compiler<'s, 'k> {
    schema: &'s Schema,
    skip: Arc<SkipPlan>,
    main: Drafts<'k>,
    /// The paths of filters from the root.
    first: Drafts<'k>,
    slots: usize,
    keys: Cell<usize>,
    /// Bytes of the longest symbols that columns get.
    symbols: Cell<u64>,
}

impl<'k> Compiler<'_, 'k> {
    fn key(&mut self, key: &'k Key, column: usize) -> Result<Leaf> {
        let path = resolve(self.schema, key)?;
        let mut at = 0;
        for next in &path.moves {
            at = match next {
                Move::Filter(tests) => self.filter(key, at, tests)?,
                other => step(self.schema, &mut self.main, at, other)?,
            };
        }
        for end in self.ends(true, at, path.end) {
            self.main.list[end].columns.push(column);
        }
        Ok(path.leaf)
    }

    /// The group of a filter, new if no key had the same before it.
    fn filter(&mut self, key: &'k Key, at: usize, tests: &'k [Test]) -> Result<usize> {
        if let Some(group) = known_group(&self.main, at, &Move::Filter(tests)) {
            return Ok(group);
        }
        let element = element(self.schema, self.main.list[at].ty)?;
        let child = self.main.add(element);
        let mut compiled = Vec::with_capacity(tests.len());
        let mut slots = Vec::new();
        for test in tests {
            let left = resolve_operand(self.schema, key, element, &test.left)?;
            let right = resolve_operand(self.schema, key, element, &test.right)?;
            let leaves = [&left, &right].map(|path| path.as_ref().map(|(_, path)| path.leaf));
            check_test(key, test, leaves[0], leaves[1])?;
            let mut side =
                |operand: &'k Operand, path: &Option<(bool, crate::key::resolve::Path<'k>)>, other| {
                    let Some((from_root, path)) = path else { return Ok(constant(&operand.value, other)) };
                    let slot = self.slots;
                    self.slots += 1;
                    if !from_root {
                        slots.push(slot);
                    }
                    let drafts = if *from_root { &mut self.first } else { &mut self.main };
                    let mut at = if *from_root { 0 } else { child };
                    for next in &path.moves {
                        at = step(self.schema, drafts, at, next)?;
                    }
                    drafts.has_slots = true;
                    for end in self.ends(!from_root, at, path.end) {
                        let drafts = if *from_root { &mut self.first } else { &mut self.main };
                        drafts.list[end].slots.push(slot);
                    }
                    Ok::<_, Error>(Side::Slot(slot))
                };
            let left = side(&test.left, &left, leaves[1])?;
            let right = side(&test.right, &right, leaves[0])?;
            compiled.push(Comparison { left, equal: test.equal, right });
        }
        self.main.list[at].groups.push((Chosen::Filter { tests, compiled, slots }, child));
        Ok(child)
    }

    /// The drafts of the values at the end of a path: of each branch where it is a union.
    fn ends(&mut self, in_main: bool, at: usize, ty: TypeId) -> Vec<usize> {
        let drafts = if in_main { &mut self.main } else { &mut self.first };
        let Type::Union(branches) = self.schema.get(ty) else { return vec![at] };
        let is_value = |id: &TypeId| !matches!(self.schema.get(*id), Type::Null);
        let values = branches.iter().enumerate().filter(|(_, id)| is_value(id));
        values.map(|(number, &id)| drafts.part(at, number, id)).collect()
    }

    /// The node of a draft in so many lists.
    fn node(&self, drafts: &Drafts<'k>, at: usize, level: usize) -> Finished {
        let draft = &drafts.list[at];
        let mut columns = draft.columns.clone();
        let node = match self.schema.get(draft.ty) {
            Type::Record(record) => {
                let mut steps = Vec::new();
                let mut passed = Vec::new();
                for (number, field) in record.fields().iter().enumerate() {
                    let Some(&child) = draft.parts.get(&number) else {
                        passed.push((Arc::from(field.name()), field.type_id()));
                        continue;
                    };
                    let below = self.node(drafts, child, level);
                    columns.extend(below.columns);
                    self.pass_over(&mut steps, &mut passed);
                    push(&mut steps, field.name(), below.node);
                }
                self.pass_over(&mut steps, &mut passed);
                Node::Record(together(steps))
            }
            Type::Union(types) => {
                let below =
                    draft.parts.iter().map(|(&number, &child)| (number, self.node(drafts, child, level)));
                let mut below = below.collect::<BTreeMap<_, _>>();
                columns.extend(below.values().flat_map(|below| below.columns.iter().copied()));
                columns.sort_unstable();
                columns.dedup();
                let branches = types.iter().enumerate().map(|(number, &id)| {
                    let name = Box::from(format!(":{}", self.schema.branch_name(id)));
                    match below.remove(&number) {
                        None => Branch { name, node: self.skip(id), missing: columns.clone().into() },
                        Some(below) => {
                            let missing =
                                columns.iter().copied().filter(|column| !below.columns.contains(column));
                            Branch { name, missing: missing.collect(), node: below.node }
                        }
                    }
                });
                Node::Union(Box::new(Union { branches: branches.collect(), level }))
            }
            &(Type::Array(item) | Type::Map(item)) => {
                let is_map = matches!(self.schema.get(draft.ty), Type::Map(_));
                let groups = draft.groups.iter().map(|(chosen, child)| {
                    let (select, inner) = match chosen {
                        Chosen::All => (Select::All, level + 1),
                        Chosen::Index(index) => (Select::Index(*index), level),
                        Chosen::Key(key) => {
                            let found = self.keys.replace(self.keys.get() + 1);
                            (Select::Key { key: Box::from(key.as_bytes()), found }, level)
                        }
                        Chosen::Filter { compiled, slots, .. } => {
                            let tests = compiled.iter().map(Comparison::again).collect();
                            (Select::Filter(Filter { tests, slots: slots.as_slice().into() }), level + 1)
                        }
                    };
                    let below = self.node(drafts, *child, inner);
                    columns.extend(&below.columns);
                    Group { select, node: below.node, columns: below.columns.into() }
                });
                let mut groups = groups.collect::<Vec<_>>();
                let from_end = groups.iter().any(|group| matches!(group.select, Select::Index(..0)));
                let all = groups.iter().any(|group| !matches!(group.select, Select::Index(_)));
                let least = self.schema.least_bytes(item).saturating_add(usize::from(is_map));
                match groups.pop() {
                    Some(Group { select: Select::All, node, columns }) if groups.is_empty() => {
                        Node::Each(Box::new(Each { is_map, least, level, node, columns }))
                    }
                    last => {
                        groups.extend(last);
                        let (groups, width) = (groups.into(), self.skip.fixed_width(item));
                        let item = SkipFields::value(&self.skip, item);
                        Node::Items(Box::new(Items {
                            is_map,
                            item,
                            width,
                            least,
                            level,
                            groups,
                            all,
                            from_end,
                        }))
                    }
                }
            }
            ty => match read(ty) {
                Some(read) if !(draft.columns.is_empty() && draft.slots.is_empty()) => {
                    self.value(read, &draft.columns, &draft.slots)
                }
                _ => self.skip(draft.ty),
            },
        };
        Finished { node, columns }
    }

    fn value(&self, read: Read, columns: &[usize], slots: &[usize]) -> Node {
        if let ([column], []) = (columns, slots) {
            match read {
                Read::Boolean => return Node::Boolean(*column),
                Read::Int => return Node::Int(*column),
                Read::Long => return Node::Long(*column),
                Read::Float => return Node::Float(*column),
                Read::Double => return Node::Double(*column),
                Read::String => return Node::String(*column),
                _ => {}
            }
        }
        if let Read::Symbols(symbols) = &read {
            let longest = symbols.iter().map(|symbol| symbol.len()).max().unwrap_or_default();
            let bytes = (longest as u64).saturating_mul(columns.len() as u64);
            self.symbols.set(self.symbols.get().saturating_add(bytes));
        }
        Node::Value(Box::new(Value { read, columns: columns.into(), slots: slots.into() }))
    }

    /// Passes over a value.
    fn skip(&self, ty: TypeId) -> Node {
        if self.skip.fixed_width(ty) == Some(0) {
            return Node::Nothing;
        }
        Node::Skip(Box::new(SkipFields::value(&self.skip, ty)))
    }

    /// Passes over fields that nothing needs, all of them at once.
    fn pass_over(&self, steps: &mut Vec<Step>, passed: &mut Vec<(Arc<str>, TypeId)>) {
        if !passed.is_empty() {
            let skip = Box::new(SkipFields::new(&self.skip, passed));
            steps.push(Step { name: None, node: Node::Skip(skip) });
            passed.clear();
        }
    }
}

/// Adds what is done with a field: of a record within the record its steps.
fn push(steps: &mut Vec<Step>, name: &str, node: Node) {
    match node {
        Node::Record(inner) if inner.len() <= INLINE => steps.extend(inner.into_iter().map(|step| {
            let name = match step.name {
                Some(inner) => format!("{name}.{inner}").into(),
                None => name.into(),
            };
            Step { name: Some(name), ..step }
        })),
        node => steps.push(Step { name: Some(name.into()), node }),
    }
}

impl Comparison {
    fn again(&self) -> Self {
        Self { left: self.left.again(), equal: self.equal, right: self.right.again() }
    }
}

impl Side {
    fn again(&self) -> Self {
        match self {
            Self::Slot(slot) => Self::Slot(*slot),
            Self::Text(text) => Self::Text(text.clone()),
            Self::Integer(value) => Self::Integer(*value),
            Self::Float(value) => Self::Float(*value),
            Self::Boolean(value) => Self::Boolean(*value),
            Self::Null => Self::Null,
        }
    }
}

fn known_group(drafts: &Drafts<'_>, at: usize, next: &Move<'_>) -> Option<usize> {
    drafts.list[at].groups.iter().find(|(chosen, _)| chosen.is(next)).map(|(_, child)| *child)
}

/// The child to which a move leads.
fn step<'k>(schema: &Schema, drafts: &mut Drafts<'k>, at: usize, next: &Move<'k>) -> Result<usize> {
    let ty = drafts.list[at].ty;
    let chosen = match *next {
        Move::Field(number) => {
            let Type::Record(record) = schema.get(ty) else { return Err(inconsistent()) };
            let field = record.fields().get(number).ok_or_else(inconsistent)?;
            return Ok(drafts.part(at, number, field.type_id()));
        }
        Move::Branch(number) => {
            let Type::Union(branches) = schema.get(ty) else { return Err(inconsistent()) };
            let &branch = branches.get(number).ok_or_else(inconsistent)?;
            return Ok(drafts.part(at, number, branch));
        }
        Move::Index(index) => Chosen::Index(index),
        Move::MapKey(key) => Chosen::Key(key),
        Move::All => Chosen::All,
        Move::Filter(_) => return Err(inconsistent()),
    };
    if let Some(child) = known_group(drafts, at, next) {
        return Ok(child);
    }
    let child = drafts.add(element(schema, ty)?);
    drafts.list[at].groups.push((chosen, child));
    Ok(child)
}

fn element(schema: &Schema, ty: TypeId) -> Result<TypeId> {
    match schema.get(ty) {
        Type::Array(item) | Type::Map(item) => Ok(*item),
        _ => Err(inconsistent()),
    }
}

/// Resolving made sure that this cannot be.
#[cold]
fn inconsistent() -> Error {
    Error::new(ErrorKind::KeyType, "the key was resolved with another schema")
}

/// The constant beside a path of a type: beside floats it is rounded as they are.
fn constant(value: &OperandValue, other: Option<Leaf>) -> Side {
    match value {
        OperandValue::Text(text) => Side::Text(Box::from(text.as_bytes())),
        OperandValue::Integer(value) => Side::Integer(*value),
        OperandValue::Float(value) if other == Some(Leaf::Float) => Side::Float(f64::from(*value as f32)),
        OperandValue::Float(value) => Side::Float(*value),
        OperandValue::Boolean(value) => Side::Boolean(*value),
        OperandValue::Null | OperandValue::Path { .. } => Side::Null,
    }
}

fn read(ty: &Type) -> Option<Read> {
    Some(match ty {
        Type::Null => Read::Null,
        Type::Boolean => Read::Boolean,
        Type::Int => Read::Int,
        Type::Long => Read::Long,
        Type::Float => Read::Float,
        Type::Double => Read::Double,
        Type::Bytes => Read::Bytes,
        Type::String => Read::String,
        Type::Fixed(fixed) => Read::Fixed(fixed.size()),
        Type::Enum(symbols) => Read::Symbols(symbols.symbols().into()),
        _ => return None,
    })
}

/// Leaves out what comes after the last value that is needed; only for a tree whose end does not matter.
fn without_rest(node: &mut Node) {
    if let Node::Record(steps) = node {
        let is_needed = |step: &Step| !matches!(step.node, Node::Skip(_));
        let needed = steps.iter().rposition(is_needed).map_or(0, |last| last + 1);
        let mut kept = std::mem::take(steps).into_vec();
        kept.truncate(needed);
        if let Some(last) = kept.last_mut() {
            without_rest(&mut last.node);
        }
        *steps = kept.into();
    }
}
