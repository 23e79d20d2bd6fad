//! Projections of a schema to the columns of a request.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{
    Array as _, ArrayRef, FixedSizeListArray, GenericListArray, OffsetSizeTrait, RecordBatch,
    RecordBatchOptions, StructArray,
};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use tfxio_base::{Detail, Error, ErrorKind, Result, suggest};

use crate::{Column, Count, ScanRequest};

/// Projection of a schema to the columns of a request, for formats that read whole rows or whole columns and leave out what
/// was not asked for. A path to a field of a struct, in lists or not, leaves out the other fields.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int64Array};
/// use arrow_schema::{DataType, Field, Schema};
/// use tfxio_core::{Projection, ScanRequest};
///
/// let whole = Arc::new(Schema::new(["id", "label"].map(|name| Field::new(name, DataType::Int64, false)).to_vec()));
/// let projection = Projection::new(&whole, &ScanRequest::new().columns(["label"]))?;
/// let [id, label] = [[1, 2], [7, 8]].map(|values| Arc::new(Int64Array::from(values.to_vec())) as ArrayRef);
/// let batch = projection.batch(vec![id, label])?;
/// assert_eq!(batch.schema(), *projection.schema());
/// assert_eq!((batch.num_columns(), batch.num_rows()), (1, 2));
/// assert!(Projection::new(&whole, &ScanRequest::new().columns(["lable"])).is_err());
/// # Ok::<(), tfxio_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Projection {
    whole: SchemaRef,
    schema: SchemaRef,
    /// Columns to read, in the order of the schema.
    read: Vec<usize>,
    /// Index in `read` of each column of the request.
    order: Vec<usize>,
}

impl Projection {
    /// Returns the projection of rows of a schema to the columns of a request, or to all.
    ///
    /// # Errors
    /// `InvalidArgument` for a column or a field that does not exist, with the nearest name.
    pub fn new(whole: &SchemaRef, request: &ScanRequest) -> Result<Self> {
        let Some(columns) = &request.columns else {
            let all = (0..whole.fields().len()).collect::<Vec<_>>();
            let (whole, schema) = (Arc::clone(whole), Arc::clone(whole));
            return Ok(Self { whole, schema, read: all.clone(), order: all });
        };
        // Each column with the paths of the fields that are asked for inside of it; with none it is asked for as a whole.
        let mut picked: Vec<(usize, Vec<&[Arc<str>]>)> = Vec::new();
        // Where in it a column stands first: as a whole, or with all fields that are asked for.
        let mut first_of: HashMap<usize, usize> = HashMap::new();
        let of_schema = whole.fields().iter().enumerate().rev();
        let by_name =
            of_schema.map(|(index, field)| (field.name().as_str(), index)).collect::<HashMap<_, _>>();
        for Column { path, .. } in columns {
            let [first, rest @ ..] = path.steps() else {
                return Err(Error::new(ErrorKind::InvalidArgument, "a column of the request has no name"));
            };
            let index = *by_name.get(&**first).ok_or_else(|| UnknownColumn::error(first, whole))?;
            let known = first_of.get(&index).and_then(|at| picked.get_mut(*at));
            match known.map(|(_, fields)| (fields.is_empty(), fields)) {
                Some((false, fields)) if rest.is_empty() => fields.clear(),
                Some((false, fields)) => fields.push(rest),
                Some((true, _)) if !rest.is_empty() => {}
                // A column may be asked for twice.
                _ => {
                    first_of.entry(index).or_insert(picked.len());
                    picked.push((index, if rest.is_empty() { Vec::new() } else { vec![rest] }));
                }
            }
        }
        let mut read = picked.iter().map(|(index, _)| *index).collect::<Vec<_>>();
        read.sort_unstable();
        read.dedup();
        let order = picked.iter().map(|(index, _)| read.partition_point(|other| other < index)).collect();
        let fields = picked.iter().map(|(index, paths)| narrowed(whole.field(*index), paths));
        let fields = fields.collect::<Result<Fields>>()?;
        let schema = Arc::new(Schema::new_with_metadata(fields, whole.metadata().clone()));
        Ok(Self { whole: Arc::clone(whole), schema, read, order })
    }

    /// Returns the indices of the columns to read, in the order of the schema.
    #[must_use]
    pub fn read(&self) -> &[usize] {
        &self.read
    }

