//! tf.Example and tf.SequenceExample.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use arrow_schema::{FieldRef, Schema, SchemaRef};
use example_codec::{UnknownFeatures, is_other_message};
use tfxio_core::{
    Error, ErrorKind, FormatOptions, Limits, OptionSpec, Origin, RecordDecoder, RecordEncoder, RecordFormat,
    RecordPlan, RecordPlanner, Result, ScanRequest,
};

use super::decoder::MessageDecoder;
use super::encoder::{MessageEncoder, has_sequences};
use super::example::Example;
use super::format::{DecoderOptions, Format, InferSchema, has_lists};
use super::options::{self, Settings};
use super::selection::Selected;
use super::sequence::SequenceExample;

/// Records that are messages `tensorflow.Example`: features by name.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExampleFormat;

/// Records that are messages `tensorflow.SequenceExample`: context features, and feature lists, which have a feature for
/// each step.
#[derive(Clone, Copy, Debug, Default)]
pub struct SequenceExampleFormat;

impl RecordFormat for ExampleFormat {
    fn name(&self) -> &str {
        "example"
    }

    fn recognises(&self, record: &[u8]) -> bool {
        !has_lists(record) && !is_other_message(record)
    }

    fn options(&self) -> Vec<OptionSpec> {
        options::specs(false)
    }

    fn planner(&self, options: &FormatOptions) -> Result<Box<dyn RecordPlanner>> {
        planner(Example, options)
    }

    fn encodes(&self, schema: &SchemaRef, options: &FormatOptions) -> bool {
        !has_sequences(schema, options)
    }

    fn encoder(&self, schema: &SchemaRef, options: &FormatOptions) -> Result<Box<dyn RecordEncoder>> {
        Ok(Box::new(MessageEncoder::example(schema, options)?))
    }
}

impl RecordFormat for SequenceExampleFormat {
    fn name(&self) -> &str {
        "sequence_example"
    }

    fn recognises(&self, record: &[u8]) -> bool {
        !is_other_message(record)
    }

    fn options(&self) -> Vec<OptionSpec> {
        options::specs(true)
    }

    fn planner(&self, options: &FormatOptions) -> Result<Box<dyn RecordPlanner>> {
        let format = match options.text(options::SEQUENCE_COLUMN) {
            Some(column) => SequenceExample::with_column(column),
            None => SequenceExample::default(),
        };
        planner(format, options)
    }

    fn encodes(&self, _: &SchemaRef, _: &FormatOptions) -> bool {
        true
    }

    fn encoder(&self, schema: &SchemaRef, options: &FormatOptions) -> Result<Box<dyn RecordEncoder>> {
        Ok(Box::new(MessageEncoder::sequence_example(schema, options)?))
    }
}

fn planner<F: Format>(format: F, options: &FormatOptions) -> Result<Box<dyn RecordPlanner>> {
    let settings = Settings::new(options);
    let known = match &options.schema {
        Some(schema) => {
            // The record itself may be among them.
            let raw_record = settings.raw_record.as_deref();
            let is_feature = |field: &&FieldRef| Some(field.name().as_str()) != raw_record;
            let fields = schema.fields().iter().filter(is_feature).cloned().collect::<Vec<_>>();
            let features = format.of_arrow(&Schema::new(fields));
            Some(features.map_err(|error| error.help("open the files again without the description"))?)
        }
        None => given(&format, options)?,
    };
    let limits = options.request.limits;
    let inference = format.inference(limits, settings.other_messages);
    Ok(Box::new(Planner { format, settings, limits, known, inference }))
}

/// Returns the features of the schema of TensorFlow Metadata that was given, or the features whose kinds feature specs determine.
#[cfg(feature = "tensors")]
fn given<F: Format>(format: &F, options: &FormatOptions) -> Result<Option<F::Schema>> {
    use std::collections::BTreeMap;

    use tensor_repr::{feature_specs_from_json, schema_file};
    use tfxio_core::shared_options::FEATURES;

    if let Some(schema) = schema_file::of_options(options)? {
        return format.of_metadata(&schema).map(Some);
    }
    let Some(specs) = options.text(FEATURES) else { return Ok(None) };
    let specs = feature_specs_from_json(specs)?.into_iter();
    let specs = specs.map(|(name, spec)| Ok((name.clone(), spec.representation(&name)?)));
    let Some(mut kinds) = super::kinds::kinds(&specs.collect::<Result<BTreeMap<_, _>>>()?)? else {
        return Ok(None);
    };
    if let Some(raw_record) = options.text(options::RAW_RECORD_COLUMN) {
        kinds.remove(&raw_record.into());
    }
    format.of_kinds(&kinds).map(Some)
}

