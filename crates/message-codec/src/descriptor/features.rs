//! Features of editions, and the equivalents of proto2 and proto3.
//!
//! <https://protobuf.dev/editions/features/>

use proto_wire::WireType;
use tfxio_base::{Error, Result};

use super::raw::{bad, each, number};
use crate::Kind;

/// Features that were set, or that apply after merging with the features of the enclosing scope. 0 is not set.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Features {
    pub(super) field_presence: i32,
    pub(super) repeated_field_encoding: i32,
    pub(super) message_encoding: i32,
}

pub(super) const EXPLICIT: i32 = 1;
pub(super) const IMPLICIT: i32 = 2;
pub(super) const LEGACY_REQUIRED: i32 = 3;
pub(super) const PACKED: i32 = 1;
const EXPANDED: i32 = 2;
const LENGTH_PREFIXED: i32 = 1;
pub(super) const DELIMITED: i32 = 2;

/// The number of a file that states no edition.
const NO_EDITION: i32 = 0;
const EDITION_PROTO2: i32 = 998;
const EDITION_PROTO3: i32 = 999;
const EDITION_2023: i32 = 1000;
/// The last edition that is known.
const EDITION_2024: i32 = 1001;

impl Features {
    /// Reads the features from field `field` of options.
    pub(super) fn of_options(options: &[u8], field: u32) -> Result<Self> {
        let mut features = Self::default();
        each(options, |tag, reader| {
            if (tag.field, tag.wire) != (field, WireType::Len) {
                return reader.skip(tag).map_err(bad);
            }
            each(reader.bytes().map_err(bad)?, |tag, reader| {
                match (tag.field, tag.wire) {
                    (1, WireType::Varint) => features.field_presence = number(reader)?,
                    (3, WireType::Varint) => features.repeated_field_encoding = number(reader)?,
                    (5, WireType::Varint) => features.message_encoding = number(reader)?,
                    _ => reader.skip(tag).map_err(bad)?,
                }
                Ok(())
            })
        })?;
        Ok(features)
    }

    /// Returns the features of a file that sets none.
    ///
    /// # Errors
    /// `Unsupported` for a syntax or an edition that is not known.
    pub(super) fn of_syntax(syntax: &str, edition: i32, file: &str) -> Result<Self> {
        let (field_presence, repeated_field_encoding) = match (syntax, edition) {
            ("" | "proto2", NO_EDITION | EDITION_PROTO2) => (EXPLICIT, EXPANDED),
            ("proto3", NO_EDITION | EDITION_PROTO3) => (IMPLICIT, PACKED),
            ("editions", EDITION_2023 | EDITION_2024) => (EXPLICIT, PACKED),
            _ => {
                let what = match syntax {
                    "editions" => {
                        format!("{file} has an edition with the number {edition}, which is not known")
                    }
                    "" | "proto2" | "proto3" => {
                        let syntax = match syntax {
                            "" => "no syntax".to_owned(),
                            syntax => format!("the syntax {syntax:?}"),
                        };
                        format!("{file} has {syntax} and an edition with the number {edition}")
                    }
                    _ => format!("{file} has the syntax {syntax:?}, which is not known"),
                };
                let help = "proto2, proto3 and the editions 2023 and 2024 are";
                return Err(Error::new(Kind::UnknownEdition, what).help(help));
            }
        };
        Ok(Self { field_presence, repeated_field_encoding, message_encoding: LENGTH_PREFIXED })
    }

    /// Takes over what another has set.
    pub(super) fn merge(&mut self, set: &Self) {
        for (feature, set) in [
            (&mut self.field_presence, set.field_presence),
            (&mut self.repeated_field_encoding, set.repeated_field_encoding),
            (&mut self.message_encoding, set.message_encoding),
        ] {
            if set != 0 {
                *feature = set;
            }
        }
    }

    /// Returns these features with what another has set.
    pub(super) fn merged(mut self, set: &Self) -> Self {
        self.merge(set);
        self
    }
}
