//! Setters with the names of the fields.

/// Defines setters: of each type, its fields, the types of their arguments, and what they are set to.
macro_rules! setters {
    ($($type:ident { $($(#[$doc:meta])* $field:ident: $set:ty => $value:expr,)* })*) => {$(
        impl $type {
            $($(#[$doc])*
            #[must_use]
            pub fn $field(mut self, $field: $set) -> Self {
                self.$field = $value;
                self
            })*
        }
    )*};
}

pub(crate) use setters;
