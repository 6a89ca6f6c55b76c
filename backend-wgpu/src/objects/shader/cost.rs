//! Estimated costs of shaders, for choosing how geometry shaders are executed.

use naga::{Block, Expression, Function, Module, Statement};

/// Number of times that the body of a loop is counted, because its iterations are unknown.
const ITERATIONS: u64 = 8;

/// The cost of a read of a texture, in operations.
const TEXTURE_READ: u64 = 8;

/// Returns the estimated number of operations of a function and of the functions that it calls.
pub(super) fn function_cost(module: &Module, function: &Function) -> u64 {
    block_cost(module, function, &function.body)
}

fn block_cost(module: &Module, function: &Function, block: &Block) -> u64 {
    let cost = |block: &Block| block_cost(module, function, block);
    let statement_cost = |statement: &Statement| match statement {
        Statement::Emit(range) => {
            range.clone().map(|value| expression_cost(&function.expressions[value])).sum()
        }
        Statement::Block(block) => cost(block),
        // One of the branches is executed, but threads of a group may take both.
        Statement::If { accept, reject, .. } => 1 + cost(accept) + cost(reject),
        Statement::Switch { cases, .. } => 1 + cases.iter().map(|case| cost(&case.body)).sum::<u64>(),
        Statement::Loop { body, continuing, .. } => ITERATIONS.saturating_mul(cost(body) + cost(continuing)),
        Statement::Call { function, .. } => function_cost(module, &module.functions[*function]),
        _ => 1,
    };
    block.iter().map(statement_cost).fold(0, u64::saturating_add)
}

const fn expression_cost(expression: &Expression) -> u64 {
    match expression {
        Expression::ImageSample { .. } | Expression::ImageLoad { .. } => TEXTURE_READ,
        // These only select parts of values.
        Expression::Access { .. } | Expression::AccessIndex { .. } | Expression::Swizzle { .. } => 0,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn loops_calls_and_textures_cost_more() {
        let text = "
            @group(0) @binding(0) var image: texture_2d<f32>;
            var<private> sum: f32;
            fn adds(x: f32) { sum = x * x; }
            fn calls(x: f32) { adds(x); adds(x); }
            fn repeats(x: f32) { loop { adds(x); if sum > 2.0 { break; } } }
            fn reads(x: f32) { sum = textureLoad(image, vec2(0, 0), 0).x; }";
        let module = naga::front::wgsl::parse_str(text).unwrap();
        let cost = |name: &str| {
            let mut functions = module.functions.iter();
            let function = functions.find(|(_, of)| of.name.as_deref() == Some(name)).unwrap().1;
            function_cost(&module, function)
        };
        assert!(cost("calls") >= 2 * cost("adds") && cost("calls") < 3 * cost("adds"));
        assert!(cost("repeats") > 8 * cost("adds"));
        assert!(cost("reads") >= TEXTURE_READ);
    }
}
