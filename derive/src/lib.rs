//! `#[derive(Vertex)]` and `#[derive(ConstantFields)]` for Onze, re-exported and documented by the crate
//! `onze`.
//!
//! ```
//! use onze::prelude::*;
//!
//! #[derive(Clone, Copy, NoUninit, Vertex)]
//! #[bytemuck(crate = "onze::bytemuck")]
//! #[repr(C)]
//! struct Corner {
//!     position: [f32; 3],
//!     color: [u8; 4],
//! }
//!
//! let formats = Corner::ELEMENTS.iter().map(|element| element.format);
//! assert!(formats.eq([Format::R32G32B32_FLOAT, Format::R8G8B8A8_UNORM]));
//! ```
//!
//! `attributes` parses `#[vertex(..)]`, `elements` generates the elements of the input layout and
//! compile-time checks, and `constants` generates the fields of a constant buffer.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod attributes;
mod constants;
mod elements;

use proc_macro::TokenStream;

/// Implements `onze::Vertex` for a struct with named fields, with the attributes that the trait documents.
#[proc_macro_derive(Vertex, attributes(vertex))]
pub fn derive_vertex(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    elements::implement(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Implements `onze::ConstantFields` for a struct with named fields, with the attributes that the trait
/// documents.
#[proc_macro_derive(ConstantFields, attributes(constants))]
pub fn derive_constant_fields(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    constants::implement(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
