//! Options of a plan, and its builder.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use tfxio_base::{Limits, Result};
use tfxio_core::ColumnPath;

use super::{CompiledPlan, compile};
use crate::MessageDescriptor;
use crate::decode::MessageDecoder;

/// Layout of columns.
///
/// | field | structured | plain |
/// | --- | --- | --- |
/// | singular | list of one value, or null | value, or null |
/// | with implicit presence (proto3) | list of one value | value, never null |
/// | repeated | list | list, never null |
/// | message | list of one `Struct`, or null | `Struct`, or null |
/// | map | list of `Struct<key, value>` | `Map` |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Layout {
    /// Every field is a list, as RFC 162 has it.
    #[default]
    Structured,
    /// Fields have the types that their values have.
    Plain,
}

/// Columns of enums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Enums {
    /// Strings: the names; the decimal number where the descriptor has no name for it.
    #[default]
    Names,
    /// `Int32`: the numbers.
    Numbers,
}

/// Compiled columns of the messages of a type. Shared, and cheap to clone.
///
/// ```
/// # #[cfg(feature = "sources")] {
/// use message_codec::{DescriptorSet, Layout, MessagePlan, Origin, RecordDecoder};
///
/// # let dir = tempfile::tempdir().unwrap();
/// # let file = dir.path().join("person.proto");
/// # std::fs::write(&file, r#"syntax = "proto3"; message Person { string name = 1; repeated int32 scores = 2; }"#).unwrap();
/// // message Person { string name = 1; repeated int32 scores = 2; }
/// let person = DescriptorSet::compile([file], [])?.message("Person")?;
/// let plan = MessagePlan::builder(person).layout(Layout::Plain).build()?;
/// let mut decoder = plan.decoder();
/// decoder.push(b"\x0a\x03Ada\x12\x02\x07\x08", Origin::record(0))?;
/// let batch = decoder.flush()?;
/// assert_eq!((batch.num_rows(), batch.num_columns()), (1, 2));
/// # }
/// # Ok::<(), message_codec::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MessagePlan {
    pub(crate) plan: Arc<CompiledPlan>,
}

impl MessagePlan {
    /// Returns a builder of a plan for messages of a type.
    pub fn builder(message: MessageDescriptor) -> MessagePlanBuilder {
        MessagePlanBuilder {
            message,
            layout: Layout::default(),
            enums: Enums::default(),
            large_offsets: true,
            max_depth: 0,
            defaults: false,
            unknown_fields: None,
            columns: None,
            limits: Limits::default(),
        }
    }

    /// Returns the schema of the batches.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.plan.schema
    }

    /// Returns a decoder without rows.
    #[must_use]
    pub fn decoder(&self) -> MessageDecoder {
        MessageDecoder::new(Arc::clone(&self.plan))
    }
}

/// Builds a [`MessagePlan`].
#[derive(Clone, Debug)]
#[must_use]
pub struct MessagePlanBuilder {
    pub(super) message: MessageDescriptor,
    pub(super) layout: Layout,
    pub(super) enums: Enums,
    pub(super) large_offsets: bool,
    pub(super) max_depth: u32,
    pub(super) defaults: bool,
    pub(super) unknown_fields: Option<Arc<str>>,
    pub(super) columns: Option<Vec<ColumnPath>>,
    pub(super) limits: Limits,
}

impl MessagePlanBuilder {
    /// Sets what columns look like. Default [`Layout::Structured`].
    pub fn layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
        self
    }

    /// Sets what values of enums become. Default [`Enums::Names`].
    pub fn enums(mut self, enums: Enums) -> Self {
        self.enums = enums;
        self
    }

    /// Sets whether offsets have 64 bits (`LargeList`, `LargeUtf8`, `LargeBinary`) or 32. Arrow's `Map` has 32 in any case.
    /// Default true.
    pub fn large_offsets(mut self, large_offsets: bool) -> Self {
        self.large_offsets = large_offsets;
        self
    }

    /// Sets how often a message may occur within itself as columns. One that is deeper is a binary column: its bytes.
    /// Default 0.
    pub fn max_depth(mut self, max_depth: u32) -> Self {
        self.max_depth = max_depth;
        self
    }

    /// Sets whether an absent scalar field with explicit presence, outside of oneofs, takes its default instead of null: the
    /// one that proto2 declares, or that of its type. Default false.
    pub fn defaults(mut self, defaults: bool) -> Self {
        self.defaults = defaults;
        self
    }

    /// Adds a binary column of this name to the root and to every message in it, with the bytes of the fields that the
    /// descriptor does not have, tags included. Default: they are passed over.
    pub fn unknown_fields(mut self, column: impl Into<Arc<str>>) -> Self {
        self.unknown_fields = Some(column.into());
        self
    }

    /// Sets the columns, and fields within them, that are read; the rest is passed over by its length, unread. They keep the
    /// order of the descriptor. Default: all.
    pub fn columns<P: Into<ColumnPath>>(mut self, columns: impl IntoIterator<Item = P>) -> Self {
        self.columns = Some(columns.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the bounds on what records may claim.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Compiles the plan.
    ///
    /// # Errors
    /// `InvalidArgument` for a column or field that does not exist, with the nearest name, or whose name is that of the
    /// column of unknown fields; `LimitExceeded` when the message has more columns, all levels counted, or is deeper than the
    /// limits allow.
    pub fn build(self) -> Result<MessagePlan> {
        Ok(MessagePlan { plan: Arc::new(compile::plan(&self)?) })
    }
}
