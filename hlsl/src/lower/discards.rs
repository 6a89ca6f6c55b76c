//! Pixels that `discard` or `clip` discards.
//!
//! In Direct3D, a discarded pixel continues without side effects, because its neighbours need its values for
//! derivatives. naga's `Kill` ends the pixel immediately on Vulkan. If derivatives may follow a discard, a
//! variable therefore records the discard, stores depend on this variable, and the entry point ends with
//! `Kill`.

use naga::{
    AddressSpace, BinaryOperator, Expression, GlobalVariable, Handle, Statement as Emitted, UnaryOperator,
};

use crate::{
    check::tree::{Expr, ExprKind, FunctionId, Intrinsic, Program, Statement, StatementKind, visit},
    interface::availability,
    lower::{
        builder::Builder,
        lowerer::Lowerer,
        result::{Lowered, Value},
    },
    session::{hash::HashMap, stack::RecursionLimits},
};

/// Returns whether a derivative may be computed after a pixel was discarded.
pub(crate) fn derivatives_follow(program: &Program, entry: FunctionId, limits: RecursionLimits) -> bool {
    let seen = HashMap::default();
    let mut flow =
        DiscardFlow { program, limits, discarded: false, follow: false, seen, depth: 0, nesting: 0 };
    flow.function(entry);
    flow.follow
}

/// Follows the possible execution order, and records the results so far.
struct DiscardFlow<'p> {
    program: &'p Program,
    limits: RecursionLimits,
    /// Whether the pixel may already be discarded.
    discarded: bool,
    /// Whether a derivative is computed after a possible discard.
    follow: bool,
    /// Whether the pixel may be discarded after a function. The key contains whether it may be discarded
    /// before.
    seen: HashMap<(FunctionId, bool), bool>,
    depth: u32,
    /// The nesting of expressions, including those in called functions.
    nesting: usize,
}

impl DiscardFlow<'_> {
    fn function(&mut self, id: FunctionId) {
        let key = (id, self.discarded);
        if let Some(discarded) = self.seen.get(&key) {
            self.discarded = *discarded;
            return;
        }
        let program = self.program;
        // A longer chain of calls is refused later.
        let calls = self.limits.calls();
        if let Some(body) = program[id].body.as_ref().filter(|_| self.depth < calls) {
            self.depth += 1;
            self.statements(&body.statements);
            self.depth -= 1;
        }
        self.seen.insert(key, self.discarded);
    }

    fn statements(&mut self, list: &[Statement]) {
        for statement in list {
            match &statement.kind {
                StatementKind::Expression(expr) => self.expr(expr),
                StatementKind::Declare(_, value) | StatementKind::Return(value) => {
                    value.iter().for_each(|value| self.expr(value));
                }
                StatementKind::Block(block) => self.statements(&block.statements),
                StatementKind::If { condition, then, otherwise, .. } => {
                    self.expr(condition);
                    self.statements(&then.statements);
                    self.statements(&otherwise.statements);
                }
                StatementKind::Loop(part) => {
                    self.statements(&part.start);
                    let before = self.discarded;
                    let iteration = |flow: &mut Self| {
                        part.condition.iter().for_each(|expr| flow.expr(expr));
                        flow.statements(&part.body.statements);
                        part.step.iter().for_each(|expr| flow.expr(expr));
                    };
                    iteration(self);
                    // A discard in one iteration affects the next one.
                    if self.discarded != before {
                        iteration(self);
                    }
                }
                StatementKind::Switch { selector, cases, .. } => {
                    self.expr(selector);
                    cases.iter().for_each(|case| self.statements(&case.body.statements));
                }
                StatementKind::Discard => self.discarded = true,
                StatementKind::Break | StatementKind::Continue => {}
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        if self.nesting == self.limits.lowering {
            // The lowering refuses this depth, so the result does not matter.
            self.follow = true;
            return;
        }
        self.nesting += 1;
        self.expr_within(expr);
        self.nesting -= 1;
    }

    fn expr_within(&mut self, expr: &Expr) {
        visit::parts(expr, &mut |part| self.expr(part));
        match &*expr.kind {
            ExprKind::Intrinsic(Intrinsic::Clip, _) => self.discarded = true,
            ExprKind::Intrinsic(which, _) => {
                self.follow |= self.discarded && availability::is_for_pixels(*which);
            }
            ExprKind::Method(method, ..) => {
                self.follow |= self.discarded && availability::is_method_for_pixels(*method);
            }
            ExprKind::Call(function, _) => self.function(*function),
            _ => {}
        }
    }
}

impl Lowerer<'_> {
    /// Returns the variable that records whether the pixel is discarded.
    fn discarded(&mut self) -> Handle<GlobalVariable> {
        if let Some(variable) = self.discarded {
            return variable;
        }
        let ty = self.vector_type(naga::Scalar::BOOL, 1);
        let variable = GlobalVariable {
            name: Some("discarded".to_owned()),
            space: AddressSpace::Private,
            binding: None,
            ty,
            init: None,
            memory_decorations: naga::MemoryDecorations::empty(),
        };
        let variable = self.module.global_variables.append(variable, naga::Span::UNDEFINED);
        self.discarded = Some(variable);
        variable
    }
}

impl Builder<'_, '_> {
    /// Discards the pixel.
    pub(super) fn discard(&mut self) {
        if !self.lowerer.derivatives_follow {
            self.push(Emitted::Kill);
            return;
        }
        let variable = self.lowerer.discarded();
        let (pointer, yes) = (self.add(Expression::GlobalVariable(variable)), self.boolean(true));
        self.store(pointer, yes);
    }

