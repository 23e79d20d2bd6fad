//! Descriptors of sources, and records by hand.

use arrow_array::{ArrayRef, RecordBatch};
use message_codec::{
    DescriptorSet, Error, Layout, MessageDecoder, MessageDescriptor, MessageEncoder, MessagePlan,
    MessagePlanBuilder, Origin,
};

/// Returns the message `M` of a source.
pub(crate) fn message(source: &str) -> MessageDescriptor {
    compile(source).unwrap().message("M").unwrap()
}

pub(crate) fn compile(source: &str) -> Result<DescriptorSet, Error> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.proto");
    std::fs::write(&file, source).unwrap();
    DescriptorSet::compile([file], [])
}

pub(crate) fn builder(source: &str) -> MessagePlanBuilder {
    MessagePlan::builder(message(source))
}

pub(crate) fn plain(source: &str) -> MessagePlanBuilder {
    builder(source).layout(Layout::Plain)
}

pub(crate) fn decoder(builder: MessagePlanBuilder) -> MessageDecoder {
    builder.build().unwrap().decoder()
}

/// Encodes columns, which may have nulls, as the message `M` of a source.
pub(crate) fn encode(source: &str, columns: Vec<(&str, ArrayRef)>) -> Result<Vec<Vec<u8>>, Error> {
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    MessageEncoder::builder(message(source), batch.schema()).build()?.encode_to_vec(&batch)
}

pub(crate) fn decode(builder: MessagePlanBuilder, records: &[&[u8]]) -> Result<RecordBatch, Error> {
    let mut decoder = builder.build()?.decoder();
    for (index, record) in (0..).zip(records) {
        decoder.push(record, Origin::record(index))?;
    }
    decoder.flush()
}

/// Returns the text of the error of a record.
pub(crate) fn refused(builder: MessagePlanBuilder, record: &[u8]) -> String {
    let mut decoder = decoder(builder);
    let error = decoder.push(record, Origin::new("a.tfrecord", 16, 1)).unwrap_err();
    assert_eq!(decoder.rows(), 0);
    error.to_string()
}
