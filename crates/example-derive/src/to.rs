//! The implementations of `ToExample` and `ToSequenceExample`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Generics, Result, parse_quote};

use crate::fields::{Role, Struct};

/// Returns the implementation of `ToExample`.
pub(crate) fn implementation(input: &Struct) -> Result<TokenStream> {
    input.check_no_steps()?;
    let Struct { name, krate, .. } = input;
    let mut generics = input.generics.clone();
    let statements = features(input, &mut generics);
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #impl_generics #krate::typed::ToExample for #name #ty_generics #where_clause {
            #[allow(unused_variables, reason = "a struct may have no features")]
            fn write_features(
                &self,
                out: &mut #krate::typed::FeatureWriter<'_>,
            ) -> ::core::result::Result<(), #krate::Error> {
                #(#statements)*
                ::core::result::Result::Ok(())
            }
        }
    })
}

/// Returns the implementation of `ToSequenceExample`.
pub(crate) fn sequence(input: &Struct) -> Result<TokenStream> {
    let Struct { name, krate, .. } = input;
    let mut generics = input.generics.clone();
    let context = features(input, &mut generics);
    let mut lists = Vec::new();
    for field in &input.fields {
        let (ident, ty, span) = (&field.ident, &field.ty, field.ty.span());
        if let Role::Steps { name, is_lossy, .. } = &field.role {
            if input.is_generic(ty) {
                let bound = parse_quote!(#ty: #krate::typed::ToSteps<#is_lossy>);
                generics.make_where_clause().predicates.push(bound);
            }
            lists.push(quote_spanned!(span=> out.steps::<#is_lossy, #ty>(#name, &self.#ident)?;));
        }
    }
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        #[allow(unused_variables, reason = "a struct may have no such fields")]
        impl #impl_generics #krate::typed::ToSequenceExample for #name #ty_generics #where_clause {
            fn write_context(
                &self,
                out: &mut #krate::typed::FeatureWriter<'_>,
            ) -> ::core::result::Result<(), #krate::Error> {
                #(#context)*
                ::core::result::Result::Ok(())
            }

            fn write_lists(
                &self,
                out: &mut #krate::typed::ListWriter<'_>,
            ) -> ::core::result::Result<(), #krate::Error> {
                #(#lists)*
                ::core::result::Result::Ok(())
            }
        }
    })
}

/// Returns the statements that write features, and adds the bounds that they need to the generics.
fn features(input: &Struct, generics: &mut Generics) -> Vec<TokenStream> {
    let krate = &input.krate;
    let mut statements = Vec::new();
    for field in &input.fields {
        let (ident, ty, span) = (&field.ident, &field.ty, field.ty.span());
        match &field.role {
            Role::Skipped | Role::Steps { .. } => {}
            Role::Struct { prefix } => {
                if input.is_generic(ty) {
                    generics.make_where_clause().predicates.push(parse_quote!(#ty: #krate::typed::ToExample));
                }
                statements.push(quote_spanned!(span=> out.flatten::<#ty>(#prefix, &self.#ident)?;));
            }
            Role::Feature { name, with: Some(with), is_lossy, .. } => {
                let call = quote_spanned!(with.span()=> #with::to_feature(&self.#ident));
                statements.push(quote_spanned!(span=> out.feature::<#is_lossy, _>(#name, &#call)?;));
            }
            Role::Feature { name, is_lossy, .. } => {
                if input.is_generic(ty) {
                    let bound = parse_quote!(#ty: #krate::typed::ToFeature<#is_lossy>);
                    generics.make_where_clause().predicates.push(bound);
                }
                statements.push(quote_spanned!(span=> out.feature::<#is_lossy, #ty>(#name, &self.#ident)?;));
            }
        }
    }
    statements
}
