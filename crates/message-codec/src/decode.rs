//! Decoder of records to rows of columns.

pub(crate) mod buf;
mod finish;
mod map;
mod run;
pub(crate) mod slot;
mod value;
mod walk;

use std::fmt;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::SchemaRef;
use proto_wire::Reader;
use tfxio_base::{Count, Error, Result};
use tfxio_core::{Origin, RecordDecoder};

use self::slot::Slot;
use crate::Kind;
use crate::error::in_record;
use crate::plan::{CompiledPlan, Store};

/// Push decoder of messages: a record is a row. Made by [`MessagePlan::decoder`](crate::MessagePlan::decoder).
///
/// It reads columns straight from the wire bytes: no message is built in between, and fields that no column needs are
/// skipped by their length. A record that fails leaves the decoder as it was.
pub struct MessageDecoder {
    plan: Arc<CompiledPlan>,
    state: State,
}

/// Rows of a node in which a required field was absent at the end of their messages.
#[derive(Clone, Copy, Debug, Default)]
struct Lacking {
    /// First of the rows that are final, because another one came after them.
    first: Option<Absent>,
    /// Last row, which later bytes may complete.
    last: Option<Absent>,
}

/// A row, and the index in [`MessageNode::required`](crate::plan::Node::required) of a field that it lacks.
#[derive(Clone, Copy, Debug)]
struct Absent {
    row: usize,
    field: usize,
}

/// The columns so far.
pub(crate) struct State {
    slots: Vec<Slot>,
    /// Row and field of the member that was set last, for each oneof.
    oneofs: Vec<(usize, u32)>,
    rows: usize,
    /// Bytes that the columns take at least.
    used: u64,
    /// Values in lists of the row.
    items: u64,
    /// Rows of each node that lack a required field.
    lacking: Vec<Lacking>,
    /// Whether a row of the record lacked a required field when its message ended.
    has_lacking: bool,
    scratch: Vec<i64>,
}

impl MessageDecoder {
    pub(crate) fn new(plan: Arc<CompiledPlan>) -> Self {
        let state = State {
            slots: plan.slots.iter().map(Slot::new).collect(),
            oneofs: vec![(usize::MAX, 0); plan.oneofs],
            rows: 0,
            used: 0,
            items: 0,
            lacking: vec![Lacking::default(); plan.nodes.len()],
            has_lacking: false,
            scratch: Vec::new(),
        };
        Self { plan, state }
    }
}

impl fmt::Debug for MessageDecoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageDecoder").field("plan", &self.plan).field("rows", &self.state.rows).finish()
    }
}

impl MessageDecoder {
    /// Returns the schema of every batch.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.plan.schema)
    }

    /// Appends a message as a row.
    ///
    /// # Errors
    /// [`Kind::Malformed`] and others of this crate for a message that is not one of the type, with its position; it leaves no row.
    pub fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<()> {
        let used = self.state.used;
        self.state.items = 0;
        match self.state.record(&self.plan, record) {
            Ok(()) => {
                self.state.rows += 1;
                Ok(())
            }
            Err(error) => {
                self.state.truncate_node(&self.plan, 0, self.state.rows);
                self.state.used = used;
                self.state.forget_lacking();
                Err(in_record(error, origin))
            }
        }
    }

    /// Returns the number of rows since the last flush.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.state.rows
    }

    /// Returns the rows since the last flush as a batch, which may have none.
    ///
    /// # Errors
    /// [`Kind::Arrow`] when Arrow refuses the columns; the rows are then gone.
    pub fn flush(&mut self) -> Result<RecordBatch> {
        let rows = std::mem::take(&mut self.state.rows);
        self.state.used = 0;
        let columns = self.state.finish_node(&self.plan, 0, rows);
        for (slot, spec) in self.state.slots.iter_mut().zip(&self.plan.slots) {
            // After an error, and of keys that are no column.
            if columns.is_err() || !slot.is_empty() {
                *slot = Slot::default();
            }
            slot.begin(spec);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = columns.and_then(|columns| {
            RecordBatch::try_new_with_options(Arc::clone(&self.plan.schema), columns, &options)
        });
        batch.map_err(|error| Error::new(Kind::Arrow, "the columns do not make a batch").because(error))
    }
}

