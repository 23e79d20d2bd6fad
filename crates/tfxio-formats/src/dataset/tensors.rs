//! Tensors of data sets of TFRecord files.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use tensor_repr::{Adapter, ColumnPath, FeatureSpec, Representation, Schema, TensorAdapter, TensorSpec};
use tfxio_core::{Error, ErrorKind, RecordDecoder as _, Split, TfxIo};

use super::format::{LogicalFormat, Selection};
use super::{Columns, TfRecordTfxIo, TfRecordTfxIoBuilder};
use crate::schema;
use crate::tensors::{TensorReadOptions, TensorReader, TensorTfxIo, layout, subset};
use crate::tfrecord::queue::Queue;

/// What is asked for about tensors.
#[derive(Clone, Debug, Default)]
pub(super) struct TensorOptions {
    metadata: Option<Metadata>,
    group: Option<Arc<str>>,
    representations: Option<BTreeMap<String, Representation>>,
    specs: Option<BTreeMap<String, FeatureSpec>>,
}

/// A schema of TensorFlow Metadata, or where it is.
#[derive(Clone, Debug)]
enum Metadata {
    Schema(Arc<Schema>),
    File(Arc<str>),
}

/// What is known of tensors before there is data.
#[derive(Clone, Debug, Default)]
pub(super) struct Tensors {
    metadata: Option<Arc<Schema>>,
    /// The representations that count, if they are not those of the schema.
    stated: Option<BTreeMap<String, Representation>>,
    /// The specs of the data set of which this one is a projection.
    original_specs: Option<Vec<(Arc<str>, TensorSpec)>>,
}

impl<F: LogicalFormat> TfRecordTfxIoBuilder<F> {
    /// Takes features and representations from a schema of TensorFlow Metadata. A [`schema`](Self::schema) that was given
    /// as well decides over the features. Default: none.
    ///
    /// ```
    /// use tfxio_formats::tensor_repr::Schema;
    /// use tfxio_formats::{ExampleTfxIo, TensorTfxIo};
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/digits/digits-00000-of-00003.tfrecord");
    ///
    /// let schema = Schema::from_text(
    ///     r#"feature { name: "label" type: INT shape { } presence { min_fraction: 1 } }"#,
    /// )?;
    /// let dataset = ExampleTfxIo::builder([file]).metadata_schema(schema).build()?;
    /// let adapter = dataset.tensor_adapter()?;
    /// assert_eq!(adapter.specs()[0].1.to_string(), "dense int64 [?]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn metadata_schema(mut self, schema: Schema) -> Self {
        self.tensors.metadata = Some(Metadata::Schema(Arc::new(schema)));
        self
    }

    /// As [`metadata_schema`](Self::metadata_schema), from a file, in text (`schema.pbtxt`) or binary form. It is read when
    /// the data set is built, and may be a URL where data may be.
    #[must_use]
    pub fn schema_file(mut self, path: impl Into<Arc<str>>) -> Self {
        self.tensors.metadata = Some(Metadata::File(path.into()));
        self
    }

    /// Takes the representations of this group of the schema of TensorFlow Metadata, and no others. Default: those of
    /// the group without a name, and inferred ones for the features that it does not use.
    #[must_use]
    pub fn representation_group(mut self, name: impl Into<Arc<str>>) -> Self {
        self.tensors.group = Some(name.into());
        self
    }

    /// Sets representations by tensor name, in place of those of a schema. If all of them say their dtypes, no schema is
    /// needed. Default: those of the schema.
    #[must_use]
    pub fn representations<I, N>(mut self, representations: I) -> Self
    where
        I: IntoIterator<Item = (N, Representation)>,
        N: Into<String>,
    {
        let representations = representations.into_iter().map(|(name, value)| (name.into(), value));
        self.tensors.representations.get_or_insert_default().extend(representations);
        self
    }

    /// Sets representations by feature specs, which always say their dtypes: no schema is needed. They join
    /// [`representations`](Self::representations). Default: none.
    ///
    /// ```
    /// use tfxio_formats::tensor_repr::feature_specs_from_json;
    /// use tfxio_formats::{ExampleTfxIo, TensorReadOptions};
    /// # let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/digits/digits-*.tfrecord");
    ///
    /// let specs = feature_specs_from_json(
    ///     r#"{"image": {"kind": "FixedLen", "shape": [8, 8], "dtype": "float32"}}"#,
    /// )?;
    /// let dataset = ExampleTfxIo::builder([pattern]).feature_specs(specs).build()?;
    /// let mut tensors = dataset.read_all_tensors(&TensorReadOptions::default())?;
    /// let batch = tensors.next().expect("there are records")?;
    /// assert_eq!(batch[0].1.spec().to_string(), "dense float32 [?, 8, 8]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn feature_specs<I, N>(mut self, specs: I) -> Self
    where
        I: IntoIterator<Item = (N, FeatureSpec)>,
        N: Into<String>,
    {
        let specs = specs.into_iter().map(|(name, spec)| (name.into(), spec));
        self.tensors.specs.get_or_insert_default().extend(specs);
        self
    }
}

