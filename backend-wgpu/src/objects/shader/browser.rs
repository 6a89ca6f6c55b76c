//! Shaders for browsers, as WGSL.
//!
//! Direct3D leaves derivatives in non-uniform control flow undefined but accepts the shader. A browser
//! rejects the shader unless its text contains a diagnostic directive, which naga's writer omits.

use naga::valid::{Capabilities, ValidationFlags, Validator};

/// Disables the browser's check that derivatives are only used in uniform control flow.
const DIRECTIVE: &str = "diagnostic(off, derivative_uniformity);\n";

/// Returns a module's WGSL, or `None` if naga cannot write it. wgpu then reports the error for the naga
/// module.
pub(crate) fn text(module: &naga::Module) -> Option<String> {
    let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(module).ok()?;
    let text = naga::back::wgsl::write_string(module, &info, naga::back::wgsl::WriterFlags::empty()).ok()?;
    Some(format!("{DIRECTIVE}{text}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn the_wgsl_allows_derivatives_in_any_control_flow() {
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