    /// Returns the schema of the columns of the request.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns the projection to the columns of the request that are in a range of the columns to [read](Self::read), and
    /// the index of each among the columns of the request. So columns can be read apart.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use arrow_schema::{DataType, Field, Schema};
    /// # use tfxio_core::{Projection, ScanRequest};
    /// let whole = ["a", "b", "c"].map(|name| Field::new(name, DataType::Int64, false));
    /// let projection = Projection::new(&Arc::new(Schema::new(whole.to_vec())), &ScanRequest::new().columns(["c", "a"]))?;
    /// let (part, columns) = projection.part(1..2);
    /// assert_eq!((part.read(), columns), (&[2][..], vec![0]));
    /// # Ok::<(), tfxio_core::Error>(())
    /// ```
    #[must_use]
    pub fn part(&self, read: Range<usize>) -> (Self, Vec<usize>) {
        let of_request = self.order.iter().enumerate().filter(|(_, index)| read.contains(index));
        let (columns, order): (Vec<_>, Vec<_>) =
            of_request.map(|(column, index)| (column, index - read.start)).unzip();
        let fields = columns.iter().filter_map(|column| self.schema.fields().get(*column).cloned());
        let schema = Schema::new_with_metadata(fields.collect::<Fields>(), self.schema.metadata().clone());
        let read = self.read.get(read).unwrap_or_default().to_vec();
        (Self { whole: Arc::clone(&self.whole), schema: Arc::new(schema), read, order }, columns)
    }

    /// Returns a batch of the columns of the request, of all columns of some rows.
    ///
    /// # Errors
    /// `Other` if the columns do not match the schema.
    pub fn batch(&self, columns: Vec<ArrayRef>) -> Result<RecordBatch> {
        self.pick(&RecordBatch::try_new(Arc::clone(&self.whole), columns)?.project(&self.read)?)
    }

    /// Returns a batch of the columns of the request, of a batch of the columns to [read](Self::read).
    ///
    /// # Errors
    /// `InvalidArgument` where the columns of the batch are others, in number or by name; `Malformed` where a column has another type than
    /// in the schema.
    pub fn pick(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        self.check(batch)?;
        let columns = self.order.iter().zip(self.schema.fields()).map(|(index, field)| {
            let column = batch.columns().get(*index).ok_or_else(|| {
                Error::new(ErrorKind::Other, format!("the reader has left out the column {:?}", field.name()))
            })?;
            narrow(column, field)
        });
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        Ok(RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?)
    }

    /// Checks that a batch has the columns to read: a column that is taken by its position has the values of another else.
    fn check(&self, batch: &RecordBatch) -> Result<()> {
        const HELP: &str = "give the columns that are read, in the order of the schema";
        let found = batch.schema_ref().fields();
        if found.len() != self.read.len() {
            let what = format!(
                "the batch has {}, and the projection reads {}",
                Count::of(found.len(), "column"),
                Count::of(self.read.len(), "column")
            );
            return Err(Error::new(ErrorKind::InvalidArgument, what).help(HELP));
        }
        let wanted = self.read.iter().filter_map(|index| self.whole.fields().get(*index));
        let other = wanted
            .zip(found)
            .enumerate()
            .find(|(_, (wanted, found))| !Arc::ptr_eq(wanted, found) && wanted.name() != found.name());
        let Some((at, (wanted, found))) = other else { return Ok(()) };
        let what = format!(
            "column {at} of the batch is {:?}, and the projection reads {:?}",
            found.name(),
            wanted.name()
        );
        Err(Error::new(ErrorKind::InvalidArgument, what).help(HELP))
    }
}

/// A request names a column that does not exist: the detail of such an error, whose kind is `InvalidArgument`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownColumn(String);

impl UnknownColumn {
    /// Returns the error of a request for a column that a schema does not have, with the nearest names.
    #[must_use]
    pub fn error(name: &str, schema: &Schema) -> Error {
        Self::among(name, schema.fields().iter().map(|field| field.name().as_str()))
    }

    /// Returns the error of a request for a column that is not among these, with the nearest of them.
    pub fn among<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Error {
        let hint = suggest::hint(name, known, "columns");
        Error::new(Self(name.to_owned()), format!("there is no column {name:?}")).help(hint)
    }

