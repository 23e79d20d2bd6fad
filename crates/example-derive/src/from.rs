//! The implementations of `FromExample` and `FromSequenceExample`.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericParam, Generics, Ident, Path, Result, Type, parse_quote};

use crate::attributes::DefaultValue;
use crate::fields::{Field, Role, Struct};

/// Returns the implementation of `FromExample`.
pub(crate) fn implementation(input: &Struct) -> Result<TokenStream> {
    input.check_no_steps()?;
    let Struct { name, krate, denies_unknown, .. } = input;
    let Context { slots, pattern, slot, names } = Context::new(input);
    let values = values(input);
    let generics = generics(input);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let (_, ty_generics, _) = input.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        #[allow(unused_variables, reason = "a struct may have no such fields")]
        impl #impl_generics #krate::typed::FromExample<'__r> for #name #ty_generics #where_clause {
            type Slots = #slots;

            const DENY_UNKNOWN: bool = #denies_unknown;

            #[inline]
            fn slot<'__s>(
                slots: &'__s mut Self::Slots,
                name: &[u8],
            ) -> ::core::option::Option<&'__s mut #krate::typed::Slot<'__r>> {
                #slot
            }

            fn names(prefix: &str, names: &mut ::std::vec::Vec<::std::string::String>) {
                #names
            }

            fn from_slots(
                slots: Self::Slots,
                record: &#krate::typed::Record<'_, '__r>,
            ) -> ::core::result::Result<Self, #krate::Error> {
                let #pattern = slots;
                ::core::result::Result::Ok(Self { #(#values),* })
            }
        }
    })
}

/// Returns the implementation of `FromSequenceExample`.
pub(crate) fn sequence(input: &Struct) -> Result<TokenStream> {
    let Struct { name, krate, denies_unknown, .. } = input;
    let Context { slots, pattern, slot, names } = Context::new(input);
    let lists = input.fields.iter().filter_map(|field| match &field.role {
        Role::Steps { name, .. } => Some((self::slot(field), name.as_str())),
        _ => None,
    });
    let (list_slots, list_names): (Vec<_>, Vec<_>) = lists.unzip();
    let (count, position) = (list_names.len(), position(&list_names, krate));
    let values = values(input);
    let generics = generics(input);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let (_, ty_generics, _) = input.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        #[allow(unused_variables, reason = "a struct may have no such fields")]
        impl #impl_generics #krate::typed::FromSequenceExample<'__r> for #name #ty_generics #where_clause {
            type Context = #slots;
            type Lists = #krate::typed::Slots<'__r, #count, ()>;

            const DENY_UNKNOWN: bool = #denies_unknown;

            #[inline]
            fn slot<'__s>(
                slots: &'__s mut Self::Context,
                name: &[u8],
            ) -> ::core::option::Option<&'__s mut #krate::typed::Slot<'__r>> {
                #slot
            }

            #[inline]
            fn list<'__s>(
                slots: &'__s mut Self::Lists,
                name: &[u8],
            ) -> ::core::option::Option<&'__s mut #krate::typed::Slot<'__r>> {
                #position
                ::core::option::Option::None
            }

            fn names(prefix: &str, names: &mut ::std::vec::Vec<::std::string::String>) {
                #names
                #(names.push([prefix, #list_names].concat());)*
            }

            fn from_slots(
                context: Self::Context,
                lists: Self::Lists,
                record: &#krate::typed::Record<'_, '__r>,
            ) -> ::core::result::Result<Self, #krate::Error> {
                let #pattern = context;
                let #krate::typed::Slots { own: [#(#list_slots),*], .. } = lists;
                ::core::result::Result::Ok(Self { #(#values),* })
            }
        }
    })
}

/// Code of features, including the features of nested structs.
struct Context {
    /// Type of all slots.
    slots: TokenStream,
    /// Pattern that matches all slots.
    pattern: TokenStream,
    /// Body of `slot`.
    slot: TokenStream,
    /// Body of `names`.
    names: TokenStream,
}

