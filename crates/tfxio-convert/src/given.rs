//! Batches from elsewhere: the columns that are written, and a profile of their values.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Schema, SchemaRef};
use tfxio_core::{Batch, Error, ErrorKind, Result, ScanRequest, UnknownColumn};
use tfxio_scan::cast::{CastOptions, Profile};

use super::rows::{self, Shaping};

type Next = Box<dyn FnMut() -> Result<Option<Batch>> + Send>;

/// Batches that come from elsewhere, and are read once.
pub(super) struct Given {
    next: Next,
    /// The columns of the batches.
    whole: SchemaRef,
    /// Indices of the columns that are written; nothing where all are.
    chosen: Option<Vec<usize>>,
    schema: SchemaRef,
    shaping: Shaping,
    /// Batches that were looked at.
    held: VecDeque<Batch>,
}

impl Given {
    /// Chooses the columns of batches of a schema.
    pub(super) fn new(
        schema: &SchemaRef,
        shaping: &Shaping,
        next: impl FnMut() -> Result<Option<Batch>> + Send + 'static,
    ) -> Result<Self> {
        let mut shaping = shaping.clone();
        let mut request = ScanRequest::new();
        if let Some(names) = shaping.columns.take() {
            request.columns = Some(rows::choose(&names, schema)?);
        }
        rows::exclude(&mut request, schema, &mut shaping)?;
        let index = |name: &str| schema.index_of(name).map_err(|_| UnknownColumn::error(name, schema));
        let of = |column: tfxio_core::Column| match column.path.steps() {
            [name] => index(name),
            _ => index(&column.path.to_string()),
        };
        let chosen =
            request.columns.map(|all| all.into_iter().map(of).collect::<Result<Vec<_>>>()).transpose()?;
        let written = match &chosen {
            Some(columns) => Arc::new(schema.project(columns)?),
            None => Arc::clone(schema),
        };
        let (whole, held) = (Arc::clone(schema), VecDeque::new());
        Ok(Self { next: Box::new(next), whole, chosen, schema: written, shaping, held })
    }

    /// Returns the columns that are written.
    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Looks at the batches as far as it depends on them what becomes of the columns, and holds them.
    pub(super) fn look(&mut self) -> Result<CastOptions> {
        let mut cast = self.shaping.cast.clone();
        cast.excluded.clone_from(&self.shaping.excluded);
        let (scalars, text) = (self.shaping.scalars, self.shaping.text);
        if scalars || text {
            let mut profile = Profile::new(&self.schema, scalars, text).of_whole_columns();
            while !profile.is_decided() {
                let Some(batch) = self.take()? else { break };
                profile.push(batch.columns());
                self.held.push_back(batch);
            }
            (cast.single, cast.texts) = (profile.single(), profile.texts());
        }
        Ok(cast)
    }

    /// Returns the next batch, with the columns that are written.
    pub(super) fn next_batch(&mut self) -> Result<Option<Batch>> {
        match self.held.pop_front() {
            Some(batch) => Ok(Some(batch)),
            None => self.take(),
        }
    }

    fn take(&mut self) -> Result<Option<Batch>> {
        let Some(batch) = (self.next)()? else { return Ok(None) };
        refuse_others(&self.whole, batch.columns().schema_ref())?;
        let Some(chosen) = &self.chosen else { return Ok(Some(batch)) };
        let (columns, origins) = batch.into_parts();
        let options = RecordBatchOptions::new().with_row_count(Some(columns.num_rows()));
        let chosen = chosen.iter().filter_map(|index| columns.columns().get(*index).cloned()).collect();
        let columns = RecordBatch::try_new_with_options(Arc::clone(&self.schema), chosen, &options)?;
        Ok(Some(Batch::new(columns, origins)))
    }
}

/// Refuses a batch of other columns than were said.
fn refuse_others(whole: &Schema, batch: &Schema) -> Result<()> {
    let shown = |schema: &Schema| {
        let column = |field: &arrow_schema::FieldRef| format!("{}: {}", field.name(), field.data_type());
        schema.fields().iter().map(column).collect::<Vec<_>>().join(", ")
    };
    let is_same = whole.fields().len() == batch.fields().len()
        && whole.fields().iter().zip(batch.fields()).all(|(one, other)| {
            std::ptr::eq(&raw const **one, &raw const **other)
                || (one.name() == other.name() && one.data_type().equals_datatype(other.data_type()))
        });
    if is_same {
        return Ok(());
    }
    let what = format!("a batch has the columns {}, and those before it have {}", shown(batch), shown(whole));
    Err(Error::new(ErrorKind::SchemaMismatch, what).help("give batches of one schema"))
}
