//! Struct to derive for, with the role of each field.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Data, DeriveInput, Error, Fields, Generics, Ident, Path, Result, Type};

use crate::attributes::{DefaultValue, OfField, OfStruct};

/// A struct with named fields.
pub(crate) struct Struct {
    pub(crate) name: Ident,
    pub(crate) generics: Generics,
    /// Path of the crate `example-codec`.
    pub(crate) krate: Path,
    pub(crate) denies_unknown: bool,
    pub(crate) fields: Vec<Field>,
}

/// A field of a struct.
pub(crate) struct Field {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    pub(crate) role: Role,
}

/// Role of a field in the record.
pub(crate) enum Role {
    Feature { name: String, is_lossy: bool, with: Option<Path>, default: Option<DefaultValue> },
    Steps { name: String, is_lossy: bool, default: Option<DefaultValue> },
    Struct { prefix: String },
    Skipped,
}

impl Struct {
    pub(crate) fn new(input: DeriveInput, krate: Path) -> Result<Self> {
        let what = match input.data {
            Data::Struct(data) => match data.fields {
                Fields::Named(fields) => Ok(fields),
                Fields::Unnamed(_) => Err("a struct without names of fields"),
                Fields::Unit => Err("a struct without fields"),
            },
            Data::Enum(_) => Err("an enum"),
            Data::Union(_) => Err("a union"),
        };
        let named = what.map_err(|what| {
            Error::new(
                input.ident.span(),
                format!("{what} is not a tf.Example; a struct with named fields is"),
            )
        })?;
        let attributes = OfStruct::parse(&input.attrs)?;
        let mut fields = Vec::new();
        let mut errors: Option<Error> = None;
        for field in named.named {
            match Field::new(field, &attributes) {
                Ok(field) => fields.push(field),
                Err(error) => match &mut errors {
                    Some(errors) => errors.combine(error),
                    none => *none = Some(error),
                },
            }
        }
        if let Some(error) = errors.or_else(|| twice(&fields)) {
            return Err(error);
        }
        Ok(Self {
            name: input.ident,
            generics: input.generics,
            krate: attributes.krate.unwrap_or(krate),
            denies_unknown: attributes.denies_unknown,
            fields,
        })
    }

    /// Refuses fields that a tf.Example does not have.
    pub(crate) fn check_no_steps(&self) -> Result<()> {
        match self.fields.iter().find(|field| matches!(field.role, Role::Steps { .. })) {
            None => Ok(()),
            Some(field) => Err(Error::new(
                field.ident.span(),
                "a tf.Example has no steps: derive `ToSequenceExample` and `FromSequenceExample`",
            )),
        }
    }

    /// Returns whether a type names a type parameter of the struct.
    pub(crate) fn is_generic(&self, ty: &Type) -> bool {
        self.generics.type_params().any(|parameter| mentions(ty.to_token_stream(), &parameter.ident))
    }
}

impl Field {
    fn new(field: syn::Field, of_struct: &OfStruct) -> Result<Self> {
        let attributes = OfField::parse(&field.attrs)?;
        let Some(ident) = field.ident else {
            return Err(Error::new_spanned(&field.ty, "the field has no name"));
        };
        let role = if attributes.is_skipped {
            Role::Skipped
        } else if attributes.is_flattened {
            Role::Struct { prefix: attributes.prefix.unwrap_or_default() }
        } else {
            let double = Ident::new("f64", ident.span());
            if !attributes.is_lossy
                && attributes.with.is_none()
                && mentions(field.ty.to_token_stream(), &double)
            {
                return Err(Error::new_spanned(
                    &field.ty,
                    "a tf.Example has floats of 32 bits: take `f32`, or say `#[example(lossy)]` to have `f64` rounded",
                ));
            }
            let own = ident.unraw().to_string();
            let name = attributes.rename.unwrap_or_else(|| match of_struct.case {
                Some(case) => case.apply(&own),
                None => own,
            });
            let (is_lossy, with, default) = (attributes.is_lossy, attributes.with, attributes.default);
            match attributes.is_steps {
                true => Role::Steps { name, is_lossy, default },
                false => Role::Feature { name, is_lossy, with, default },
            }
        };
        Ok(Self { ident, ty: field.ty, role })
    }
}

/// Returns the error of two fields that are one feature, or one feature list.
fn twice(fields: &[Field]) -> Option<Error> {
    let names = fields.iter().filter_map(|field| match &field.role {
        Role::Feature { name, .. } => Some(("feature", name, &field.ident)),
        Role::Steps { name, .. } => Some(("feature list", name, &field.ident)),
        Role::Struct { .. } | Role::Skipped => None,
    });
    names.clone().enumerate().find_map(|(at, (what, name, ident))| {
        let mut before = names.clone().take(at);
        let (.., first) = before.find(|(other, known, _)| (*other, *known) == (what, name))?;
        let text = format!("the fields `{first}` and `{ident}` are both the {what} {name:?}");
        Some(Error::new(ident.span(), text))
    })
}

/// Returns whether an identifier is among tokens.
fn mentions(tokens: TokenStream, ident: &Ident) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(found) => found == *ident,
        TokenTree::Group(group) => mentions(group.stream(), ident),
        _ => false,
    })
}
