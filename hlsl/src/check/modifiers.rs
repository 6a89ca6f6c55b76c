use super::{Checker, scopes::NamedType};
use crate::{
    check::tree::{Numeric, Type},
    session::code::Code,
    syntax::{
        ast::{Ident, ModifierFlags as Flags, Modifiers, TypeKind, TypeName},
        builtin::{Scalar, Shape},
    },
    text::token::Packing,
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DeclarationKind {
    Global,
    Local,
    Member,
    Function,
    Parameter,
    Typedef,
}

impl DeclarationKind {
    /// Returns the name of the kind of declaration for messages.
    fn name(self) -> &'static str {
        match self {
            Self::Global => "global variables",
            Self::Local => "local variables",
            Self::Member => "struct/class members",
            Self::Function => "functions",
            Self::Parameter => "parameters",
            Self::Typedef => "typedefs",
        }
    }

    fn refused(self) -> Flags {
        let of_functions = Flags::INLINE.union(Flags::EXPORT);
        let of_parameters = Flags::IN.union(Flags::OUT);
        let of_globals = Flags::EXTERN.union(Flags::UNIFORM).union(Flags::GROUPSHARED).union(Flags::SHARED);
        match self {
            Self::Global => of_functions.union(of_parameters).union(Flags::VOLATILE),
            Self::Local => of_functions.union(of_parameters).union(of_globals),
            Self::Member => {
                of_functions.union(of_parameters).union(of_globals).union(Flags::VOLATILE).union(Flags::CONST)
            }
            // FXC accepts other modifiers of variables, such as `groupshared`, although they have no effect
            // on a function.
            Self::Function => of_parameters.union(of_globals.difference(Flags::GROUPSHARED)),
            Self::Parameter => of_functions.union(of_globals).difference(Flags::UNIFORM).union(Flags::STATIC),
            Self::Typedef => of_functions
                .union(of_parameters)
                .union(of_globals)
                .union(Flags::STATIC)
                .union(Flags::NO_INTERPOLATION)
                .union(Flags::LINEAR)
                .union(Flags::CENTROID)
                .union(Flags::NO_PERSPECTIVE)
                .union(Flags::SAMPLE),
        }
    }
}

