//! Values that are known at compile time.

use crate::{
    check::{
        evaluate,
        tree::{Constant, Expr, ExprKind, Numeric, Storage, visit},
    },
    lower::{builder::Builder, result::Value, types::naga_scalar},
    syntax::builtin::{Scalar, Shape},
};

impl Builder<'_, '_> {
    /// Returns the value of an expression if it is known.
    pub(crate) fn known(&self, expr: &Expr) -> Option<Constant> {
        evaluate(self.lowerer.program, expr, &self.known)
    }

    /// Returns the value of an expression if it is a known integer.
    pub(crate) fn known_integer(&self, expr: &Expr) -> Option<i64> {
        self.known(expr)?.as_integer()
    }

    /// Returns the end of a message that explains which part of an expression is not known.
    pub(crate) fn why_unknown(&self, expr: &Expr) -> String {
        if self.known(expr).is_some() {
            return String::new();
        }
        let program = self.lowerer.program;
        let mut why = None;
        visit::expressions(expr, &mut |part| {
            if why.is_some() || self.known(part).is_some() {
                return;
            }
            why = match *part.kind {
                ExprKind::Local(local) => self.source.map(|source| {
                    let is_parameter = (local.0 as usize) < program[source].parameters.len();
                    let advice =
                        if is_parameter { "" } else { "; in a loop, `[unroll(n)]` bounds the iterations" };
                    format!("'{}' is not known to the compiler{advice}", program[source].local(local).name)
                }),
                ExprKind::Global(global) => {
                    let name = &program[global].name;
                    Some(match program[global].storage {
                        Storage::Uniform { .. } => format!("'{name}' comes from a constant buffer"),
                        _ => format!("'{name}' is not known to the compiler, since functions may change it"),
                    })
                }
                ExprKind::Call(function, _) => {
                    Some(format!("the result of '{}' is not known to the compiler", program[function].name))
                }
                _ => None,
            };
        });
        why.map_or_else(String::new, |why| format!("; {why}"))
    }

    /// Adds a known value.
    pub(crate) fn constant(&mut self, constant: &Constant) -> Value {
        let Numeric { scalar, shape } = constant.ty;
        if constant.bits.iter().all(|bits| *bits == 0) {
            let ty = self.numeric_type(constant.ty);
            if !matches!(shape, Shape::Scalar | Shape::Vector(1)) {
                return self.zero_of(ty);
            }
        }
        let components: Vec<_> = constant.bits.iter().map(|bits| self.literal(scalar, *bits)).collect();
        self.numeric(constant.ty, components)
    }

    fn literal(&mut self, scalar: Scalar, bits: u64) -> Value {
        let word = bits as u32;
        match naga_scalar(scalar).kind {
            naga::ScalarKind::Bool => self.boolean(bits != 0),
            naga::ScalarKind::Sint => self.int(word.cast_signed()),
            naga::ScalarKind::Uint => self.uint(word),
            _ if scalar == Scalar::Double => self.double(f64::from_bits(bits)),
            _ => self.float(f32::from_bits(word)),
        }
    }

    /// Composes a numeric value from its components, which are listed row by row.
    pub(crate) fn numeric(&mut self, ty: Numeric, components: Vec<Value>) -> Value {
        let scalar = naga_scalar(ty.scalar);
        let Shape::Matrix { columns, .. } = ty.shape else {
            return self.vector(scalar, components);
        };
        let rows = components.chunks(usize::from(columns).max(1)).map(<[Value]>::to_vec).collect::<Vec<_>>();
        let rows = rows.into_iter().map(|row| self.vector(scalar, row)).collect();
        let ty = self.numeric_type(ty);
        self.compose(ty, rows)
    }
}
