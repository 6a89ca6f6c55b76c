use super::Checker;
use crate::{
    check::tree::{Attribute, AttributeValue, ExprKind as TreeKind, Hints},
    session::code::Code,
    syntax::ast::{self, Expr, ExprKind},
};

/// The known attributes of functions. Other attributes are ignored, as in FXC.
const OF_FUNCTIONS: [&str; 13] = [
    "numthreads",
    "domain",
    "partitioning",
    "outputtopology",
    "outputcontrolpoints",
    "patchconstantfunc",
    "maxtessfactor",
    "maxvertexcount",
    "instance",
    "earlydepthstencil",
    "clipplanes",
    "allow_uav_condition",
    "call",
];

impl Checker<'_> {
    pub(super) fn attributes(&mut self, attributes: &[ast::Attribute]) -> Vec<Attribute> {
        self.check_repeated(attributes);
        let mut made = Vec::new();
        for attribute in attributes {
            let name = self.session.names.text(attribute.name.name).clone();
            if !OF_FUNCTIONS.contains(&&*name) {
                let message = format!("unknown attribute '{name}'; ignored");
                self.warn(Code::UnknownAttribute, attribute.name.span, message);
                continue;
            }
            let errors = self.session.diagnostics.errors().count();
            let arguments: Option<Vec<_>> =
                attribute.arguments.iter().map(|argument| self.attribute_value(argument)).collect();
            match arguments {
                Some(arguments) => {
                    made.push(Attribute { name, arguments, span: attribute.name.span });
                }
                None if self.session.diagnostics.errors().count() > errors => {}
                None => {
                    let message = format!(
                        "cannot match attribute {name}: its arguments must be literal expressions; ignored"
                    );
                    self.warn(Code::UnknownAttribute, attribute.name.span, message);
                }
            }
        }
        made
    }

    /// Returns the value of an argument, or `None` if the argument is invalid or cannot be evaluated.
    fn attribute_value(&mut self, argument: &Expr) -> Option<AttributeValue> {
        if *argument.kind == ExprKind::String {
            let text = self.session.sources.text(argument.span);
            return Some(AttributeValue::Text(text.trim_matches('"').into()));
        }
        let typed = self.expression(argument);
        if typed.ty.is_error() {
            return None;
        }
        // FXC uses the initial value of a global variable.
        let value = match &*typed.kind {
            TreeKind::Global(id) => self.tree[*id].value.as_ref().unwrap_or(&typed),
            _ => &typed,
        };
        self.known_value(value).map(AttributeValue::Constant)
    }

    /// Refuses a repeated attribute, but treats names that differ in case as different attributes.
    fn check_repeated(&mut self, attributes: &[ast::Attribute]) {
        for (index, attribute) in attributes.iter().enumerate() {
            if attributes[..index].iter().any(|earlier| earlier.name.name == attribute.name.name) {
                let name = self.session.names.text(attribute.name.name);
                let message = format!("duplicate attribute '{name}'");
                self.error(Code::RepeatedAttribute, attribute.name.span, message);
            }
        }
    }

    pub(super) fn hints(&mut self, attributes: &[ast::Attribute]) -> Hints {
        self.check_repeated(attributes);
        let mut hints = Hints::default();
        for attribute in attributes {
            let name = self.session.names.text(attribute.name.name).to_ascii_lowercase();
            match name.as_str() {
                "unroll" => hints.unroll = Some(self.unroll_count(attribute)),
                "loop" => hints.keep_loop = true,
                "fastopt" => hints.fast = true,
                "flatten" => hints.flatten = true,
                "branch" | "forcecase" => hints.branch = true,
                "allow_uav_condition" | "call" => {}
                _ => {
                    let message = format!("unknown attribute '{name}'; ignored");
                    self.warn(Code::UnknownAttribute, attribute.name.span, message);
                }
            }
        }
        if let Some(attribute) = attributes.first() {
            let message = match hints {
                Hints { unroll: Some(_), keep_loop: true, .. }
                | Hints { unroll: Some(_), fast: true, .. } => {
                    "can't use loop or fastopt and unroll attributes together"
                }
                Hints { flatten: true, branch: true, .. } => {
                    "can't use flatten and branch attributes together"
                }
                _ => return hints,
            };
            self.error(Code::LoopAttributes, attribute.name.span, message);
        }
        hints
    }

    fn unroll_count(&mut self, attribute: &ast::Attribute) -> Option<u32> {
        let count = attribute.arguments.first()?;
        let message = "the number of iterations must be a literal expression";
        let number = self.constant_integer(count, Code::InvalidAttribute, message)?;
        if number <= 0 {
            self.error(Code::InvalidAttribute, count.span, "the number of iterations must be above 0");
            return None;
        }
        Some(u32::try_from(number).unwrap_or(u32::MAX))
    }
}