    /// Returns whether the pixel was discarded but still runs, or `None` if discarded pixels end immediately.
    fn is_discarded(&mut self) -> Option<Value> {
        if !self.lowerer.derivatives_follow {
            return None;
        }
        let variable = self.lowerer.discarded();
        let pointer = self.add(Expression::GlobalVariable(variable));
        Some(self.load(pointer))
    }

    /// Ends a discarded pixel at the end of the entry point.
    pub(super) fn end_discarded(&mut self) -> Lowered<()> {
        let Some(condition) = self.is_discarded() else { return Ok(()) };
        let accept = self.block(|builder| {
            builder.push(Emitted::Kill);
            Ok(())
        })?;
        self.push(Emitted::If { condition, accept, reject: naga::Block::new() });
        Ok(())
    }

    /// Returns the condition for side effects: the element exists and the pixel is not discarded. `None`
    /// means always.
    fn is_visible(&mut self, is_there: Option<Value>) -> Option<Value> {
        let Some(is_discarded) = self.is_discarded() else { return is_there };
        let is_kept = self.unary(UnaryOperator::LogicalNot, is_discarded);
        Some(match is_there {
            Some(is_there) => self.binary(BinaryOperator::LogicalAnd, is_there, is_kept),
            None => is_kept,
        })
    }

    /// Lowers a side effect under the condition that its element exists and the pixel is not discarded. If
    /// `is_there` is `None`, the element always exists.
    pub(super) fn visibly(
        &mut self,
        is_there: Option<Value>,
        effect: impl FnOnce(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        let Some(condition) = self.is_visible(is_there) else { return effect(self) };
        let accept = self.block(effect)?;
        self.push(Emitted::If { condition, accept, reject: naga::Block::new() });
        Ok(())
    }

    /// Lowers a side effect that returns a value, like [`Builder::visibly`]. The value is zero if the
    /// condition is false.
    pub(super) fn visible_value(
        &mut self,
        is_there: Option<Value>,
        ty: Handle<naga::Type>,
        effect: impl FnOnce(&mut Self) -> Lowered<Value>,
    ) -> Lowered<Value> {
        let Some(condition) = self.is_visible(is_there) else { return effect(self) };
        let (result, zero) = (self.variable("result", ty), self.zero_of(ty));
        self.store(result, zero);
        let accept = self.block(|builder| {
            let value = effect(builder)?;
            builder.store(result, value);
            Ok(())
        })?;
        self.push(Emitted::If { condition, accept, reject: naga::Block::new() });
        Ok(self.load(result))
    }
}

#[cfg(test)]
mod tests {
    use crate::{CompileOptions, compile};

    /// Compiles the body of a pixel shader with a texture and a buffer, and returns WGSL.
    fn wgsl(functions: &str, body: &str) -> String {
        let text = format!(
            "Texture2D t; SamplerState s; RWStructuredBuffer<uint> b : register(u1);\n{functions}\n\
             float4 main(float2 a : A) : SV_Target {{ {body} }}"
        );
        let compiled =
            compile(&text, "a.hlsl", "main", "ps_5_0".parse().unwrap(), &CompileOptions::default());
        compiled.unwrap_or_else(|errors| panic!("{errors}")).wgsl().unwrap()
    }

    #[test]
    fn discarded_pixel_continues_only_if_derivatives_may_follow() {
        let ends = |functions, body| {
            let text = wgsl(functions, body);
            assert_eq!(text.matches("discard;").count(), 1, "{text}");
            !text.contains("discarded")
        };
        assert!(ends("", "float4 c = t.Sample(s, a); clip(c.a - 0.5); return c;"));
        assert!(ends("", "if (a.x < 0) discard; return t.SampleLevel(s, a, 0);"));
        assert!(!ends("", "if (a.x < 0) discard; return t.Sample(s, a);"));
        assert!(!ends("", "clip(a); return fwidth(a).xyxy;"));
        assert!(!ends("void drop() { discard; }", "if (a.x < 0) drop(); return ddx(a).xyxy;"));
        let sample = "float4 get(float2 at) { return t.Sample(s, at); }";
        assert!(ends(sample, "float4 c = get(a); clip(c); return c;"));
        assert!(!ends(sample, "float4 c = get(a); clip(c); return get(a + c.xy);"));
        // The next iteration still needs a pixel that one iteration discards.
        let iterations = "float4 c = 0; while (c.x < a.x) { c += t.Sample(s, a); clip(c); } return c;";
        assert!(!ends("", iterations));
    }

    #[test]
    fn discarded_pixels_store_nothing() {
        let text = wgsl("", "clip(a); b[0] = 7; return ddx(a).xyxy;");
        let guard = text.find("if !(").or(text.find("if (!")).unwrap_or_else(|| panic!("{text}"));
        assert!(guard < text.find("= 7u").unwrap(), "{text}");
    }

    #[test]
    fn accesses_check_the_bounds_unless_the_index_is_0() {
        let looks = |body| wgsl("", body).contains("arrayLength");
        assert!(!looks("b[0] = 7; return b[0];"));
        assert!(looks("b[1] = 7; return 0;"));
        assert!(looks("return b[a.x];"));
        assert!(looks("InterlockedAdd(b[a.x], 1); return 0;"));
    }
}
