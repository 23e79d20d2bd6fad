//! Changes of columns, through their lists and structs.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Int16Type, Int32Type, Int64Type, RunEndIndexType};
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, GenericListArray, OffsetSizeTrait, StructArray, UInt64Array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields};
use arrow_select::take::take;
use tfxio_core::Error;

use super::leaf::{Leaf, Unfit};
use super::shape;
use super::single::{first_not_one, one_of_each};

/// Change of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnChange {
    /// Keeps the column.
    Keep,
    /// Puts the values of a dictionary, of runs, or of list views in order, and changes them.
    Unpack(Box<ColumnChange>),
    /// Casts the values.
    Values(Leaf),
    /// Changes the items of lists; the lists then have this item.
    Items(Box<ColumnChange>, FieldRef),
    /// Changes the fields of a struct; the structs then have these fields.
    Fields(Vec<ColumnChange>, Fields),
    /// Replaces each list of one value by the value. A null list becomes null if that is allowed.
    Single(bool),
    /// Flattens arrays of several dimensions into lists of their values.
    Flatten,
}

/// Reason that an array could not be changed.
#[derive(Debug)]
pub enum Failed {
    /// A value does not fit the type.
    Unfit(Unfit),
    /// Another error.
    Other(Error),
}

impl Failed {
    /// Changes the index of a value that does not fit.
    pub(super) fn located(self, of: impl FnOnce(usize) -> usize) -> Self {
        match self {
            Self::Unfit(unfit) => Self::Unfit(Unfit { index: of(unfit.index), ..unfit }),
            other => other,
        }
    }
}

impl From<ArrowError> for Failed {
    fn from(error: ArrowError) -> Self {
        Self::Other(error.into())
    }
}

impl From<Unfit> for Failed {
    fn from(unfit: Unfit) -> Self {
        Self::Unfit(unfit)
    }
}

impl ColumnChange {
    /// Returns the change of columns of a type, and the new type, where `leaf` returns a change of the values; `None` where it does not.
    pub(super) fn of(
        data_type: &DataType,
        leaf: &dyn Fn(&DataType) -> Option<Leaf>,
    ) -> Option<(Self, DataType)> {
        let item = |item: &FieldRef| {
            let (change, to) = Self::of(item.data_type(), leaf)?;
            let item: FieldRef = Arc::new(plain_field(item, to));
            Some((change, item))
        };
        let items = |change: Self, item: &FieldRef| match change {
            Self::Keep => Self::Keep,
            change => Self::Items(Box::new(change), Arc::clone(item)),
        };
        let unpacked = |(change, to)| (Self::Unpack(Box::new(change)), to);
        match data_type {
            DataType::Dictionary(_, values) => Self::of(values, leaf).map(unpacked),
            DataType::RunEndEncoded(_, values) => Self::of(values.data_type(), leaf).map(unpacked),
            DataType::ListView(values) => Self::of(&DataType::List(Arc::clone(values)), leaf).map(unpacked),
            DataType::LargeListView(values) => {
                Self::of(&DataType::LargeList(Arc::clone(values)), leaf).map(unpacked)
            }
            DataType::List(values) => {
                let (change, item) = item(values)?;
                Some((items(change, &item), DataType::List(item)))
            }
            DataType::LargeList(values) => {
                let (change, item) = item(values)?;
                Some((items(change, &item), DataType::LargeList(item)))
            }
            DataType::FixedSizeList(values, size) => {
                let (change, item) = item(values)?;
                Some((items(change, &item), DataType::FixedSizeList(item, *size)))
            }
            DataType::Struct(fields) => {
                let changed = fields.iter().map(|field| {
                    let (change, to) = Self::of(field.data_type(), leaf)?;
                    Some((change, plain_field(field, to)))
                });
                let (changes, fields): (Vec<_>, Vec<_>) =
                    changed.collect::<Option<Vec<_>>>()?.into_iter().unzip();
                let fields = Fields::from(fields);
                let change = match changes.iter().all(|change| *change == Self::Keep) {
                    true => Self::Keep,
                    false => Self::Fields(changes, fields.clone()),
                };
                Some((change, DataType::Struct(fields)))
            }
            values => {
                let leaf = leaf(values)?;
                let to = leaf.of(values)?;
                Some((if leaf == Leaf::Plain { Self::Keep } else { Self::Values(leaf) }, to))
            }
        }
    }

