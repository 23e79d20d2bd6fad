//! Compilation of a descriptor and options to a plan.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, FieldRef, Fields, Schema};
use proto_wire::MAX_NESTING;
use tfxio_base::{Count, Error, Result, suggest};
use tfxio_core::UnknownColumn;

use super::columns::Types;
use super::{
    CompiledPlan, EnumNames, Layout, MessageNode, MessagePlanBuilder, NO_ONEOF, NodeField, Numbers, Op, Read,
    Shape, SlotSpec, Store, default,
};
use crate::descriptor::{Field, FieldKind, Message, Pool, Presence};
use crate::{Enums, Kind};

/// Numbers of enums up to which names are found by an index.
const SMALL: usize = 1024;
/// Maximum bytes of the names, paths and defaults of all columns: a message may come at any number of paths.
const MAX_TEXT: u64 = 256 << 20;

/// Compiles a plan.
pub(super) fn plan(options: &MessagePlanBuilder) -> Result<CompiledPlan> {
    let types = Types { layout: options.layout, large_offsets: options.large_offsets };
    let pool = &*options.message.pool;
    let mut compiler = Compiler {
        options,
        pool,
        types,
        nodes: Vec::new(),
        slots: Vec::new(),
        oneofs: 0,
        within: Vec::new(),
        enums: HashMap::new(),
        text: 0,
    };
    let picked =
        options.columns.as_ref().map(|columns| columns.iter().map(|path| path.steps()).collect::<Vec<_>>());
    let root = compiler.message(options.message.index, picked.as_deref(), "", None)?;
    let Compiler { nodes, slots, oneofs, .. } = compiler;
    let arrow = nodes.get(root).map(|root| root.arrow.clone()).unwrap_or_default();
    let has_short_offsets = !options.large_offsets
        || options.layout == Layout::Plain && slots.iter().any(|slot| slot.shape == Shape::Map);
    let most_bytes = match has_short_offsets {
        true => options.limits.batch_bytes.min(i32::MAX as u64),
        false => options.limits.batch_bytes,
    };
    Ok(CompiledPlan {
        schema: Arc::new(Schema::new(arrow)),
        nodes,
        slots,
        oneofs,
        layout: options.layout,
        limits: options.limits,
        most_bytes,
    })
}

struct Compiler<'a> {
    options: &'a MessagePlanBuilder,
    pool: &'a Pool,
    types: Types,
    nodes: Vec<MessageNode>,
    slots: Vec<SlotSpec>,
    oneofs: usize,
    /// Messages on the way from the root.
    within: Vec<usize>,
    enums: HashMap<usize, Arc<EnumNames>>,
    /// Bytes of names, paths and defaults so far.
    text: u64,
}

