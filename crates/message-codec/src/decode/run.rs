//! Repeated scalars, packed and one by one.

use proto_wire::{Reader, Tag, WireType, count_varints, decode_varints};
use tfxio_base::Result;

use super::State;
use super::slot::Slot;
use super::value::{Width, is_text};
use super::walk::{Input, not_utf8, wrong_wire};
use crate::descriptor::Scalar;
use crate::error::malformed;
use crate::plan::{CompiledPlan, NodeField, Read, SlotSpec, Store};

/// Bytes of a run from which on varints are decoded many at a time.
const LONG: usize = 16;
/// Values that the decoder of long runs may write after the last one.
const SLACK: usize = 64;

impl State {
    /// Reads a value of a repeated field, or a run of values.
    pub(super) fn values(
        &mut self,
        plan: &CompiledPlan,
        field: &NodeField,
        read: Read,
        row: usize,
        tag: Tag,
        input: &mut Input<'_>,
    ) -> Result<()> {
        let width = read.width();
        if tag.wire == WireType::Len && width != Width::Bytes {
            return self.run(plan, field, read, row, input).map_err(|error| error.within(&field.name));
        }
        if tag.wire != read.wire() {
            return Err(wrong_wire(tag, read.wire()).within(&field.name));
        }
        if width == Width::Bytes {
            let (bytes, at) = input.run().map_err(|error| error.within(&field.name))?;
            if read == Read::Scalar(Scalar::String) && !is_text(bytes) {
                return Err(not_utf8(bytes, at).within(&field.name));
            }
            self.add_items(plan, field.slot, row, 1, bytes.len() as u64 + 8)?;
            if let Some(slot) = self.slots.get_mut(field.slot) {
                slot.store_bytes(bytes, false);
            }
            return Ok(());
        }
        let bits = read
            .number(&mut input.reader)
            .map_err(|error| malformed(error, input.base).within(&field.name))?;
        self.add_items(plan, field.slot, row, 1, 8)?;
        self.store(plan, field.slot, read, bits)
    }

    /// Stores a value that has been counted.
    #[inline(always)]
    fn store(&mut self, plan: &CompiledPlan, slot: usize, read: Read, bits: u64) -> Result<()> {
        let (Some(spec), Some(slot)) = (plan.slots.get(slot), self.slots.get_mut(slot)) else {
            return Ok(());
        };
        if read == Read::EnumName {
            let bytes = store_name(slot, spec, bits, false);
            return self.charge(plan, bytes);
        }
        slot.store_bits(spec.store, bits, false);
        Ok(())
    }

    /// Reads a packed run.
    fn run(
        &mut self,
        plan: &CompiledPlan,
        field: &NodeField,
        read: Read,
        row: usize,
        input: &mut Input<'_>,
    ) -> Result<()> {
        let (run, base) = input.run()?;
        let count = match read.width() {
            Width::Varint | Width::Bytes => count_varints(run),
            Width::Four => whole::<4>(run, base)?,
            Width::Eight => whole::<8>(run, base)?,
        };
        // An empty run makes the list no less there.
        self.add_items(plan, field.slot, row, count, 8 * count as u64)?;
        let (Some(spec), Some(slot)) = (plan.slots.get(field.slot), self.slots.get_mut(field.slot)) else {
            return Ok(());
        };
        match (read.width(), spec.store) {
            (Width::Four, Store::Bits32) if cfg!(target_endian = "little") => slot.bits32.extend_bytes(run),
            (Width::Eight, Store::Bits64) if cfg!(target_endian = "little") => slot.bits64.extend_bytes(run),
            (Width::Varint, _) if run.len() >= LONG => {
                if self.scratch.len() < count + SLACK {
                    self.scratch.resize(count + SLACK, 0);
                }
                let found = decode_varints(run, 0, run.len(), &mut self.scratch);
                let found = found.map_err(|error| malformed(error, base))?;
                let values = std::mem::take(&mut self.scratch);
                let stored =
                    self.store_varints(plan, field.slot, read, values.get(..found).unwrap_or_default());
                self.scratch = values;
                return stored;
            }
            _ => {
                let mut reader = Reader::new(run);
                while !reader.is_empty() {
                    let bits = read.number(&mut reader).map_err(|error| malformed(error, base))?;
                    self.store(plan, field.slot, read, bits)?;
                }
            }
        }
        Ok(())
    }

    /// Stores varints that have been decoded.
    #[allow(clippy::cast_possible_truncation, reason = "a 32-bit integer is the low half of its varint")]
    fn store_varints(&mut self, plan: &CompiledPlan, at: usize, read: Read, values: &[i64]) -> Result<()> {
        let (Some(spec), Some(slot)) = (plan.slots.get(at), self.slots.get_mut(at)) else { return Ok(()) };
        let bits = |value: i64| read.of_varint(value.cast_unsigned());
        match spec.store {
            Store::Bits32 => slot.bits32.extend_with(values, |value| bits(value) as u32),
            Store::Bits64 => slot.bits64.extend_with(values, bits),
            Store::Bool => slot.bools.extend_with(values, |value| bits(value) as u8),
            Store::Bytes | Store::Rows(_) => {
                for value in values {
                    self.store(plan, at, read, bits(*value))?;
                }
            }
        }
        Ok(())
    }
}

/// Returns the number of values of a run of fixed width.
fn whole<const N: usize>(run: &[u8], base: usize) -> Result<usize> {
    if run.len().is_multiple_of(N) {
        return Ok(run.len() / N);
    }
    let kind = proto_wire::ErrorKind::BadPackedLength;
    Err(malformed(proto_wire::Error::new(kind, 0), base))
}

/// Stores the name of an enum, or the number where it has none; returns the bytes.
#[allow(clippy::cast_possible_truncation, reason = "an enum is the low half of its varint")]
pub(super) fn store_name(slot: &mut Slot, spec: &SlotSpec, bits: u64, is_again: bool) -> u64 {
    let number = (bits as u32).cast_signed();
    match spec.names.as_ref().and_then(|names| names.name(number)) {
        Some(name) => {
            slot.store_bytes(name.as_bytes(), is_again);
            name.len() as u64
        }
        None => {
            let text = number.to_string();
            slot.store_bytes(text.as_bytes(), is_again);
            text.len() as u64
        }
    }
}