    /// Changes an array. Where values must be exact, what would be rounded does not fit.
    pub fn apply(&self, array: &ArrayRef, is_exact: bool) -> Result<ArrayRef, Failed> {
        match self {
            Self::Keep => Ok(Arc::clone(array)),
            Self::Unpack(change) => change.apply(&unpack(array)?, is_exact),
            Self::Values(leaf) => Ok(leaf.apply(array, is_exact)?),
            Self::Items(change, item) => match change_items(change, item, array, is_exact) {
                // Values that no list refers to do not count: without them it may go well.
                Err(Failed::Unfit(_)) if has_gaps(array) => {
                    change_items(change, item, &take(array, &every(array), None)?, is_exact)
                }
                changed => changed,
            },
            Self::Single(is_nullable) => single(array, *is_nullable),
            Self::Flatten => shape::flatten(array),
            Self::Fields(changes, fields) => {
                let structs = array.as_struct();
                let columns = changes.iter().zip(structs.columns());
                let columns = columns.map(|(change, column)| change.apply(column, is_exact));
                let columns = columns.collect::<Result<Vec<_>, _>>()?;
                let nulls = structs.nulls().cloned();
                Ok(Arc::new(StructArray::try_new_with_length(fields.clone(), columns, nulls, structs.len())?))
            }
        }
    }
}

/// Returns the item of a list type.
pub fn item(data_type: &DataType) -> Option<&FieldRef> {
    match data_type {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => Some(item),
        _ => None,
    }
}

/// Returns the values of lists that have one each.
fn single(array: &ArrayRef, is_nullable: bool) -> Result<ArrayRef, Failed> {
    let absent =
        array.nulls().filter(|_| !is_nullable).and_then(|nulls| nulls.iter().position(|valid| !valid));
    let absent = absent.map(|index| Unfit {
        index,
        what: "the feature is absent, and was in every record before".to_owned(),
    });
    let unfit = first_not_one(array).map(|found| Unfit {
        index: found.row,
        what: format!("the feature has {}, and had one in every record before", found.values()),
    });
    match absent.into_iter().chain(unfit).min_by_key(|unfit| unfit.index) {
        Some(unfit) => Err(unfit.into()),
        None => Ok(one_of_each(array)?),
    }
}

/// Returns a field with another type, and without what said what the type was beside it.
pub(super) fn plain_field(field: &Field, to: DataType) -> Field {
    let is_same = *field.data_type() == to;
    let changed = field.clone().with_data_type(to);
    if is_same { changed } else { changed.with_metadata(Default::default()) }
}

fn every(array: &ArrayRef) -> UInt64Array {
    UInt64Array::from_iter_values(0..array.len() as u64)
}

/// Changes the items of lists. The index of an item that does not fit becomes that of its list.
fn change_items(
    change: &ColumnChange,
    item: &FieldRef,
    array: &ArrayRef,
    is_exact: bool,
) -> Result<ArrayRef, Failed> {
    match array.data_type() {
        DataType::List(_) => lists::<i32>(change, item, array, is_exact),
        DataType::LargeList(_) => lists::<i64>(change, item, array, is_exact),
        _ => {
            let lists = array.as_fixed_size_list();
            let size = lists.value_length();
            let of_list = |unfit: Unfit| {
                let index = unfit.index / usize::try_from(size).unwrap_or(1).max(1);
                Unfit { index, ..unfit }
            };
            let values = located(change.apply(lists.values(), is_exact), of_list)?;
            let (item, nulls) = (Arc::clone(item), lists.nulls().cloned());
            Ok(Arc::new(FixedSizeListArray::try_new_with_length(item, size, values, nulls, lists.len())?))
        }
    }
}

