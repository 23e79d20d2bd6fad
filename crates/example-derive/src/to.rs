//! The implementation of `ToExample`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::parse_quote;
use syn::spanned::Spanned;

use crate::fields::{Role, Struct};

pub(crate) fn implementation(input: &Struct) -> TokenStream {
    let Struct { name, krate, .. } = input;
    let mut generics = input.generics.clone();
    let mut statements = Vec::new();
    for field in &input.fields {
        let (ident, ty, span) = (&field.ident, &field.ty, field.ty.span());
        match &field.role {
            Role::Skipped => {}
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
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    quote! {
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
    }
}
