//! What records hold: as asked for, as a schema says, or as they look.

use tfxio::tensor_repr::{FeatureType, Schema};
use tfxio::{Message, RecordOptions};

use crate::args::{self, Indexes, Records};

impl Indexes {
    /// How files are read.
    pub(crate) fn options(&self) -> RecordOptions {
        RecordOptions::default().with_index(!self.no_index)
    }
}

impl Records {
    /// The message that was asked for.
    pub(crate) fn message(&self) -> Option<Message> {
        self.message.map(|message| match message {
            args::Message::Example => Message::Example,
            args::Message::SequenceExample => Message::SequenceExample,
        })
    }

    /// The message that was asked for, or that a schema with a struct of sequence features means.
    pub(crate) fn message_of(&self, schema: &Schema) -> Option<Message> {
        let is_lists = |name: &str| name == self.sequence_column;
        let mut features = schema.features();
        let has_lists = features.any(|f| is_lists(f.name()) && f.feature_type() == Some(FeatureType::Struct));
        self.message().or(has_lists.then_some(Message::SequenceExample))
    }
}
