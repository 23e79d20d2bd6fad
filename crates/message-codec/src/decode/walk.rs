//! Single walk over a message: each field goes to its column or is skipped.

use proto_wire::{Reader, Tag, WireType};
use tfxio_base::{Error, Result};

use super::value::{Width, is_text};
use super::{Absent, State};
use crate::Kind;
use crate::error::malformed;
use crate::plan::{CompiledPlan, MessageNode, NO_ONEOF, NodeField, Op, Read, Shape};

/// A message, or the rest of the one that a group is in.
pub(super) struct Input<'a> {
    pub(super) bytes: &'a [u8],
    /// Byte of the record at which `bytes` begins.
    pub(super) base: usize,
    pub(super) reader: Reader<'a>,
    /// Number of messages and groups around it.
    pub(super) depth: u32,
    /// Number of the group that ends it.
    pub(super) group: Option<u32>,
}

impl<'a> Input<'a> {
    /// Reads a length and that many bytes; returns them, and the byte of the record at which they begin.
    #[inline(always)]
    pub(super) fn run(&mut self) -> Result<(&'a [u8], usize)> {
        match self.reader.bytes() {
            Ok(bytes) => Ok((bytes, self.base + self.reader.position() - bytes.len())),
            Err(error) => Err(malformed(error, self.base)),
        }
    }

    #[cold]
    fn error(&self, kind: proto_wire::ErrorKind, at: usize) -> Error {
        malformed(proto_wire::Error::new(kind, at), self.base)
    }
}

impl State {
    /// Appends a message to a row of a node, after its bytes so far.
    pub(super) fn message(
        &mut self,
        plan: &CompiledPlan,
        index: usize,
        row: usize,
        input: &mut Input<'_>,
    ) -> Result<()> {
        let Some(node) = plan.nodes.get(index) else { return Ok(()) };
        let mut is_open = input.group.is_some();
        loop {
            let start = input.reader.position();
            let tag = match input.reader.tag() {
                Ok(Some(tag)) => tag,
                Ok(None) => break,
                Err(error) => return Err(malformed(error, input.base)),
            };
            if tag.wire == WireType::EndGroup {
                if input.group != Some(tag.field) {
                    return Err(input.error(proto_wire::ErrorKind::UnmatchedEndGroup, start));
                }
                is_open = false;
                break;
            }
            match node.numbers.find(tag.field).and_then(|at| Some((at, node.fields.get(at)?))) {
                Some((at, field)) if field.op != Op::Skip => {
                    if field.oneof != NO_ONEOF {
                        self.switch(plan, node, (at, field), row);
                    }
                    self.field(plan, field, row, tag, input)?;
                }
                known => {
                    if let Some((at, field)) = known
                        && field.oneof != NO_ONEOF
                    {
                        self.switch(plan, node, (at, field), row);
                    }
                    input.reader.skip(tag).map_err(|error| malformed(error, input.base))?;
                    if let (None, Some(slot)) = (known, node.unknown) {
                        let bytes = input.bytes.get(start..input.reader.position()).unwrap_or_default();
                        self.append(plan, slot, row, bytes)?;
                    }
                }
            }
        }
        if is_open {
            return Err(input.error(proto_wire::ErrorKind::Truncated, input.reader.position()));
        }
        if let Some(value) = node.map_value {
            self.map_value(plan, node, value, row)?;
        }
        if !node.required.is_empty() {
            self.note_missing(plan, (index, node), row);
        }
        Ok(())
    }

    /// Reads a value into its column.
    #[inline(always)]
    fn field(
        &mut self,
        plan: &CompiledPlan,
        field: &NodeField,
        row: usize,
        tag: Tag,
        input: &mut Input<'_>,
    ) -> Result<()> {
        match field.op {
            Op::Value { read, is_repeated: false } => self.value(plan, field, read, row, tag, input),
            Op::Value { read, is_repeated: true } => self.values(plan, field, read, row, tag, input),
            Op::Message { node, is_repeated, is_group } => {
                check_wire(tag, message_wire(is_group)).map_err(|error| error.within(&field.name))?;
                let child = self
                    .open(plan, field.slot, row, is_repeated)
                    .map_err(|error| error.within(&field.name))?;
                self.inner(plan, node, child, (tag, is_group), input)
                    .map_err(|error| self.within(plan, field, row, child, error))
            }
            Op::Kept { is_repeated, is_group } => {
                let kept = check_wire(tag, message_wire(is_group)).and_then(|()| match is_group {
                    false => input.run().map(|(bytes, _)| bytes),
                    true => group_bytes(tag, input),
                });
                let bytes = kept.map_err(|error| error.within(&field.name))?;
                if is_repeated {
                    self.add_items(plan, field.slot, row, 1, bytes.len() as u64 + 8)?;
                    if let Some(slot) = self.slots.get_mut(field.slot) {
                        slot.store_bytes(bytes, false);
                    }
                    return Ok(());
                }
                self.append(plan, field.slot, row, bytes)
            }
            Op::Skip => Ok(()),
        }
    }

