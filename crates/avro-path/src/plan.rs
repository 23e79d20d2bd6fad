//! Execution plan of a decoder: one set of operations, one run over each datum's bytes, for whole records and for keys.
//!
//! Two compilers make a [`DecodePlan`]: [`record`](crate::record) of a shape for each type of a schema,
//! [`program`](crate::program) of the prefix tree of key expressions. Each defines what to extract from a value
//! ([`Want`](compile::Want)); their common part ([`compile`]) walks the schema with which the data were written, and
//! the resolution with the reader's if that is another. So fields in another order, wider numbers, other unions and
//! defaults are resolved while data are read, for both.
//!
//! | operation ([`op::Op`]) | bytes of the datum | does |
//! | --- | --- | --- |
//! | `Boolean`, `Int`, `Long`, `Float`, `Double`, `Bytes`, `String`, `Fixed`, `FixedBytes`, `Symbol` | a value | appends it as it is |
//! | `Promoted`, `Renumbered`, `SymbolText`, `Decimal`, `Uuid`, `Duration` | a value | appends what it is to the reader, or to Arrow |
//! | `Same` | several fields of one type | appends each to its buffer |
//! | `Keep` | a value | keeps it for filters |
//! | `Skip`, `SkipSized`, `Nothing` | values that nothing needs | passes over them |
//! | `Absent` | none | appends an entry of nothing to each column below |
//! | `Present`, `Chosen` | as the inner operation | marks what is there and fills what is not, then runs the operation
//! |
//! | `Nullable`, `Branches` | a union | goes by its branch |
//! | `Record` | a record | runs its steps; the steps of a small record are inlined into its parent's |
//! | `Items` | an array or a map | runs its steps for each item, and ends a list |
//! | `Picks` | an array or a map | finds the items of an index, a key or a filter, and runs the operation of each group |
//! | `Again` | a value that several columns need | runs several operations on the same bytes |
//! | `Default` | none | runs an operation on the bytes of a default |
//! | `Refuse` | a value that cannot be read | fails with its path and byte |
//!
//! Operations name buffers by numbers ([`stores`]), so that a plan is immutable and shared by decoders; [`shape`] maps
//! buffers to columns.

mod batch_budget;
mod check;
pub(crate) mod compile;
mod decoder;
mod finish;
mod items;
mod logical_type;
pub(crate) mod op;
mod picks;
pub(crate) mod read;
mod run;
mod same;
pub(crate) mod shape;
pub(crate) mod slot;
mod stores;
mod value;

use std::sync::Arc;

use arrow_schema::SchemaRef;

pub(crate) use check::{Against, Check};
pub use decoder::AvroDecoder;
pub(crate) use logical_type::logical_type;
pub(crate) use stores::Counts;

/// Compiled conversion of data of a schema to columns.
#[derive(Debug)]
pub(crate) struct DecodePlan {
    shape: shape::Shape,
    /// Operation that fills the slots that filters read from the root, before anything else; `None` if there are none.
    first: Option<op::Op>,
    op: op::Op,
    counts: Counts,
    /// Whether the columns are the parts of the shape, which is a struct.
    is_split: bool,
    large_offsets: bool,
    /// Maximum number of bytes of an entry, beyond its bytes in the datum.
    widest: u64,
    /// Maximum number of times that a byte of the datum is stored.
    copies: u64,
    schema: SchemaRef,
}

impl DecodePlan {
    /// Returns the schema of the batches.
    pub(crate) fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
