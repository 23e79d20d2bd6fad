//! `#[derive(ToExample, FromExample)]`: structs as tf.Examples, and `#[derive(ToSequenceExample, FromSequenceExample)]`:
//! structs as tf.SequenceExamples, for the crate `example-codec`, which re-exports them with its feature `derive`.
//!
//! A struct has named fields, each of which is a feature of the name and the values of the field. Attributes are
//! spelled as in serde:
//!
//! | on the struct | |
//! | --- | --- |
//! | `#[example(rename_all = "camelCase")]` | writes all names so: also `PascalCase`, `lowercase`, `UPPERCASE`, `snake_case`, `SCREAMING_SNAKE_CASE`, `kebab-case`, `SCREAMING-KEBAB-CASE` |
//! | `#[example(deny_unknown_features)]` | refuses records with features that the struct has no field for |
//! | `#[example(crate = "path::to::example_codec")]` | names the path of the crate `example-codec`, if it is not the
//! default |
//!
//! | on a field | |
//! | --- | --- |
//! | `#[example(rename = "image/encoded")]` | is the name of the feature |
//! | `#[example(default)]`, `#[example(default = "path")]` | takes `Default::default()`, or what the function returns, where the feature is absent |
//! | `#[example(skip)]` | is not a feature: not written, and `Default::default()` when read |
//! | `#[example(lossy)]` | allows `f64`, which is rounded to the 32 bits of a tf.Example |
//! | `#[example(flatten)]`, `#[example(flatten, prefix = "image/")]` | is a struct whose features are features of this one, with a prefix before their names |
//! | `#[example(with = "module")]` | converts by `module::to_feature(&Field) -> Value` and `module::from_feature(Value) -> Result<Field, E>`, where `Value` is a type that a field may have |
//!
//! | on a field of a tf.SequenceExample | |
//! | --- | --- |
//! | `#[example(steps)]` | is a feature list: a `Vec` of the values of features, one of each step; fields without it are features of the context |
//!
//! An absent feature is an error, unless the field is an `Option` or has a default.

mod attributes;
mod case;
mod fields;
mod from;
mod to;

#[cfg(test)]
mod tests;

use proc_macro::TokenStream;
use syn::parse::{Parse, Parser};
use syn::{DeriveInput, Path};

use self::fields::Struct;

/// Implements `ToExample`; the crate's page has the attributes.
#[proc_macro_derive(ToExample, attributes(example))]
pub fn to_example(input: TokenStream) -> TokenStream {
    derive(input, "::example_codec", to::implementation)
}

/// Implements `FromExample`; the crate's page has the attributes.
#[proc_macro_derive(FromExample, attributes(example))]
pub fn from_example(input: TokenStream) -> TokenStream {
    derive(input, "::example_codec", from::implementation)
}

/// Implements `ToExample` for programs that depend on `tfxio`, which re-exports it under that name.
#[doc(hidden)]
#[proc_macro_derive(ToExampleOfTfxio, attributes(example))]
pub fn to_example_of_tfxio(input: TokenStream) -> TokenStream {
    derive(input, "::tfxio::example_codec", to::implementation)
}

/// Implements `FromExample` for programs that depend on `tfxio`, which re-exports it under that name.
#[doc(hidden)]
#[proc_macro_derive(FromExampleOfTfxio, attributes(example))]
pub fn from_example_of_tfxio(input: TokenStream) -> TokenStream {
    derive(input, "::tfxio::example_codec", from::implementation)
}

/// Implements `ToSequenceExample`; the crate's page has the attributes.
#[proc_macro_derive(ToSequenceExample, attributes(example))]
pub fn to_sequence_example(input: TokenStream) -> TokenStream {
    derive(input, "::example_codec", to::sequence)
}

/// Implements `FromSequenceExample`; the crate's page has the attributes.
#[proc_macro_derive(FromSequenceExample, attributes(example))]
pub fn from_sequence_example(input: TokenStream) -> TokenStream {
    derive(input, "::example_codec", from::sequence)
}

/// Implements `ToSequenceExample` for programs that depend on `tfxio`, which re-exports it under that name.
#[doc(hidden)]
#[proc_macro_derive(ToSequenceExampleOfTfxio, attributes(example))]
pub fn to_sequence_example_of_tfxio(input: TokenStream) -> TokenStream {
    derive(input, "::tfxio::example_codec", to::sequence)
}

/// Implements `FromSequenceExample` for programs that depend on `tfxio`, which re-exports it under that name.
#[doc(hidden)]
#[proc_macro_derive(FromSequenceExampleOfTfxio, attributes(example))]
pub fn from_sequence_example_of_tfxio(input: TokenStream) -> TokenStream {
    derive(input, "::tfxio::example_codec", from::sequence)
}

fn derive(input: TokenStream, krate: &str, implementation: Implementation) -> TokenStream {
    expand(input.into(), krate, implementation).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes an implementation for a struct.
type Implementation = fn(&Struct) -> syn::Result<proc_macro2::TokenStream>;

/// Returns the implementation for a struct, or its error.
fn expand(
    input: proc_macro2::TokenStream,
    krate: &str,
    implementation: Implementation,
) -> syn::Result<proc_macro2::TokenStream> {
    let krate = Parser::parse_str(Path::parse_mod_style, krate)?;
    let input = Parser::parse2(DeriveInput::parse, input)?;
    implementation(&Struct::new(input, krate)?)
}
