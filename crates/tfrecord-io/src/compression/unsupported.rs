//! Stub of the decoder for builds that cannot decompress.

use super::Compression;
use super::stream::{Corrupt, InflateStep};
use crate::{Error, Kind, Result};

/// Decoder that does not exist.
#[derive(Debug)]
pub(crate) enum WrappedDecoder {}

impl WrappedDecoder {
    pub(crate) fn new(compression: Compression) -> Result<Option<Self>> {
        match compression {
            Compression::None => Ok(None),
            other => Err(Error::new(
                Kind::CompressionUnsupported,
                format!("the file is compressed with {other}, which this build cannot read"),
            )
            .help("build tfrecord-io with its feature `gzip`")),
        }
    }

    pub(crate) fn decode(&mut self, _: &[u8], _: &mut [u8], _: usize) -> Result<InflateStep, Corrupt> {
        match *self {}
    }

    pub(crate) fn is_between(&self) -> bool {
        match *self {}
    }

    pub(crate) fn unfinished(&self) -> Option<&'static str> {
        match *self {}
    }
}
