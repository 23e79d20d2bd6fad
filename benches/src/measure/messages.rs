//! `--as message`: messages of any type to record batches and back, by message-codec, or by prost-reflect.
//!
//! The records are framed before the clock starts, and the decoder is kept over all runs. prost-reflect decodes each record
//! to a message, whose values go to Arrow's builders, into the plain layout; what it encodes are messages that exist already.

use std::hint::black_box;

use anyhow::{Context as _, Result};
use arrow_array::RecordBatch;
use message_codec::{DescriptorSet, Layout, MessageDescriptor, MessageEncoder, MessagePlan};
use prost_reflect::DynamicMessage;
use prost_reflect::prost::Message as _;
use tfxio_core::Origin;

use super::figure::{Done, Figure};
use super::framed::{Framed, file_bytes};
use super::{Options, Task};
use crate::reflected::{Reflected, descriptor};

pub(super) fn from_memory(options: &Options) -> Result<Figure> {
    let path = options.descriptor.as_deref().context("--descriptor is missing")?;
    let name = options.message.as_deref().context("--message is missing")?;
    let message = DescriptorSet::parse(&file_bytes(path)?)?.message(name)?;
    let framed = Framed::read(&options.file)?;
    let done = Framed::done(&framed.payloads);
    match (options.task, options.prost) {
        (Task::Encode, false) => encode(options, &message, &framed, done),
        (Task::Encode, true) => encode_reflected(options, &message, &framed, done),
        (_, false) => decode(options, &message, &framed, done),
        (_, true) => decode_reflected(options, &message, &framed, done),
    }
}

fn plan(options: &Options, message: &MessageDescriptor) -> Result<MessagePlan> {
    let layout = if options.plain { Layout::Plain } else { Layout::Structured };
    Ok(MessagePlan::builder(message.clone()).layout(layout).build()?)
}

fn decode(options: &Options, message: &MessageDescriptor, framed: &Framed, done: Done) -> Result<Figure> {
    let mut decoder = plan(options, message)?.decoder();
    Figure::time(options, || {
        for batch in framed.payloads.chunks(options.batch.get()) {
            for payload in batch {
                decoder.push(framed.payload(payload), Origin::default())?;
            }
            drop(black_box(decoder.flush()?));
        }
        Ok(done)
    })
}

fn encode(options: &Options, message: &MessageDescriptor, framed: &Framed, done: Done) -> Result<Figure> {
    let plan = plan(options, message)?;
    let mut decoder = plan.decoder();
    let mut batches: Vec<RecordBatch> = Vec::new();
    for batch in framed.payloads.chunks(options.batch.get()) {
        for payload in batch {
            decoder.push(framed.payload(payload), Origin::default())?;
        }
        batches.push(decoder.flush()?);
    }
    let encoder = MessageEncoder::builder(message.clone(), plan.schema().clone()).build()?;
    Figure::time(options, || {
        for batch in &batches {
            encoder.encode(batch, &mut |record| {
                black_box(record);
                Ok(())
            })?;
        }
        Ok(done)
    })
}

fn decode_reflected(
    options: &Options,
    message: &MessageDescriptor,
    framed: &Framed,
    done: Done,
) -> Result<Figure> {
    let mut columns = Reflected::new(descriptor(message)?);
    Figure::time(options, || {
        for batch in framed.payloads.chunks(options.batch.get()) {
            for payload in batch {
                columns.push(framed.payload(payload))?;
            }
            drop(black_box(columns.finish()));
        }
        Ok(done)
    })
}

fn encode_reflected(
    options: &Options,
    message: &MessageDescriptor,
    framed: &Framed,
    done: Done,
) -> Result<Figure> {
    let descriptor = descriptor(message)?;
    let messages = framed.payloads.iter();
    let messages =
        messages.map(|payload| DynamicMessage::decode(descriptor.clone(), framed.payload(payload)));
    let messages = messages.collect::<Result<Vec<_>, _>>()?;
    let mut record = Vec::new();
    Figure::time(options, || {
        for message in &messages {
            record.clear();
            message.encode(&mut record)?;
            black_box(&record);
        }
        Ok(done)
    })
}