impl RecordDecoder for MessageDecoder {
    fn schema(&self) -> Option<SchemaRef> {
        Some(self.schema())
    }

    fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<()> {
        self.push(record, origin)
    }

    fn rows(&self) -> usize {
        self.rows()
    }

    fn flush(&mut self) -> Result<RecordBatch> {
        self.flush()
    }
}

impl State {
    fn record(&mut self, plan: &CompiledPlan, record: &[u8]) -> Result<()> {
        let most = plan.limits.record_bytes.min(i32::MAX as u64);
        if record.len() as u64 > most {
            let what = format!(
                "the record has {}, {most} {} allowed",
                Count::of(record.len(), "byte"),
                Count::of(most, "byte").verb("is", "are")
            );
            return Err(Error::new(Kind::LimitExceeded, what)
                .help("raise `Limits::record_bytes`; a protobuf message has at most 2147483647"));
        }
        let Some(root) = plan.nodes.first() else { return Ok(()) };
        self.charge(plan, root.row_bytes)?;
        let mut input =
            walk::Input { bytes: record, base: 0, reader: Reader::new(record), depth: 0, group: None };
        self.message(plan, 0, self.rows, &mut input)?;
        if self.has_lacking { self.check_required(plan) } else { Ok(()) }
    }

    /// Counts values in lists of the record, before there is room for them.
    #[inline(always)]
    fn count_items(&mut self, plan: &CompiledPlan, count: usize) -> Result<()> {
        self.items = self.items.saturating_add(count as u64);
        if self.items > plan.limits.list_items { Err(too_many(plan.limits.list_items)) } else { Ok(()) }
    }

    /// Counts bytes of the batch.
    #[inline(always)]
    fn charge(&mut self, plan: &CompiledPlan, bytes: u64) -> Result<()> {
        self.used = self.used.saturating_add(bytes);
        if self.used > plan.most_bytes { Err(too_large(plan.most_bytes)) } else { Ok(()) }
    }

    /// Refuses messages in which a required field is still absent.
    #[cold]
    fn check_required(&mut self, plan: &CompiledPlan) -> Result<()> {
        let mut lacking = self.lacking.iter().zip(&plan.nodes);
        let absent = lacking.find_map(|(lacking, node)| {
            let absent = lacking.first.or(lacking.last)?;
            Some((node, node.required.get(absent.field)?))
        });
        let Some((node, (_, name))) = absent else {
            self.forget_lacking();
            return Ok(());
        };
        let dot = if node.path.is_empty() { "" } else { "." };
        Err(Error::new(Kind::MissingField, "a required field is absent")
            .help("read with a descriptor in which it is optional")
            .at_path(format!("{}{dot}{name}", node.path)))
    }

    fn forget_lacking(&mut self) {
        if std::mem::take(&mut self.has_lacking) {
            self.lacking.fill(Lacking::default());
        }
    }

    /// Forgets all rows of a message after the first `rows`.
    pub(crate) fn truncate_node(&mut self, plan: &CompiledPlan, node: usize, rows: usize) {
        let Some(node) = plan.nodes.get(node) else { return };
        for field in &node.fields {
            if field.op != crate::plan::Op::Skip {
                self.truncate_slot(plan, field.slot, rows);
            }
        }
        if let Some(slot) = node.unknown {
            self.truncate_slot(plan, slot, rows);
        }
    }

    pub(crate) fn truncate_slot(&mut self, plan: &CompiledPlan, slot: usize, rows: usize) {
        let (Some(spec), Some(found)) = (plan.slots.get(slot), self.slots.get_mut(slot)) else { return };
        if found.rows(spec) <= rows {
            return;
        }
        let left = found.truncate(spec, rows);
        if let Store::Rows(node) = spec.store {
            self.truncate_node(plan, node, left);
        }
    }
}

#[cold]
fn too_many(most: u64) -> Error {
    Error::new(Kind::LimitExceeded, format!("the record has more than {} in lists", Count::of(most, "value")))
        .help("raise `Limits::list_items`")
}

#[cold]
fn too_large(most: u64) -> Error {
    let what = format!("the batch would have more than {}", Count::of(most, "byte"));
    Error::new(Kind::LimitExceeded, what)
        .help("read fewer rows a batch, or raise `Limits::batch_bytes`; 32-bit offsets allow 2 GiB")
}