impl Tensors {
    pub(super) fn new<F: LogicalFormat>(options: &TfRecordTfxIoBuilder<F>) -> Result<Self, Error> {
        let TensorOptions { metadata, group, representations, specs } = &options.tensors;
        let metadata = match metadata {
            None => None,
            Some(Metadata::Schema(schema)) => Some(Arc::clone(schema)),
            Some(Metadata::File(name)) => Some(Arc::new(schema::read(name, &options.records)?)),
        };
        let mut stated = representations.clone();
        for (name, spec) in specs.iter().flatten() {
            let representation = spec.representation(name)?;
            if stated.get_or_insert_default().insert(name.clone(), representation).is_some() {
                let message =
                    format!("the tensor {name:?} has a representation and a feature spec; remove one");
                return Err(Error::new(ErrorKind::InvalidArgument, message));
            }
        }
        if specs.is_some() {
            stated.get_or_insert_default();
        }
        if let Some(group) = group {
            let Some(schema) = &metadata else {
                let message =
                    format!("the group of representations {group:?} is asked for without a schema; give one");
                return Err(Error::new(ErrorKind::SchemaRequired, message));
            };
            if stated.is_some() {
                let message =
                    format!("the group of representations {group:?} and others are asked for; choose one");
                return Err(Error::new(ErrorKind::InvalidArgument, message));
            }
            stated = Some(schema.required_group(group)?);
        }
        Ok(Self { metadata, stated, original_specs: None })
    }

    /// The schema of features that was given, in one form or the other; `None` if the data must say it.
    pub(super) fn schema<F: LogicalFormat>(
        &self,
        options: &TfRecordTfxIoBuilder<F>,
    ) -> Result<Option<F::Schema>, Error> {
        if options.schema.is_some() {
            return Ok(options.schema.clone());
        }
        if let Some(metadata) = &self.metadata {
            return options.format.of_metadata(metadata).map(Some);
        }
        let (Some(stated), None) = (&self.stated, options.sample) else { return Ok(None) };
        let Some(mut kinds) = layout::kinds(stated)? else { return Ok(None) };
        let extra = [&options.raw_record_column, &options.source_column];
        kinds.retain(|path, _| !extra.into_iter().flatten().any(|name| path.steps() == [name.clone()]));
        options.format.of_kinds(&kinds).map(Some)
    }
}

impl<F: LogicalFormat> TfRecordTfxIo<F> {
    /// Reads the tensors of all files, one after the other, as [`TensorTfxIo::read_tensors`] reads those of a split.
    ///
    /// # Errors
    /// As [`TensorTfxIo::read_tensors`].
    pub fn read_all_tensors(&self, options: &TensorReadOptions) -> Result<TensorReader, Error> {
        self.tensors_of(self.whole().collect(), options)
    }

    /// The schema of TensorFlow Metadata that was given.
    #[must_use]
    pub fn metadata_schema(&self) -> Option<&Schema> {
        self.tensors.metadata.as_deref()
    }

    /// Refuses representations that were given and cannot be of these columns.
    pub(super) fn check_tensors(&self) -> Result<(), Error> {
        match (&self.tensors.stated, &self.given) {
            (Some(_), Some(_)) => self.tensor_adapter().map(drop),
            _ => Ok(()),
        }
    }

    fn adapter(&self) -> Result<Adapter, Error> {
        let representations = self.tensor_representations()?;
        let adapter = Adapter::builder(self.arrow_schema()?, representations).limits(self.limits());
        match &self.tensors.original_specs {
            Some(specs) => adapter.original_specs(specs.clone()).build(),
            None => adapter.build(),
        }
    }