    /// Reads a singular value: the last one wins.
    #[inline(always)]
    fn value(
        &mut self,
        plan: &CompiledPlan,
        field: &NodeField,
        read: Read,
        row: usize,
        tag: Tag,
        input: &mut Input<'_>,
    ) -> Result<()> {
        if tag.wire != read.wire() {
            return Err(wrong_wire(tag, read.wire()).within(&field.name));
        }
        let (Some(spec), Some(slot)) = (plan.slots.get(field.slot), self.slots.get_mut(field.slot)) else {
            return Ok(());
        };
        if read.width() == Width::Bytes {
            let (bytes, at) = input.run().map_err(|error| error.within(&field.name))?;
            if read == Read::Scalar(crate::descriptor::Scalar::String) && !is_text(bytes) {
                return Err(not_utf8(bytes, at).within(&field.name));
            }
            let is_again = slot.begin_one(spec, row);
            slot.store_bytes(bytes, is_again);
            return self.charge(plan, bytes.len() as u64);
        }
        let bits = read
            .number(&mut input.reader)
            .map_err(|error| malformed(error, input.base).within(&field.name))?;
        let is_again = slot.begin_one(spec, row);
        if read == Read::EnumName {
            let bytes = super::run::store_name(slot, spec, bits, is_again);
            return self.charge(plan, bytes);
        }
        slot.store_bits(spec.store, bits, is_again);
        Ok(())
    }

    /// Begins a message at a row of the one that it is in, or goes on with it; returns its own row.
    #[inline(always)]
    fn open(&mut self, plan: &CompiledPlan, slot: usize, row: usize, is_repeated: bool) -> Result<usize> {
        if is_repeated {
            self.count_items(plan, 1)?;
        }
        let (Some(spec), Some(found)) = (plan.slots.get(slot), self.slots.get_mut(slot)) else {
            return Ok(0);
        };
        let is_new = if is_repeated {
            found.add_items(spec, row, 1);
            true
        } else {
            !found.begin_one(spec, row)
        };
        let child = found.items(spec).saturating_sub(1);
        if is_new
            && spec.shape != Shape::One
            && let crate::plan::Store::Rows(node) = spec.store
        {
            // A struct in each row is counted with the row. One without fields takes a row, too.
            self.charge(plan, plan.nodes.get(node).map_or(0, |node| node.row_bytes).max(1))?;
        }
        Ok(child)
    }

    /// Reads a message in another.
    #[inline(always)]
    fn inner(
        &mut self,
        plan: &CompiledPlan,
        node: usize,
        row: usize,
        (tag, is_group): (Tag, bool),
        input: &mut Input<'_>,
    ) -> Result<()> {
        let depth = input.depth + 1;
        if is_group {
            let outer = (input.depth, input.group);
            (input.depth, input.group) = (depth, Some(tag.field));
            let result = self.message(plan, node, row, input);
            (input.depth, input.group) = outer;
            return result;
        }
        let (bytes, base) = input.run()?;
        let reader = Reader::at_depth(bytes, depth);
        self.message(plan, node, row, &mut Input { bytes, base, reader, depth, group: None })
    }

    /// Puts a field, with its index in a list, before the path of an error in it.
    #[cold]
    fn within(
        &self,
        plan: &CompiledPlan,
        field: &NodeField,
        row: usize,
        child: usize,
        error: Error,
    ) -> Error {
        match (field.op, plan.slots.get(field.slot).zip(self.slots.get(field.slot))) {
            (Op::Message { is_repeated: true, .. }, Some((_, slot))) => {
                error.within(&format!("{}[{}]", field.name, child.saturating_sub(slot.start(row))))
            }
            _ => error.within(&field.name),
        }
    }

    /// Counts values that are appended to the list of a row.
    #[inline(always)]
    pub(super) fn add_items(
        &mut self,
        plan: &CompiledPlan,
        slot: usize,
        row: usize,
        count: usize,
        bytes: u64,
    ) -> Result<()> {
        self.count_items(plan, count)?;
        self.charge(plan, bytes)?;
        if let (Some(spec), Some(slot)) = (plan.slots.get(slot), self.slots.get_mut(slot)) {
            slot.add_items(spec, row, count);
        }
        Ok(())
    }

    /// Appends to the bytes of a row.
    fn append(&mut self, plan: &CompiledPlan, slot: usize, row: usize, bytes: &[u8]) -> Result<()> {
        let (Some(spec), Some(slot)) = (plan.slots.get(slot), self.slots.get_mut(slot)) else {
            return Ok(());
        };
        let is_again = slot.begin_one(spec, row);
        slot.append_bytes(bytes, is_again);
        self.charge(plan, bytes.len() as u64)
    }

