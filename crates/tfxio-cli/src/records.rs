//! What records hold.

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
}
