//! Initial values of private variables in the shaders of a chain.
//!
//! wgpu initialises private variables once for each of its invocations. In a chain, such an invocation may execute a
//! shader several times: the vertex shader for each vertex of a primitive, and a geometry shader for each primitive of a
//! thread. Therefore each execution begins with stores of the initial values. Variables that no shader code writes keep
//! their values anyway, so large tables are not stored again.

use naga::{
    AddressSpace, Block, Constant, Expression, Function, GlobalVariable, Handle, Module, Span, Statement,
};

use crate::objects::shader::rewrite::{calls::inner_blocks, variables::root};

use super::geometry::named;

/// Makes a shader begin with the initial values of its private variables. `name` is the name of the function that
/// represents the shader, or `None` if the entry point does.
pub(super) fn initialize(module: &mut Module, name: Option<&str>) {
    let written = written_variables(module);
    let mut values = Vec::with_capacity(written.len());
    for variable in written {
        let GlobalVariable { ty, init, .. } = module.global_variables[variable];
        let value = match init {
            // A constant makes the expression available in functions.
            Some(init) => {
                let constant = Constant { name: None, ty, init };
                Expression::Constant(module.constants.append(constant, Span::UNDEFINED))
            }
            None => Expression::ZeroValue(ty),
        };
        values.push((variable, value));
    }
    let function = match name {
        Some(name) => named(module, name).map(|function| module.functions.get_mut(function)),
        None => module.entry_points.first_mut().map(|entry_point| &mut entry_point.function),
    };
    let Some(Function { expressions, body, .. }) = function else { return };
    let mut start = Block::with_capacity(values.len());
    for (variable, value) in values {
        let pointer = expressions.append(Expression::GlobalVariable(variable), Span::UNDEFINED);
        let value = expressions.append(value, Span::UNDEFINED);
        start.push(Statement::Store { pointer, value }, Span::UNDEFINED);
    }
    let rest = std::mem::replace(body, start);
    body.extend_block(rest);
}

/// Returns the private variables that some function may change, in the order of the module.
fn written_variables(module: &Module) -> Vec<Handle<GlobalVariable>> {
    let entry_points = module.entry_points.iter().map(|entry_point| &entry_point.function);
    let mut roots = Vec::new();
    for function in module.functions.iter().map(|(_, function)| function).chain(entry_points) {
        note_written(function, &function.body, &mut roots);
    }
    let is_written = |(handle, variable): &(Handle<GlobalVariable>, &GlobalVariable)| {
        variable.space == AddressSpace::Private && roots.contains(handle)
    };
    module.global_variables.iter().filter(is_written).map(|(handle, _)| handle).collect()
}

/// Adds the variables that a block stores to, and those whose pointers it passes to functions.
fn note_written(function: &Function, block: &Block, roots: &mut Vec<Handle<GlobalVariable>>) {
    for statement in block.iter() {
        match statement {
            Statement::Store { pointer, .. } => roots.extend(root(function, *pointer)),
            Statement::Call { arguments, .. } => {
                roots.extend(arguments.iter().filter_map(|argument| root(function, *argument)));
            }
            _ => {}
        }
        inner_blocks(statement).for_each(|block| note_written(function, block, roots));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use naga::valid::{Capabilities, ValidationFlags, Validator};

    use super::*;

    /// Returns the module after the pass as WGSL.
    fn initialized(text: &str, name: Option<&str>) -> String {
        let mut module = naga::front::wgsl::parse_str(text).unwrap();
        initialize(&mut module, name);
        let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module).unwrap();
        let flags = naga::back::wgsl::WriterFlags::empty();
        naga::back::wgsl::write_string(&module, &info, flags).unwrap()
    }

    /// Returns the beginning of a function's body, without line breaks.
    fn start_of(text: &str, function: &str) -> String {
        let (_, body) = text.split_once(&format!("fn {function}(")).unwrap();
        let (_, body) = body.split_once("{\n").unwrap();
        body.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn written_variables_begin_with_their_initial_values() {
        let text = "
            struct Pair { a: u32, b: vec2f }
            var<private> stored = 5u;
            var<private> in_a_part = Pair(1u, vec2f(2.0, 3.0));
            var<private> passed: array<f32, 3>;
            var<private> in_a_loop: vec3i;
            var<private> table = array(7u, 8u);
            var<private> unwritten: u32;
            fn add(to: ptr<private, array<f32, 3>>) { (*to)[1] += 1.0; }
            fn count() -> u32 { for (var k = 0; k < 3; k++) { if k == 2 { in_a_loop.y = k; } } return unwritten; }
            @vertex fn main(@builtin(vertex_index) n: u32) -> @builtin(position) vec4f {
                in_a_part.b[n % 2u] = 9.0;
                stored += table[n % 2u];
                add(&passed);
                return vec4f(f32(stored + count()) + passed[n % 3u], in_a_part.b, f32(in_a_loop.y));
            }";
        let text = initialized(text, None);
        let stores = "stored = 5u; in_a_part = Pair(1u, vec2<f32>(2f, 3f)); passed = array<f32, 3>(); \
                      in_a_loop = vec3<i32>();";
        let start = start_of(&text, "main");
        assert!(start.starts_with(stores), "{text}");
        assert!(!start.contains("table =") && !start.contains("unwritten ="), "{text}");
    }

    #[test]
    fn a_shader_that_is_a_function_initialises_its_variables_itself() {
        let text = "
            var<private> calls = 2u;
            @group(3) @binding(0) var<storage, read_write> total: u32;
            fn shader() { calls += 1u; total += calls; }
            @compute @workgroup_size(1) fn main() { shader(); }";
        let text = initialized(text, Some("shader"));
        assert!(start_of(&text, "shader").starts_with("calls = 2u; let _e"), "{text}");
        assert!(start_of(&text, "main").starts_with("shader();"), "{text}");
    }
}
