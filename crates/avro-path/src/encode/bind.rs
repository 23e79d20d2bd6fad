//! Binding of columns to the types that they are written as.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int16Type, Int32Type, Int64Type, RunEndIndexType};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Fields};

use super::bytes::Bytes;
use super::column::{Cell, Part, Ranges, Values};
use super::{leaf, plain_type};
use crate::datum::write_default;
use crate::schema::{AvroSchema, Record, Type, TypeId};
use crate::{Error, Kind, Result};

/// Matching of columns to the fields of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Matching {
    /// By their names.
    Names,
    /// By their order: the schema was derived from the columns.
    Order,
}

/// Binds columns to the types of a schema.
#[derive(Clone, Copy)]
pub(super) struct Binder<'a> {
    pub(super) schema: &'a AvroSchema,
    pub(super) matching: Matching,
}

impl<'a> Binder<'a> {
    /// Binds a column to a type.
    pub(super) fn cell(self, id: TypeId, array: &'a dyn Array) -> Result<Cell<'a>> {
        let is_null = *plain_type(array.data_type()) == DataType::Null;
        let nulls = if is_null { None } else { array.logical_nulls().filter(|nulls| nulls.null_count() > 0) };
        let Type::Union(branches) = self.schema.get(id) else {
            return Ok(Cell { nulls, null: None, branch: None, values: self.values(id, array)? });
        };
        let number = |wanted: &dyn Fn(TypeId) -> bool| {
            branches.iter().position(|&branch| wanted(branch)).map(|number| (number as i64, branches[number]))
        };
        let null = number(&|branch| matches!(self.schema.get(branch), Type::Null)).map(|(number, _)| number);
        if let (true, Some(_)) = (is_null, null) {
            return Ok(Cell { nulls: None, null, branch: null, values: Values::Nothing });
        }
        let Some((branch, id)) = number(&|branch| self.suits(branch, array)) else {
            let values = self.branches(branches, null, array)?.ok_or_else(|| self.unfit(id, array))?;
            return Ok(Cell { nulls, null, branch: None, values });
        };
        Ok(Cell { nulls, null, branch: Some(branch), values: self.values(id, array)? })
    }

    /// Binds a struct with a field for each branch of a union, as unions are read; `None` if it is another struct.
    fn branches(
        self,
        branches: &'a [TypeId],
        null: Option<i64>,
        array: &'a dyn Array,
    ) -> Result<Option<Values<'a>>> {
        let Some(array) = array.as_struct_opt().filter(|array| array.num_columns() > 0) else {
            return Ok(None);
        };
        let mut cells = Vec::with_capacity(array.num_columns());
        for (field, column) in array.fields().iter().zip(array.columns()) {
            let name = field.name().as_str();
            let is_called = |branch: &&TypeId| {
                let full = self.schema.branch_name(**branch);
                full == name || full.rsplit('.').next() == Some(name)
            };
            let exact = branches.iter().position(|&branch| self.schema.branch_name(branch) == name);
            let Some(number) = exact.or_else(|| branches.iter().position(|branch| is_called(&branch))) else {
                return Ok(None);
            };
            let cell = self.cell(branches[number], column).map_err(|error| error.within(name))?;
            cells.push((number as i64, name, cell));
        }
        Ok(Some(Values::Branches(cells, null)))
    }

    /// Returns whether a branch of a union is the one for a column, as far as that can be decided without looking into
    /// both.
    fn suits(self, id: TypeId, array: &dyn Array) -> bool {
        match (self.schema.get(id), plain_type(array.data_type())) {
            (Type::Null, _) => false,
            (Type::Record(record), DataType::Struct(fields)) => {
                self.matching == Matching::Order
                    || fields.iter().all(|field| record.field(field.name()).is_some())
            }
            (
                Type::Array(_),
                DataType::List(_)
                | DataType::LargeList(_)
                | DataType::FixedSizeList(..)
                | DataType::ListView(_)
                | DataType::LargeListView(_),
            ) => true,
            (Type::Array(_) | Type::Map(_), DataType::Map(..)) => true,
            (Type::Record(_) | Type::Array(_) | Type::Map(_) | Type::Union(_), _) => false,
            (_, plain) => {
                let empty = arrow_array::new_empty_array(plain);
                leaf::values(self.schema, id, &empty).is_some()
            }
        }
    }

