//! Avro files of several schemas, none of which all can be read with.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use avro_path::AvroSchema;
use avro_path::schema::Type;
use tfxio_core::{Cancel, Partition, Result, Scan, ScanRequest};
use tfxio_scan::merge::{self, Fitting, Merged};

use super::dataset::Inner;
use super::scan::AvroScan;

/// Maximum number of schemas of files that are kept.
const KEPT: usize = 64;

/// The columns of files that are not all read with the schema of the first.
///
/// A file is read with the schema of the first by the rules of Avro where that loses nothing: all of its columns are there, and the types
/// of the first hold their values. Another is read with its own, and its columns become the columns of the set.
pub(super) struct Mixed {
    merged: Merged,
    /// Data sets for files of another schema, by its text; nothing where the first schema reads them.
    others: Mutex<HashMap<String, Option<Arc<Inner>>>>,
}

impl Mixed {
    pub(super) fn new(merged: Merged) -> Self {
        Self { merged, others: Mutex::default() }
    }

    /// Returns the columns of files, where some are not read with the schema of the first.
    pub(super) fn look(first: &Arc<Inner>, is_union: bool, cancel: &Cancel) -> Result<Option<Self>> {
        let names = first.metadata.files.names();
        let Some(name) = names.first().filter(|_| names.len() > 1) else { return Ok(None) };
        let mixed = Self::new(Merged::new(Arc::clone(name), Arc::clone(&first.arrow), is_union));
        // What is damaged is said by whoever reads it.
        let others = merge::find_in_files(&first.metadata.files, |index| {
            mixed.of_file(first, names.get(index)?, cancel).ok()?
        });
        cancel.check()?;
        let mut merged = mixed.merged.clone();
        for (index, other) in others {
            if let Some(file) = names.get(index) {
                merged.add(file, &other.arrow);
            }
        }
        Ok(merged.is_mixed().then(|| Self { merged, ..mixed }))
    }

    pub(super) fn merged(&self) -> &Merged {
        &self.merged
    }

    /// Scans a partition of a file with the columns of the set.
    pub(super) fn scan(
        &self,
        first: &Arc<Inner>,
        partition: &Partition,
        request: &ScanRequest,
    ) -> Result<Box<dyn Scan>> {
        let other = self.of_file(first, &partition.file, &request.cancel)?;
        let inner = other.as_ref().unwrap_or(first);
        let scan = |request: &ScanRequest| {
            let plan = inner.plan(request)?;
            AvroScan::open(Arc::clone(inner), partition, plan, request, 0)
        };
        Ok(match self.merged.fitting(&partition.file, &inner.arrow, request)? {
            Some(Fitting { request, schema }) => merge::fitted(Box::new(scan(&request)?), schema),
            None => Box::new(scan(request)?),
        })
    }

    /// Returns what reads a file that is not read with the schema of the first.
    fn of_file(&self, first: &Arc<Inner>, file: &Arc<str>, cancel: &Cancel) -> Result<Option<Arc<Inner>>> {
        let header = first.metadata.header(file, cancel)?;
        let schema = header.schema();
        if schema.text() == first.schema.text() {
            return Ok(None);
        }
        let others = || self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = others().get(schema.text()) {
            return Ok(known.clone());
        }
        let other = own(first, schema);
        let mut others = others();
        if others.len() >= KEPT {
            others.clear();
        }
        others.insert(schema.text().to_owned(), other.clone());
        Ok(other)
    }
}

/// Returns what reads files of a schema, where the schema of the first does not hold all that is in them.
fn own(first: &Inner, schema: &AvroSchema) -> Option<Arc<Inner>> {
    // Without the columns that are asked for it is read as Avro says, which fills in defaults, or is an error that says it.
    let program = first.columns.compile(schema).ok()?;
    let arrow = program.arrow_schema();
    let is_held = has_aliases(&first.schema) || merge::holds(&first.arrow, &arrow);
    if is_held && first.program.resolved(schema, &first.schema).is_ok() {
        return None;
    }
    Some(Arc::new(Inner {
        metadata: Arc::clone(&first.metadata),
        schema: schema.clone(),
        columns: first.columns.clone(),
        program,
        arrow,
        options: first.options.clone(),
    }))
}

/// Returns whether fields of a schema have aliases for other schemas: then it is written to read these with.
fn has_aliases(schema: &AvroSchema) -> bool {
    schema.types().any(|(_, data_type)| match data_type {
        Type::Record(record) => record.fields().iter().any(|field| !field.aliases().is_empty()),
        _ => false,
    })
}

impl fmt::Debug for Mixed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.merged.fmt(f)
    }
}
