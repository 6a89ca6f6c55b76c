//! Calls: overload resolution and the conversion of arguments.

#[cfg(test)]
mod tests;

use crate::{
    check::tree::{Direction, Expr, ExprKind, FunctionId, Type},
    session::{code::Code, source::Span},
    syntax::{
        ast::{self, BinaryOp, Ident, Path, UnaryOp},
        builtin::Scalar,
    },
    text::number::{FloatSuffix, Number},
};

use super::{
    Checker,
    casts::cast_argument,
    convert::{conversion, numeric_converts},
    evaluate::evaluate_intrinsic,
};

/// Returns the severity of an argument's conversion as a sum of flags, in which each more severe fault
/// outweighs all less severe ones.
///
/// An integer without a suffix matches `int` and `uint` equally well, and a float without a suffix `float`
/// and `double`.
fn severity(argument: &Expr, is_literal: bool, to: &Type) -> u32 {
    const WIDENS: u32 = 1;
    const LOSES_BITS: u32 = 1 << 1;
    const OTHER_SCALAR: u32 = 1 << 2;
    const OTHER_CLASS: u32 = 1 << 3;
    const LOSES_COMPONENTS: u32 = 1 << 4;
    let fault = |is: bool, fault: u32| if is { fault } else { 0 };
    let (Some(mut from), Some(to)) = (argument.ty.numeric(), to.numeric()) else {
        return fault(argument.ty != *to, WIDENS);
    };
    match (from.scalar, to.scalar) {
        (Scalar::Int, Scalar::Uint) | (Scalar::Float, Scalar::Double) if is_literal => {
            from.scalar = to.scalar;
        }
        _ => {}
    }
    fault(from.components() < to.components(), WIDENS)
        | fault(width(from.scalar) > width(to.scalar), LOSES_BITS)
        | fault(from.scalar != to.scalar, OTHER_SCALAR)
        | fault(class(from.scalar) != class(to.scalar), OTHER_CLASS)
        | fault(from.components() > to.components(), LOSES_COMPONENTS)
}

fn width(scalar: Scalar) -> u32 {
    match scalar {
        Scalar::Bool | Scalar::Int | Scalar::Uint | Scalar::Float => 32,
        Scalar::Double => 64,
        Scalar::Half
        | Scalar::Min16Float
        | Scalar::Min10Float
        | Scalar::Min16Int
        | Scalar::Min12Int
        | Scalar::Min16Uint => 16,
    }
}

/// Returns a number that distinguishes `bool`s, integers and floats.
fn class(scalar: Scalar) -> u32 {
    match scalar {
        Scalar::Bool => 0,
        scalar if scalar.is_float() => 2,
        _ => 1,
    }
}

/// Maximum number of candidates in all calls together, counting each candidate once per field of the
/// arguments.
const MOST_CANDIDATES: u64 = 1 << 22;

/// Replaces a call of an intrinsic function by its value if all arguments are constants.
fn known_call(call: Expr) -> Expr {
    let (ExprKind::Intrinsic(which, arguments), Some(ty)) = (&*call.kind, call.ty.numeric()) else {
        return call;
    };
    let constants = arguments.iter().map(|argument| match &*argument.kind {
        ExprKind::Constant(constant) => Some(constant.clone()),
        _ => None,
    });
    let value =
        constants.collect::<Option<Vec<_>>>().and_then(|known| evaluate_intrinsic(*which, &known, ty));
    match value {
        Some(value) => Expr::constant(value, call.span),
        None => call,
    }
}

/// Returns for each argument whether it consists of numbers without a suffix, optionally with signs and
/// operators.
fn literals(arguments: &[ast::Expr]) -> Vec<bool> {
    arguments.iter().map(is_literal).collect()
}

fn is_literal(argument: &ast::Expr) -> bool {
    match &*argument.kind {
        ast::ExprKind::Number(number) => matches!(
            number,
            Number::Int { unsigned: false, .. } | Number::Float { suffix: FloatSuffix::None, .. }
        ),
        ast::ExprKind::Unary(UnaryOp::Negate | UnaryOp::Plus, of) => is_literal(of),
        ast::ExprKind::Binary(op, a, b) => {
            let is_arithmetic = matches!(
                op,
                BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo
            );
            is_arithmetic && is_literal(a) && is_literal(b)
        }
        _ => false,
    }
}

