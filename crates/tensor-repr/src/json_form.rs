//! Reading JSON that people write: objects of members, with what is wrong said by position, name, what stands there and what
//! may.

pub(crate) mod members;
pub(crate) mod text;
pub(crate) mod value;

/// What the members of an object describe.
#[derive(Clone, Copy)]
pub(crate) enum Subject {
    Spec,
    Representation,
}

impl Subject {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Spec => "spec",
            Self::Representation => "representation",
        }
    }

    /// What has such an object, and a name.
    pub(crate) fn owner(self) -> &'static str {
        match self {
            Self::Spec => "feature",
            Self::Representation => "tensor",
        }
    }
}