/// Selected paths within a message; `None` is all of it.
type Picked<'a> = Option<&'a [&'a [Arc<str>]]>;

impl Compiler<'_> {
    /// Compiles a message at a path; returns the index of its node.
    fn message(
        &mut self,
        index: usize,
        picked: Picked<'_>,
        path: &str,
        holder: Option<usize>,
    ) -> Result<usize> {
        let pool = self.pool;
        let Some(message) = pool.messages.get(index) else {
            return Err(Error::new(Kind::BadDescriptor, "a field has a message that there is not"));
        };
        let depth = MAX_NESTING.min(self.options.limits.nesting) as usize;
        if self.within.len() > depth {
            let what = format!("{} has messages in messages more than {depth} deep", self.root());
            return Err(Error::new(Kind::LimitExceeded, what).help("choose some columns").at_path(path));
        }
        check_names(message, picked, path, self.options.unknown_fields.as_deref())?;
        self.within.push(index);
        let node = self.nodes.len();
        self.nodes.push(MessageNode { path: path.into(), holder, ..MessageNode::default() });
        let oneofs = self.oneofs;
        let mut members = message.fields.iter().filter_map(|field| field.oneof).collect::<Vec<_>>();
        members.sort_unstable();
        members.dedup();
        let after = oneofs.checked_add(members.len()).filter(|after| u32::try_from(*after).is_ok());
        self.oneofs = after.ok_or_else(|| self.too_many_columns())?;
        let mut made = Made::default();
        for field in &message.fields {
            let below = picked.map(|picked| below(picked, &field.name));
            let is_asked = below.as_ref().is_none_or(|below| !below.is_empty());
            // The key of a map tells its entries apart.
            let is_read = is_asked || message.is_map_entry && field.number == 1;
            let below = below.filter(|below| !below.iter().any(|path| path.is_empty()));
            let below = below.filter(|below| !below.is_empty());
            let op = match is_read {
                true => self.field(field, below.as_deref(), path, message.is_map_entry)?,
                false => None,
            };
            let (op, slot) = op.unwrap_or((Op::Skip, 0));
            if is_asked && op != Op::Skip {
                made.columns.push(slot);
            }
            if op != Op::Skip && field.presence == Presence::Required {
                made.required.push((slot, Arc::clone(&field.name)));
            }
            let oneof = field.oneof.and_then(|oneof| members.binary_search(&oneof).ok());
            let oneof = oneof.and_then(|oneof| u32::try_from(oneofs + oneof).ok()).unwrap_or(NO_ONEOF);
            let (name, number) = (Arc::clone(&field.name), field.number);
            made.fields.push(NodeField { name, number, op, slot, oneof });
        }
        if let Some(name) = &self.options.unknown_fields
            && !message.is_map_entry
            && picked.is_none_or(|picked| !below(picked, name).is_empty())
        {
            let slot = self.unknown(name, message)?;
            made.columns.push(slot);
            made.unknown = Some(slot);
        }
        self.within.pop();
        self.finish(node, made, message.is_map_entry);
        Ok(node)
    }

    /// Completes a node whose fields have been compiled.
    fn finish(&mut self, at: usize, made: Made, is_map_entry: bool) {
        let Made { mut fields, columns, required, unknown } = made;
        fields.sort_by_key(|field| field.number);
        let numbers = Numbers::new(fields.iter().map(|field| field.number).collect());
        let map_value = fields
            .iter()
            .position(|field| is_map_entry && field.number == 2 && matches!(field.op, Op::Message { .. }));
        let slots = columns.iter().filter_map(|&slot| self.slots.get(slot));
        let arrow = slots.map(|slot| Arc::clone(&slot.field)).collect::<Fields>();
        let read = fields.iter().filter(|field| field.op != Op::Skip).map(|field| field.slot).chain(unknown);
        let row_bytes = read.filter_map(|slot| self.slots.get(slot)).map(|slot| self.slot_bytes(slot)).sum();
        let end = self.nodes.len();
        if let Some(node) = self.nodes.get_mut(at) {
            *node = MessageNode {
                path: Arc::clone(&node.path),
                holder: node.holder,
                fields,
                numbers,
                columns,
                arrow,
                required,
                unknown,
                map_value,
                row_bytes,
                end,
            };
        }
    }

    /// Returns the bytes that a row of a slot takes at least.
    fn slot_bytes(&self, slot: &SlotSpec) -> u64 {
        let value = match slot.store {
            Store::Bool => 1,
            Store::Bits32 => 4,
            Store::Bits64 => 8,
            Store::Bytes => 8 + slot.default_bytes.len() as u64,
            Store::Rows(node) => self.nodes.get(node).map_or(0, |node| node.row_bytes),
        };
        match (slot.shape, slot.store) {
            (Shape::One, _) => 1 + value,
            // What is in a list is counted when it comes.
            (Shape::List | Shape::Map, _) | (Shape::ListOfOne, Store::Rows(_)) => 8,
            (Shape::ListOfOne, _) => 8 + value,
        }
    }

    /// Compiles a field.
    fn field(
        &mut self,
        field: &Field,
        picked: Picked<'_>,
        path: &str,
        is_of_entry: bool,
    ) -> Result<Option<(Op, usize)>> {
        let is_repeated = field.presence == Presence::Repeated;
        let is_plain = self.options.layout == Layout::Plain;
        let shape = match (is_repeated, is_plain) {
            (true, _) => Shape::List,
            (false, true) => Shape::One,
            (false, false) => Shape::ListOfOne,
        };
        let is_group = field.is_group;
        self.count_text(path.len() + field.name.len())?;
        let path = if path.is_empty() { field.name.to_string() } else { format!("{path}.{}", field.name) };
        let FieldKind::Message(index) = field.kind else {
            if picked.is_some() {
                return Err(no_fields(&path));
            }
            return self.value(field, shape).map(Some);
        };
        let has_default = matches!(field.presence, Presence::Implicit | Presence::Required);
        let times = self.within.iter().filter(|&&within| within == index).count();
        if times > self.options.max_depth as usize {
            if picked.is_some() {
                let help = "raise `max_depth` to read fields of it";
                return Err(no_fields(&path).help(help));
            }
            let value_type = self.types.binary();
            let slot = self.slot(&field.name, shape, Store::Bytes, value_type, is_of_entry || has_default)?;
            return Ok(Some((Op::Kept { is_repeated, is_group }, slot)));
        }
        let is_map = is_repeated && self.pool.messages.get(index).is_some_and(|entry| entry.is_map_entry);
        let shape = if is_map { Shape::Map } else { shape };
        if is_map && is_plain && picked.is_some() {
            return Err(no_fields(&path).help("a map is read as a whole in the plain layout"));
        }
        // A placeholder, since what is in the message is not known yet.
        let slot = self.slot(&field.name, shape, Store::Bool, DataType::Null, has_default)?;
        let node = self.message(index, picked, &path, Some(slot))?;
        let arrow = self.nodes.get(node).map(|node| node.arrow.clone()).unwrap_or_default();
        let value_type = self.types.structs(&arrow);
        let column = self.types.column(&field.name, shape, value_type.clone(), has_default);
        if let Some(spec) = self.slots.get_mut(slot) {
            spec.store = Store::Rows(node);
            spec.value_type = value_type;
            spec.field = column;
        }
        Ok(Some((Op::Message { node, is_repeated, is_group }, slot)))
    }

    /// Compiles a field of scalars or of an enum.
    fn value(&mut self, field: &Field, shape: Shape) -> Result<(Op, usize)> {
        let (read, names, first) = match field.kind {
            FieldKind::Scalar(scalar) => (Read::Scalar(scalar), None, 0),
            FieldKind::Message(index) | FieldKind::Enum(index) => {
                let first = self.pool.enums.get(index).and_then(|found| found.values.first());
                let first = first.map_or(0, |(_, number)| *number);
                let read = match self.options.enums {
                    Enums::Names => Read::EnumName,
                    Enums::Numbers => Read::EnumNumber,
                };
                (read, Some(self.names(index)), first)
            }
        };
        let fills = self.options.defaults && field.presence == Presence::Explicit && field.oneof.is_none();
        let has_default = fills || matches!(field.presence, Presence::Implicit | Presence::Required);
        let (value_type, store) = self.types.value(read);
        let slot = self.slot(&field.name, shape, store, value_type, has_default)?;
        // A null has no default.
        let default = match has_default {
            true => {
                self.count_text(field.default.as_ref().map_or(0, String::len))?;
                default::of(field, read, names.as_deref(), first)?
            }
            false => default::DefaultValue::default(),
        };
        self.count_text(default.bytes.len())?;
        if let Some(spec) = self.slots.get_mut(slot) {
            spec.default_bits = default.bits;
            spec.default_bytes = default.bytes;
            spec.names = names;
        }
        Ok((Op::Value { read, is_repeated: field.presence == Presence::Repeated }, slot))
    }

    fn slot(
        &mut self,
        name: &str,
        shape: Shape,
        store: Store,
        value_type: DataType,
        has_default: bool,
    ) -> Result<usize> {
        if self.slots.len() >= self.options.limits.columns {
            return Err(self.too_many_columns());
        }
        self.count_text(name.len())?;
        let field: FieldRef = self.types.column(name, shape, value_type.clone(), has_default);
        self.slots.push(SlotSpec {
            shape,
            store,
            has_default,
            default_bits: 0,
            default_bytes: [].into(),
            value_type,
            field,
            names: None,
        });
        Ok(self.slots.len() - 1)
    }

    #[cold]
    fn too_many_columns(&self) -> Error {
        let most = self.options.limits.columns;
        let what = format!("{} has more than {}, all levels counted", self.root(), Count::of(most, "column"));
        Error::new(Kind::LimitExceeded, what).help("choose some columns, or raise `Limits::columns`")
    }

    /// Counts bytes of names, paths and defaults, before they are copied.
    fn count_text(&mut self, bytes: usize) -> Result<()> {
        self.text = self.text.saturating_add(bytes as u64);
        if self.text <= MAX_TEXT {
            return Ok(());
        }
        let what =
            format!("{} has columns whose names, paths and defaults take more than 256 MiB", self.root());
        Err(Error::new(Kind::LimitExceeded, what).help("choose some columns"))
    }

    /// Adds the column of the fields of a message that its descriptor does not have.
    fn unknown(&mut self, name: &str, message: &Message) -> Result<usize> {
        if message.fields.iter().any(|field| *field.name == *name) {
            let what = format!("{} has a field {name:?} itself", message.full_name);
            let help = "give the column of unknown fields another name";
            return Err(Error::new(Kind::InvalidOption, what).help(help));
        }
        let shape = if self.options.layout == Layout::Plain { Shape::One } else { Shape::ListOfOne };
        self.slot(name, shape, Store::Bytes, self.types.binary(), false)
    }

    fn names(&mut self, index: usize) -> Arc<EnumNames> {
        let pool = self.pool;
        let make = || {
            let mut names = EnumNames::default();
            let Some(found) = pool.enums.get(index) else { return Arc::new(names) };
            names.full_name = Arc::clone(&found.full_name);
            let dense = found.by_number.keys().filter_map(|&number| usize::try_from(number).ok());
            let dense = dense.filter(|&number| number < SMALL).max().map_or(0, |most| most + 1);
            names.small.resize(dense, None);
            for (&number, &value) in &found.by_number {
                let Some((name, _)) = found.values.get(value) else { continue };
                let small = usize::try_from(number).ok().and_then(|number| names.small.get_mut(number));
                match small {
                    Some(small) => *small = Some(Arc::clone(name)),
                    None => drop(names.others.insert(number, Arc::clone(name))),
                }
            }
            names.numbers = found.values.iter().map(|(name, number)| (Arc::clone(name), *number)).collect();
            Arc::new(names)
        };
        Arc::clone(self.enums.entry(index).or_insert_with(make))
    }

    fn root(&self) -> &str {
        self.options.message.full_name()
    }
}

