//! What can be assigned to.

use crate::hash::HashSet;

use crate::{
    code::Code,
    tree::{BufferId, Expr, ExprKind, Storage},
};

use super::Checker;

impl Checker<'_> {
    /// Whether a value can be assigned to an expression. Reports why not.
    pub(crate) fn check_assignable(&mut self, expr: &Expr) -> bool {
        let fault = match self.assignable(expr) {
            Ok(()) => return true,
            Err(fault) => fault,
        };
        if let Some(message) = fault {
            self.error(Code::ConstantLvalue, expr.span, message);
        }
        false
    }

    /// Why an expression cannot be assigned to; `None` if that was reported.
    fn assignable(&self, expr: &Expr) -> Result<(), Option<&'static str>> {
        const CONSTANT: Option<&str> = Some("l-value specifies const object");
        match &*expr.kind {
            ExprKind::Error => Err(None),
            ExprKind::Local(id) => {
                let function = self.function.as_ref().ok_or(None)?;
                if function.local(*id).constant { Err(CONSTANT) } else { Ok(()) }
            }
            ExprKind::Global(id) => {
                let global = &self.tree[*id];
                let is_fixed = match global.storage {
                    // Direct3D 9's compilers made a copy of what was assigned to.
                    Storage::Uniform { buffer, .. } => {
                        !self.options.backwards_compatible || buffer != BufferId(0)
                    }
                    Storage::Static | Storage::GroupShared => false,
                };
                if global.constant || is_fixed { Err(CONSTANT) } else { Ok(()) }
            }
            // What a patch has is read only.
            ExprKind::Index(of, _) if of.ty.object().is_some() => Err(CONSTANT),
            ExprKind::Field(of, _) | ExprKind::Index(of, _) => self.assignable(of),
            ExprKind::Swizzle(of, places) => {
                let mut seen = HashSet::default();
                if places.iter().all(|place| seen.insert(place)) {
                    self.assignable(of)
                } else {
                    Err(CONSTANT)
                }
            }
            ExprKind::Elements(of, places) => {
                let mut seen = HashSet::default();
                if places.iter().all(|place| seen.insert(place)) {
                    self.assignable(of)
                } else {
                    Err(CONSTANT)
                }
            }
            ExprKind::Element { object, .. } => match object.ty.object() {
                Some(object) if object.kind.family().is_writable() => Ok(()),
                _ => Err(CONSTANT),
            },
            _ => Err(CONSTANT),
        }
    }
}