    fn tensors_of(&self, splits: Vec<Split>, options: &TensorReadOptions) -> Result<TensorReader, Error> {
        let all = self.tensor_representations()?;
        let chosen = match &options.tensors {
            Some(names) => subset(&all, names.iter().map(|name| &**name))?,
            None => all.into_iter().map(|(name, value)| (name.into(), value)).collect(),
        };
        let representations = || chosen.iter().map(|(_, representation)| representation);
        let features = self.features(self.options.sample)?;
        let lengths = layout::lengths(representations());
        let paths = layout::paths(representations());
        let shapes = self.shapes(&chosen, &lengths);
        let columns = self.columns_of(features.unchecked(), &paths);
        let schema = features.checked(columns.selection.as_ref())?.clone();
        let mut decoder = self.options.decoder_options(&columns, self.given.is_some());
        decoder.fixed_size_lists = true;
        decoder.offsets = self.options.offsets.unwrap_or_else(|| layout::offsets(representations()));
        let schema = F::with_lengths(schema, &lengths)?;

        let columns = self
            .options
            .format
            .decoder(&schema, &decoder)?
            .schema()
            .unwrap_or_else(|| Arc::new(arrow_schema::Schema::empty()));
        let adapter = match Adapter::builder(columns, chosen.clone()).limits(self.limits()).build() {
            Ok(adapter) => adapter,
            // The schema of all columns makes the better error.
            Err(error) => {
                Adapter::builder(self.arrow_schema()?, chosen).build()?;
                return Err(error);
            }
        };
        let mut queue = Queue::for_pool(splits, &self.options.records)?;
        let places = queue.note_places();
        let reader = self.decode(queue, schema, decoder, None, options.batch_size)?;
        Ok(TensorReader::with_default_adapter(reader, adapter, places).with_shapes(shapes))
    }

    /// The tensor whose shape gives a column its fixed length, by the column's name. What the schema itself fixes is
    /// left out.
    fn shapes(
        &self,
        chosen: &[(Arc<str>, Representation)],
        lengths: &HashMap<Arc<str>, u32>,
    ) -> HashMap<Arc<str>, Arc<str>> {
        let mut shapes = HashMap::new();
        for (tensor, representation) in chosen {
            for path in representation.source_columns() {
                if let [name] = path.steps()
                    && lengths.contains_key(name)
                {
                    shapes.entry(Arc::clone(name)).or_insert_with(|| Arc::clone(tensor));
                }
            }
        }
        for feature in self.tensors.metadata.iter().flat_map(|schema| schema.features()) {
            if feature.fixed_len().is_some_and(|own| lengths.get(feature.name()) == Some(&own)) {
                shapes.remove(feature.name());
            }
        }
        shapes
    }

    /// The columns of these paths.
    fn columns_of(&self, schema: &F::Schema, paths: &[ColumnPath]) -> Columns {
        let named = |name: &Option<Arc<str>>| {
            name.clone().filter(|name| paths.iter().any(|path| path.steps().first() == Some(name)))
        };
        let selection = self.options.format.select(schema, paths);
        let (raw_record, source) = (&self.options.raw_record_column, &self.options.source_column);
        Columns::all(Some(&selection), named(raw_record), named(source))
    }

    /// The same data set with these tensors and the columns that they need.
    fn projected(&self, tensors: &[&str]) -> Result<Self, Error> {
        let adapter = self.adapter()?;
        let chosen = subset(&self.tensor_representations()?, tensors.iter().copied())?;
        let chosen =
            chosen.into_iter().map(|(name, value)| (name.to_string(), value)).collect::<BTreeMap<_, _>>();
        let features = self.features(self.options.sample)?;
        let selection: Selection =
            self.options.format.select(features.unchecked(), &layout::paths(chosen.values()));
        Ok(Self {
            files: Arc::clone(&self.files),
            options: self.options.clone(),
            given: self.given.clone(),
            inferred: Arc::clone(&self.inferred),
            selection: Some(selection),
            tensors: Tensors {
                metadata: self.tensors.metadata.clone(),
                stated: Some(chosen),
                original_specs: Some(adapter.original_specs().to_vec()),
            },
        })
    }
}

impl<F: LogicalFormat> TensorTfxIo for TfRecordTfxIo<F> {
    fn tensor_representations(&self) -> Result<BTreeMap<String, Representation>, Error> {
        match (&self.tensors.stated, &self.tensors.metadata) {
            (Some(stated), _) => Ok(stated.clone()),
            (None, Some(schema)) => Ok(schema.representations(None)?),
            (None, None) => {
                let message = "the data set does not say what its tensors are; give a schema of TensorFlow Metadata \
                               (`schema_file`), representations or feature specs";
                Err(Error::new(ErrorKind::SchemaRequired, message))
            }
        }
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
