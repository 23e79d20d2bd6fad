//! The features that the columns of a request are made of.

use std::collections::HashMap;
use std::sync::Arc;

use example_codec::OffsetWidth;
use tfxio_core::{Column, Error, ErrorKind, Layout, Result};

use super::format::{Format, Selection};

/// The features that the columns of a request are made of.
#[derive(Clone, Debug)]
pub(super) struct Selected {
    pub(super) features: Selection,
    pub(super) raw_record: Option<Arc<str>>,
    /// Names of the columns, in the order of the request.
    pub(super) order: Vec<Arc<str>>,
    /// Lengths that are asked for.
    pub(super) lengths: HashMap<Arc<str>, u32>,
    /// Width of offsets, where all columns ask for the same.
    pub(super) offsets: Option<OffsetWidth>,
}

impl Selected {
    /// Returns the features of these columns.
    pub(super) fn new<F: Format>(
        columns: &[Column],
        format: &F,
        schema: &F::Schema,
        raw_record: Option<&Arc<str>>,
    ) -> Result<Self> {
        let sequence = format.sequence_column(schema);
        let mut selected = Self {
            features: Selection::default(),
            raw_record: None,
            order: Vec::new(),
            lengths: HashMap::new(),
            offsets: widths(columns),
        };
        for Column { path, layout, .. } in columns {
            let [first, rest @ ..] = path.steps() else {
                return Err(Error::new(ErrorKind::InvalidArgument, "a column of the request has no name"));
            };
            match rest {
                [] if Some(first) == sequence => selected.features.sequence = F::features(schema).sequence,
                [field] if Some(first) == sequence => {
                    if !selected.features.sequence.contains(field) {
                        selected.features.sequence.push(Arc::clone(field));
                    }
                }
                [] if Some(first) == raw_record => selected.raw_record = Some(Arc::clone(first)),
                [] => selected.features.columns.push(Arc::clone(first)),
                _ => {
                    let what = format!("there is no column \"{path}\": {first:?} has no fields");
                    return Err(Error::new(ErrorKind::InvalidArgument, what));
                }
            }
            if let (Layout::FixedSizeList(len), []) = (layout, rest) {
                selected.lengths.insert(Arc::clone(first), *len);
            }
            // A field of the struct that another field was asked of belongs to the same column.
            if rest.is_empty() || !selected.order.contains(first) {
                selected.order.push(Arc::clone(first));
            }
        }
        Ok(selected)
    }
}

/// Returns the width of offsets that all columns ask for.
fn widths(columns: &[Column]) -> Option<OffsetWidth> {
    let has = |layout| columns.iter().any(|column| column.layout == layout);
    match (has(Layout::AsSchema), has(Layout::List), has(Layout::LargeList)) {
        (false, true, false) => Some(OffsetWidth::Bits32),
        (false, false, true) => Some(OffsetWidth::Bits64),
        _ => None,
    }
}
