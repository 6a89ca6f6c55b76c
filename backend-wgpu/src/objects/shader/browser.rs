//! Shaders for browsers, as WGSL.
//!
//! Direct3D leaves derivatives undefined in flow that is not uniform, but takes the shader. A browser refuses it unless
//! the text says otherwise, which naga's writer does not do.

use naga::valid::{Capabilities, ValidationFlags, Validator};

/// Where derivatives are taken does not matter.
const DIRECTIVE: &str = "diagnostic(off, derivative_uniformity);\n";

/// The text of a module; `None` if WGSL cannot express it, about which wgpu has more to say.
pub(super) fn text(module: &naga::Module) -> Option<String> {
    let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(module).ok()?;
    let text = naga::back::wgsl::write_string(module, &info, naga::back::wgsl::WriterFlags::empty()).ok()?;
    Some(format!("{DIRECTIVE}{text}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn the_text_allows_derivatives_everywhere() {
        let wgsl = "enable dual_source_blending;
            struct Out { @location(0) @blend_src(0) a: vec4f, @location(0) @blend_src(1) b: vec4f }
            @fragment fn main(@location(0) x: f32) -> Out {
                var change = 0.0;
                if x > 0 { change = dpdx(x); }
                return Out(vec4f(change), vec4f(x));
            }";
        let module = naga::front::wgsl::parse_str(wgsl).unwrap();
        let text = text(&module).unwrap();
        let again = naga::front::wgsl::parse_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(again.diagnostic_filters.len(), 1, "{text}");
        assert!(text.contains("enable dual_source_blending"), "{text}");
    }
}
