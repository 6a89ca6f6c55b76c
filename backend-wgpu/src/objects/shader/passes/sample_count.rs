//! The pass that replaces the pipeline constant for the targets' sample count by a number.
//!
//! wgpu could set the constant when it creates the pipeline. But naga then evaluates every constant
//! expression and rejects integer overflow, which wraps around in HLSL.

use naga::{Expression, Literal, Module};

use super::context::{ModulePass, PassScope};

pub(super) const PASS: ModulePass = ModulePass {
    name: "sample_count",
    scope: PassScope::Shader,
    applies: |context| context.key.samples.is_some(),
    run: |context| {
        let Some(samples) = context.key.samples else { return };
        apply(&mut context.module, samples);
    },
};

/// Replaces the pipeline constant by a number. The runtime accepts no other pipeline constants.
fn apply(module: &mut Module, samples: u32) {
    let functions = module.functions.iter_mut().map(|(_, function)| function);
    let points = module.entry_points.iter_mut().map(|point| &mut point.function);
    let expressions = functions.chain(points).map(|function| &mut function.expressions);
    for (_, expression) in
        expressions.chain([&mut module.global_expressions]).flat_map(|expressions| expressions.iter_mut())
    {
        if matches!(expression, Expression::Override(_)) {
            *expression = Expression::Literal(Literal::U32(samples));
        }
    }
    module.overrides.clear();
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn functions_and_variables_contain_the_sample_count() {
        let text = "
            override render_target_sample_count: u32 = 1;
            var<private> most: u32 = render_target_sample_count;
            fn count() -> u32 { return render_target_sample_count; }
            @fragment fn main() -> @location(0) vec4f {
                return vec4f(f32(count()), f32(most), f32(1u + render_target_sample_count), 0.0);
            }";
        let mut module = naga::front::wgsl::parse_str(text).unwrap();
        apply(&mut module, 8);
        let info = crate::objects::shader::passes::tests::languages::validate(&module).unwrap();
        let text = naga::back::wgsl::write_string(&module, &info, naga::back::wgsl::WriterFlags::empty());
        let text = text.unwrap();
        assert!(text.contains("most: u32 = 8u") && text.contains("(1u + 8u)"), "{text}");
        assert!(!text.contains("override"), "{text}");
    }
}
