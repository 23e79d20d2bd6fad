//! Feature specs over the records of Avro files.

use std::collections::BTreeMap;

use avro_path::key::KeyColumns;
use avro_path::program::KeyOptions;
use avro_path::{Key, KeyProgram, Schema};
use tensor_repr::{Adapter, FeatureSpec, Representation};
use tfxio_core::{Error, Position};

/// The error of a key with the name of the tensor whose key it is.
fn in_tensor(name: &str, error: Error) -> Error {
    error.or_at(&Position::new().tensor(name))
}

/// Feature specs whose keys are [key expressions](avro_path::key), bound to an Avro schema: which columns are read, and how
/// they become tensors.
///
/// A key is an expression from the root of the record. Those of a sparse feature are relative to the record, or to each
/// record of the array, at the key of the feature, unless they begin with `@`. `docs/key-expressions.md` has examples.
///
/// ```
/// use tfxio_formats::AvroFeatures;
/// use tfxio_formats::avro_path::Schema;
/// use tfxio_formats::tensor_repr::feature_specs_from_json;
///
/// let schema = Schema::parse(
///     r#"{"type": "record", "name": "text", "fields": [
///         {"name": "words", "type": {"type": "array", "items": {"type": "record", "name": "word", "fields": [
///             {"name": "id", "type": "long"}, {"name": "count", "type": "float"}]}}}]}"#,
/// )?;
/// let specs = feature_specs_from_json(
///     r#"{"words": {"kind": "Sparse", "index_key": "id", "value_key": "count", "dtype": "float32", "size": 5000}}"#,
/// )?;
/// let features = AvroFeatures::new(&schema, &specs)?;
/// assert_eq!(features.key_program().arrow_schema().field(0).name(), "words[*].id");
/// let adapter = features.adapter()?;
/// assert_eq!(adapter.specs()[0].1.to_string(), "sparse float32 [?, 5000]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct AvroFeatures {
    columns: KeyColumns,
    program: KeyProgram,
    representations: BTreeMap<String, Representation>,
}

impl AvroFeatures {
    /// Binds feature specs by tensor name, with columns of 64-bit offsets.
    ///
    /// # Errors
    /// When there are no specs; when a key is none or does not fit the schema, with the place in the key; when what a
    /// spec says of shape, dtype or default fits neither itself nor its columns.
    pub fn new(schema: &Schema, specs: &BTreeMap<String, FeatureSpec>) -> Result<Self, Error> {
        Self::with_options(schema, specs, KeyOptions::default())
    }

    /// As [`new`](Self::new), with a choice of the columns' layout.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_options(
        schema: &Schema,
        specs: &BTreeMap<String, FeatureSpec>,
        options: KeyOptions,
    ) -> Result<Self, Error> {
        let mut columns = KeyColumns::new(schema);
        let mut numbers = Vec::with_capacity(specs.len());
        for (name, spec) in specs {
            let keys = spec.keys(name);
            let read_as = keys.keys.iter().map(String::as_str).zip(keys.dtypes.iter().copied());
            let added = columns.add_as(keys.base.as_deref(), read_as);
            numbers.push(added.map_err(|error| in_tensor(name, error))?);
        }
        let program = columns.program(options)?;
        let arrow_schema = program.arrow_schema();
        let mut representations = BTreeMap::new();
        for ((name, spec), numbers) in specs.iter().zip(&numbers) {
            let fields = numbers.iter().map(|&number| arrow_schema.field(number)).collect::<Vec<_>>();
            representations.insert(name.clone(), spec.representation_of(name, &fields)?);
        }
        let features = Self { columns, program, representations };
        features.adapter()?;
        Ok(features)
    }

    /// The keys of the columns, without those that say the same. A column is called by the text of its key, and by its dtype
    /// too where a key is read as several.
    #[must_use]
    pub fn keys(&self) -> &[Key] {
        self.columns.keys()
    }

    /// What makes the columns.
    #[must_use]
    pub fn key_program(&self) -> &KeyProgram {
        &self.program
    }

    /// How the columns become tensors, by tensor name.
    #[must_use]
    pub fn representations(&self) -> &BTreeMap<String, Representation> {
        &self.representations
    }

    /// An adapter for the batches of the [`key_program`](Self::key_program), with all tensors in the order of their
    /// names.
    ///
    /// # Errors
    /// None after [`new`](Self::new) has succeeded.
    pub fn adapter(&self) -> Result<Adapter, Error> {
        let representations = self.representations.iter().map(|(name, value)| (name.as_str(), value.clone()));
        Adapter::builder(self.program.arrow_schema(), representations).build()
    }
}
