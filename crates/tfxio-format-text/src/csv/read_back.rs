//! Predicted types of text columns when a file that is written is read back: a file does not contain its types.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use arrow_schema::{DataType, Schema};

use super::infer::Seen;
use super::types::Kind;

/// Inference of the columns of texts, from all rows together. Each thread looks at its own rows, and shares what it has seen.
#[derive(Clone, Debug)]
pub(super) struct ReadBackTypes {
    /// Kinds seen of each column; nothing of columns other than texts.
    columns: Vec<Option<Seen>>,
    /// The bits of all threads.
    shared: Arc<[AtomicU8]>,
}

impl ReadBackTypes {
    pub(super) fn new(schema: &Schema) -> Self {
        let columns = schema.fields().iter();
        let columns = columns.map(|field| is_text(field.data_type()).then(Seen::default)).collect::<Vec<_>>();
        let shared = columns.iter().map(|_| AtomicU8::default()).collect();
        Self { columns, shared }
    }

    /// Returns what looks at the values of a column; nothing where they are not texts.
    pub(super) fn column(&mut self, index: usize) -> Option<&mut Seen> {
        self.columns.get_mut(index)?.as_mut()
    }

    /// Shares what was seen, and learns what others have.
    pub(super) fn share(&mut self) {
        for (seen, shared) in self.columns.iter_mut().zip(&*self.shared) {
            let Some(seen) = seen else { continue };
            let before = shared.fetch_or(seen.bits(), Ordering::Relaxed);
            *seen = Seen::of_bits(before | seen.bits());
        }
    }

    /// Returns the columns of texts that are read back as something else, by their indices.
    pub(super) fn losses(&self) -> impl Iterator<Item = (usize, &'static str)> + '_ {
        let loss = |shared: &AtomicU8| match Seen::of_bits(shared.load(Ordering::Relaxed)).kind() {
            Kind::Int | Kind::Float => Some(
                "texts that are all numbers are read back as numbers, unless the option text_columns names the column",
            ),
            Kind::Bool => Some(
                "texts that are all true or false are read back as bools, unless the option text_columns names the column",
            ),
            // A column without a value has none to lose.
            Kind::Unknown | Kind::Text | Kind::Bytes => None,
        };
        self.shared.iter().enumerate().filter_map(move |(index, shared)| Some((index, loss(shared)?)))
    }
}

/// Returns whether the values of a type are texts, or bytes that are written as such.
fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_text(values),
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            is_text(item.data_type())
        }
        DataType::FixedSizeBinary(_) => true,
        other => other.is_string() || other.is_binary(),
    }
}
