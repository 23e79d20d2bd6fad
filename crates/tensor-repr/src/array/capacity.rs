//! Capacity checks for Arrow's concatenation kernels, which panic on overflow.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;

use super::lists::Lists;

/// Method of concatenating arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// By `concat`, which looks for equal values in dictionaries where it reaches them itself.
    Concat,
    /// By `MutableArrayData`, which puts dictionaries one after the other.
    Append,
}

/// Returns whether the elements of all arrays, which are of one type, fit 32-bit offsets and the keys of dictionaries.
pub(crate) fn has_room(arrays: &[&dyn Array], kernel: Kernel) -> bool {
    let Some(first) = arrays.first() else { return true };
    match first.data_type() {
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => {
            let lists: Vec<_> = arrays.iter().filter_map(|array| Lists::of(*array)).collect();
            let total = lists.iter().fold(0_usize, |sum, lists| sum.saturating_add(lists.whole().len()));
            if matches!(first.data_type(), DataType::List(_)) && i32::try_from(total).is_err() {
                return false;
            }
            // `concat` leaves lists of fixed size to `MutableArrayData`.
            let fixed = matches!(first.data_type(), DataType::FixedSizeList(..));
            let kernel = if fixed { Kernel::Append } else { kernel };
            has_room(&lists.iter().map(|lists| lists.values().as_ref()).collect::<Vec<_>>(), kernel)
        }
        DataType::Map(..) => {
            let maps: Vec<_> = arrays.iter().filter_map(|array| array.as_map_opt()).collect();
            let total = maps.iter().fold(0_usize, |sum, map| sum.saturating_add(map.entries().len()));
            let entries: Vec<&dyn Array> = maps.iter().map(|map| map.entries() as &dyn Array).collect();
            i32::try_from(total).is_ok() && has_room(&entries, kernel)
        }
        DataType::Struct(fields) => (0..fields.len()).all(|at| {
            let structs = arrays.iter().filter_map(|array| array.as_struct_opt());
            has_room(&structs.map(|structs| structs.column(at).as_ref()).collect::<Vec<_>>(), kernel)
        }),
        DataType::Dictionary(key, value) => {
            let merged =
                kernel == Kernel::Concat && (value.is_primitive() || value.is_binary() || value.is_string());
            let dictionaries = arrays.iter().filter_map(|array| array.as_any_dictionary_opt());
            let total = dictionaries.fold(0_usize, |sum, array| sum.saturating_add(array.values().len()));
            merged || total <= keys(key)
        }
        DataType::Union(fields, _) => !fields.iter().any(|(_, field)| holds_dictionary(field.data_type())),
        _ => true,
    }
}

/// Returns the number of values that a key can distinguish.
fn keys(key: &DataType) -> usize {
    match key {
        DataType::Int8 => 1 << 7,
        DataType::UInt8 => 1 << 8,
        DataType::Int16 => 1 << 15,
        DataType::UInt16 => 1 << 16,
        DataType::Int32 => 1 << 31,
        _ => usize::MAX,
    }
}

fn holds_dictionary(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(..) => true,
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::Map(item, _)
        | DataType::RunEndEncoded(_, item) => holds_dictionary(item.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| holds_dictionary(field.data_type())),
        DataType::Union(fields, _) => fields.iter().any(|(_, field)| holds_dictionary(field.data_type())),
        _ => false,
    }
}