impl Context {
    fn new(input: &Struct) -> Self {
        let krate = &input.krate;
        let own = features(input);
        let names = own.iter().map(|(_, _, name)| *name).collect::<Vec<_>>();
        let slots = own.iter().map(|(_, slot, _)| slot);
        let structs = structs(input);
        let (nested_types, nested_slots) = nested(&structs, krate);
        let (count, position) = (names.len(), position(&names, krate));
        let searches = structs.iter().enumerate().map(|(at, (field, _, prefix))| {
            let (ty, prefix, path) = (&field.ty, Literal::byte_string(prefix.as_bytes()), nested_path(at));
            quote_spanned! {ty.span()=>
                if let ::core::option::Option::Some(name) = name.strip_prefix(#prefix) {
                    let found = <#ty as #krate::typed::FromExample<'__r>>::slot(&mut slots.flattened #path, name);
                    if let ::core::option::Option::Some(slot) = found {
                        return ::core::option::Option::Some(slot);
                    }
                }
            }
        });
        let nested_names = structs.iter().map(|(field, _, prefix)| {
            let ty = &field.ty;
            quote!(<#ty as #krate::typed::FromExample<'__r>>::names(&[prefix, #prefix].concat(), names);)
        });
        Self {
            slots: quote!(#krate::typed::Slots<'__r, #count, #nested_types>),
            pattern: quote!(#krate::typed::Slots { own: [#(#slots),*], flattened: #nested_slots, .. }),
            slot: quote! {
                #position
                #(#searches)*
                ::core::option::Option::None
            },
            names: quote! {
                #(names.push([prefix, #names].concat());)*
                #(#nested_names)*
            },
        }
    }
}

/// Returns the statements that return the slot of a name, if the struct itself has it.
fn position(names: &[&str], krate: &Path) -> TokenStream {
    let (count, entries) = (names.len(), (2 * names.len()).next_power_of_two());
    quote! {
        const NAMES: [&str; #count] = [#(#names),*];
        const KNOWN: #krate::typed::Names<#count, #entries> =
            #krate::typed::Names { names: NAMES, table: #krate::typed::table(&NAMES) };
        if let ::core::option::Option::Some(at) = slots.position(&KNOWN, name) {
            return slots.own.get_mut(at);
        }
    }
}

/// Returns the fields with their values.
fn values(input: &Struct) -> Vec<TokenStream> {
    let values = input.fields.iter().map(|field| {
        let (ident, value) = (&field.ident, value(field, &input.krate));
        quote!(#ident: #value)
    });
    values.collect()
}

/// Returns the fields that are features, each with the variable of its slot and its name.
fn features(input: &Struct) -> Vec<(&Field, Ident, &str)> {
    let features = input.fields.iter().filter_map(|field| match &field.role {
        Role::Feature { name, .. } => Some((field, slot(field), name.as_str())),
        _ => None,
    });
    features.collect()
}

/// Returns the fields that are structs, each with the variable of its slots and its prefix.
fn structs(input: &Struct) -> Vec<(&Field, Ident, &str)> {
    let structs = input.fields.iter().filter_map(|field| match &field.role {
        Role::Struct { prefix } => Some((field, slot(field), prefix.as_str())),
        _ => None,
    });
    structs.collect()
}

fn slot(field: &Field) -> Ident {
    format_ident!("__slot_{}", field.ident)
}

/// Returns the type of the slots of all structs, a list of pairs, and its pattern.
fn nested(structs: &[(&Field, Ident, &str)], krate: &Path) -> (TokenStream, TokenStream) {
    structs.iter().rev().fold((quote!(()), quote!(())), |(types, pattern), (field, slot, _)| {
        let ty = &field.ty;
        (quote!((<#ty as #krate::typed::FromExample<'__r>>::Slots, #types)), quote!((#slot, #pattern)))
    })
}

/// Returns the path to the slots of a nested struct in the list of pairs.
fn nested_path(at: usize) -> TokenStream {
    let rest = (0..at).map(|_| quote!(.1));
    quote!(#(#rest)* .0)
}

/// Returns the value of a field.
fn value(field: &Field, krate: &Path) -> TokenStream {
    let (ty, slot, span) = (&field.ty, slot(field), field.ty.span());
    let (name, is_lossy, with, default) = match &field.role {
        Role::Skipped => return quote_spanned!(span=> <#ty as ::core::default::Default>::default()),
        Role::Struct { prefix } => {
            let read = quote!(<#ty as #krate::typed::FromExample<'__r>>::from_slots);
            return quote_spanned!(span=> #read(#slot, &record.within(#prefix))?);
        }
        Role::Steps { name, is_lossy, default } => {
            return match default.as_ref().map(|default| default_of(default, ty)) {
                None => quote_spanned!(span=> record.steps::<#is_lossy, #ty>(#slot, #name)?),
                Some(default) => quote_spanned!(span=> record.steps_or::<#is_lossy, #ty>(#slot, #default)?),
            };
        }
        Role::Feature { name, is_lossy, with, default } => (name, *is_lossy, with, default),
    };
    let default = default.as_ref().map(|default| default_of(default, ty));
    match (with, default) {
        (None, None) => quote_spanned!(span=> record.read::<#is_lossy, #ty>(#slot, #name)?),
        (None, Some(default)) => quote_spanned!(span=> record.read_or::<#is_lossy, #ty>(#slot, #default)?),
        (Some(with), None) => {
            let from = quote_spanned!(with.span()=> #with::from_feature);
            quote_spanned!(span=> record.converted(#name, #from(record.read::<#is_lossy, _>(#slot, #name)?))?)
        }
        (Some(with), Some(default)) => {
            let from = quote_spanned!(with.span()=> #with::from_feature);
            quote_spanned! {span=>
                match record.read::<#is_lossy, ::core::option::Option<_>>(#slot, #name)? {
                    ::core::option::Option::Some(value) => record.converted(#name, #from(value))?,
                    ::core::option::Option::None => (#default)(),
                }
            }
        }
    }
}

/// Returns the function that gives the value of an absent feature.
fn default_of(default: &DefaultValue, ty: &Type) -> TokenStream {
    match default {
        DefaultValue::Default => quote!(<#ty as ::core::default::Default>::default),
        DefaultValue::Function(path) => quote!(#path),
    }
}

/// Returns the generics of the struct, with the lifetime of the record and the bounds of the fields.
fn generics(input: &Struct) -> Generics {
    let krate = &input.krate;
    let mut generics = input.generics.clone();
    let outlived = input.generics.lifetimes().map(|parameter| &parameter.lifetime);
    let record: GenericParam = parse_quote!('__r: #(#outlived)+*);
    generics.params.insert(0, record);
    for field in input.fields.iter().filter(|field| input.is_generic(&field.ty)) {
        let ty = &field.ty;
        let bound = match &field.role {
            Role::Feature { with: Some(_), .. } => continue,
            Role::Feature { is_lossy, .. } => {
                parse_quote!(#ty: #krate::typed::FromFeature<'__r, #is_lossy>)
            }
            Role::Steps { is_lossy, .. } => parse_quote!(#ty: #krate::typed::FromSteps<'__r, #is_lossy>),
            Role::Struct { .. } => parse_quote!(#ty: #krate::typed::FromExample<'__r>),
            Role::Skipped => parse_quote!(#ty: ::core::default::Default),
        };
        generics.make_where_clause().predicates.push(bound);
    }
    generics
}
