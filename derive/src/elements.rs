//! Generates the elements of the input layout, and compile-time checks of their sizes and offsets.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote, quote_spanned};
use syn::{
    Data, DeriveInput, Error, Field, Fields, Ident, Path, Result, ext::IdentExt as _, spanned::Spanned as _,
};

use crate::attributes::{OfField, OfStruct};

struct Element<'a> {
    field: &'a Field,
    name: &'a Ident,
    semantic: String,
    index: u32,
    attributes: OfField,
}

pub(crate) fn implement(input: &DeriveInput) -> Result<TokenStream> {
    if !input.generics.params.is_empty() {
        let cure = "a vertex has no generic parameters, because its layout must be known; derive it for a \
                    concrete struct";
        return Err(Error::new(input.generics.span(), cure));
    }
    let OfStruct { step_rate, onze } = OfStruct::parse(&input.attrs)?;
    let elements = elements(input)?;
    let name = &input.ident;
    let class = if step_rate.is_some() { "PerInstanceData" } else { "PerVertexData" };
    let rate = step_rate.unwrap_or(0);
    let class = Ident::new(class, name.span());
    let entries = elements.iter().map(|element| {
        let Element { semantic, index, name: field, .. } = element;
        let format = format(element, &onze);
        let location = match element.attributes.location {
            Some(location) => quote!(::core::option::Option::Some(#location)),
            None => quote!(::core::option::Option::None),
        };
        quote! {
            #onze::InputElementDesc {
                semantic_name: ::std::borrow::Cow::Borrowed(#semantic),
                semantic_index: #index,
                format: #format,
                input_slot: 0,
                aligned_byte_offset: ::core::mem::offset_of!(#name, #field) as u32,
                input_slot_class: #onze::InputClassification::#class,
                instance_data_step_rate: #rate,
                location: #location,
            }
        }
    });
    let checks = checks(name, &elements, &onze);
    Ok(quote! {
        #[automatically_derived]
        impl #onze::Vertex for #name {
            const ELEMENTS: &'static [#onze::InputElementDesc] = &[#(#entries),*];
        }
        #checks
    })
}

/// Returns the fields that are elements, after checking that no two have the same semantic.
fn elements(input: &DeriveInput) -> Result<Vec<Element<'_>>> {
    let fields = match &input.data {
        Data::Struct(data) => &data.fields,
        Data::Enum(_) | Data::Union(_) => {
            return Err(Error::new(input.ident.span(), "a vertex is a struct with named fields"));
        }
    };
    let Fields::Named(fields) = fields else {
        let cure = "the fields need names, which become their semantics; write `position: [f32; 3]`";
        return Err(Error::new(input.ident.span(), cure));
    };
    let mut elements: Vec<Element<'_>> = Vec::new();
    for field in &fields.named {
        let Some(element) = element(field)? else { continue };
        let Element { semantic, index, .. } = &element;
        if elements.iter().any(|other| (&other.semantic, other.index) == (semantic, *index)) {
            let cure = format!(
                "another field has the semantic {semantic} {index}; rename one, or give it \
                 `#[vertex(index = {})]`",
                index.saturating_add(1)
            );
            return Err(Error::new(element.name.span(), cure));
        }
        elements.push(element);
    }
    if elements.is_empty() {
        let cure = "a vertex has at least one field that is not skipped; a shader without vertex buffers \
                    needs no input layout";
        return Err(Error::new(input.ident.span(), cure));
    }
    Ok(elements)
}

fn element(field: &Field) -> Result<Option<Element<'_>>> {
    let attributes = OfField::parse(&field.attrs)?;
    let Some(name) = field.ident.as_ref().filter(|_| attributes.skip.is_none()) else { return Ok(None) };
    let (of_name, index) = split(&name.unraw().to_string());
    let (semantic, index) = match &attributes.semantic {
        Some(semantic) => (semantic.value().to_uppercase(), 0),
        None => (of_name, index),
    };
    let index = attributes.index.unwrap_or(index);
    Ok(Some(Element { field, name, semantic, index, attributes }))
}

/// Splits a name into the semantic's name and its index, as `onze` does for shader inputs. If the digits do
/// not fit into 32 bits, they stay in the name.
fn split(name: &str) -> (String, u32) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    match name.get(stem.len()..).unwrap_or_default().parse() {
        Ok(index) => (stem.to_uppercase(), index),
        Err(_) => (name.to_uppercase(), 0),
    }
}

