//! The decoder proper, for one width of offsets.

use std::sync::Arc;

use arrow_array::{Array, RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, DataType, Fields, Schema, SchemaRef};
use tfxio_core::{Origin, RecordDecoder};

use super::super::core::{Core as Context, NewName};
use super::super::options::UnknownFeatures;
use super::super::store::Offset;
use super::lists::{Lists, struct_field};
use super::options::SequenceExampleDecoderBuilder;
use crate::error::{Locate, check_size, too_many_columns};
use crate::{Error, Kind};

pub(super) struct Core<O: Offset> {
    pub(super) context: Context<O>,
    pub(super) lists: Lists<O>,
    /// The name of the struct column.
    column: Arc<str>,
    /// Columns that are not features, which come last.
    extra: usize,
    schema: Option<SchemaRef>,
}

impl<O: Offset> Core<O> {
    pub(super) fn new(options: SequenceExampleDecoderBuilder) -> Result<Self, Error> {
        let SequenceExampleDecoderBuilder { context, schema, projection, column } = options;
        let limits = context.limits;
        let refuse = context.unknown_features == UnknownFeatures::Refuse;
        let new = match (&schema, &projection) {
            (None, None) => NewName::Becomes,
            (Some(_), None) if refuse => NewName::Refused,
            _ => NewName::Ignored,
        };
        let schema = match (schema, &projection) {
            (Some(schema), Some(names)) => Some(schema.project(names)?),
            (schema, _) => schema,
        };
        let extras =
            context.raw_record_column.iter().chain(&context.source_column).cloned().collect::<Vec<_>>();
        let counts_empty = context.kinds_of_empty_lists;
        let mut context = Context::new(context)?;
        context.message = "tf.SequenceExample";
        // They are the other half of the record.
        context.walk.refused = None;
        if let (None, Some(names)) = (&schema, &projection) {
            crate::sequence_schema::distinct(names.iter().map(|name| &**name))?;
        }
        let fields = schema.as_ref().map(Lists::<O>::fields);
        let lists = Lists::new(schema.as_ref(), projection, new, (limits, counts_empty));
        if lists.count() > limits.columns {
            return Err(too_many_columns(limits.columns));
        }
        let others = context.columns.list.iter().map(|column| &column.name).chain(&extras);
        let is_there = lists.count() > 0 || new == NewName::Becomes;
        // Without a schema this is all that can be said before the first record.
        if is_there && others.into_iter().any(|name| *name == column) {
            let message = format!("two columns would be named {column:?}");
            return Err(Error::new(Kind::InvalidSchema, message).help("give one another name"));
        }
        let mut core = Self { context, lists, column, extra: extras.len(), schema: None };
        if let (Some(fields), Some(context)) = (fields, core.context.schema()) {
            let fields = (!fields.is_empty()).then_some(fields);
            core.schema = Some(core.with_lists(&context, fields));
        }
        Ok(core)
    }

    /// Returns the columns of the context with the struct column among them.
    fn with_lists(&self, context: &Schema, lists: Option<Fields>) -> SchemaRef {
        let mut fields = context.fields().to_vec();
        if let Some(lists) = lists {
            fields.insert(self.position(fields.len()), Arc::new(struct_field(&self.column, lists)));
        }
        Arc::new(Schema::new(fields))
    }

    /// Returns the position of the struct column among the others.
    fn position(&self, others: usize) -> usize {
        others.saturating_sub(self.extra)
    }
}

impl<O: Offset> RecordDecoder for Core<O> {
    fn schema(&self) -> Option<SchemaRef> {
        self.schema.clone()
    }

    /// Appends the lists first: they know how to forget a row, and the context forgets its own.
    fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<(), Error> {
        check_size(record, &self.context.limits).map_err(|error| error.in_record(origin))?;
        let row = self.context.rows();
        if row == 0 {
            self.lists.begin();
        }
        let known = self.lists.count();
        let result = match self.lists.push(row, record) {
            Ok(items) => {
                self.context.beside = items;
                if self.schema.is_none() && self.lists.is_seen() != self.context.reserved.is_some() {
                    self.context.reserved = self.lists.is_seen().then(|| Arc::clone(&self.column));
                }
                self.context.push(record, origin)
            }
            Err(halt) => Err(self.explain(halt, row).in_record(origin)),
        };
        if result.is_err() {
            self.lists.roll_back(row, known);
        }
        result
    }

    fn rows(&self) -> usize {
        self.context.rows()
    }

    fn flush(&mut self) -> Result<RecordBatch, Error> {
        let rows = self.context.rows();
        let lists = self.lists.finish(rows);
        self.context.reserved = None;
        let context = self.context.flush()?;
        let joined = lists.and_then(|lists| {
            let schema = match (&self.schema, &lists) {
                (Some(schema), _) => Arc::clone(schema),
                (None, lists) => {
                    let fields = lists.as_ref().map(|lists| match lists.data_type() {
                        DataType::Struct(fields) => fields.clone(),
                        _ => Fields::empty(),
                    });
                    self.with_lists(context.schema_ref(), fields)
                }
            };
            let mut columns = context.columns().to_vec();
            if let Some(lists) = lists {
                columns.insert(self.position(columns.len()), lists);
            }
            let options = RecordBatchOptions::new().with_row_count(Some(rows));
            RecordBatch::try_new_with_options(schema, columns, &options)
        });
        joined.map_err(|error: ArrowError| {
            Error::new(Kind::Arrow, "the columns do not make a batch").because(error)
        })
    }
}
