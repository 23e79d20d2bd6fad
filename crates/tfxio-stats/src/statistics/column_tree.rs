//! A column, or a field of one, and what is below it.

mod leaf;

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::ArrowDictionaryKeyType;
use arrow_array::{Array, ArrayRef, StructArray, UInt64Array, downcast_dictionary_array};
use arrow_schema::DataType;
use arrow_select::take::take;
use tfxio_base::Result;
use tfxio_core::ColumnPath;

pub(super) use self::leaf::Leaf;
use super::level::Level;
use super::lists::Lists;
use super::{StatisticsOptions, errors};

/// A column, or a field of one, and what is below it.
#[derive(Clone, Debug, Default)]
pub(super) struct ColumnNode {
    /// Levels of lists from the outermost on; a column without lists has one level, of lists of one value. Empty while only
    /// nulls were seen.
    pub(super) levels: Vec<Level>,
    pub(super) leaf: Leaf,
    pub(super) fields: Vec<(Arc<str>, ColumnNode)>,
    /// Nulls within lists.
    pub(super) null_values: u64,
    /// Number of rows with a value of the field that is not null, in any of their structs. Only for fields.
    pub(super) rows: u64,
}

impl ColumnNode {
    /// Returns the node of a type without values.
    pub(super) fn of_type(data_type: &DataType) -> Self {
        let mut node = Self::default();
        if let DataType::Struct(fields) = innermost(data_type) {
            node.leaf = Leaf::Struct;
            let of_field = |field: &Arc<arrow_schema::Field>| {
                (Arc::from(field.name().as_str()), Self::of_type(field.data_type()))
            };
            node.fields = fields.iter().map(of_field).collect();
        }
        node
    }

    /// Returns a node of the same type without values.
    pub(super) fn without_values(&self, options: &StatisticsOptions) -> Self {
        let field = |(name, node): &(Arc<str>, Self)| (Arc::clone(name), node.without_values(options));
        Self {
            levels: Vec::new(),
            leaf: self.leaf.without_values(options),
            fields: self.fields.iter().map(field).collect(),
            null_values: 0,
            rows: 0,
        }
    }

    /// Adds the rows of an array, each with its weight where there are weights.
    pub(super) fn update(
        &mut self,
        path: &ColumnPath,
        array: &ArrayRef,
        weights: Option<&[f64]>,
        options: &StatisticsOptions,
    ) -> Result<()> {
        self.update_of(path, array, None, weights, options)
    }

    /// As [`update`](Self::update), with the row of each value, where these are not the rows themselves.
    fn update_of(
        &mut self,
        path: &ColumnPath,
        array: &ArrayRef,
        rows: Option<&[usize]>,
        weights: Option<&[f64]>,
        options: &StatisticsOptions,
    ) -> Result<()> {
        if *array.data_type() == DataType::Null {
            return Ok(());
        }
        let depth = depth(array.data_type()).max(1);
        if self.levels.is_empty() {
            self.levels = vec![Level::new(options.epsilon); depth];
        }
        if self.levels.len() != depth {
            return Err(errors::other_depth(path, self.levels.len(), depth));
        }
        let mut values = Arc::clone(array);
        let mut weights = weights.map(std::borrow::Cow::Borrowed);
        let mut outermost = (depth > 1).then(|| Outermost::new(array));
        let mut is_list = false;
        let has_fields = matches!(innermost(array.data_type()), DataType::Struct(_));
        let mut rows = rows.map(std::borrow::Cow::Borrowed);
        for level in &mut self.levels {
            let Some(lists) = Lists::of(&values)? else { break };
            is_list = true;
            let has_own = outermost.as_ref().is_some_and(|outermost| outermost.levels == 0);
            level.add_lists(&lists, has_own, weights.as_deref(), options.epsilon);
            if let Some(outer) = &weights {
                weights = Some(lists.spread(outer).into());
            }
            if has_fields {
                rows = Some(lists.rows(rows.as_deref()).into());
            }
            if let Some(outermost) = &mut outermost {
                outermost.go_into(&lists);
            }
            values = lists.values;
        }
        if let (Some(outermost), Some(level)) = (outermost, self.levels.first_mut()) {
            outermost.lengths(|length| level.lengths.add(length, 1));
        }
        let values = plain(&values)?;
        let nulls = values.logical_null_count();
        if is_list {
            self.null_values = self.null_values.saturating_add(nulls as u64);
        } else if let Some(level) = self.levels.first_mut() {
            level.add_values(&values, nulls, weights.as_deref());
        }
        self.leaf.fit(path, values.data_type(), options)?;
        match &mut self.leaf {
            Leaf::Struct => self.update_fields(path, &values, rows.as_deref(), weights.as_deref(), options),
            leaf => leaf.update(&values, weights.as_deref(), options),
        }
    }

