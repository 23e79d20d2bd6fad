//! The protobuf messages of TensorFlow Metadata.
//!
//! They are not public: [`TfmdSchema`](crate::TfmdSchema) and [`Representation`](crate::Representation) read and write the encoded
//! messages.

pub(crate) mod descriptors;
#[cfg(test)]
mod published;

pub(crate) use tfxio_tfmd::metadata;
