//! The pass for the position's `w` in pixel shaders on Direct3D 12.
//!
//! In WGSL the `w` of a pixel's position is 1 / w, and modules from HLSL take the reciprocal again. naga's
//! HLSL passes on Direct3D's value, which is w ([wgpu#4963](https://github.com/gfx-rs/wgpu/issues/4963)).

use naga::{
    BinaryOperator, Binding, BuiltIn, Expression, Function, Handle, Literal, Module, ShaderStage, Span,
};

use crate::objects::shader::rewrite::entry_point::EntryWrapper;

use super::context::{ModulePass, PassScope};

pub(super) const PASS: ModulePass = ModulePass {
    name: "position_w",
    scope: PassScope::Outputs,
    applies: |context| context.backend == wgpu::Backend::Dx12,
    run: |context| apply(&mut context.module),
};

/// Wraps the module's only entry point, if it is a pixel shader that reads the position.
fn apply(module: &mut Module) {
    let is_position =
        |binding: &Option<Binding>| matches!(binding, Some(Binding::BuiltIn(BuiltIn::Position { .. })));
    let Some(entry_point) = module.entry_points.first() else { return };
    let mut arguments = entry_point.function.arguments.iter();
    let reads = arguments.any(|argument| {
        let members = match &module.types[argument.ty].inner {
            naga::TypeInner::Struct { members, .. } => members.as_slice(),
            _ => &[],
        };
        is_position(&argument.binding) || members.iter().any(|member| is_position(&member.binding))
    });
    if entry_point.stage != ShaderStage::Fragment || !reads {
        return;
    }
    let Some(mut wrapper) = EntryWrapper::new(module, "with_reciprocal_w") else { return };
    let one = wrapper.add_plain(Expression::Literal(Literal::F32(1.0)));
    wrapper.change_arguments(&module.types, &mut |function, _, (position, ty), binding| {
        is_position(binding).then(|| with_reciprocal_w(function, position, ty, one))
    });
    wrapper.finish(module, |_, _, _, _| None);
}

fn with_reciprocal_w(
    function: &mut Function,
    position: Handle<Expression>,
    ty: Handle<naga::Type>,
    one: Handle<Expression>,
) -> Handle<Expression> {
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let mut components: Vec<_> =
        (0..4).map(|index| add(Expression::AccessIndex { base: position, index })).collect();
    components[3] = add(Expression::Binary { op: BinaryOperator::Divide, left: one, right: components[3] });
    add(Expression::Compose { ty, components })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    /// Returns the module's HLSL after the pass, or `None` if the pass changed nothing.
    fn changed(wgsl: &str) -> Option<String> {
        use naga::back::hlsl::{Options, PipelineOptions, Writer};

        let before = naga::front::wgsl::parse_str(wgsl).unwrap();
        let mut module = before.clone();
        apply(&mut module);
        let info = crate::objects::shader::passes::tests::languages::validate(&module).unwrap();
        let (mut text, options) =
            (String::new(), Options { fake_missing_bindings: true, ..Options::default() });
        Writer::new(&mut text, &options, &PipelineOptions::default()).write(&module, &info, None).unwrap();
        (module.functions.len() != before.functions.len()).then_some(text)
    }

    #[test]
    fn a_pixel_shader_reads_the_reciprocal_of_w() {
        let text =
            changed("@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f { return p; }");
        let text = text.unwrap();
        assert!(text.contains("(1.0 / "), "{text}");
        let text = changed(
            "struct In { @location(0) uv: vec2f, @builtin(position) p: vec4f }\n\
             @fragment fn main(in: In) -> @location(0) vec4f { return in.p + in.uv.xyxy; }",
        );
        assert!(text.unwrap().contains("(1.0 / "));
    }

    #[test]
    fn a_shader_without_a_position_input_is_unchanged() {
        assert_eq!(
            changed("@fragment fn main(@location(0) p: vec4f) -> @location(0) vec4f { return p; }"),
            None
        );
        assert_eq!(
            changed("@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f { return p; }"),
            None
        );
    }
}