    /// Returns the name of the column.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl Detail for UnknownColumn {
    fn kind(&self) -> ErrorKind {
        ErrorKind::InvalidArgument
    }
}

/// Returns a field with only the nested fields that `paths` lead to; all of them if `paths` is empty.
fn narrowed(field: &Field, paths: &[&[Arc<str>]]) -> Result<FieldRef> {
    if paths.iter().any(|path| path.is_empty()) || paths.is_empty() {
        return Ok(Arc::new(field.clone()));
    }
    let data_type = match field.data_type() {
        DataType::List(item) => DataType::List(narrowed(item, paths)?),
        DataType::LargeList(item) => DataType::LargeList(narrowed(item, paths)?),
        DataType::FixedSizeList(item, len) => DataType::FixedSizeList(narrowed(item, paths)?, *len),
        DataType::Struct(fields) => {
            // The paths below each name, so that the fields are gone over once.
            let mut below: HashMap<&str, Vec<&[Arc<str>]>> = HashMap::new();
            let known = fields.iter().map(|field| field.name().as_str()).collect::<HashSet<_>>();
            for path in paths {
                let Some((name, rest)) = path.split_first() else { continue };
                below.entry(&**name).or_default().push(rest);
                if !known.contains(&**name) {
                    let what = format!("the column {:?} has no field {name:?}", field.name());
                    let hint =
                        suggest::hint(name, fields.iter().map(|field| field.name().as_str()), "fields");
                    return Err(Error::new(ErrorKind::InvalidArgument, what).help(hint));
                }
            }
            let kept = fields
                .iter()
                .filter_map(|field| below.get(field.name().as_str()).map(|below| narrowed(field, below)));
            DataType::Struct(kept.collect::<Result<Fields>>()?)
        }
        _ => {
            let what = format!("the column {:?} has no fields", field.name());
            return Err(Error::new(ErrorKind::InvalidArgument, what));
        }
    };
    Ok(Arc::new(field.clone().with_data_type(data_type)))
}

/// Returns a column with only the fields that a field has.
fn narrow(column: &ArrayRef, to: &Field) -> Result<ArrayRef> {
    if column.data_type() == to.data_type() {
        return Ok(Arc::clone(column));
    }
    Ok(match (column.data_type(), to.data_type()) {
        (DataType::List(_), DataType::List(item)) => narrow_lists::<i32>(column, item)?,
        (DataType::LargeList(_), DataType::LargeList(item)) => narrow_lists::<i64>(column, item)?,
        (DataType::FixedSizeList(..), DataType::FixedSizeList(item, len)) => {
            let lists = column.as_fixed_size_list();
            let (values, nulls) = (narrow(lists.values(), item)?, lists.nulls().cloned());
            let lists =
                FixedSizeListArray::try_new_with_length(Arc::clone(item), *len, values, nulls, lists.len());
            Arc::new(lists?)
        }
        (DataType::Struct(_), DataType::Struct(fields)) => {
            let structs = column.as_struct();
            let found = structs.fields().iter().zip(structs.columns()).rev();
            let found = found.map(|(field, column)| (field.name(), column)).collect::<HashMap<_, _>>();
            let columns = fields
                .iter()
                .map(|field| narrow(found.get(field.name()).ok_or_else(|| changed(column, field))?, field));
            let (columns, nulls) = (columns.collect::<Result<Vec<_>>>()?, structs.nulls().cloned());
            Arc::new(StructArray::try_new_with_length(fields.clone(), columns, nulls, structs.len())?)
        }
        _ => return Err(changed(column, to)),
    })
}

fn changed(column: &ArrayRef, field: &Field) -> Error {
    let what = format!(
        "{:?} has the type {}, and the schema says {}",
        field.name(),
        column.data_type(),
        field.data_type()
    );
    Error::new(ErrorKind::Malformed, what)
}

fn narrow_lists<O: OffsetSizeTrait>(column: &ArrayRef, item: &FieldRef) -> Result<ArrayRef> {
    let lists = column.as_list::<O>();
    let (values, nulls) = (narrow(lists.values(), item)?, lists.nulls().cloned());
    Ok(Arc::new(GenericListArray::try_new(Arc::clone(item), lists.offsets().clone(), values, nulls)?))
}
