//! SQL types of a data set's columns: features with one value a row are scalars, and UTF-8 is text.

mod convert;
mod sample;

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef};

pub(crate) use self::sample::sql_columns;

/// A column of a data set and what it is in SQL.
#[derive(Clone, Debug)]
pub(crate) struct SqlColumn {
    /// The column of the data set.
    pub(crate) source: FieldRef,
    /// The column of the table.
    pub(crate) field: FieldRef,
    /// Whether each list has one value, which replaces it.
    single: bool,
    /// Whether bytes are text.
    text: bool,
}

impl SqlColumn {
    /// Returns a column that stays as it is.
    pub(crate) fn as_is(source: &FieldRef) -> Self {
        Self { source: Arc::clone(source), field: Arc::clone(source), single: false, text: false }
    }

    /// Returns a column whose lists have one value each, if `single`, and whose bytes are text, if `text`.
    pub(crate) fn new(source: &FieldRef, single: bool, text: bool) -> Self {
        let as_text = |data_type: &DataType| match data_type {
            DataType::Binary if text => DataType::Utf8,
            DataType::LargeBinary if text => DataType::LargeUtf8,
            other => other.clone(),
        };
        let changed = |item: &FieldRef| {
            Arc::new(Field::new(item.name(), as_text(item.data_type()), item.is_nullable()))
        };
        let data_type = match source.data_type() {
            DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) if single => {
                as_text(item.data_type())
            }
            DataType::List(item) => DataType::List(changed(item)),
            DataType::LargeList(item) => DataType::LargeList(changed(item)),
            DataType::FixedSizeList(item, len) => DataType::FixedSizeList(changed(item), *len),
            other => other.clone(),
        };
        if data_type == *source.data_type() {
            return Self::as_is(source);
        }
        // What is within a list may be null, whatever the list is.
        let nullable = source.is_nullable() || single;
        let field = Arc::new(Field::new(source.name(), data_type, nullable));
        Self { source: Arc::clone(source), field, single, text }
    }

    /// Returns whether the column stays as it is.
    pub(crate) fn is_as_is(&self) -> bool {
        !self.single && !self.text
    }

    /// Returns whether the column is a list in the data set and a value in SQL.
    pub(crate) fn is_single(&self) -> bool {
        self.single
    }

    /// Returns whether the bytes of the column are text in SQL.
    #[cfg(feature = "codec")]
    pub(crate) fn is_text(&self) -> bool {
        self.text
    }
}

/// Returns the type of the values of a feature; `None` for a column that is not like one.
fn feature(data_type: &DataType) -> Option<&DataType> {
    let (DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _)) = data_type
    else {
        return None;
    };
    let item = item.data_type();
    let is_like =
        matches!(item, DataType::Int64 | DataType::Float32 | DataType::Binary | DataType::LargeBinary);
    is_like.then_some(item)
}
