//! Compiled columns of a message: a tree of the messages in it, and a store for each field.

mod columns;
mod compile;
mod default;
mod numbers;
mod options;

use std::fmt;
use std::sync::Arc;

use arrow_schema::{DataType, FieldRef, Fields, SchemaRef};
use tfxio_base::Limits;

pub(crate) use numbers::Numbers;
pub use options::{Enums, Layout, MessagePlan, MessagePlanBuilder};

use crate::descriptor::Scalar;

/// A compiled plan. Shared by all decoders.
pub(crate) struct CompiledPlan {
    pub(crate) schema: SchemaRef,
    /// Nodes of messages, the root first; the nodes within a message follow it.
    pub(crate) nodes: Vec<MessageNode>,
    pub(crate) slots: Vec<SlotSpec>,
    /// Number of oneofs of all nodes.
    pub(crate) oneofs: usize,
    pub(crate) layout: Layout,
    pub(crate) limits: Limits,
    /// Bytes of a batch, bounded by 32-bit offsets where there are some.
    pub(crate) most_bytes: u64,
}

impl fmt::Debug for CompiledPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompiledPlan")
            .field("schema", &self.schema)
            .field("layout", &self.layout)
            .finish_non_exhaustive()
    }
}

/// Node of a message at one path of the root.
#[derive(Debug, Default)]
pub(crate) struct MessageNode {
    /// Names on the way from the root, with dots between them; empty for the root.
    pub(crate) path: Arc<str>,
    /// By number.
    pub(crate) fields: Vec<NodeField>,
    /// Index in `fields` of each number.
    pub(crate) numbers: Numbers,
    /// The slots of the columns, in their order.
    pub(crate) columns: Vec<usize>,
    /// Arrow fields of `columns`.
    pub(crate) arrow: Fields,
    /// Slots of fields that must be there, and their names.
    pub(crate) required: Vec<(usize, Arc<str>)>,
    /// Slot of the fields that the descriptor does not have.
    pub(crate) unknown: Option<usize>,
    /// Index in `fields` of the message that is the value of a map, which is there in any case.
    pub(crate) map_value: Option<usize>,
    /// Bytes that a row takes at least in all columns.
    pub(crate) row_bytes: u64,
    /// Slot that counts the rows; `None` for the root.
    pub(crate) holder: Option<usize>,
    /// Index after the last node that is inside of this one.
    pub(crate) end: usize,
}

/// The oneof of a field that is in none.
pub(crate) const NO_ONEOF: u32 = u32::MAX;

/// A field of a message at one path.
#[derive(Clone, Debug)]
pub(crate) struct NodeField {
    pub(crate) name: Arc<str>,
    pub(crate) number: u32,
    pub(crate) op: Op,
    pub(crate) slot: usize,
    /// Number of its oneof among the oneofs of all nodes.
    pub(crate) oneof: u32,
}

/// Operation on a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    /// Skips it.
    Skip,
    /// A scalar or an enum.
    Value { read: Read, is_repeated: bool },
    /// A message, to be read into this node; a group or not.
    Message { node: usize, is_repeated: bool, is_group: bool },
    /// A message as its bytes.
    Kept { is_repeated: bool, is_group: bool },
}

/// Encoding of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    Scalar(Scalar),
    EnumNumber,
    EnumName,
}

/// Layout of the rows of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A value in each row, which may be null.
    One,
    /// A list of one value, or null.
    ListOfOne,
    /// A list.
    List,
    /// A list of the entries of a map.
    Map,
}

impl Shape {
    pub(crate) const fn is_list(self) -> bool {
        !matches!(self, Self::One)
    }
}

/// Storage of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Store {
    Bool,
    Bits32,
    Bits64,
    Bytes,
    /// Rows of a node.
    Rows(usize),
}

/// Store of a field, and the column that its rows become.
#[derive(Clone, Debug)]
pub(crate) struct SlotSpec {
    pub(crate) shape: Shape,
    pub(crate) store: Store,
    /// Whether a row without a value has the default; otherwise it is null, or an empty list.
    pub(crate) has_default: bool,
    /// The default of numbers, as bits.
    pub(crate) default_bits: u64,
    /// The default of strings and bytes.
    pub(crate) default_bytes: Arc<[u8]>,
    /// Type of a value.
    pub(crate) value_type: DataType,
    /// The column.
    pub(crate) field: FieldRef,
    /// Names of an enum.
    pub(crate) names: Option<Arc<EnumNames>>,
}

/// Names of an enum by number.
#[derive(Debug, Default)]
pub(crate) struct EnumNames {
    /// Numbers from 0 on.
    pub(crate) small: Vec<Option<Arc<str>>>,
    pub(crate) others: std::collections::HashMap<i32, Arc<str>>,
    /// Number of each name.
    pub(crate) numbers: std::collections::HashMap<Arc<str>, i32>,
    pub(crate) full_name: Arc<str>,
}

impl EnumNames {
    #[inline]
    pub(crate) fn name(&self, number: i32) -> Option<&Arc<str>> {
        match usize::try_from(number).ok().and_then(|number| self.small.get(number)) {
            Some(name) => name.as_ref(),
            None => self.others.get(&number),
        }
    }
}