/// Returns the format of an element: the format in its attribute, or else the format of the field's type.
fn format(element: &Element<'_>, onze: &Path) -> TokenStream {
    let ty = &element.field.ty;
    match &element.attributes.format {
        Some(format) => quote!(#onze::Format::#format),
        None => quote_spanned!(ty.span()=> <#ty as #onze::VertexField>::FORMAT),
    }
}

/// Generates compile-time assertions for sizes and alignments, because the macro itself cannot evaluate them.
fn checks(name: &Ident, elements: &[Element<'_>], onze: &Path) -> TokenStream {
    let stride = format!(
        "`{name}` is not a multiple of 4 bytes, which vertices must be; add a field such as \
         `#[vertex(skip)] padding: [u8; 2]`"
    );
    let size = format!("`{name}` has more than 2048 bytes, the maximum for a vertex");
    let of_struct = quote_spanned! {name.span()=>
        const _: () = ::core::assert!(::core::mem::size_of::<#name>().is_multiple_of(4), #stride);
        const _: () = ::core::assert!(::core::mem::size_of::<#name>() <= 2048, #size);
    };
    let of_fields = elements.iter().map(|element| {
        let (ty, field) = (&element.field.ty, element.name);
        let format = format(element, onze);
        let told = match &element.attributes.format {
            Some(format) => format.to_string(),
            None => ty.to_token_stream().to_string(),
        };
        let small =
            format!("the format {told} has more bytes than the field `{field}`; choose a smaller one");
        let misplaced =
            format!("`{field}` begins at an offset that its format does not allow; add padding before it");
        quote_spanned! {field.span()=>
            const _: () = ::core::assert!(
                #format.bytes_per_block() as usize <= ::core::mem::size_of::<#ty>(),
                #small
            );
            const _: () = ::core::assert!(
                (::core::mem::offset_of!(#name, #field) as u32).is_multiple_of(#format.element_alignment()),
                #misplaced
            );
        }
    });
    quote!(#of_struct #(#of_fields)*)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::unwrap_in_result, reason = "tests may panic")]

    use super::*;

    fn refusal(text: &str) -> String {
        implement(&syn::parse_str(text).unwrap()).unwrap_err().to_string()
    }

    #[test]
    fn names_split_into_semantic_and_index() {
        for (name, semantic, index) in [
            ("position", "POSITION", 0),
            ("texcoord12", "TEXCOORD", 12),
            ("Color_1", "COLOR_", 1),
            ("a99999999999", "A99999999999", 0),
            ("a007", "A", 7),
        ] {
            assert_eq!(split(name), (semantic.to_owned(), index));
        }
    }

    #[test]
    fn types_that_are_not_vertices_are_refused_with_a_fix() {
        for (text, cure) in [
            ("enum V { A }", "a struct with named fields"),
            ("union V { a: u32 }", "a struct with named fields"),
            ("struct V([f32; 3]);", "write `position: [f32; 3]`"),
            ("struct V;", "write `position: [f32; 3]`"),
            ("struct V {}", "at least one field"),
            ("struct V { #[vertex(skip)] a: f32 }", "at least one field"),
            ("struct V<T> { a: T }", "no generic parameters"),
            ("#[vertex(instance)] struct V { a: f32 }", "a struct accepts `per_instance`"),
            ("struct V { #[vertex(per_instance)] a: f32 }", "above the struct"),
            ("struct V { #[vertex(step_rate = 2)] a: f32 }", "above the struct"),
            (
                "#[vertex(step_rate = 2)] struct V { a: f32 }",
                "write `#[vertex(per_instance, step_rate = 2)]`",
            ),
            ("#[vertex(per_instance, step_rate = -1)] struct V { a: f32 }", "invalid digit"),
            ("struct V { #[vertex(name = \"B\")] a: f32 }", "a field accepts `semantic"),
            ("struct V { #[vertex(semantic = \"\")] a: f32 }", "not empty"),
            ("struct V { #[vertex(semantic = \"TEXCOORD1\")] a: f32 }", "use `index = 1`"),
            ("struct V { #[vertex(format = \"R32_FLOAT\")] a: f32 }", "format = R8G8B8A8_UNORM"),
            ("struct V { #[vertex(skip, index = 1)] a: f32 }", "not an element"),
            ("struct V { uv: f32, #[vertex(semantic = \"Uv\")] b: f32 }", "`#[vertex(index = 1)]`"),
            ("struct V { uv1: f32, #[vertex(index = 1)] uv: f32 }", "UV 1"),
        ] {
            let words = refusal(text);
            assert!(words.contains(cure), "{text}: {words}");
        }
    }

    #[test]
    fn onze_may_have_another_path() {
        let text = "#[vertex(crate = \"my::engine\")] struct V { a: f32 }";
        let tokens = implement(&syn::parse_str(text).unwrap()).unwrap().to_string();
        assert!(tokens.contains("my :: engine :: Vertex") && !tokens.contains("onze"), "{tokens}");
    }
}
