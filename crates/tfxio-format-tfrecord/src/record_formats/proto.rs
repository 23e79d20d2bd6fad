//! Messages of any protobuf type, defined by a descriptor.

mod descriptor;

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use message_codec::{
    Enums, Layout, MessageDecoder, MessageDescriptor, MessageEncoder, MessagePlan, MessagePlanBuilder,
};
use tfxio_core::{
    FormatOptions, OptionSpec, OptionType, OptionValue, Origin, Projection, RecordDecoder, RecordEncoder,
    RecordFormat, RecordPlan, RecordPlanner, Result, ScanRequest,
};

/// Records that are messages of a protobuf type: the option `descriptor` defines the types, `message` names the type of the records.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProtoFormat;

const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        descriptor::DESCRIPTOR,
        OptionType::File,
        "File with the descriptor of the messages: a FileDescriptorSet, as protoc writes it, or a .proto source; or the set \
         itself in base64, with `base64:` before it.",
    ),
    OptionSpec::new(
        descriptor::PROTO_PATH,
        OptionType::List,
        "Folders in which a .proto source finds its imports. Default: the folder of the source.",
    ),
    OptionSpec::new(
        descriptor::MESSAGE,
        OptionType::Text,
        "Full name of the message. Default: the only one at the top of the descriptor.",
    ),
    OptionSpec::new(
        "layout",
        OptionType::OneOf(&["structured", "plain"]),
        "Columns of messages: every field a list, or as its type says. Default structured.",
    ),
    OptionSpec::new(
        "enums",
        OptionType::OneOf(&["names", "numbers"]),
        "Columns of enums: strings or int32. Default names.",
    ),
    OptionSpec::new(
        "max_depth",
        OptionType::Count,
        "Number of times that a message may occur within itself as columns; a deeper one is its bytes. Default 0.",
    ),
    OptionSpec::new(
        "defaults",
        OptionType::Bool,
        "Whether an absent scalar takes its default instead of null. Default false.",
    ),
    OptionSpec::new(
        UNKNOWN_FIELDS,
        OptionType::Text,
        "Name of binary columns with the fields that the descriptor does not have. Default: these are passed over.",
    ),
    OptionSpec::new(
        "offsets",
        OptionType::OneOf(&["64", "32"]),
        "Bits of the offsets of lists and texts. Default 64.",
    ),
];

const UNKNOWN_FIELDS: &str = "unknown_fields";

impl RecordFormat for ProtoFormat {
    fn name(&self) -> &str {
        "proto"
    }

    fn options(&self) -> Vec<OptionSpec> {
        OPTIONS.to_vec()
    }

    fn planner(&self, options: &FormatOptions) -> Result<Box<dyn RecordPlanner>> {
        let message = descriptor::message(options)?;
        let builder = builder(&message, options);
        let plan = builder.clone().limits(options.request.limits).build()?;
        Ok(Box::new(ProtoPlan { message, builder, plan }))
    }

    /// Columns are written as messages where a descriptor is given.
    fn encodes(&self, _: &SchemaRef, options: &FormatOptions) -> bool {
        options.text(descriptor::DESCRIPTOR).is_some()
    }

    fn encoder(&self, schema: &SchemaRef, options: &FormatOptions) -> Result<Box<dyn RecordEncoder>> {
        let encoder = MessageEncoder::builder(descriptor::message(options)?, Arc::clone(schema))
            .limits(options.request.limits);
        let encoder = match options.text(UNKNOWN_FIELDS) {
            Some(column) => encoder.unknown_fields(column),
            None => encoder,
        };
        Ok(Box::new(Encoder(encoder.build()?)))
    }
}

/// Returns a builder of the columns that options ask for.
fn builder(message: &MessageDescriptor, options: &FormatOptions) -> MessagePlanBuilder {
    let mut builder = MessagePlan::builder(message.clone())
        .large_offsets(options.text("offsets") != Some("32"))
        .defaults(options.flag("defaults"));
    if options.text("layout") == Some("plain") {
        builder = builder.layout(Layout::Plain);
    }
    if options.text("enums") == Some("numbers") {
        builder = builder.enums(Enums::Numbers);
    }
    if let Some(depth) = options.count("max_depth") {
        // No message nests as deep as the largest number.
        builder = builder.max_depth(u32::try_from(depth).unwrap_or(u32::MAX));
    }
    match options.text(UNKNOWN_FIELDS) {
        Some(column) => builder.unknown_fields(column),
        None => builder,
    }
}

/// Plan of decoding messages, from their descriptor alone.
#[derive(Debug)]
struct ProtoPlan {
    message: MessageDescriptor,
    builder: MessagePlanBuilder,
    plan: MessagePlan,
}

impl RecordPlanner for ProtoPlan {
    fn needs_records(&self) -> bool {
        false
    }

    fn push(&mut self, _: &[u8], _: Origin<'_>) -> Result<()> {
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Arc<dyn RecordPlan>> {
        Ok(Arc::new(*self))
    }
}

impl RecordPlan for ProtoPlan {
    fn schema(&self) -> &SchemaRef {
        self.plan.schema()
    }

    /// Another process may not have the files of the descriptor.
    fn portable_options(&self) -> BTreeMap<String, OptionValue> {
        let message = self.message.full_name().to_owned();
        [
            (descriptor::DESCRIPTOR.to_owned(), descriptor::text(&self.message).into()),
            (descriptor::MESSAGE.to_owned(), message.into()),
        ]
        .into()
    }

    fn decoder(&self, request: &ScanRequest) -> Result<Box<dyn RecordDecoder + Send>> {
        let builder = self.builder.clone().limits(request.limits);
        let Some(columns) = &request.columns else { return Ok(Box::new(builder.build()?.decoder())) };
        let projection = Projection::new(self.plan.schema(), request)?;
        let paths = columns.iter().map(|column| column.path.clone());
        let decoder = builder.columns(paths).build()?.decoder();
        Ok(Box::new(Projected { decoder, projection }))
    }
}

/// A decoder whose columns are in the order of a request.
struct Projected {
    decoder: MessageDecoder,
    projection: Projection,
}

impl RecordDecoder for Projected {
    fn schema(&self) -> Option<SchemaRef> {
        Some(Arc::clone(self.projection.schema()))
    }

    fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<()> {
        self.decoder.push(record, origin)
    }

    fn rows(&self) -> usize {
        self.decoder.rows()
    }

    fn flush(&mut self) -> Result<RecordBatch> {
        self.projection.pick(&self.decoder.flush()?)
    }
}

struct Encoder(MessageEncoder);

impl RecordEncoder for Encoder {
    fn encode(&mut self, batch: &RecordBatch, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        self.0.encode(batch, take)
    }
}
