//! Generates the fields of a constant buffer: name, offset, size, and the fields of nested structures.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    Data, DeriveInput, Error, Field, Fields, Ident, LitStr, Path, Result, Type, ext::IdentExt as _,
    meta::ParseNestedMeta, spanned::Spanned as _,
};

use crate::attributes::for_each;

const OF_STRUCT: &str = "a struct accepts `crate = \"path\"`";
const OF_FIELD: &str = "a field accepts `name = \"viewProjection\"`";

pub(crate) fn implement(input: &DeriveInput) -> Result<TokenStream> {
    if !input.generics.params.is_empty() {
        let cure = "constants have no generic parameters, because their offsets must be known; derive them for a \
                    concrete struct";
        return Err(Error::new(input.generics.span(), cure));
    }
    let mut onze: Path = syn::parse_quote!(::onze);
    for_each("constants", &input.attrs, |meta| {
        if !meta.path.is_ident("crate") {
            return Err(meta.error(format!("unknown word: {OF_STRUCT}")));
        }
        onze = meta.value()?.parse::<LitStr>()?.parse()?;
        Ok(())
    })?;
    let name = &input.ident;
    let fields = named_fields(input)?.map(|(ident, field)| entry(name, ident, field, &onze));
    let fields = fields.collect::<Result<Vec<_>>>()?;
    Ok(quote! {
        const _: () = {
            /// Selects the fields of `T`. If `T` implements `ConstantFields`, the inherent constant shadows
            /// the trait's constant, which is empty.
            struct Of<T>(::core::marker::PhantomData<T>);
            trait WithoutFields {
                const FIELDS: &'static [#onze::ConstantField] = &[];
            }
            impl<T> WithoutFields for Of<T> {}
            impl<T: #onze::ConstantFields> Of<T> {
                const FIELDS: &'static [#onze::ConstantField] = <T as #onze::ConstantFields>::FIELDS;
            }
            #[automatically_derived]
            impl #onze::ConstantFields for #name {
                const FIELDS: &'static [#onze::ConstantField] = &[#(#fields),*];
            }
        };
    })
}

fn named_fields(input: &DeriveInput) -> Result<impl Iterator<Item = (&Ident, &Field)>> {
    let cure = "constants are a struct with named fields, whose names are compared with the shader's";
    match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => {
                Ok(fields.named.iter().filter_map(|field| Some((field.ident.as_ref()?, field))))
            }
            Fields::Unnamed(_) | Fields::Unit => Err(Error::new(input.ident.span(), cure)),
        },
        Data::Enum(_) | Data::Union(_) => Err(Error::new(input.ident.span(), cure)),
    }
}

fn entry(of: &Ident, ident: &Ident, field: &Field, onze: &Path) -> Result<TokenStream> {
    let mut name = ident.unraw().to_string();
    for_each("constants", &field.attrs, |meta: &ParseNestedMeta<'_>| {
        if !meta.path.is_ident("name") {
            return Err(meta.error(format!("unknown word: {OF_FIELD}")));
        }
        name = meta.value()?.parse::<LitStr>()?.value();
        Ok(())
    })?;
    let ty = &field.ty;
    let (element, count) = match ty {
        Type::Array(array) => {
            let len = &array.len;
            (&*array.elem, quote!((#len) as u32))
        }
        _ => (ty, quote!(1)),
    };
    Ok(quote! {
        #onze::ConstantField {
            name: #name,
            offset: ::core::mem::offset_of!(#of, #ident) as u32,
            size: ::core::mem::size_of::<#ty>() as u32,
            count: #count,
            fields: Of::<#element>::FIELDS,
        }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::unwrap_in_result, reason = "tests may panic")]

    use super::*;

    #[test]
    fn types_that_are_not_constants_are_refused_with_a_fix() {
        for (text, cure) in [
            ("enum C { A }", "a struct with named fields"),
            ("union C { a: u32 }", "a struct with named fields"),
            ("struct C(u32);", "a struct with named fields"),
            ("struct C;", "a struct with named fields"),
            ("struct C<T> { a: T }", "no generic parameters"),
            ("#[constants(skip)] struct C { a: u32 }", "a struct accepts `crate"),
            ("struct C { #[constants(skip)] a: u32 }", "a field accepts `name"),
        ] {
            let words = implement(&syn::parse_str(text).unwrap()).unwrap_err().to_string();
            assert!(words.contains(cure), "{text}: {words}");
        }
    }

    #[test]
    fn constants_find_onze_at_another_path() {
        let text = "#[constants(crate = \"my::engine\")] struct C { a: [f32; 4] }";
        let tokens = implement(&syn::parse_str(text).unwrap()).unwrap().to_string();
        assert!(tokens.contains("my :: engine :: ConstantFields") && !tokens.contains("onze"), "{tokens}");
    }
}
