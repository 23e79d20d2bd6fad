//! Profile of columns of lists and of bytes.

use std::collections::{HashMap, HashSet};

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use tfxio_core::ColumnPath;

use super::column_change::item;
use super::{first_not_one, text, text_leaves};

/// Profile of columns by their rows: the columns of lists with one value in every row, and the columns of bytes that are UTF-8.
#[derive(Debug)]
pub struct Profile {
    columns: Vec<Seen>,
}

#[derive(Debug)]
struct Seen {
    name: String,
    /// Whether it is a list of values, and none had another number of them than one.
    is_single: bool,
    has_null: bool,
    /// Whether a list was there.
    has_list: bool,
    /// The bytes in it, in the order of a walk.
    leaves: Vec<Leaf>,
}

#[derive(Debug)]
struct Leaf {
    path: ColumnPath,
    /// Whether all values were UTF-8.
    is_text: bool,
    has_value: bool,
}

impl Profile {
    /// Returns a profile of no rows, which looks for columns of lists of one value, of texts, or of both.
    pub fn new(schema: &Schema, singles: bool, texts: bool) -> Self {
        let seen = |field: &arrow_schema::FieldRef| {
            let mut paths = Vec::new();
            if texts {
                text_leaves(field, &ColumnPath::from(field.name().as_str()), &mut paths);
            }
            let leaf = |path| Leaf { path, is_text: true, has_value: false };
            Seen {
                name: field.name().clone(),
                is_single: singles && may_be_single(field),
                has_null: false,
                has_list: false,
                leaves: paths.into_iter().map(leaf).collect(),
            }
        };
        Self { columns: schema.fields().iter().map(seen).collect() }
    }

    /// Looks at bytes of whole columns only, and not at bytes in structs.
    pub fn of_whole_columns(mut self) -> Self {
        let is_within = |leaf: &Leaf| leaf.path.len() > 1;
        self.columns
            .iter_mut()
            .filter(|seen| seen.leaves.iter().any(is_within))
            .for_each(|seen| seen.leaves.clear());
        self
    }

    /// Returns whether no column can be found to have one value a row, or to be UTF-8, by looking further.
    pub fn is_decided(&self) -> bool {
        self.columns.iter().all(Seen::is_decided)
    }

    /// Looks at the rows of a batch.
    pub fn push(&mut self, batch: &RecordBatch) {
        for (seen, column) in self.columns.iter_mut().zip(batch.columns()) {
            if seen.is_single {
                seen.has_null |= column.null_count() > 0;
                seen.has_list |= column.null_count() < column.len();
                seen.is_single = first_not_one(column).is_none();
            }
            if seen.leaves.iter().any(|leaf| leaf.is_text) {
                look(column, &mut seen.leaves.iter_mut());
            }
        }
    }

    /// Returns the columns that have one value a row, each with whether it may be absent.
    pub fn single(&self) -> HashMap<String, bool> {
        let single = self.columns.iter().filter(|seen| seen.is_single);
        single.map(|seen| (seen.name.clone(), seen.has_null)).collect()
    }

    /// Returns the columns that have one value a row and had one at all.
    pub fn seen_single(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().filter(|seen| seen.is_single && seen.has_list).map(|seen| seen.name.as_str())
    }

    /// Returns the columns that are UTF-8.
    pub fn texts(&self) -> HashSet<String> {
        let leaves = self.columns.iter().flat_map(|seen| &seen.leaves);
        leaves
            .filter(|leaf| leaf.is_text)
            .filter_map(|leaf| leaf.path.initial_step().ok())
            .map(str::to_owned)
            .collect()
    }

    /// Returns the paths of the bytes that are UTF-8, as far as there were some.
    pub fn open_texts(&self) -> HashSet<&ColumnPath> {
        let leaves = self.columns.iter().flat_map(|seen| &seen.leaves);
        leaves.filter(|leaf| leaf.is_text).map(|leaf| &leaf.path).collect()
    }

    /// Returns the paths of the bytes that are UTF-8, and of which there were some.
    pub fn seen_texts(&self) -> impl Iterator<Item = &ColumnPath> {
        let leaves = self.columns.iter().flat_map(|seen| &seen.leaves);
        leaves.filter(|leaf| leaf.is_text && leaf.has_value).map(|leaf| &leaf.path)
    }
}

impl Seen {
    fn is_decided(&self) -> bool {
        !self.is_single && self.leaves.iter().all(|leaf| !leaf.is_text)
    }
}

/// Returns whether a column has lists of values that are not nested.
pub fn may_be_single(field: &Field) -> bool {
    item(field.data_type()).is_some_and(|item| !item.data_type().is_nested())
}

/// Looks at the bytes in a column, in the order of their paths.
fn look<'a>(column: &ArrayRef, leaves: &mut impl Iterator<Item = &'a mut Leaf>) {
    fn within<'a, O: OffsetSizeTrait>(column: &ArrayRef, leaves: &mut impl Iterator<Item = &'a mut Leaf>) {
        let lists = column.as_list::<O>();
        let bounds = lists.offsets().first().zip(lists.offsets().last());
        let (start, end) = bounds.map_or((0, 0), |(start, end)| (start.as_usize(), end.as_usize()));
        look(&lists.values().slice(start, end.saturating_sub(start)), leaves);
    }
    match column.data_type() {
        DataType::List(_) => within::<i32>(column, leaves),
        DataType::LargeList(_) => within::<i64>(column, leaves),
        DataType::FixedSizeList(..) => look(column.as_fixed_size_list().values(), leaves),
        DataType::Struct(_) => column.as_struct().columns().iter().for_each(|column| look(column, leaves)),
        values if text::is_bytes(values) => {
            let Some(leaf) = leaves.next() else { return };
            leaf.has_value |= column.null_count() < column.len();
            leaf.is_text = leaf.is_text && text::not_text(column).is_none();
        }
        _ => {}
    }
}