    fn update_fields(
        &mut self,
        path: &ColumnPath,
        values: &ArrayRef,
        rows: Option<&[usize]>,
        weights: Option<&[f64]>,
        options: &StatisticsOptions,
    ) -> Result<()> {
        use std::borrow::Cow;

        let (values, rows, weights) = match values.nulls().filter(|nulls| nulls.null_count() > 0) {
            None => (Arc::clone(values), rows.map(Cow::Borrowed), weights.map(Cow::Borrowed)),
            Some(nulls) => {
                let of_row = |weights: &[f64], row: usize| weights.get(row).copied().unwrap_or(0.0);
                let kept_weights = weights.map(|weights| {
                    nulls.valid_indices().map(|row| of_row(weights, row)).collect::<Vec<_>>().into()
                });
                let kept_rows = rows.map(|rows| {
                    nulls.valid_indices().filter_map(|row| rows.get(row).copied()).collect::<Vec<_>>().into()
                });
                let kept: Vec<u64> = nulls.valid_indices().map(|row| row as u64).collect();
                (take(values, &UInt64Array::from(kept), None)?, kept_rows, kept_weights)
            }
        };
        let structs: &StructArray = values.as_struct();
        let mut by_name = self.by_name();
        for (field, column) in structs.fields().iter().zip(structs.columns()) {
            let at = match by_name.get(field.name().as_str()) {
                Some(at) => *at,
                None => {
                    let name: Arc<str> = field.name().as_str().into();
                    by_name.insert(Arc::clone(&name), self.fields.len());
                    self.fields.push((name, Self::of_type(field.data_type())));
                    self.fields.len() - 1
                }
            };
            let node = self.fields.get_mut(at);
            if let Some((name, node)) = node {
                node.rows = node.rows.saturating_add(rows_with(column, rows.as_deref()));
                let path = path.child(Arc::clone(name));
                node.update_of(&path, column, rows.as_deref(), weights.as_deref(), options)?;
            }
        }
        Ok(())
    }

    /// Adds what another node has, whose path is the same.
    pub(super) fn merge(
        &mut self,
        path: &ColumnPath,
        other: &Self,
        options: &StatisticsOptions,
    ) -> Result<()> {
        if self.levels.is_empty() {
            self.levels.clone_from(&other.levels);
        } else if !other.levels.is_empty() {
            if self.levels.len() != other.levels.len() {
                return Err(errors::other_depth(path, self.levels.len(), other.levels.len()));
            }
            for (ours, theirs) in self.levels.iter_mut().zip(&other.levels) {
                ours.merge(theirs, options.epsilon);
            }
        }
        self.null_values = self.null_values.saturating_add(other.null_values);
        self.rows = self.rows.saturating_add(other.rows);
        self.leaf.merge(path, &other.leaf)?;
        let mut by_name = self.by_name();
        for (name, theirs) in &other.fields {
            match by_name.get(name).and_then(|at| self.fields.get_mut(*at)) {
                Some((_, ours)) => ours.merge(&path.child(Arc::clone(name)), theirs, options)?,
                None => {
                    by_name.insert(Arc::clone(name), self.fields.len());
                    self.fields.push((Arc::clone(name), theirs.clone()));
                }
            }
        }
        Ok(())
    }

    /// Returns where each field is, the first of those with the same name.
    fn by_name(&self) -> HashMap<Arc<str>, usize> {
        let fields = self.fields.iter().enumerate().rev();
        fields.map(|(at, (name, _))| (Arc::clone(name), at)).collect()
    }
}

/// Returns the number of rows that have a value that is not null. `rows` are the rows of the values, ascending; without it
/// each value has a row of its own.
fn rows_with(values: &ArrayRef, rows: Option<&[usize]>) -> u64 {
    let nulls = values.logical_nulls();
    let Some(rows) = rows else {
        let nulls = nulls.map_or(0, |nulls| nulls.null_count());
        return values.len().saturating_sub(nulls) as u64;
    };
    let (mut count, mut last) = (0, None);
    for (at, row) in rows.iter().enumerate() {
        if last != Some(row) && nulls.as_ref().is_none_or(|nulls| at < nulls.len() && nulls.is_valid(at)) {
            count += 1;
            last = Some(row);
        }
    }
    count
}

/// End offsets of the rows of an array in the innermost values.
struct Outermost {
    ends: Vec<usize>,
    nulls: Option<arrow_buffer::NullBuffer>,
    levels: usize,
}

impl Outermost {
    fn new(array: &ArrayRef) -> Self {
        Self { ends: (0..=array.len()).collect(), nulls: array.nulls().cloned(), levels: 0 }
    }

    fn go_into(&mut self, lists: &Lists) {
        self.ends.iter_mut().for_each(|end| *end = lists.first(*end));
        self.levels += 1;
    }

    fn lengths(&self, mut each: impl FnMut(u64)) {
        for (row, pair) in self.ends.windows(2).enumerate() {
            if let [start, end] = pair
                && self.nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row))
            {
                each(end.saturating_sub(*start) as u64);
            }
        }
    }
}

/// Returns the type of the items of lists of lists.
fn innermost(data_type: &DataType) -> &DataType {
    match item(data_type) {
        Some(item) => innermost(item),
        None => data_type,
    }
}

fn depth(data_type: &DataType) -> usize {
    item(data_type).map_or(0, |item| depth(item) + 1)
}

fn item(data_type: &DataType) -> Option<&DataType> {
    match data_type {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => Some(item.data_type()),
        _ => None,
    }
}

/// Returns the plain array that a dictionary encodes.
pub(super) fn plain(array: &ArrayRef) -> Result<ArrayRef> {
    fn values_of<K: ArrowDictionaryKeyType>(array: &arrow_array::DictionaryArray<K>) -> Result<ArrayRef> {
        Ok(take(array.values(), array.keys(), None)?)
    }
    let values: &dyn Array = array;
    downcast_dictionary_array!(
        values => values_of(values),
        _ => Ok(Arc::clone(array))
    )
}
