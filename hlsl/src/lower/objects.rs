//! Which object an expression is.
//!
//! Objects are never values at run time. Variables of functions stand for the objects that were assigned to them last.

use std::{collections::HashMap, sync::Arc};

use crate::{
    bindings::{ObjectId, object_count, objects, objects_before_field},
    code::Code,
    tree::{Expr, ExprKind, LocalId, ObjectType, Storage},
};

use super::{Builder, Lowered};

/// An object that is known: a texture, a buffer or a sampler.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Object {
    pub(crate) id: ObjectId,
    pub(crate) ty: Arc<ObjectType>,
}

/// The objects that variables stand for, in the order of the objects in their types; `None` before an assignment.
pub(super) type Objects = HashMap<LocalId, Vec<Option<Object>>>;

impl Builder<'_, '_> {
    /// The object that an expression of an object type is.
    pub(crate) fn object(&mut self, expr: &Expr) -> Lowered<Object> {
        match self.objects_in(expr)?.into_iter().next().flatten() {
            Some(object) => Ok(object),
            None => Err(self.error(
                Code::Uninitialized,
                expr.span,
                "variable of an object type is used before one object that the compiler knows is assigned to it",
            )),
        }
    }

    /// How many objects the type of an expression has.
    fn objects_of(&self, expr: &Expr) -> usize {
        object_count(self.lowerer.program, &expr.ty).min(512) as usize
    }

    /// The objects in the value of an expression.
    pub(super) fn objects_in(&mut self, expr: &Expr) -> Lowered<Vec<Option<Object>>> {
        let count = self.objects_of(expr);
        if count == 0 {
            return Ok(Vec::new());
        }
        let mut all = self.deeper(expr.span, |builder| builder.list_objects(expr))?;
        all.resize(count, None);
        Ok(all)
    }

    fn list_objects(&mut self, expr: &Expr) -> Lowered<Vec<Option<Object>>> {
        let program = self.lowerer.program;
        match &*expr.kind {
            ExprKind::Local(local) => Ok(self.objects.get(local).cloned().unwrap_or_default()),
            ExprKind::Global(global) => match (program[*global].storage, &program[*global].value) {
                (Storage::Uniform { .. }, _) => {
                    let types = objects(program, &program[*global].ty);
                    let object = |(index, ty): (u32, &ObjectType)| {
                        Some(Object { id: ObjectId { global: *global, index }, ty: Arc::new(ty.clone()) })
                    };
                    Ok((0..).zip(types).map(object).collect())
                }
                (_, Some(value)) => self.objects_in(value),
                _ => Ok(Vec::new()),
            },
            ExprKind::Field(base, field) => {
                let first = objects_before_field(program, &base.ty, *field) as usize;
                let all = self.objects_in(base)?;
                Ok(all.into_iter().skip(first).collect())
            }
            ExprKind::Index(base, index) => {
                let Some(known) = self.known_integer(index) else {
                    return Err(self.error(
                        Code::IndexNotLiteral,
                        index.span,
                        "array index of textures, buffers or samplers must be a literal expression",
                    ));
                };
                let size = self.objects_of(expr);
                let all = self.objects_in(base)?;
                let count = base.ty.indices();
                let Some(known) = u32::try_from(known).ok().filter(|known| *known < count) else {
                    return Err(self.lowerer.index_out_of_bounds(index.span, known, count));
                };
                Ok(all.into_iter().skip(size.saturating_mul(known as usize)).collect())
            }
            ExprKind::Construct(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(self.objects_in(part)?);
                }
                Ok(all)
            }
            ExprKind::Convert(inner) | ExprKind::Comma(_, inner) | ExprKind::Assign(_, inner) => {
                self.objects_in(inner)
            }
            ExprKind::Conditional(condition, accept, reject) => match self.known(condition) {
                Some(known) => {
                    let chosen = known.bits.first().is_some_and(|bits| *bits != 0);
                    self.objects_in(if chosen { accept } else { reject })
                }
                None => Err(self.unsupported(expr.span, "a choice between objects at run time")),
            },
            _ => Err(self.unsupported(expr.span, "an object that a function gives")),
        }
    }

    /// Notes the objects that an assignment hands over.
    pub(super) fn bind_objects(&mut self, target: &Expr, value: &Expr) -> Lowered<()> {
        if self.objects_of(target) == 0 {
            return Ok(());
        }
        let objects = self.objects_in(value)?;
        let Some((local, first, count)) = self.object_place(target) else {
            return Err(self.unsupported(target.span, "an assignment to such an object"));
        };
        let all = self.objects.entry(local).or_default();
        all.resize(all.len().max(count), None);
        for (slot, object) in all.iter_mut().skip(first).zip(objects) {
            *slot = object;
        }
        Ok(())
    }

    /// The variable that the objects of an expression are in, the first of them, and how many the variable has.
    fn object_place(&self, expr: &Expr) -> Option<(LocalId, usize, usize)> {
        match &*expr.kind {
            ExprKind::Local(local) => Some((*local, 0, self.objects_of(expr))),
            ExprKind::Field(base, field) => {
                let (local, first, count) = self.object_place(base)?;
                let before = objects_before_field(self.lowerer.program, &base.ty, *field) as usize;
                Some((local, first + before, count))
            }
            ExprKind::Index(base, index) => {
                let (local, first, count) = self.object_place(base)?;
                let index = usize::try_from(self.known_integer(index)?).ok()?;
                Some((local, first.checked_add(index.checked_mul(self.objects_of(expr))?)?, count))
            }
            _ => None,
        }
    }

    /// After what may be skipped: variables that other objects were assigned to stand for none.
    pub(super) fn join_objects(&mut self, before: &Objects) {
        for (local, all) in &mut self.objects {
            let Some(old) = before.get(local) else { continue };
            for (slot, old) in all.iter_mut().zip(old) {
                if slot != old {
                    *slot = None;
                }
            }
        }
    }
}
