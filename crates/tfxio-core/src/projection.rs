//! The columns of a request, for formats that read whole rows.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::SchemaRef;
use tfxio_base::{Error, ErrorKind, Result, suggest};

use crate::{Column, ScanRequest};

/// The columns of a request, for formats that read whole rows and leave out what was not asked for.
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
    columns: Vec<usize>,
}

impl Projection {
    /// Returns the projection of rows of a schema to the columns of a request.
    ///
    /// # Errors
    /// `InvalidArgument` for a column that does not exist, with the nearest name, and for a field inside of one.
    pub fn new(whole: &SchemaRef, request: &ScanRequest) -> Result<Self> {
        let find = |column: &Column| {
            let found = match column.path.steps() {
                [name] => whole.fields().iter().position(|field| **field.name() == **name),
                _ => None,
            };
            found.ok_or_else(|| {
                let name = column.path.to_string();
                let names = whole.fields().iter().map(|field| field.name().as_str());
                let hint = suggest::hint(&name, names, "columns");
                Error::new(ErrorKind::InvalidArgument, format!("there is no column {name:?}")).help(hint)
            })
        };
        let columns = match &request.columns {
            Some(columns) => columns.iter().map(find).collect::<Result<Vec<_>>>()?,
            None => (0..whole.fields().len()).collect(),
        };
        Ok(Self { whole: Arc::clone(whole), schema: Arc::new(whole.project(&columns)?), columns })
    }

    /// Returns the schema of the columns of the request.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns a batch of the columns of the request, of all columns of some rows.
    ///
    /// # Errors
    /// `Other` where the columns are not those of the schema.
    pub fn batch(&self, columns: Vec<ArrayRef>) -> Result<RecordBatch> {
        Ok(RecordBatch::try_new(Arc::clone(&self.whole), columns)?.project(&self.columns)?)
    }
}
