//! Translation of a request for columns of a set to a request for columns of one of its files.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, SchemaRef};
use tfxio_core::{Column, ColumnPath, ColumnStatistics, Layout, Projection, Result, ScanRequest};

use super::Merged;
use super::types::{self, Unlike};
use crate::executor::unfiltered;
use crate::filter;

/// A request of columns of a set, as one of a file whose columns are others.
#[derive(Debug)]
pub struct Fitting {
    /// Request for the file.
    pub request: ScanRequest,
    /// Columns that are asked for of the set.
    pub schema: SchemaRef,
}

impl Merged {
    /// Returns the columns of a request.
    ///
    /// # Errors
    /// `InvalidArgument` for a column that does not exist, `SchemaMismatch` for one that cannot be read of all files.
    pub fn projected(&self, request: &ScanRequest) -> Result<SchemaRef> {
        let projection = Projection::new(self.schema(), request)?;
        self.check(request.columns.as_deref())?;
        Ok(Arc::clone(projection.schema()))
    }

    /// Returns the request for a file with these columns; nothing where they are the columns of the set.
    ///
    /// # Errors
    /// As [`projected`](Self::projected), and `SchemaMismatch` for a column of the file whose values are not such of the set.
    pub fn fitting(
        &self,
        file: &Arc<str>,
        of_file: &SchemaRef,
        request: &ScanRequest,
    ) -> Result<Option<Fitting>> {
        if of_file.fields() == self.schema().fields() {
            return self.check(request.columns.as_deref()).map(|()| None);
        }
        let schema = self.projected(request)?;
        let named = of_file.fields().iter().map(|field| (field.name().as_str(), field));
        let named = named.collect::<HashMap<_, _>>();
        let refused = |field: &FieldRef, reason: &Unlike| self.refused(field, file, reason);
        for field in schema.fields() {
            match named.get(field.name().as_str()) {
                Some(own) => self.check_fits(field, own).map_err(|reason| refused(field, &reason))?,
                None if self.is_union() && field.is_nullable() => {}
                None => return Err(refused(field, &Unlike::NotInSecond(Vec::new()))),
            }
        }
        // Columns that the look at the files did not find would be lost.
        if request.columns.is_none() && !self.is_given() {
            let known = self.schema().fields().iter().map(|field| field.name().as_str());
            let known = known.collect::<std::collections::HashSet<_>>();
            if let Some(other) = of_file.fields().iter().find(|field| !known.contains(field.name().as_str()))
            {
                return Err(refused(other, &Unlike::NotInFirst(Vec::new())));
            }
        }
        let mut inner = match &request.filter {
            Some(predicate)
                if !filter::columns(predicate).iter().all(|path| self.is_same(&named, path.steps())) =>
            {
                unfiltered(request).into_owned()
            }
            _ => request.clone(),
        };
        let asked = |path: &[Arc<str>]| has(&named, path);
        inner.columns = Some(match &request.columns {
            Some(columns) => {
                let columns = columns.iter().filter(|column| asked(column.path.steps()));
                columns.map(|column| column.clone().layout(Layout::AsSchema)).collect()
            }
            None => {
                let columns = schema.fields().iter().map(|field| field.name().as_str());
                columns.filter(|name| named.contains_key(name)).map(column).collect()
            }
        });
        Ok(Some(Fitting { request: inner, schema }))
    }

    /// Keeps what is said of columns that have the same type in a file.
    pub fn keep_alike(&self, of_file: &SchemaRef, columns: &mut Vec<(ColumnPath, ColumnStatistics)>) {
        if of_file.fields() == self.schema().fields() {
            return;
        }
        let named = of_file.fields().iter().map(|field| (field.name().as_str(), field)).collect();
        columns.retain(|(path, _)| self.is_same(&named, path.steps()));
    }

    /// Returns whether a column has the same type in a file.
    fn is_same(&self, named: &HashMap<&str, &FieldRef>, path: &[Arc<str>]) -> bool {
        let Some(name) = path.first() else { return false };
        let own = self.schema().fields().find(name).map(|(_, field)| field.data_type());
        named.get(&**name).is_some_and(|field| Some(field.data_type()) == own)
    }

    /// Checks that values of a column of a file are values of the set.
    fn check_fits(&self, field: &FieldRef, own: &FieldRef) -> Result<(), Unlike> {
        let whole = self.schema().fields().find(field.name()).map(|(_, whole)| whole);
        let is_whole = whole.is_some_and(|whole| whole.data_type() == field.data_type());
        let own = if is_whole { Arc::clone(own) } else { narrowed(own, field) };
        let merged = types::field(field, &own, self.is_union())?;
        if loosened(&merged) == loosened(field) {
            return Ok(());
        }
        Err(Unlike::Types(Vec::new(), field.data_type().clone(), own.data_type().clone()))
    }
}

fn column(name: &str) -> Column {
    Column::new(ColumnPath::new([name]))
}

/// Returns whether a path leads to a field.
fn has(named: &HashMap<&str, &FieldRef>, path: &[Arc<str>]) -> bool {
    let Some((name, mut rest)) = path.split_first() else { return false };
    let Some(field) = named.get(&**name) else { return false };
    let mut data_type = field.data_type();
    loop {
        data_type = match data_type {
            DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
                item.data_type()
            }
            DataType::Struct(fields) if !rest.is_empty() => {
                let Some((name, after)) = rest.split_first() else { return true };
                let Some((_, field)) = fields.find(name) else { return false };
                rest = after;
                field.data_type()
            }
            _ => return rest.is_empty(),
        };
    }
}

/// Returns a field with those fields only that another has, by name.
fn narrowed(own: &FieldRef, to: &Field) -> FieldRef {
    let data_type = match (own.data_type(), to.data_type()) {
        (DataType::Struct(own), DataType::Struct(to)) => {
            let kept = own.iter().filter_map(|own| to.find(own.name()).map(|(_, to)| narrowed(own, to)));
            DataType::Struct(kept.collect::<Fields>())
        }
        (own, DataType::List(to) | DataType::LargeList(to) | DataType::FixedSizeList(to, _)) => match own {
            DataType::List(own) => DataType::List(narrowed(own, to)),
            DataType::LargeList(own) => DataType::LargeList(narrowed(own, to)),
            DataType::FixedSizeList(own, size) => DataType::FixedSizeList(narrowed(own, to), *size),
            _ => return Arc::new(Field::clone(to).with_data_type(own.clone())),
        },
        _ => return Arc::clone(own),
    };
    Arc::new(own.as_ref().clone().with_data_type(data_type))
}

/// Returns a field whose values may be null at every level, without anything beside its type.
fn loosened(field: &Field) -> Field {
    let item = |item: &FieldRef| Arc::new(loosened(item).with_name("item"));
    let all = |fields: &Fields| fields.iter().map(|field| loosened(field)).collect::<Fields>();
    let data_type = match field.data_type() {
        DataType::List(of) => DataType::List(item(of)),
        DataType::LargeList(of) => DataType::LargeList(item(of)),
        DataType::FixedSizeList(of, size) => DataType::FixedSizeList(item(of), *size),
        DataType::Struct(fields) => DataType::Struct(all(fields)),
        DataType::Map(entry, is_sorted) => DataType::Map(item(entry), *is_sorted),
        other => other.clone(),
    };
    Field::new(field.name(), data_type, true)
}