    fn values(self, id: TypeId, array: &'a dyn Array) -> Result<Values<'a>> {
        let unfit = || self.unfit(id, array);
        match array.data_type() {
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary_opt().ok_or_else(unfit)?;
                let values = dictionary.values();
                // Without values every key is null.
                let rows = if values.is_empty() { Vec::new() } else { dictionary.normalized_keys() };
                return Ok(Values::Through(rows, Box::new(self.values(id, values)?)));
            }
            DataType::RunEndEncoded(..) => {
                let (rows, values) = runs::<Int16Type>(array)
                    .or_else(|| runs::<Int32Type>(array))
                    .or_else(|| runs::<Int64Type>(array))
                    .ok_or_else(unfit)?;
                return Ok(Values::Through(rows, Box::new(self.values(id, values)?)));
            }
            _ => {}
        }
        match (self.schema.get(id), array.data_type()) {
            (Type::Record(record), DataType::Struct(_)) => {
                let array = array.as_struct_opt().ok_or_else(unfit)?;
                self.record(record, array.fields(), array.columns())
            }
            (Type::Array(items), DataType::Map(..)) => {
                let map = array.as_map_opt().ok_or_else(unfit)?;
                self.list(Ranges::Offsets32(map.value_offsets()), *items, map.entries())
            }
            (Type::Map(values), DataType::Map(..)) => {
                let map = array.as_map_opt().ok_or_else(unfit)?;
                let keys = Bytes::strings(map.keys()).ok_or_else(|| {
                    let what = format!("the map has keys of the type {}, Avro's are strings", map.key_type());
                    Error::new(Kind::ValueMismatch, what)
                })?;
                let values = self.cell(*values, map.values()).map_err(|error| error.within("[*]"))?;
                Ok(Values::Map(map.value_offsets(), keys, Box::new(values)))
            }
            (Type::Array(items), DataType::List(_)) => {
                let list = array.as_list_opt::<i32>().ok_or_else(unfit)?;
                self.list(Ranges::Offsets32(list.value_offsets()), *items, list.values())
            }
            (Type::Array(items), DataType::LargeList(_)) => {
                let list = array.as_list_opt::<i64>().ok_or_else(unfit)?;
                self.list(Ranges::Offsets64(list.value_offsets()), *items, list.values())
            }
            (Type::Array(items), DataType::ListView(_)) => {
                let list = array.as_list_view_opt::<i32>().ok_or_else(unfit)?;
                self.list(Ranges::View32(list.value_offsets(), list.value_sizes()), *items, list.values())
            }
            (Type::Array(items), DataType::LargeListView(_)) => {
                let list = array.as_list_view_opt::<i64>().ok_or_else(unfit)?;
                self.list(Ranges::View64(list.value_offsets(), list.value_sizes()), *items, list.values())
            }
            (Type::Array(items), DataType::FixedSizeList(..)) => {
                let list = array.as_fixed_size_list_opt().ok_or_else(unfit)?;
                let each = usize::try_from(list.value_length()).unwrap_or(0);
                self.list(Ranges::Each(each), *items, list.values())
            }
            _ => leaf::values(self.schema, id, array).ok_or_else(unfit),
        }
    }

    fn list(self, ranges: Ranges<'a>, items: TypeId, values: &'a dyn Array) -> Result<Values<'a>> {
        let items = self.cell(items, values).map_err(|error| error.within("[*]"))?;
        Ok(Values::List(ranges, Box::new(items)))
    }

    /// Binds columns to the fields of a record.
    pub(super) fn record(
        self,
        record: &'a Record,
        fields: &'a Fields,
        arrays: &'a [ArrayRef],
    ) -> Result<Values<'a>> {
        let columns = fields.iter().zip(arrays);
        if self.matching == Matching::Order {
            let parts = record.fields().iter().zip(columns).map(|(field, (column, array))| {
                let name = column.name().as_str();
                Ok(Part::Column(name, self.cell(field.type_id(), array).map_err(|error| error.within(name))?))
            });
            return Ok(Values::Record(parts.collect::<Result<_>>()?));
        }
        let mut by_name = HashMap::with_capacity(arrays.len());
        for (column, array) in columns {
            let name = column.name().as_str();
            let is_field = record.field(name).is_some()
                || record.fields().iter().any(|field| field.column_name() == name);
            let what = if !is_field {
                format!("the Avro record {:?} has no field for the column", record.name().full())
            } else if by_name.insert(name, array).is_some() {
                "two columns have this name".to_owned()
            } else {
                continue;
            };
            let error = Error::new(Kind::ValueMismatch, what).help("leave the column out, or rename it");
            return Err(error.at_path(name));
        }
        let parts = record.fields().iter().map(|field| {
            let name = field.name();
            let array = by_name.get(field.column_name()).or_else(|| by_name.get(name));
            let part = match (array, field.default()) {
                (Some(&array), _) => self.cell(field.type_id(), array).map(|cell| Part::Column(name, cell)),
                (None, Some(json)) => {
                    let mut bytes = Vec::new();
                    write_default(self.schema, field.type_id(), json, &mut bytes)
                        .map(|()| Part::Default(bytes))
                }
                (None, None) => {
                    let what = "the Avro field has neither a column nor a default";
                    Err(Error::new(Kind::ValueMismatch, what))
                }
            };
            part.map_err(|error| error.within(name))
        });
        Ok(Values::Record(parts.collect::<Result<_>>()?))
    }

    fn unfit(self, id: TypeId, array: &dyn Array) -> Error {
        let what = format!(
            "the column has the type {}, which does not fit the Avro type {}",
            array.data_type(),
            self.described(id)
        );
        Error::new(Kind::ValueMismatch, what).help("cast the column, or change the Avro schema")
    }

    /// Returns the type with its logical type.
    fn described(self, id: TypeId) -> String {
        match self.schema.logical(id) {
            Some(logical) => format!("{} ({logical:?})", self.schema.describe(id)),
            None => self.schema.describe(id),
        }
    }
}

/// Returns the index of each row's value, and the values.
fn runs<R: RunEndIndexType>(array: &dyn Array) -> Option<(Vec<usize>, &dyn Array)> {
    let runs = array.as_run_opt::<R>()?;
    let rows = (0..u64::try_from(array.len()).ok()?).collect::<Vec<_>>();
    Some((runs.get_physical_indices(&rows).ok()?, runs.values()))
}
