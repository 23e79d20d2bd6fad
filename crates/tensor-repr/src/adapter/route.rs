//! The way from a batch to the values of a column path.

use std::collections::HashMap;

use arrow_schema::{DataType, Schema};
use tfxio_core::DType;

use crate::kind::{Locate as _, with_nearest};
use crate::{ColumnPath, Error, Kind, Values};

/// One step on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RouteStep {
    /// Into a `List`.
    List,
    /// Into a `LargeList`.
    LargeList,
    /// Into a `FixedSizeList` of that size.
    FixedSizeList(usize),
    /// To a field of a struct.
    Field(usize),
}

/// The way from a batch to the values of a column path, checked against the schema.
#[derive(Clone, Debug)]
pub(super) struct Route {
    /// The column in the batch.
    pub(super) column: usize,
    /// The path, for errors.
    pub(super) path: ColumnPath,
    pub(super) steps: Vec<RouteStep>,
    /// The type at the end: none of a list.
    pub(super) end: DataType,
}

/// The columns of a schema by their names.
pub(super) struct SchemaColumns<'a> {
    schema: &'a Schema,
    by_name: HashMap<&'a str, usize>,
}

impl<'a> SchemaColumns<'a> {
    pub(super) fn new(schema: &'a Schema) -> Self {
        // Of two of one name the first counts.
        let names = schema.fields().iter().enumerate().rev();
        Self { schema, by_name: names.map(|(at, field)| (field.name().as_str(), at)).collect() }
    }
}

impl Route {
    /// Returns the route to what a path names and through all lists there.
    pub(super) fn find(columns: &SchemaColumns<'_>, path: &ColumnPath) -> Result<Self, Error> {
        let (first, rest) = path.steps().split_first().ok_or_else(|| {
            Error::new(Kind::InvalidRepresentation, "the column path is empty; name a column")
        })?;
        let schema = columns.schema;
        let column = columns.by_name.get(&**first).copied().ok_or_else(|| {
            let names = schema.fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>();
            let message = format!("there is no such column in the batch; it has {}", listed(&names));
            with_nearest(Error::new(Kind::MissingColumn, message), first, &names).in_column(path)
        })?;
        let mut route = Self { column, path: path.clone(), steps: Vec::new(), end: DataType::Null };
        let mut at = route.through_lists(schema.field(column).data_type());
        for step in rest {
            at = match at {
                DataType::Struct(fields) => {
                    let field = fields.iter().position(|field| *field.name() == **step).ok_or_else(|| {
                        let names = fields.iter().map(|field| field.name().as_str()).collect::<Vec<_>>();
                        let message =
                            format!("there is no field {step:?}; the struct has {}", listed(&names));
                        with_nearest(Error::new(Kind::MissingColumn, message), step, &names).in_column(path)
                    })?;
                    route.steps.push(RouteStep::Field(field));
                    fields.get(field).map_or(&DataType::Null, |field| field.data_type())
                }
                // A column without any value has no fields either; it stands for all of them.
                DataType::Null => break,
                other => {
                    let message = format!("there is no field {step:?} in {other}, which is not a struct");
                    return Err(Error::new(Kind::MissingColumn, message).in_column(path));
                }
            };
            at = route.through_lists(at);
        }
        route.end = at.clone();
        Ok(route)
    }

    /// Returns the route through all lists of a type, for a field of a struct that is the starting point.
    pub(super) fn inside(path: ColumnPath, data_type: &DataType) -> Self {
        let mut route = Self { column: 0, path, steps: Vec::new(), end: DataType::Null };
        route.end = route.through_lists(data_type).clone();
        route
    }

    fn through_lists<'a>(&mut self, mut data_type: &'a DataType) -> &'a DataType {
        loop {
            let (step, item) = match data_type {
                DataType::List(item) => (RouteStep::List, item),
                DataType::LargeList(item) => (RouteStep::LargeList, item),
                DataType::FixedSizeList(item, size) => {
                    (RouteStep::FixedSizeList(usize::try_from(*size).unwrap_or_default()), item)
                }
                other => return other,
            };
            self.steps.push(step);
            data_type = item.data_type();
        }
    }

    /// Returns the number of lists on the way.
    pub(super) fn lists(&self) -> usize {
        self.steps.iter().filter(|step| !matches!(step, RouteStep::Field(_))).count()
    }

    /// Returns whether the column never has a value: the type at the end is `Null`.
    pub(super) fn is_null(&self) -> bool {
        self.end == DataType::Null
    }

    /// Returns the dtype of the values: the column's, which must be the wanted one. A column of nulls has the wanted one.
    pub(super) fn dtype(&self, wanted: Option<DType>) -> Result<DType, Error> {
        let mismatch = |message: String| Error::new(Kind::TypeMismatch, message).in_column(&self.path);
        match (Values::dtype_of(&self.end), wanted) {
            (Some(found), Some(wanted)) if found != wanted => Err(mismatch(format!(
                "the values are {found} ({}), the representation says {wanted}",
                self.end
            ))),
            (Some(found), _) => Ok(found),
            (None, Some(wanted)) if self.is_null() => Ok(wanted),
            (None, None) if self.is_null() => Err(mismatch(
                "the column is of the type Null, which has no dtype; say the dtype in the representation"
                    .to_owned(),
            )),
            (None, _) => Err(mismatch(match &self.end {
                DataType::Struct(fields) => {
                    let names = fields.iter().map(|field| field.name().as_str()).collect::<Vec<_>>();
                    format!("the path ends at a struct; go on to one of its fields, {}", listed(&names))
                }
                other => format!("values of the Arrow type {other} have no dtype"),
            })),
        }
    }
}

/// Names for a message, the first few of them.
fn listed(names: &[&str]) -> String {
    const SHOWN: usize = 8;
    if names.is_empty() {
        return "none".to_owned();
    }
    let mut text = names.iter().take(SHOWN).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(" and {} more", names.len() - SHOWN));
    }
    text
}
