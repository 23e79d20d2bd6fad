//! Key expressions and a schema to a prefix tree.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::draft::{Chosen, Drafts, Sieve, element};
use super::tree::{
    Branch, Comparison, Each, Filter, Group, Items, Node, Read, Select, Side, Step, Tree, Union, Value,
};
use crate::Result;
use crate::datum::{SkipFields, SkipPlan};
use crate::key::compare::resolve_test;
use crate::key::leaf::{Leaf, Take};
use crate::key::resolve::{Move, Path, resolve};
use crate::key::{Key, OperandValue, Test};
use crate::schema::{Schema, Type, TypeId};
use crate::walk::together;

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

/// A finished node and the columns below it.
struct Finished {
    node: Node,
    columns: Vec<usize>,
}

pub(super) struct Compiler<'s, 'k> {
    pub(super) schema: &'s Schema,
    pub(super) skip: Arc<SkipPlan>,
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
                Move::EntryKey => {
                    self.main.list[at].entry_keys.push(column);
                    return Ok(path.leaf);
                }
                other => self.main.step(self.schema, at, other)?,
            };
        }
        for end in self.main.ends(self.schema, at, &path.take) {
            self.main.list[end].columns.push(column);
        }
        Ok(path.leaf)
    }

    /// The group of a filter, new if no key had the same before it.
    fn filter(&mut self, key: &'k Key, at: usize, tests: &'k [Test]) -> Result<usize> {
        if let Some(group) = self.main.known_group(at, &Move::Filter(tests)) {
            return Ok(group);
        }
        let container = self.main.list[at].ty;
        let element = element(self.schema, container)?;
        let mut sieve = Sieve {
            tests,
            compiled: Vec::with_capacity(tests.len()),
            probe: Drafts::new(element),
            slots: Vec::new(),
            entry_keys: Vec::new(),
        };
        for test in tests {
            let [left, right] = resolve_test(self.schema, key, container, test)?;
            let leaves = [&left, &right].map(|path| path.as_ref().map(|(_, path)| path.leaf));
            let left = self.side(&mut sieve, &test.left.value, left, leaves[1])?;
            let right = self.side(&mut sieve, &test.right.value, right, leaves[0])?;
            sieve.compiled.push(Comparison { left, equal: test.equal, right });
        }
        let child = self.main.add(element);
        self.main.list[at].groups.push((Chosen::Filter(Box::new(sieve)), child));
        Ok(child)
    }

    /// A side of a test: a constant beside a value of a type, or what is read by a path.
    fn side(
        &mut self,
        sieve: &mut Sieve<'k>,
        value: &OperandValue,
        path: Option<(bool, Path<'k>)>,
        other: Option<Leaf>,
    ) -> Result<Side> {
        let Some((from_root, path)) = path else { return Ok(constant(value, other)) };
        let slot = self.slots;
        self.slots += 1;
        if let [Move::EntryKey] = path.moves.as_slice() {
            sieve.entry_keys.push(slot);
            return Ok(Side::Slot(slot));
        }
        let drafts = if from_root { &mut self.first } else { &mut sieve.probe };
        if !from_root {
            sieve.slots.push(slot);
        }
        let mut at = 0;
        for next in &path.moves {
            at = drafts.step(self.schema, at, next)?;
        }
        drafts.has_slots = true;
        for end in drafts.ends(self.schema, at, &path.take) {
            drafts.list[end].slots.push(slot);
        }
        if matches!(path.take, Take::Presence) {
            drafts.list[at].presence.push(slot);
        }
        Ok(Side::Slot(slot))
    }

    /// The node of a draft in so many lists.
    fn node(&self, drafts: &Drafts<'k>, at: usize, level: usize) -> Finished {
        let draft = &drafts.list[at];
        let mut columns = draft.columns.clone();
        let is_unread = at > 0 && columns.is_empty() && draft.slots.is_empty() && draft.presence.is_empty();
        if is_unread && draft.parts.is_empty() && draft.groups.is_empty() {
            return Finished { node: self.skip(draft.ty), columns };
        }
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
                    let is_null = matches!(self.schema.get(id), Type::Null);
                    let present = if is_null { Box::default() } else { draft.presence.as_slice().into() };
                    match below.remove(&number) {
                        None => {
                            let node = match draft.refused.get(&number) {
                                Some(text) => Node::Refuse(text.as_str().into()),
                                None => self.skip(id),
                            };
                            Branch { name, node, missing: columns.clone().into(), present }
                        }
                        Some(below) => {
                            let missing =
                                columns.iter().copied().filter(|column| !below.columns.contains(column));
                            let missing = missing.collect();
                            match draft.refused.get(&number) {
                                Some(text) => Branch {
                                    name,
                                    node: Node::Refuse(text.as_str().into()),
                                    missing,
                                    present,
                                },
                                None => Branch { name, node: below.node, missing, present },
                            }
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
                        Chosen::Filter(sieve) => (Select::Filter(self.sieve(sieve)), level + 1),
                    };
                    let mut below = self.node(drafts, *child, inner);
                    let entry_keys = drafts.list[*child].entry_keys.as_slice();
                    below.columns.extend(entry_keys);
                    columns.extend(&below.columns);
                    Group {
                        select,
                        node: below.node,
                        columns: below.columns.into(),
                        entry_keys: entry_keys.into(),
                    }
                });
                let mut groups = groups.collect::<Vec<_>>();
                let from_end = groups.iter().any(|group| matches!(group.select, Select::Index(..0)));
                let all = groups.iter().any(|group| !matches!(group.select, Select::Index(_)));
                let least = self.schema.least_bytes(item).saturating_add(usize::from(is_map));
                let reads_keys = groups.iter().any(Group::reads_keys);
                match groups.pop() {
                    Some(Group { select: Select::All, node, columns, .. })
                        if groups.is_empty() && !reads_keys =>
                    {
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
                            reads_keys,
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

    /// The tests of a filter, and what reads for them.
    fn sieve(&self, sieve: &Sieve<'k>) -> Filter {
        let checks = self.checks(sieve);
        let is_probed = checks.is_none() && sieve.probe.has_slots;
        let is_checked = |side: &Side| matches!(side, Side::Slot(slot) if sieve.slots.contains(slot));
        let tests = sieve
            .compiled
            .iter()
            .filter(|test| checks.is_none() || !(is_checked(&test.left) || is_checked(&test.right)));
        Filter {
            tests: tests.map(Comparison::again).collect(),
            probe: is_probed.then(|| self.node(&sieve.probe, 0, 0).node),
            checks: checks.unwrap_or_default(),
            slots: sieve.slots.as_slice().into(),
            entry_keys: sieve.entry_keys.as_slice().into(),
        }
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

impl Group {
    fn reads_keys(&self) -> bool {
        let in_filter = match &self.select {
            Select::Filter(filter) => !filter.entry_keys.is_empty(),
            _ => false,
        };
        in_filter || !self.entry_keys.is_empty()
    }
}

impl Comparison {
    fn again(&self) -> Self {
        Self { left: self.left.again(), equal: self.equal, right: self.right.again() }
    }
}

impl Side {
    pub(super) fn again(&self) -> Self {
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

pub(super) fn read(ty: &Type) -> Option<Read> {
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
