//! The attributes that the derive macros accept on the struct and on its fields.

use proc_macro2::Span;
use syn::{Attribute, Error, Ident, LitInt, LitStr, Path, Result, meta::ParseNestedMeta};

const OF_STRUCT: &str = "a struct accepts `per_instance`, `step_rate = 2` and `crate = \"path\"`";
const OF_FIELD: &str = "a field accepts `semantic = \"NAME\"`, `index = 1`, `format = R8G8B8A8_UNORM`, \
                        `location = 3` and `skip`";

pub(crate) struct OfStruct {
    /// Number of instances per element, if the elements advance per instance.
    pub(crate) step_rate: Option<u32>,
    pub(crate) onze: Path,
}

#[derive(Default)]
pub(crate) struct OfField {
    /// The semantic's name, used instead of the field's name.
    pub(crate) semantic: Option<LitStr>,
    /// The semantic's index, used instead of the digits at the end of the field's name.
    pub(crate) index: Option<u32>,
    /// The name of a format, used instead of the format of the field's type.
    pub(crate) format: Option<Ident>,
    /// The shader location of the element, which takes precedence over the semantic.
    pub(crate) location: Option<u32>,
    pub(crate) skip: Option<Span>,
}

impl OfStruct {
    pub(crate) fn parse(attributes: &[Attribute]) -> Result<Self> {
        let mut this = Self { step_rate: None, onze: syn::parse_quote!(::onze) };
        let mut rate: Option<LitInt> = None;
        for_each("vertex", attributes, |meta| {
            if meta.path.is_ident("per_instance") {
                this.step_rate = Some(1);
            } else if meta.path.is_ident("step_rate") {
                rate = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("crate") {
                this.onze = meta.value()?.parse::<LitStr>()?.parse()?;
            } else {
                return Err(meta.error(format!("unknown word: {OF_STRUCT}")));
            }
            Ok(())
        })?;
        if let Some(rate) = rate {
            if this.step_rate.is_none() {
                let cure = "a step rate counts instances; write `#[vertex(per_instance, step_rate = 2)]`";
                return Err(Error::new(rate.span(), cure));
            }
            this.step_rate = Some(rate.base10_parse()?);
        }
        Ok(this)
    }
}

impl OfField {
    pub(crate) fn parse(attributes: &[Attribute]) -> Result<Self> {
        let mut this = Self::default();
        for_each("vertex", attributes, |meta| this.word(meta))?;
        let others =
            [this.semantic.is_some(), this.index.is_some(), this.format.is_some(), this.location.is_some()];
        match this.skip {
            Some(span) if others.contains(&true) => {
                Err(Error::new(span, "a field with `skip` is not an element, so it accepts nothing else"))
            }
            _ => Ok(this),
        }
    }

    fn word(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        if meta.path.is_ident("semantic") {
            let name: LitStr = meta.value()?.parse()?;
            if name.value().is_empty() || name.value().ends_with(|c: char| c.is_ascii_digit()) {
                let cure = "a semantic's name is not empty and does not end in digits; use `index = 1`";
                return Err(Error::new(name.span(), cure));
            }
            self.semantic = Some(name);
        } else if meta.path.is_ident("index") {
            self.index = Some(meta.value()?.parse::<LitInt>()?.base10_parse()?);
        } else if meta.path.is_ident("format") {
            self.format = Some(meta.value()?.parse().map_err(|error| {
                Error::new(error.span(), "expected the name of a format, such as `format = R8G8B8A8_UNORM`")
            })?);
        } else if meta.path.is_ident("location") {
            self.location = Some(meta.value()?.parse::<LitInt>()?.base10_parse()?);
        } else if meta.path.is_ident("skip") {
            self.skip = meta.path.get_ident().map(Ident::span);
        } else if meta.path.is_ident("per_instance") || meta.path.is_ident("step_rate") {
            let cure = "all elements of a slot advance together; put `#[vertex(per_instance, step_rate = 2)]` above the \
                        struct, and move fields that advance differently to another struct";
            return Err(meta.error(cure));
        } else {
            return Err(meta.error(format!("unknown word: {OF_FIELD}")));
        }
        Ok(())
    }
}

/// Calls `word` for every item of every attribute with this name, such as `#[vertex(..)]`.
pub(crate) fn for_each(
    name: &str,
    attributes: &[Attribute],
    mut word: impl FnMut(&ParseNestedMeta<'_>) -> Result<()>,
) -> Result<()> {
    attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident(name))
        .try_for_each(|attribute| attribute.parse_nested_meta(|meta| word(&meta)))
}
