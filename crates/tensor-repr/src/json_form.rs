//! Reading of JSON that people write: objects of members. Errors contain the position, the name, the text found and the
//! allowed forms.

pub(crate) mod members;
pub(crate) mod text;
pub(crate) mod value;

/// Subject that the members of an object describe.
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

    /// Returns the noun for the owner of such an object, which has a name.
    pub(crate) fn owner(self) -> &'static str {
        match self {
            Self::Spec => "feature",
            Self::Representation => "tensor",
        }
    }
}