impl Checker<'_> {
    pub(super) fn check_flags(&mut self, modifiers: &Modifiers, declared: DeclarationKind, name: Ident) {
        let mut refused = modifiers.flags.intersection(declared.refused());
        if declared == DeclarationKind::Member && modifiers.flags.contains(Flags::STATIC) {
            // A `static` member is a variable outside the structure.
            refused.remove(Flags::CONST);
        }
        let name = self.session.names.text(name.name).clone();
        for flag in refused {
            let (code, word) = match flag {
                Flags::EXTERN => (Code::CannotBeExtern, "extern"),
                Flags::STATIC => (Code::CannotBeStatic, "static"),
                Flags::VOLATILE => (Code::CannotBeVolatile, "volatile"),
                Flags::GROUPSHARED => (Code::CannotBeGroupshared, "groupshared"),
                Flags::CONST => (Code::CannotBeConst, "const"),
                Flags::UNIFORM => (Code::CannotBeUniform, "uniform"),
                Flags::SHARED => (Code::CannotBeShared, "shared"),
                Flags::IN => (Code::SyntaxError, "in"),
                Flags::OUT => (Code::SyntaxError, "out"),
                Flags::INLINE => (Code::InvalidModifier, "inline"),
                Flags::NO_INTERPOLATION => (Code::InvalidModifier, "nointerpolation"),
                Flags::LINEAR => (Code::InvalidModifier, "linear"),
                Flags::CENTROID => (Code::InvalidModifier, "centroid"),
                Flags::NO_PERSPECTIVE => (Code::InvalidModifier, "noperspective"),
                Flags::SAMPLE => (Code::InvalidModifier, "sample"),
                _ => (Code::InvalidModifier, "export"),
            };
            // FXC's grammar does not allow these modifiers here.
            let code = match declared {
                DeclarationKind::Typedef | DeclarationKind::Parameter => Code::SyntaxError,
                _ => code,
            };
            let message = format!("'{name}': {} cannot be declared '{word}'", declared.name());
            self.error(code, modifiers.span, message);
        }
        if modifiers.primitive.is_some() && declared != DeclarationKind::Parameter {
            let message =
                format!("'{name}': {} cannot be declared primitives of geometry shaders", declared.name());
            self.error(Code::InvalidModifier, modifiers.span, message);
        }
        let outside = modifiers.flags.intersection(Flags::EXTERN.union(Flags::UNIFORM));
        if declared == DeclarationKind::Global
            && modifiers.flags.contains(Flags::STATIC)
            && !outside.is_empty()
        {
            let word = if outside.contains(Flags::EXTERN) { "extern" } else { "uniform" };
            let message = format!("'{name}': {word} global variables cannot be declared 'static'");
            self.error(Code::CannotBeStatic, modifiers.span, message);
        }
        let is_group = declared == DeclarationKind::Global && modifiers.flags.contains(Flags::GROUPSHARED);
        if is_group && !outside.is_empty() {
            let word = if outside.contains(Flags::EXTERN) { "extern" } else { "uniform" };
            let message = format!("'{name}': {word} global variables cannot be declared 'groupshared'");
            self.error(Code::CannotBeGroupshared, modifiers.span, message);
        }
        let other = Flags::LINEAR.union(Flags::NO_PERSPECTIVE).union(Flags::CENTROID);
        if modifiers.flags.contains(Flags::NO_INTERPOLATION) && modifiers.flags.intersects(other) {
            let message = "nointerpolation cannot be used with linear, noperspective or centroid";
            self.error(Code::InvalidModifier, modifiers.span, message);
        }
    }

    // Packing of matrices

    /// Returns whether the packing of matrices comes from the modifiers and not from a `#pragma`.
    pub(super) fn says_packing(&self, modifiers: &Modifiers) -> bool {
        modifiers.packing.is_some() && {
            let text = self.session.sources.text(modifiers.span);
            text.contains("row_major") || text.contains("column_major")
        }
    }

    /// Returns the packing that a `typedef` sets for matrices in its type, or `None` if the packing depends
    /// on the variables of this type.
    ///
    /// Matrices in arrays get the packing at the `typedef`, but for a single matrix the `typedef` sets the
    /// packing only if it has a modifier or follows a `#pragma pack_matrix`.
    pub(super) fn typedef_packing(
        &self,
        modifiers: &Modifiers,
        named: &NamedType,
        ty: &Type,
    ) -> Option<Packing> {
        let said = if self.says_packing(modifiers) { modifiers.packing } else { None };
        let packing = said.or(named.packing).or(modifiers.packing);
        match ty {
            Type::Array(_) => packing.or(Some(self.options.packing)),
            _ => packing,
        }
    }

    pub(super) fn packing(&self, modifiers: &Modifiers, named: &NamedType) -> Packing {
        let said = if self.says_packing(modifiers) { modifiers.packing } else { None };
        said.or(named.packing).or(modifiers.packing).unwrap_or(self.options.packing)
    }

    /// Refuses `row_major` and `column_major` for a type that is not a matrix or that a `typedef` gave the
    /// other packing. Refuses `unorm` and `snorm` for a type that is not floating-point.
    pub(super) fn check_type_modifiers(&mut self, modifiers: &Modifiers, name: &TypeName, ty: &Type) {
        if ty.is_error() {
            return;
        }
        if modifiers.flags.intersects(Flags::UNORM.union(Flags::SNORM)) {
            let is_float = matches!(
                ty,
                Type::Numeric(Numeric {
                    scalar: Scalar::Float
                        | Scalar::Double
                        | Scalar::Half
                        | Scalar::Min16Float
                        | Scalar::Min10Float,
                    ..
                })
            );
            if !is_float {
                let word = if modifiers.flags.contains(Flags::UNORM) { "unorm" } else { "snorm" };
                self.error(
                    Code::InvalidTypeModifier,
                    modifiers.span,
                    format!("{word} can not be used with type"),
                );
            }
        }
        if !self.says_packing(modifiers) {
            return;
        }
        if !matches!(ty, Type::Numeric(Numeric { shape: Shape::Matrix { .. }, .. })) {
            let message = "non-matrix types cannot be declared 'row_major' or 'column_major'";
            self.error(Code::NoMatrix, modifiers.span, message);
        } else if let TypeKind::Named(path) = &name.kind
            && let Some(named) = self.lookup_named_type(path)
            && named.packing.is_some_and(|packing| Some(packing) != modifiers.packing)
        {
            let message = "matrix types cannot be both column_major and row_major";
            self.error(Code::InvalidModifier, modifiers.span, message);
        }
    }
}