#[cfg(not(feature = "tensors"))]
fn given<F: Format>(_: &F, _: &FormatOptions) -> Result<Option<F::Schema>> {
    Ok(None)
}

struct Planner<F: Format> {
    format: F,
    settings: Settings,
    limits: Limits,
    known: Option<F::Schema>,
    inference: F::Inference,
}

impl<F: Format> RecordPlanner for Planner<F> {
    fn needs_records(&self) -> bool {
        self.known.is_none()
    }

    fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<()> {
        self.inference.push(record, origin).map_err(|error| self.format.explain(record, error))
    }

    fn fork(&self) -> Option<Box<dyn RecordPlanner>> {
        let (format, settings, limits) = (self.format.clone(), self.settings.clone(), self.limits);
        let inference = format.inference(limits, settings.other_messages);
        Some(Box::new(Self { format, settings, limits, known: None, inference }))
    }

    fn join(&mut self, fork: Box<dyn RecordPlanner>) -> Result<()> {
        let fork: Box<dyn Any> = fork;
        let Ok(fork) = fork.downcast::<Self>() else {
            return Err(Error::new(ErrorKind::InvalidArgument, "the fork is one of another planner"));
        };
        self.inference.merge(&fork.inference)
    }

    fn finish(self: Box<Self>) -> Result<Arc<dyn RecordPlan>> {
        let Self { format, settings, known, inference, .. } = *self;
        let (features, inference) = match known {
            Some(known) => (known, None),
            None => (inference.finish(), Some(inference)),
        };
        let mut plan =
            SchemaPlan { format, settings, features, inference, schema: Arc::new(Schema::empty()) };
        let decoder = plan.decoder_of(&ScanRequest::new(), None)?;
        if let Some(schema) = decoder.schema() {
            plan.schema = schema;
        }
        Ok(Arc::new(plan))
    }
}

/// Plan of decoding messages of a fixed schema.
struct SchemaPlan<F: Format> {
    format: F,
    settings: Settings,
    features: F::Schema,
    /// Inference that has seen the records, which knows the features of several kinds.
    inference: Option<F::Inference>,
    schema: SchemaRef,
}

impl<F: Format> SchemaPlan<F> {
    fn decoder_of(&self, request: &ScanRequest, selected: Option<&Selected>) -> Result<F::Decoder> {
        let settings = &self.settings;
        let lengths = selected.map(|selected| &selected.lengths).filter(|lengths| !lengths.is_empty());
        // Lengths that the schema fixes stay.
        let lengths = lengths.filter(|_| !settings.fixed_size_lists);
        let options = DecoderOptions {
            selection: selected.map(|selected| selected.features.clone()),
            raw_record: match selected {
                Some(selected) => selected.raw_record.clone(),
                None => settings.raw_record.clone(),
            },
            offsets: selected.and_then(|selected| selected.offsets).unwrap_or(settings.offsets),
            fixed_size_lists: settings.fixed_size_lists || lengths.is_some(),
            unknown_features: settings.unknown_features,
            other_messages: settings.other_messages,
            limits: request.limits,
        };
        match lengths {
            Some(lengths) => self.format.decoder(&F::with_lengths(self.features.clone(), lengths)?, &options),
            None => self.format.decoder(&self.features, &options),
        }
    }
}

impl<F: Format> RecordPlan for SchemaPlan<F> {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn describe(&self) -> Option<tfxio_core::SchemaReport> {
        let column = self.format.sequence_column(&self.features).map(|column| &**column);
        self.inference.as_ref().map(|inference| inference.describe(&self.schema, column))
    }

    fn decoder(&self, request: &ScanRequest) -> Result<Box<dyn RecordDecoder + Send>> {
        let Self { format, settings, features, .. } = self;
        let columns = request.columns.as_deref();
        let selected =
            columns.map(|columns| Selected::new(columns, format, features, settings.raw_record.as_ref()));
        let selected = selected.transpose()?;
        let asked = selected.as_ref().map(|selected| &selected.features);
        if let Some(mixed) = self.inference.as_ref().and_then(|inference| inference.mixed(asked)) {
            return Err(mixed);
        }
        let decoder = self.decoder_of(request, selected.as_ref())?;
        // What looked for a schema has passed over the same records.
        let is_inferred = !settings.is_given && settings.unknown_features == UnknownFeatures::Refuse;
        let checks = is_inferred && request.on_error.skip().is_some();
        let inference = checks.then(|| format.inference(request.limits, settings.other_messages));
        let order = selected.as_ref().map(|selected| &*selected.order);
        Ok(Box::new(MessageDecoder::new(format.clone(), decoder, inference, order)?))
    }
}

impl<F: Format> fmt::Debug for SchemaPlan<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SchemaPlan")
            .field("format", &self.format)
            .field("settings", &self.settings)
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}
