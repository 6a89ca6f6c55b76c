use crate::{
    check::tree::{BufferId, Expr, ExprKind, GlobalId, LocalId, Storage},
    session::{code::Code, hash::HashSet},
};

use super::Checker;

enum LvalueError {
    Reported,
    ConstLocal(LocalId),
    ConstGlobal(GlobalId),
    Uniform(GlobalId),
    Patch,
    RepeatedComponent,
    /// An element of a read-only buffer or texture, with the name of the object's type.
    ReadOnlyElement(String),
    Value,
}

impl Checker<'_> {
    /// Returns whether an expression is assignable, and reports the reason if it is not.
    pub(crate) fn check_assignable(&mut self, expr: &Expr) -> bool {
        let Err(fault) = self.assignable(expr) else { return true };
        if let Some(reason) = self.lvalue_fault(&fault) {
            self.error(Code::ConstantLvalue, expr.span, format!("l-value specifies const object: {reason}"));
        }
        false
    }

    /// Returns the end of a message about an expression that is not assignable: the reason and a suggestion.
    fn lvalue_fault(&self, fault: &LvalueError) -> Option<String> {
        Some(match fault {
            LvalueError::Reported => return None,
            LvalueError::ConstLocal(id) => {
                let name = self.function.as_ref().map(|function| function.local(*id).name.clone())?;
                format!("'{name}' is const; remove the const, or assign to a copy")
            }
            LvalueError::ConstGlobal(id) => {
                format!("'{}' is const; remove the const, or assign to a copy", self.tree[*id].name)
            }
            LvalueError::Uniform(id) => {
                let Storage::Uniform { buffer, .. } = self.tree[*id].storage else { return None };
                let name = &self.tree[*id].name;
                if buffer == BufferId(0) {
                    format!(
                        "global variables are implicitly constant; declare '{name}' as static, or assign to a local copy"
                    )
                } else {
                    let buffer = &self.tree[buffer].name;
                    format!(
                        "'{name}' is in the constant buffer '{buffer}', which shaders only read; assign to a local copy"
                    )
                }
            }
            LvalueError::Patch => {
                "shaders only read the control points of a patch; assign to a local copy".to_owned()
            }
            LvalueError::RepeatedComponent => {
                "the target names a component twice; assign to each component once".to_owned()
            }
            LvalueError::ReadOnlyElement(ty) => {
                format!(
                    "the elements of a {ty} can only be read; declare it as RW{ty} in a u register to write them"
                )
            }
            LvalueError::Value => "it is a value, not a variable; assign to a variable".to_owned(),
        })
    }

    fn assignable(&self, expr: &Expr) -> Result<(), LvalueError> {
        match &*expr.kind {
            ExprKind::Error => Err(LvalueError::Reported),
            ExprKind::Local(id) => {
                let function = self.function.as_ref().ok_or(LvalueError::Reported)?;
                if function.local(*id).constant { Err(LvalueError::ConstLocal(*id)) } else { Ok(()) }
            }
            ExprKind::Global(id) => {
                let global = &self.tree[*id];
                match global.storage {
                    // Direct3D 9 compilers made a copy of a uniform variable that is assigned to.
                    Storage::Uniform { buffer, .. }
                        if !self.options.backwards_compatible || buffer != BufferId(0) =>
                    {
                        Err(LvalueError::Uniform(*id))
                    }
                    _ if global.constant => Err(LvalueError::ConstGlobal(*id)),
                    _ => Ok(()),
                }
            }
            ExprKind::Index(of, _) if of.ty.object().is_some() => Err(LvalueError::Patch),
            ExprKind::Field(of, _) | ExprKind::Index(of, _) => self.assignable(of),
            ExprKind::Swizzle(of, places) => self.assignable_once(of, places),
            ExprKind::Elements(of, places) => self.assignable_once(of, places),
            ExprKind::Element { object, .. } => match object.ty.object() {
                Some(ty) if ty.kind.family().is_writable() => Ok(()),
                _ => Err(LvalueError::ReadOnlyElement(self.tree.type_name(&object.ty))),
            },
            _ => Err(LvalueError::Value),
        }
    }

    /// Returns whether a list of components of a variable is assignable, which requires that no component
    /// occurs twice.
    fn assignable_once<P: Eq + std::hash::Hash>(&self, of: &Expr, places: &[P]) -> Result<(), LvalueError> {
        let mut seen = HashSet::default();
        if places.iter().all(|place| seen.insert(place)) {
            self.assignable(of)
        } else {
            Err(LvalueError::RepeatedComponent)
        }
    }
}