    /// Makes a field the set member of its oneof, and removes the value of the member that was set before.
    fn switch(
        &mut self,
        plan: &CompiledPlan,
        node: &MessageNode,
        (at, field): (usize, &NodeField),
        row: usize,
    ) {
        let at = u32::try_from(at).unwrap_or(NO_ONEOF);
        let Some(set) = self.oneofs.get_mut(field.oneof as usize) else { return };
        let (set_row, set_at) = std::mem::replace(set, (row, at));
        if (set_row, set_at) == (row, at) || set_row != row {
            return;
        }
        let Some(member) = node.fields.get(set_at as usize) else { return };
        if member.op == Op::Skip {
            return;
        }
        self.truncate_slot(plan, member.slot, row);
        if let (Op::Message { node: gone, .. }, true) = (member.op, self.has_lacking) {
            self.forget_absent(plan, gone);
        }
    }

    /// Removes absent fields that were noted for rows of a message, and of messages in it, which no longer exist.
    fn forget_absent(&mut self, plan: &CompiledPlan, gone: usize) {
        let end = plan.nodes.get(gone).map_or(0, |node| node.end);
        let nodes = plan.nodes.get(gone..end).unwrap_or_default();
        for (node, lacking) in nodes.iter().zip(self.lacking.iter_mut().skip(gone)) {
            let rows = node.holder.and_then(|at| Some(self.slots.get(at)?.items(plan.slots.get(at)?)));
            let is_left = |absent: &Absent| rows.is_some_and(|rows| absent.row < rows);
            lacking.first = lacking.first.filter(is_left);
            lacking.last = lacking.last.filter(is_left);
        }
    }

    /// Adds an empty message as the value of a map entry without one.
    fn map_value(&mut self, plan: &CompiledPlan, node: &MessageNode, value: usize, row: usize) -> Result<()> {
        let Some(field) = node.fields.get(value) else { return Ok(()) };
        let filled = plan.slots.get(field.slot).zip(self.slots.get(field.slot));
        if filled.is_some_and(|(spec, slot)| slot.rows(spec) > row) {
            return Ok(());
        }
        let Op::Message { node, .. } = field.op else { return Ok(()) };
        let child = self.open(plan, field.slot, row, false)?;
        let reader = Reader::new(&[]);
        self.message(plan, node, child, &mut Input { bytes: &[], base: 0, reader, depth: 0, group: None })
    }

    /// Notes whether a message lacks a required field so far. Rows after it are not filled in yet.
    fn note_missing(&mut self, plan: &CompiledPlan, (index, node): (usize, &MessageNode), row: usize) {
        let is_absent = |slot: usize| {
            let found = plan.slots.get(slot).zip(self.slots.get(slot));
            found.is_none_or(|(spec, slot)| slot.rows(spec) <= row)
        };
        let absent = node.required.iter().position(|(slot, _)| is_absent(*slot));
        if absent.is_none() && !self.has_lacking {
            return;
        }
        let Some(lacking) = self.lacking.get_mut(index) else { return };
        if lacking.last.is_some_and(|last| last.row != row) {
            lacking.first = lacking.first.or(lacking.last);
        }
        lacking.last = absent.map(|field| Absent { row, field });
        self.has_lacking = true;
    }
}

const fn message_wire(is_group: bool) -> WireType {
    if is_group { WireType::StartGroup } else { WireType::Len }
}

#[inline(always)]
fn check_wire(tag: Tag, wire: WireType) -> Result<()> {
    if tag.wire == wire { Ok(()) } else { Err(wrong_wire(tag, wire)) }
}

#[cold]
pub(super) fn wrong_wire(tag: Tag, expected: WireType) -> Error {
    let what = format!(
        "the field {} is written as {}, and its type as {}",
        tag.field,
        wire_name(tag.wire),
        wire_name(expected)
    );
    Error::new(Kind::WireType, what)
        .help("check that the descriptor is the one that the records were written with")
}

const fn wire_name(wire: WireType) -> &'static str {
    match wire {
        WireType::Varint => "a varint",
        WireType::I64 => "8 bytes",
        WireType::Len => "a length and bytes",
        WireType::StartGroup | WireType::EndGroup => "a group",
        WireType::I32 => "4 bytes",
    }
}

#[cold]
pub(super) fn not_utf8(bytes: &[u8], at: usize) -> Error {
    let byte = std::str::from_utf8(bytes).err().map_or(0, |error| error.valid_up_to());
    Error::new(Kind::NotUtf8, format!("the string is not UTF-8 from its byte {byte} on"))
        .at_record_byte(at + byte)
        .help("read with a descriptor in which the field has the type bytes")
}

/// Skips a group, and returns its contents.
fn group_bytes<'a>(tag: Tag, input: &mut Input<'a>) -> Result<&'a [u8]> {
    let start = input.reader.position();
    let base = input.base;
    loop {
        let at = input.reader.position();
        match input.reader.tag().map_err(|error| malformed(error, base))? {
            Some(Tag { field, wire: WireType::EndGroup }) if field == tag.field => {
                return Ok(input.bytes.get(start..at).unwrap_or_default());
            }
            Some(inner) => input.reader.skip(inner).map_err(|error| malformed(error, base))?,
            None => return Err(input.error(proto_wire::ErrorKind::Truncated, at)),
        }
    }
}
