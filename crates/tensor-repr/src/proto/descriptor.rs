//! Which fields the messages of a schema have, for code that knows the messages by name only.

include!("generated/descriptors.rs");

/// A message.
#[derive(Debug)]
pub(crate) struct MessageType {
    /// The name with the package.
    pub(crate) name: &'static str,
    /// The fields, in order of their numbers.
    pub(crate) fields: &'static [Field],
}

/// A field of a message.
#[derive(Debug)]
pub(crate) struct Field {
    /// The name, as text has it.
    pub(crate) name: &'static str,
    /// The number, as bytes have it.
    pub(crate) number: u32,
    /// The type of the value.
    pub(crate) kind: Kind,
    /// Whether it is a list. A map is a list of entries.
    pub(crate) repeated: bool,
    /// Whether it is a map.
    pub(crate) map: bool,
    /// The oneof that it is a member of.
    pub(crate) oneof: Option<&'static str>,
}

/// The type of a field's value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Bool,
    Int64,
    UInt32,
    UInt64,
    Float,
    Double,
    String,
    Bytes,
    /// The place in [`ENUMS`].
    Enum(usize),
    /// The place in [`MESSAGES`].
    Message(usize),
}

/// An enum.
#[derive(Debug)]
pub(crate) struct EnumType {
    /// The name with the package.
    pub(crate) name: &'static str,
    /// Names and numbers.
    pub(crate) values: &'static [(&'static str, i32)],
}

impl MessageType {
    /// The message of that full name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        MESSAGES.iter().find(|message| message.name == name)
    }

    /// The field of that name.
    pub(crate) fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The field of that number.
    pub(crate) fn field_numbered(&self, number: u32) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.number == number)
    }

    /// The name without the package.
    pub(crate) fn short_name(&self) -> &'static str {
        last_part(self.name)
    }
}

impl EnumType {
    /// The name without the package.
    pub(crate) fn short_name(&self) -> &'static str {
        last_part(self.name)
    }
}

fn last_part(name: &'static str) -> &'static str {
    name.rsplit('.').next().unwrap_or(name)
}

impl Field {
    /// The message that the values are, if they are messages.
    pub(crate) fn message(&self) -> Option<&'static MessageType> {
        match self.kind {
            Kind::Message(at) => MESSAGES.get(at),
            _ => None,
        }
    }
}

impl Kind {
    /// What text calls a value of the type.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::Bool => "true or false",
            Self::Int64 => "an integer",
            Self::UInt32 | Self::UInt64 => "an integer that is not negative",
            Self::Float | Self::Double => "a number",
            Self::String | Self::Bytes => "a string in quotes",
            Self::Enum(_) => "the name of an enum value",
            Self::Message(_) => "a message in { }",
        }
    }
}