/// Compiled fields of a message.
#[derive(Default)]
struct Made {
    fields: Vec<NodeField>,
    columns: Vec<usize>,
    required: Vec<(usize, Arc<str>)>,
    unknown: Option<usize>,
}

/// Returns the rests of the paths that begin with a name.
fn below<'a>(picked: &[&'a [Arc<str>]], name: &str) -> Vec<&'a [Arc<str>]> {
    let rests = picked.iter().filter_map(|path| path.split_first());
    rests.filter(|(first, _)| ***first == *name).map(|(_, rest)| rest).collect()
}

/// Checks that the first steps of paths are names of fields.
fn check_names(message: &Message, picked: Picked<'_>, path: &str, unknown: Option<&str>) -> Result<()> {
    for steps in picked.unwrap_or_default() {
        let Some(name) = steps.first() else { continue };
        if message.fields.iter().any(|field| field.name == *name) || unknown == Some(&**name) {
            continue;
        }
        let names = message.fields.iter().map(|field| &*field.name);
        if path.is_empty() {
            return Err(UnknownColumn::among(name, names));
        }
        let what = format!("{path} has no field {name:?}");
        return Err(Error::new(Kind::UnknownColumn, what).help(suggest::hint(name, names, "fields")));
    }
    Ok(())
}

fn no_fields(path: &str) -> Error {
    Error::new(Kind::UnknownColumn, format!("{path} has no fields to choose from"))
}