impl Checker<'_> {
    pub(super) fn call(&mut self, path: &Path, arguments: &[ast::Expr], span: Span) -> Expr {
        let literals = literals(arguments);
        let arguments = self.expressions(arguments);
        if arguments.iter().any(|argument| argument.ty.is_error()) {
            return Expr::error(span);
        }
        let functions = self.lookup_functions(path);
        let name = self.path_name(path);
        match self.choose(&functions, (&arguments, &literals), &name, path.span) {
            Ok(Some(function)) => {
                let object = self.tree[function].object.and_then(|_| self.this(span));
                return self.user_call(function, object, arguments, span);
            }
            Ok(None) => {}
            Err(()) => return Expr::error(span),
        }
        if path.scope.is_empty() && functions.is_empty() && matches!(&*name, "select" | "and" | "or") {
            return self.operator_call(&name, arguments, path.span, span);
        }
        if path.scope.is_empty() {
            let ident = Ident { name: path.name, span: path.span };
            if let Some(mut call) = self.call_intrinsic(ident, &arguments) {
                call.span = span;
                return known_call(call);
            }
        }
        if functions.is_empty() {
            let message = format!("undeclared identifier '{name}'{}", self.like_function(path));
            self.error(Code::UndeclaredIdentifier, path.span, message);
        } else {
            self.report_no_match(&functions, &name, &arguments, path.span);
        }
        Expr::error(span)
    }

    /// Checks the functions `select`, `and` and `or`, which FXC lacks but compilers of later HLSL versions
    /// have.
    fn operator_call(&mut self, name: &str, arguments: Vec<Expr>, name_span: Span, span: Span) -> Expr {
        let mut given = arguments.iter().cloned();
        match (name, given.next(), given.next(), given.next(), given.next()) {
            ("select", Some(condition), Some(a), Some(b), None) => self.conditional(condition, a, b, span),
            ("and", Some(a), Some(b), None, _) => self.binary(BinaryOp::LogicalAnd, a, b, span),
            ("or", Some(a), Some(b), None, _) => self.binary(BinaryOp::LogicalOr, a, b, span),
            _ => {
                self.report_no_match(&[], name, &arguments, name_span);
                Expr::error(span)
            }
        }
    }

    pub(super) fn method_call(
        &mut self,
        object: &ast::Expr,
        name: Ident,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Expr {
        let object = self.expression(object);
        let literals = literals(arguments);
        let arguments = self.expressions(arguments);
        if object.ty.is_error() || arguments.iter().any(|argument| argument.ty.is_error()) {
            return Expr::error(span);
        }
        let text = self.session.names.text(name.name).clone();
        match object.ty {
            Type::Object(_) => {
                let mut call = self.call_method(object, name, arguments);
                call.span = span;
                call
            }
            Type::Struct(id) => {
                let methods = self.find_methods(id, &text);
                match self.choose(&methods, (&arguments, &literals), &text, name.span) {
                    Ok(Some(method)) => self.user_call(method, Some(object), arguments, span),
                    Ok(None) if methods.is_empty() => {
                        let message = format!("invalid subscript '{text}'{}", self.like_method(id, &text));
                        self.error(Code::InvalidSubscript, name.span, message);
                        Expr::error(span)
                    }
                    Ok(None) => {
                        self.report_no_match(&methods, &text, &arguments, name.span);
                        Expr::error(span)
                    }
                    Err(()) => Expr::error(span),
                }
            }
            _ => {
                self.error(Code::InvalidSubscript, name.span, format!("invalid subscript '{text}'"));
                Expr::error(span)
            }
        }
    }

    /// Reports that no function matches a call. If there is only one function and it has the right number of
    /// parameters, the message names the argument that cannot be converted.
    fn report_no_match(&mut self, functions: &[FunctionId], name: &str, arguments: &[Expr], span: Span) {
        if let Some((argument, interface)) = self.linkage_in_call(functions, arguments) {
            return self.refuse_linkage(argument, &interface);
        }
        if let [function] = functions
            && self.parameters(*function).count() == arguments.len()
        {
            let parameters: Vec<_> = self.parameters(*function).map(|(ty, _)| ty.clone()).collect();
            let mut pairs = arguments.iter().zip(&parameters);
            if let Some((argument, ty)) = pairs.find(|(a, ty)| !self.tree.converts_implicitly(&a.ty, ty)) {
                let (from, to) = (self.tree.type_name(&argument.ty), self.tree.type_name(ty));
                let message = format!("'{name}': cannot convert from '{from}' to '{to}'");
                return self.error(Code::CannotConvert, argument.span, message);
            }
        }
        let types: Vec<_> = arguments.iter().map(|argument| self.tree.type_name(&argument.ty)).collect();
        let message = format!(
            "'{name}': no matching {} parameter function for the types ({})",
            arguments.len(),
            types.join(", ")
        );
        self.error(Code::NoMatchingFunction, span, message);
        self.note_candidates(functions);
    }

    /// Returns the first argument that is an object of a class but is passed as an interface, or `None` if no
    /// function accepts the arguments in this way.
    fn linkage_in_call<'e>(
        &self,
        functions: &[FunctionId],
        arguments: &'e [Expr],
    ) -> Option<(&'e Expr, Type)> {
        let converts = |from: &Type, to: &Type| {
            self.tree.converts_implicitly(from, to) || self.tree.is_linkage(from, to)
        };
        let function = functions.iter().find(|function| self.takes(**function, arguments, &converts))?;
        let mut pairs = arguments.iter().zip(self.parameters(*function));
        let (argument, (ty, _)) = pairs.find(|(argument, (ty, _))| self.tree.is_linkage(&argument.ty, ty))?;
        Some((argument, ty.clone()))
    }

    /// Adds notes that list the first few candidates of a call.
    fn note_candidates(&mut self, functions: &[FunctionId]) {
        const MOST_SHOWN: usize = 6;

        for function in functions.iter().take(MOST_SHOWN) {
            let candidate = format!("candidate: {}", self.tree.signature_text(*function));
            self.session.note(self.tree[*function].span, candidate);
        }
    }

    /// Returns the function that matches the arguments best, or reports an error if several match equally
    /// well.
    fn choose(
        &mut self,
        functions: &[FunctionId],
        (arguments, literals): (&[Expr], &[bool]),
        name: &str,
        span: Span,
    ) -> Result<Option<FunctionId>, ()> {
        self.count_candidates(functions.len(), arguments, span)?;
        let mut best: Vec<FunctionId> = Vec::new();
        for function in functions {
            let converts = |from: &Type, to: &Type| self.tree.converts_implicitly(from, to);
            if !self.takes(*function, arguments, &converts) {
                continue;
            }
            match best.first().map(|first| self.compare(*function, *first, (arguments, literals))) {
                Some(std::cmp::Ordering::Less) => {}
                Some(std::cmp::Ordering::Equal) => best.push(*function),
                Some(std::cmp::Ordering::Greater) | None => best = vec![*function],
            }
        }
        if best.len() > 1 {
            self.error(Code::AmbiguousCall, span, format!("'{name}': ambiguous function call"));
            self.note_candidates(&best);
            return Err(());
        }
        Ok(best.first().copied())
    }

    /// Limits the work of overload resolution, for programs with many calls and many overloads.
    fn count_candidates(&mut self, functions: usize, arguments: &[Expr], span: Span) -> Result<(), ()> {
        let fields = arguments.iter().map(|argument| self.leaf_fields(&argument.ty));
        let cost = fields.fold(1, u64::saturating_add).saturating_mul(functions as u64);
        self.candidates = self.candidates.saturating_add(cost);
        if self.candidates <= MOST_CANDIDATES {
            return Ok(());
        }
        let message = "the program's calls have too many overloads to choose from";
        self.error(Code::LimitExceeded, span, message);
        Err(())
    }

    /// Returns the types of the parameters and whether they have default values, without the object of a
    /// method.
    fn parameters(&self, function: FunctionId) -> impl Iterator<Item = (&Type, bool)> {
        let function = &self.tree[function];
        let parameters = function.parameters.iter().skip(usize::from(function.object.is_some()));
        parameters.map(|parameter| (&function.local(parameter.local).ty, parameter.default.is_some()))
    }

    fn takes(
        &self,
        function: FunctionId,
        arguments: &[Expr],
        converts: &dyn Fn(&Type, &Type) -> bool,
    ) -> bool {
        let mut count = 0;
        let fit = self.parameters(function).enumerate().all(|(index, (ty, has_default))| {
            count += 1;
            match arguments.get(index) {
                Some(argument) => converts(&argument.ty, ty),
                None => has_default,
            }
        });
        fit && arguments.len() <= count
    }

    fn compare(
        &self,
        function: FunctionId,
        other: FunctionId,
        (arguments, literals): (&[Expr], &[bool]),
    ) -> std::cmp::Ordering {
        let (mut own_faults, mut other_faults) = (0, 0);
        let (mut is_worse, mut is_better) = (false, false);
        let parameters = self.parameters(function).zip(self.parameters(other));
        let arguments = arguments.iter().zip(literals);
        for ((argument, is_literal), ((own, _), (others, _))) in arguments.zip(parameters) {
            let own = severity(argument, *is_literal, own);
            let others = severity(argument, *is_literal, others);
            own_faults |= own;
            other_faults |= others;
            is_worse |= own > others;
            is_better |= own < others;
        }
        is_better.cmp(&is_worse).then(other_faults.cmp(&own_faults))
    }

    fn user_call(
        &mut self,
        function: FunctionId,
        object: Option<Expr>,
        arguments: Vec<Expr>,
        span: Span,
    ) -> Expr {
        let owner = self.tree[function].object;
        let mut converted = Vec::with_capacity(self.tree[function].parameters.len());
        let has_method = |object: &Expr| match (&object.ty, owner) {
            (Type::Struct(id), Some(owner)) => self.tree.is_derived(*id, owner),
            _ => false,
        };
        if let (Some(owner), Some(object)) = (owner, object.filter(has_method)) {
            converted.push(conversion(object, &Type::Struct(owner)));
        } else if owner.is_some() {
            let message = format!("'{}' is called without an object", self.tree[function].name);
            self.error(Code::NoMatchingFunction, span, message);
            return Expr::error(span);
        }
        let mut arguments = arguments.into_iter();
        let mut is_wrong = false;
        for index in converted.len()..self.tree[function].parameters.len() {
            let called = &self.tree[function];
            let parameter = &called.parameters[index];
            let (direction, default) = (parameter.direction, parameter.default.clone());
            let ty = called.local(parameter.local).ty.clone();
            let argument = match arguments.next() {
                Some(argument) if direction == Direction::In => self.convert_implicitly(argument, &ty),
                Some(argument) => self.written_argument(argument, &ty),
                None => default.unwrap_or_else(|| Expr::error(span)),
            };
            is_wrong |= argument.ty.is_error();
            converted.push(argument);
        }
        if is_wrong {
            return Expr::error(span);
        }
        let ty = self.tree[function].result.clone();
        Expr::new(ExprKind::Call(function, converted), ty, span)
    }

    /// Checks an argument that the function writes, which must be assignable and compatible with the
    /// parameter.
    fn written_argument(&mut self, argument: Expr, ty: &Type) -> Expr {
        let argument = cast_argument(argument);
        let place = match &*argument.kind {
            ExprKind::Convert(of) if of.ty.numeric().is_some() => of,
            _ => &argument,
        };
        if !self.check_assignable(place) {
            return Expr::error(argument.span);
        }
        let fits = match (argument.ty.numeric(), ty.numeric()) {
            (Some(argument), Some(ty)) => {
                argument.components() == ty.components() && numeric_converts(ty, argument)
            }
            _ => {
                argument.ty == *ty
                    || argument.ty.object().is_some() && self.tree.converts_implicitly(ty, &argument.ty)
            }
        };
        if !fits {
            let message = format!(
                "cannot convert output parameter from '{}' to '{}'",
                self.tree.type_name(ty),
                self.tree.type_name(&argument.ty)
            );
            self.error(Code::CannotConvert, argument.span, message);
            return Expr::error(argument.span);
        }
        argument
    }
}
