//! Tensors of Avro records, by feature specs.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use avro_path::Schema;
use avro_path::program::KeyOptions;
use tensor_repr::{Adapter, FeatureSpec, Representation, TensorAdapter, TensorSpec};
use tfxio_core::{Error, ErrorKind, Limits, ReadOptions, Split};

use super::AvroTfxIo;
use super::columns::Columns;
use super::features::AvroFeatures;
use super::open::Splits;
use crate::tensors::subset;
use crate::{TensorReadOptions, TensorReader, TensorTfxIo};

/// How the columns of a data set become tensors.
#[derive(Clone, Debug)]
pub(super) struct Tensors {
    specs: BTreeMap<String, FeatureSpec>,
    key_options: KeyOptions,
    representations: BTreeMap<String, Representation>,
    /// Those of the data set that was projected first.
    original_specs: Option<Vec<(Arc<str>, TensorSpec)>>,
}

impl Tensors {
    /// Binds feature specs to a schema; and the columns that they need.
    pub(super) fn new(
        schema: &Schema,
        specs: BTreeMap<String, FeatureSpec>,
        key_options: KeyOptions,
    ) -> Result<(Self, Columns), Error> {
        let (representations, keys) = if specs.is_empty() {
            (BTreeMap::new(), Vec::<(Arc<str>, _)>::new())
        } else {
            let features = AvroFeatures::with_options(schema, &specs, key_options)?;
            let columns = features.key_program().arrow_schema();
            let names = columns.fields().iter().map(|field| Arc::from(field.name().as_str()));
            let keys = names.zip(features.keys().iter().cloned()).collect();
            (features.representations().clone(), keys)
        };
        let keys = keys.into_iter();
        let columns = Columns::Keys(keys.collect(), key_options);
        Ok((Self { specs, key_options, representations, original_specs: None }, columns))
    }

    fn adapter(&self, columns: SchemaRef, limits: Limits) -> Result<Adapter, Error> {
        let adapter = Adapter::builder(columns, self.representations.clone()).limits(limits);
        match &self.original_specs {
            Some(specs) => adapter.original_specs(specs.clone()).build(),
            None => adapter.build(),
        }
    }
}

impl AvroTfxIo {
    /// Reads the tensors of all files, one after the other, as [`TensorTfxIo::read_tensors`] reads those of a split.
    ///
    /// ```
    /// use tfxio_formats::tensor_repr::feature_specs_from_json;
    /// use tfxio_formats::{AvroTfxIo, TensorReadOptions};
    /// # let people = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/avro/people.avro");
    ///
    /// let specs = feature_specs_from_json(
    ///     r#"{"friends": {"kind": "VarLen", "key": "friends[*].name.first", "dtype": "string"}}"#,
    /// )?;
    /// let dataset = AvroTfxIo::builder([people]).feature_specs(specs).build()?;
    /// let mut tensors = dataset.read_all_tensors(&TensorReadOptions::default())?;
    /// assert_eq!(tensors.specs()[0].1.to_string(), "sparse string [?, ?]");
    /// assert_eq!(tensors.next().expect("there are records")?[0].1.rows(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`TensorTfxIo::read_tensors`].
    pub fn read_all_tensors(&self, options: &TensorReadOptions) -> Result<TensorReader, Error> {
        self.tensors_of(self.whole(), options)
    }

    fn tensors(&self) -> Result<&Tensors, Error> {
        self.tensors.as_ref().ok_or_else(|| {
            let message = "the data set does not say what its tensors are; give feature specs";
            Error::new(ErrorKind::SchemaRequired, message)
        })
    }

    fn adapter(&self) -> Result<Adapter, Error> {
        self.tensors()?.adapter(self.program.arrow_schema(), self.options.limits)
    }

    fn tensors_of(&self, splits: Vec<Split>, options: &TensorReadOptions) -> Result<TensorReader, Error> {
        let rows = ReadOptions::default().with_batch_size(options.batch_size);
        let mut splits = Splits::new(splits, &self.schema, &self.options);
        let places = splits.note_places();
        let Some(names) = &options.tensors else {
            let adapter = self.adapter()?;
            return Ok(TensorReader::with_default_adapter(self.start(splits, &rows)?, adapter, places));
        };
        let plain = names.iter().map(|name| &**name).collect::<Vec<_>>();
        let projected = self.projected(&plain)?;
        let chosen = subset(&projected.tensors()?.representations, plain.iter().copied())?;
        let adapter = Adapter::builder(projected.program.arrow_schema(), chosen);
        let adapter = adapter.limits(self.options.limits).build()?;
        Ok(TensorReader::with_default_adapter(projected.start(splits, &rows)?, adapter, places))
    }

    /// The same data set with these tensors and the columns that they need.
    fn projected(&self, names: &[&str]) -> Result<Self, Error> {
        let tensors = self.tensors()?;
        // Says it if there is no such tensor.
        subset(&tensors.representations, names.iter().copied())?;
        let mut specs = tensors.specs.clone();
        specs.retain(|name, _| names.contains(&name.as_str()));
        let (mut chosen, columns) = Tensors::new(&self.schema, specs, tensors.key_options)?;
        chosen.original_specs = Some(self.adapter()?.original_specs().to_vec());
        let program = columns.compile(&self.schema)?;
        Ok(Self { columns, program, tensors: Some(chosen), ..self.clone() })
    }
}

impl TensorTfxIo for AvroTfxIo {
    fn tensor_representations(&self) -> Result<BTreeMap<String, Representation>, Error> {
        Ok(self.tensors()?.representations.clone())
    }

    fn tensor_adapter(&self) -> Result<Box<dyn TensorAdapter>, Error> {
        Ok(Box::new(self.adapter()?))
    }

    fn project(&self, tensors: &[&str]) -> Result<Box<dyn TensorTfxIo>, Error> {
        Ok(Box::new(self.projected(tensors)?))
    }

    fn read_tensors(&self, split: &Split, options: &TensorReadOptions) -> Result<TensorReader, Error> {
        self.tensors_of(vec![split.clone()], options)
    }
}