fn lists<O: OffsetSizeTrait>(
    change: &ColumnChange,
    item: &FieldRef,
    array: &ArrayRef,
    is_exact: bool,
) -> Result<ArrayRef, Failed> {
    let lists = array.as_list::<O>();
    let offsets = lists.offsets();
    let (first, last) = (offsets[0], offsets[lists.len()]);
    // A slice of a longer array refers to some of its values only.
    let (start, len) = (first.as_usize(), (last - first).as_usize());
    let is_whole = start == 0 && len == lists.values().len();
    let values = if is_whole { Arc::clone(lists.values()) } else { lists.values().slice(start, len) };
    let of_list = |unfit: Unfit| {
        let item = unfit.index + start;
        let index = offsets.partition_point(|offset| offset.as_usize() <= item).saturating_sub(1);
        Unfit { index, ..unfit }
    };
    let values = located(change.apply(&values, is_exact), of_list)?;
    let offsets = match start {
        0 => offsets.clone(),
        _ => OffsetBuffer::new(offsets.iter().map(|offset| *offset - first).collect::<ScalarBuffer<O>>()),
    };
    Ok(Arc::new(GenericListArray::try_new(Arc::clone(item), offsets, values, lists.nulls().cloned())?))
}

fn located(changed: Result<ArrayRef, Failed>, of_list: impl Fn(Unfit) -> Unfit) -> Result<ArrayRef, Failed> {
    changed.map_err(|failed| match failed {
        Failed::Unfit(unfit) => Failed::Unfit(of_list(unfit)),
        other => other,
    })
}

/// Returns whether a list that is null may refer to values.
fn has_gaps(array: &ArrayRef) -> bool {
    array.null_count() > 0
}

/// Returns the values of a dictionary, of runs, or of list views as a plain array in row order.
pub(super) fn unpack(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    match array.data_type() {
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            take(dictionary.values(), dictionary.keys(), None)
        }
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => runs::<Int16Type>(array),
            DataType::Int32 => runs::<Int32Type>(array),
            _ => runs::<Int64Type>(array),
        },
        DataType::ListView(item) => views::<i32>(array, item),
        DataType::LargeListView(item) => views::<i64>(array, item),
        _ => Ok(Arc::clone(array)),
    }
}

fn runs<E: RunEndIndexType>(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let Some(runs) = array.as_run_opt::<E>() else { return Ok(Arc::clone(array)) };
    let logical = (0..array.len() as u64).collect::<Vec<_>>();
    let physical = runs.get_physical_indices(&logical)?;
    let physical = UInt64Array::from_iter_values(physical.into_iter().map(|index| index as u64));
    take(runs.values(), &physical, None)
}

fn views<O: OffsetSizeTrait>(array: &ArrayRef, item: &FieldRef) -> Result<ArrayRef, ArrowError> {
    let lists = array.as_list_view::<O>();
    let nulls: Option<&NullBuffer> = lists.nulls();
    let (mut items, mut lengths) = (Vec::new(), Vec::with_capacity(lists.len()));
    for (row, (offset, size)) in lists.offsets().iter().zip(lists.sizes()).enumerate() {
        let size = if nulls.is_some_and(|nulls| nulls.is_null(row)) { 0 } else { size.as_usize() };
        items.extend((offset.as_usize()..).take(size).map(|index| index as u64));
        lengths.push(size);
    }
    let values = take(lists.values(), &UInt64Array::from(items), None)?;
    let offsets = OffsetBuffer::<O>::from_lengths(lengths);
    Ok(Arc::new(GenericListArray::try_new(Arc::clone(item), offsets, values, nulls.cloned())?))
}
