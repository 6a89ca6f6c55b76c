//! The scene's shaders in WGSL and HLSL, and tests that compare the WGSL structs with the constants in Rust.

use onze::ShaderSource;

pub(crate) const SURFACE: &str =
    concat!(include_str!("shaders/common.wgsl"), include_str!("shaders/surface.wgsl"));

pub(crate) const SKY: &str = concat!(include_str!("shaders/common.wgsl"), include_str!("shaders/sky.wgsl"));

const SURFACE_HLSL: &str =
    concat!(include_str!("shaders/common.hlsli"), include_str!("shaders/surface.hlsl"));
const SKY_HLSL: &str = concat!(include_str!("shaders/common.hlsli"), include_str!("shaders/sky.hlsl"));

#[derive(Debug, Clone, Copy)]
pub(crate) enum Language {
    Wgsl,
    Hlsl,
}

impl Language {
    /// Returns the source and entry point of a shader for objects or water.
    pub(crate) fn surface(self, entry: &str) -> ShaderSource<'_> {
        match self {
            Self::Wgsl => ShaderSource::wgsl(SURFACE, entry),
            Self::Hlsl => ShaderSource::hlsl(SURFACE_HLSL, entry),
        }
    }

    pub(crate) fn sky(self, entry: &str) -> ShaderSource<'_> {
        match self {
            Self::Wgsl => ShaderSource::wgsl(SKY, entry),
            Self::Hlsl => ShaderSource::hlsl(SKY_HLSL, entry),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use naga::valid::{Capabilities, ValidationFlags, Validator};
    use naga::{Module, TypeInner};

    use super::*;
    use crate::constants::{LightConstants, MaterialConstants, ObjectConstants, PassConstants};

    fn parse(source: &str) -> Module {
        let module = naga::front::wgsl::parse_str(source)
            .unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)));
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
        if let Err(error) = validator.validate(&module) {
            panic!("{}", error.emit_to_string(source));
        }
        module
    }

    #[test]
    fn every_shader_is_valid() {
        for (source, entries) in [
            (SURFACE, &["vs_surface", "ps_surface", "ps_surface_cut", "ps_shadow_cut", "ps_water"][..]),
            (SKY, &["vs_sky", "ps_sky"]),
        ] {
            let module = parse(source);
            let names: Vec<_> = module.entry_points.iter().map(|entry| entry.name.as_str()).collect();
            assert_eq!(names, entries);
        }
    }

    #[test]
    fn constant_buffers_are_as_large_as_the_shaders_say() {
        let module = parse(SURFACE);
        for (name, size) in [
            ("Object", size_of::<ObjectConstants>()),
            ("Pass", size_of::<PassConstants>()),
            ("Material", size_of::<MaterialConstants>()),
            ("Lights", size_of::<LightConstants>()),
        ] {
            let (_, ty) = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name)).unwrap();
            let TypeInner::Struct { span, .. } = ty.inner else {
                panic!("{name} is not a struct");
            };
            assert_eq!(span as usize, size, "{name}");
        }
    }
}
