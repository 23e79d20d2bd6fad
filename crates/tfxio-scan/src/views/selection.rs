//! Some columns of a data set, under the same names or others.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Fields, Schema, SchemaRef};
use tfxio_core::{
    Batch, ChangedDataset, ChangedScan, Column, ColumnPath, Dataset, Error, ErrorKind, Loss, Partition,
    PartitionStatistics, Predicate, Result, Scan, ScanRequest, suggest,
};

/// Some columns of a data set.
#[derive(Debug)]
pub struct Selection {
    dataset: Arc<dyn Dataset>,
    schema: SchemaRef,
    /// The name of each column here, and in the data set.
    columns: Vec<(String, String)>,
    inner_of: HashMap<String, String>,
    own_of: HashMap<String, String>,
}

impl Selection {
    /// Returns the columns, each with its name here and in the data set.
    ///
    /// # Errors
    /// `InvalidArgument` for a column that does not exist, that is named twice, or a name that two columns would have.
    pub fn new(dataset: Arc<dyn Dataset>, columns: Vec<(String, String)>) -> Result<Self> {
        let (mut inner_of, mut own_of) = (HashMap::new(), HashMap::new());
        let known = dataset.schema();
        let mut fields = Vec::with_capacity(columns.len());
        for (own, inner) in &columns {
            let Ok(field) = known.field_with_name(inner) else { return Err(unknown(inner, known)) };
            if inner_of.insert(own.clone(), inner.clone()).is_some() {
                return Err(twice(&format!("two columns are named {own:?}")));
            }
            if own_of.insert(inner.clone(), own.clone()).is_some() {
                return Err(twice(&format!("the column {inner:?} is chosen twice")));
            }
            fields.push(field.clone().with_name(own));
        }
        let schema = Arc::new(Schema::new_with_metadata(fields, known.metadata().clone()));
        Ok(Self { dataset, schema, columns, inner_of, own_of })
    }

    /// Returns a path of the data set.
    fn inner_path(&self, path: &ColumnPath) -> Result<ColumnPath> {
        let name = path.initial_step()?;
        let inner = self.inner_of.get(name).ok_or_else(|| unknown(name, &self.schema))?;
        let rest = path.steps().iter().skip(1).map(|step| &**step);
        Ok(ColumnPath::new(std::iter::once(inner.as_str()).chain(rest)))
    }

    fn inner_filter(&self, filter: &Predicate) -> Result<Predicate> {
        filter.clone().map_columns(&mut |path| self.inner_path(&path))
    }

    fn inner(&self, request: &ScanRequest) -> Result<ScanRequest> {
        let mut inner = request.clone();
        inner.columns = Some(match &request.columns {
            None => self.columns.iter().map(|(_, name)| Column::new(name.as_str())).collect(),
            Some(columns) => {
                let column = |column: &Column| {
                    let mut own = column.clone();
                    own.path = self.inner_path(&column.path)?;
                    Ok(own)
                };
                columns.iter().map(column).collect::<Result<Vec<_>>>()?
            }
        });
        inner.filter = request.filter.as_ref().map(|filter| self.inner_filter(filter)).transpose()?;
        Ok(inner)
    }

    /// Returns columns with their names here.
    fn named(&self, schema: &Schema) -> SchemaRef {
        let fields = schema.fields().iter().map(|field| match self.own_of.get(field.name()) {
            Some(own) if own != field.name() => Arc::new(field.as_ref().clone().with_name(own)),
            _ => Arc::clone(field),
        });
        Arc::new(Schema::new_with_metadata(fields.collect::<Fields>(), schema.metadata().clone()))
    }

    fn renamed(&self, scan: Box<dyn Scan>) -> Box<dyn Scan> {
        let schema = self.named(scan.schema());
        let own = Arc::clone(&schema);
        Box::new(ChangedScan::new(scan, schema, move |batch| {
            let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
            let (columns, origins) = batch.into_parts();
            let columns = columns.columns().to_vec();
            Ok(Batch::new(RecordBatch::try_new_with_options(Arc::clone(&own), columns, &rows)?, origins))
        }))
    }
}

fn unknown(name: &str, schema: &Schema) -> Error {
    let hint = suggest::hint(name, schema.fields().iter().map(|field| field.name().as_str()), "columns");
    Error::new(ErrorKind::InvalidArgument, format!("there is no column {name:?}")).help(hint)
}

fn twice(what: &str) -> Error {
    Error::new(ErrorKind::InvalidArgument, what).help("name each column once, and give each another name")
}

impl ChangedDataset for Selection {
    fn below(&self) -> &Arc<dyn Dataset> {
        &self.dataset
    }

    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn request_below(&self, request: &ScanRequest) -> Result<ScanRequest> {
        self.inner(request)
    }

    fn change(&self, scan: Box<dyn Scan>, _request: &ScanRequest) -> Result<Box<dyn Scan>> {
        Ok(self.renamed(scan))
    }

    fn scan_schema(&self, request: &ScanRequest) -> Result<SchemaRef> {
        Ok(self.named(&*self.dataset.scan_schema(&self.inner(request)?)?))
    }

    fn losses(&self) -> Vec<Loss> {
        let own = |loss: Loss| Some(Loss::new(self.own_of.get(&loss.column)?.clone(), loss.what));
        self.dataset.losses().into_iter().filter_map(own).collect()
    }

    fn statistics(&self, partition: &Partition) -> Result<PartitionStatistics> {
        let mut statistics = self.dataset.statistics(partition)?;
        statistics.columns = std::mem::take(&mut statistics.columns)
            .into_iter()
            .filter_map(|(path, of_column)| {
                let own = self.own_of.get(path.initial_step().ok()?)?;
                let rest = path.steps().iter().skip(1).map(|step| &**step);
                Some((ColumnPath::new(std::iter::once(own.as_str()).chain(rest)), of_column))
            })
            .collect();
        Ok(statistics)
    }
}
