//! Constant buffers: the blocks `cbuffer` and `tbuffer`, and the types `ConstantBuffer<T>` and
//! `TextureBuffer<T>`.

use super::{Checker, modifiers::DeclarationKind};
use crate::{
    check::tree::{BufferId, DeclaredBuffer, Numeric, ObjectType, Storage, Type},
    session::code::Code,
    syntax::{
        ast::{Annotations, BufferBlock, Declarator, Item, ModifierFlags, TypeArgument, Variables},
        builtin::{Object, Scalar, Shape},
    },
};

impl Checker<'_> {
    pub(super) fn buffer(&mut self, block: &BufferBlock) {
        let id = BufferId(self.tree.buffers.len() as u32);
        self.check_flags(&block.modifiers, DeclarationKind::Global, block.name);
        if self.says_packing(&block.modifiers) {
            let message = "a constant buffer cannot be declared 'row_major' or 'column_major'; declare its matrices instead";
            self.error(Code::NoMatrix, block.modifiers.span, message);
        }
        for register in block.registers.iter().filter(|register| register.has_letters) {
            self.error(
                Code::InvalidRegister,
                register.span,
                "a constant buffer's register must be b followed by a number",
            );
        }
        let registers = self.registers(&block.registers);
        self.tree.buffers.push(DeclaredBuffer {
            name: self.session.names.text(block.name.name).clone(),
            texture: block.texture,
            registers,
            variables: Vec::new(),
            span: block.name.span,
        });
        for item in &block.items {
            match item {
                Item::Variables(variables) => self.globals(variables, id),
                other => self.items(std::slice::from_ref(other)),
            }
        }
        self.check_pack_offsets(id);
    }

    /// Declares variables of type `ConstantBuffer<T>` or `TextureBuffer<T>`. Each becomes a buffer that
    /// contains one variable with the same name and the type `T`.
    pub(super) fn buffer_objects(&mut self, variables: &Variables, kind: Object, arguments: &[TypeArgument]) {
        let Type::Object(object) = self.object_type(kind, arguments, variables.type_name.span) else {
            return;
        };
        for declarator in &variables.declarators {
            self.buffer_object(variables, declarator, &object);
        }
    }

    fn buffer_object(&mut self, variables: &Variables, declarator: &Declarator, object: &ObjectType) {
        let (name, kind) = (declarator.name, object.kind.name());
        let text = self.session.names.text(name.name).clone();
        if !declarator.dimensions.is_empty() {
            let message =
                format!("not supported: '{text}', an array of {kind}: declare each buffer by itself");
            return self.error(Code::Unsupported, name.span, message);
        }
        let flags = variables.modifiers.flags;
        if flags.intersects(ModifierFlags::STATIC | ModifierFlags::GROUPSHARED) {
            let message = format!(
                "'{text}': a {kind} cannot be static or groupshared, because the application binds it"
            );
            return self.error(Code::InvalidType, name.span, message);
        }
        if declarator.initializer.is_some() {
            let message = format!("'{text}': a {kind} cannot have an initial value");
            return self.error(Code::InvalidType, name.span, message);
        }
        self.refuse_pack_offset(&declarator.annotations);
        let id = BufferId(self.tree.buffers.len() as u32);
        let registers = self.registers(&declarator.annotations.registers);
        self.tree.buffers.push(DeclaredBuffer {
            name: text,
            texture: object.kind == Object::TextureBuffer,
            registers,
            variables: Vec::new(),
            span: name.span,
        });
        let Some(element) = object.element.clone() else { return };
        let variable = Declarator { annotations: Annotations::default(), ..declarator.clone() };
        let storage = Storage::Uniform { buffer: id, offset: None };
        let id = self.add_global(&variable, element, object.packing, flags, storage);
        self.declare_global(name, id);
    }

    /// Refuses a `packoffset`, even in an unused buffer, if another variable of the buffer has none or if the
    /// variable would cross a register.
    fn check_pack_offsets(&mut self, id: BufferId) {
        let (mut has_packed, mut other) = (false, None);
        for variable in self.tree[id].variables.clone() {
            let global = &self.tree[variable];
            let Storage::Uniform { offset, .. } = global.storage else { continue };
            let Some(offset) = offset else {
                match global.registers.iter().any(|register| register.class != 'c') {
                    true => has_packed = true,
                    false => other = other.or(Some((global.name.clone(), global.span))),
                }
                continue;
            };
            has_packed = true;
            let columns = match &global.ty {
                Type::Numeric(Numeric { shape: Shape::Matrix { .. }, .. }) => 4,
                Type::Numeric(numeric) if numeric.scalar == Scalar::Double => numeric.columns() as u32 * 2,
                Type::Numeric(numeric) => numeric.columns() as u32,
                Type::Object(_) | Type::Error => 1,
                _ => 4,
            };
            let is_double = global.ty.numeric().is_some_and(|numeric| numeric.scalar == Scalar::Double);
            let is_odd = is_double && offset.component % 2 != 0;
            if is_odd || (offset.component != 0 && offset.component + columns > 4) {
                let message = format!(
                    "'{}': register or offset bind not valid: a matrix, an array and a structure begin a register, and \
                     a vector does not cross the end of one",
                    global.name
                );
                self.error(Code::InvalidRegister, offset.span, message);
            }
        }
        if let (true, Some((name, span))) = (has_packed, other) {
            let message =
                format!("'{name}': cannot mix packoffset elements with nonpackoffset elements in a cbuffer");
            self.error(Code::InvalidRegister, span, message);
        }
    }
}
