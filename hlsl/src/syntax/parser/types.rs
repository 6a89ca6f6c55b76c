use super::{ParseFailed, Parsed, Parser};
use crate::{
    session::{code::Code, foreign::foreign_hint, hash::HashMap, names::Symbol, source::Span},
    syntax::{
        ast::{Expr, ModifierFlags, Modifiers, Path, Primitive, TypeArgument, TypeKind, TypeName},
        builtin::{self, Object, Scalar, Shape},
        keyword::{KEYWORDS, Keyword, Word, is_contextual},
    },
    text::token::{Packing, Punct, Token, TokenKind},
};

/// Maximum number of adjacent keywords such as `linear` that are treated as modifiers, because the lookahead
/// would otherwise be unbounded.
const MOST_SOFT_MODIFIERS: usize = 16;

/// Maximum number of tokens that are examined to find the end of a type or a cast.
pub(super) const LONGEST_LOOK: usize = 256;

enum Modifier {
    Flag(ModifierFlags),
    Packing(Packing),
    Primitive(Primitive),
}

fn modifier(keyword: Keyword) -> Option<Modifier> {
    use ModifierFlags as Flags;
    Some(match keyword {
        Keyword::Const => Modifier::Flag(Flags::CONST),
        Keyword::Static => Modifier::Flag(Flags::STATIC),
        Keyword::Extern => Modifier::Flag(Flags::EXTERN),
        Keyword::Uniform => Modifier::Flag(Flags::UNIFORM),
        Keyword::Volatile => Modifier::Flag(Flags::VOLATILE),
        Keyword::Shared => Modifier::Flag(Flags::SHARED),
        Keyword::Groupshared => Modifier::Flag(Flags::GROUPSHARED),
        Keyword::Precise => Modifier::Flag(Flags::PRECISE),
        Keyword::Inline => Modifier::Flag(Flags::INLINE),
        Keyword::Export => Modifier::Flag(Flags::EXPORT),
        Keyword::GloballyCoherent => Modifier::Flag(Flags::GLOBALLY_COHERENT),
        Keyword::In => Modifier::Flag(Flags::IN),
        Keyword::Out => Modifier::Flag(Flags::OUT),
        Keyword::InOut => Modifier::Flag(Flags::IN.union(Flags::OUT)),
        Keyword::Linear => Modifier::Flag(Flags::LINEAR),
        Keyword::Center => Modifier::Flag(Flags::CENTER),
        Keyword::Centroid => Modifier::Flag(Flags::CENTROID),
        Keyword::NoInterpolation => Modifier::Flag(Flags::NO_INTERPOLATION),
        Keyword::NoPerspective => Modifier::Flag(Flags::NO_PERSPECTIVE),
        Keyword::Sample => Modifier::Flag(Flags::SAMPLE),
        Keyword::Unorm => Modifier::Flag(Flags::UNORM),
        Keyword::Snorm => Modifier::Flag(Flags::SNORM),
        Keyword::RowMajor => Modifier::Packing(Packing::RowMajor),
        Keyword::ColumnMajor => Modifier::Packing(Packing::ColumnMajor),
        Keyword::Point => Modifier::Primitive(Primitive::Point),
        Keyword::Line => Modifier::Primitive(Primitive::Line),
        Keyword::Triangle => Modifier::Primitive(Primitive::Triangle),
        Keyword::LineAdjacency => Modifier::Primitive(Primitive::LineAdjacency),
        Keyword::TriangleAdjacency => Modifier::Primitive(Primitive::TriangleAdjacency),
        _ => return None,
    })
}

/// Returns whether a keyword is a modifier when a type follows.
pub(super) fn is_modifier_keyword(keyword: Keyword) -> bool {
    modifier(keyword).is_some()
}

impl Parser<'_> {
    /// Returns whether the token `count` tokens ahead is a modifier instead of a name.
    ///
    /// A soft keyword is a modifier only if a type or another modifier follows, so `linear = 1` is an
    /// assignment.
    fn is_modifier(&self, count: usize) -> bool {
        for count in count..count + MOST_SOFT_MODIFIERS {
            let is_type_name =
                matches!(self.ahead(count).kind, TokenKind::Name(name) if self.declared(name) == Some(true));
            match self.keyword_ahead(count) {
                Some(keyword) if modifier(keyword).is_some() && !is_type_name => {
                    let is_before_type = self.is_type(count + 1) || self.is_unknown_type(count + 1);
                    if !keyword.is_soft() || is_before_type || self.is_buffer_block(count + 1) {
                        return true;
                    }
                }
                _ => return false,
            }
        }
        false
    }

    pub(super) fn is_type(&self, count: usize) -> bool {
        let token = self.ahead(count);
        let TokenKind::Name(name) = token.kind else { return false };
        match self.words.get(name) {
            Word::Keyword(
                Keyword::Void
                | Keyword::Vector
                | Keyword::Matrix
                | Keyword::Struct
                | Keyword::Class
                | Keyword::Interface
                | Keyword::Unsigned,
            ) => true,
            Word::Keyword(_) => self.declared(name) == Some(true),
            Word::Numeric(..) | Word::Object(_) => self.declared(name) != Some(false),
            Word::Plain if self.buffer_type(count).is_some() => true,
            // `a::b` is a type if a name follows, and the name of a function if `(` follows.
            Word::Plain if self.is_ahead(count + 1, Punct::Scope) => {
                self.skip_type(count).is_some_and(|end| matches!(self.ahead(end).kind, TokenKind::Name(_)))
            }
            Word::Plain => self.declared(name) == Some(true),
        }
    }

    fn buffer_type(&self, count: usize) -> Option<Object> {
        let token = self.ahead(count);
        let TokenKind::Name(name) = token.kind else { return None };
        let is_type = self.session.has_buffer_types && self.is_ahead(count + 1, Punct::Less);
        if !is_type || self.declared(name).is_some() {
            return None;
        }
        builtin::object(self.session.names.text(name)).filter(|object| is_contextual(*object))
    }

    /// Returns whether two adjacent names are the beginning of a declaration whose type is not declared.
    pub(super) fn is_unknown_type(&self, count: usize) -> bool {
        let is_plain = |token| matches!(self.word_of(token), Some(Word::Plain));
        let (first, second) = (self.ahead(count), self.ahead(count + 1));
        is_plain(first)
            && is_plain(second)
            && matches!(first.kind, TokenKind::Name(name) if self.declared(name).is_none())
    }

    pub(super) fn is_declaration(&self) -> bool {
        if self.is_modifier(0) || self.is_unknown_type(0) {
            return true;
        }
        self.is_type(0)
            && self.skip_type(0).is_none_or(|end| {
                // Calls such as `float4(…)` and `S::f(…)` are expressions.
                !self.is_ahead(end, Punct::OpenParenthesis) && !self.is_ahead(end, Punct::Scope)
            })
    }

    /// Returns the distance to the token after a type, or `None` if no type without a body begins at `count`.
    pub(super) fn skip_type(&self, mut count: usize) -> Option<usize> {
        let last = count + LONGEST_LOOK;
        while self.keyword_ahead(count).is_some_and(|keyword| modifier(keyword).is_some()) {
            count += 1;
        }
        if matches!(self.keyword_ahead(count), Some(Keyword::Struct | Keyword::Class | Keyword::Interface)) {
            count += 1;
        }
        if self.keyword_ahead(count) == Some(Keyword::Unsigned) {
            count += 1;
            return Some(count + usize::from(self.is_type(count)));
        }
        loop {
            if !matches!(self.ahead(count).kind, TokenKind::Name(_)) {
                return None;
            }
            count += 1;
            if !self.is_ahead(count, Punct::Scope) {
                break;
            }
            count += 1;
            if count > last {
                return None;
            }
        }
        if !self.is_ahead(count, Punct::Less) {
            return Some(count);
        }
        let mut depth = 0_i32;
        loop {
            match self.ahead(count).kind {
                TokenKind::Punct(Punct::Less) => depth += 1,
                TokenKind::Punct(Punct::Greater) => depth -= 1,
                TokenKind::Punct(Punct::ShiftRight) => depth -= 2,
                TokenKind::Punct(Punct::Semicolon | Punct::OpenBrace | Punct::CloseBrace)
                | TokenKind::End => {
                    return None;
                }
                _ => {}
            }
            count += 1;
            if count > last {
                return None;
            }
            if depth <= 0 {
                // If the depth is negative, the last `>` belongs to an enclosing type.
                return (depth == 0).then_some(count);
            }
        }
    }

    pub(super) fn modifiers(&mut self) -> Parsed<Modifiers> {
        let mut modifiers =
            Modifiers { packing: self.packing, span: self.peek().span.beginning(), ..Modifiers::default() };
        let mut first = true;
        let mut said_packing = None;
        while self.is_modifier(0) {
            let Some(modifier) = self.keyword().and_then(modifier) else { break };
            let token = self.bump();
            let text = self.text(token);
            let repeated = match modifier {
                Modifier::Flag(flag) => modifiers.flags.contains(flag),
                Modifier::Packing(packing) => said_packing == Some(packing),
                Modifier::Primitive(_) => modifiers.primitive.is_some(),
            };
            let normalized = ModifierFlags::UNORM.union(ModifierFlags::SNORM);
            let is_normalized = matches!(modifier, Modifier::Flag(flag) if normalized.contains(flag));
            if is_normalized && modifiers.flags.intersects(normalized) {
                let message = format!("syntax error: unexpected token '{text}'");
                self.session.error(Code::SyntaxError, token.span, message);
            } else if repeated {
                let message = format!("duplicate usages specified: '{text}'");
                self.session.error(Code::InvalidModifier, token.span, message);
            }
            match modifier {
                Modifier::Flag(flag) => modifiers.flags |= flag,
                Modifier::Packing(packing) => {
                    if said_packing.is_some_and(|said| said != packing) {
                        let message = "matrix types cannot be both column_major and row_major";
                        self.session.error(Code::InvalidModifier, token.span, message);
                    }
                    said_packing = Some(packing);
                    modifiers.packing = Some(packing);
                }
                Modifier::Primitive(primitive) => modifiers.primitive = Some(primitive),
            }
            modifiers.span = if first { token.span } else { self.join(modifiers.span, token.span) };
            first = false;
        }
        Ok(modifiers)
    }

    /// Parses a type without array sizes.
    pub(super) fn type_name(&mut self) -> Parsed<TypeName> {
        self.nested(Self::type_name_inside)
    }

    fn type_name_inside(&mut self) -> Parsed<TypeName> {
        let token = self.peek();
        let Some(word) = self.word_of(token) else { return self.unexpected() };
        let kind = match word {
            Word::Keyword(Keyword::Void) => {
                self.bump();
                TypeKind::Void
            }
            Word::Keyword(Keyword::Unsigned) => {
                self.bump();
                return self.unsigned();
            }
            Word::Keyword(Keyword::Vector | Keyword::Matrix) if self.declared_here(token) => {
                TypeKind::Named(self.type_path()?)
            }
            Word::Keyword(Keyword::Vector) => {
                self.bump();
                self.vector()?
            }
            Word::Keyword(Keyword::Matrix) => {
                self.bump();
                self.matrix()?
            }
            Word::Keyword(Keyword::Struct | Keyword::Class | Keyword::Interface) => {
                return self.struct_type();
            }
            Word::Numeric(..) | Word::Object(_) if self.declared_here(token) => {
                TypeKind::Named(self.type_path()?)
            }
            Word::Numeric(scalar, shape) => {
                self.bump();
                TypeKind::Numeric(scalar, shape)
            }
            Word::Object(object) => {
                self.bump();
                TypeKind::Object(object, self.type_arguments()?)
            }
            Word::Plain => match self.buffer_type(0) {
                Some(object) => {
                    self.bump();
                    TypeKind::Object(object, self.type_arguments()?)
                }
                None => TypeKind::Named(self.type_path()?),
            },
            Word::Keyword(_) if self.declared_here(token) => TypeKind::Named(self.type_path()?),
            Word::Keyword(_) => return self.unexpected(),
        };
        Ok(TypeName { kind, span: self.join(token.span, self.last_span()) })
    }

    fn type_path(&mut self) -> Parsed<Path> {
        let path = self.path()?;
        if path.scope.is_empty() && !path.global && self.declared(path.name) != Some(true) {
            let name = self.session.names.text(path.name).clone();
            let hint = match &*name {
                "ConstantBuffer" => ": it needs shader model 5.1; write a cbuffer",
                "TextureBuffer" => ": it needs shader model 5.1; write a tbuffer",
                _ => &self
                    .later_type(path.name, path.span)
                    .or_else(|| foreign_hint(&name))
                    .unwrap_or_else(|| self.like_type(&name)),
            };
            let message = format!("unrecognized identifier '{name}'{hint}");
            return self.error(Code::SyntaxError, path.span, message);
        }
        Ok(path)
    }

    /// Returns a hint if the source declares a structure after its use.
    fn later_type(&mut self, name: Symbol, usage: Span) -> Option<String> {
        let later = match self.later_types.take() {
            Some(later) => later,
            None => self.structures(),
        };
        let found = later.get(&name).copied();
        self.later_types = Some(later);
        let (file, line) = self.session.sources.file_and_line(found?);
        let (own_file, _) = self.session.sources.file_and_line(usage);
        let place = if file == own_file { format!("line {line}") } else { format!("line {line} of {file}") };
        Some(format!("; it is declared on {place}, after its use: move it up"))
    }

    fn structures(&self) -> HashMap<Symbol, Span> {
        let mut found = HashMap::default();
        for pair in self.tokens.windows(2) {
            let is_structure = matches!(
                self.word_of(pair[0]),
                Some(Word::Keyword(Keyword::Struct | Keyword::Class | Keyword::Interface))
            );
            if let TokenKind::Name(name) = pair[1].kind
                && is_structure
            {
                found.entry(name).or_insert(pair[1].span);
            }
        }
        found
    }

    /// Returns a suggestion for a message about an undeclared type, but suggests keywords only if they have
    /// more than three letters.
    fn like_type(&self, name: &str) -> String {
        let declared = self.scopes.iter().rev().flat_map(|scope| scope.iter());
        let declared = declared.filter(|(_, is_type)| **is_type);
        let declared = declared.map(|(symbol, _)| &**self.session.names.text(*symbol));
        let (objects, keywords): (&[&str], &[&str]) = (Object::NAMES, KEYWORDS);
        let keywords = keywords.iter().filter(|keyword| keyword.len() > 3);
        let of_language = objects.iter().chain(keywords).copied().chain(builtin::numeric_names());
        let known = declared.chain(of_language);
        self.session.did_you_mean(name, known)
    }

    pub(super) fn path(&mut self) -> Parsed<Path> {
        let first = self.peek().span;
        let global = self.eat(Punct::Scope).is_some();
        let mut scope = Vec::new();
        loop {
            let part = self.ident()?;
            if self.eat(Punct::Scope).is_none() {
                return Ok(Path { global, scope, name: part.name, span: self.join(first, part.span) });
            }
            scope.push(part.name);
        }
    }

    /// Parses the rest of a type after `unsigned`, which may also be a complete type.
    fn unsigned(&mut self) -> Parsed<TypeName> {
        let span = self.last_span();
        if matches!(self.word(), Some(Word::Plain)) && !self.is_type(0) {
            return Ok(TypeName { kind: TypeKind::Numeric(Scalar::Uint, Shape::Scalar), span });
        }
        let of = self.type_name()?;
        let span = self.join(span, of.span);
        let kind = match of.kind {
            TypeKind::Numeric(Scalar::Int, shape) => TypeKind::Numeric(Scalar::Uint, shape),
            _ => TypeKind::Unsigned(Box::new(of)),
        };
        Ok(TypeName { kind, span })
    }

    /// Refuses a spelling such as `Vector<`, because the case is ignored only without type arguments.
    fn check_case(&mut self, word: &str) -> Parsed<()> {
        if self.session.sources.text(self.last_span()) == word { Ok(()) } else { self.unexpected() }
    }

    /// Parses the type of components, which may be `unorm float`, although `unorm` has an effect only on
    /// texels.
    fn component_type(&mut self) -> Parsed<TypeName> {
        while matches!(self.keyword(), Some(Keyword::Unorm | Keyword::Snorm)) {
            self.bump();
        }
        self.type_name()
    }

    fn vector(&mut self) -> Parsed<TypeKind> {
        if !self.is(Punct::Less) {
            return Ok(TypeKind::Numeric(Scalar::Float, Shape::Vector(4)));
        }
        self.check_case("vector")?;
        self.bump();
        let element = self.component_type()?;
        let count = self.next_size()?;
        self.close_arguments()?;
        Ok(TypeKind::Vector(Box::new(element), count.map(Box::new)))
    }

    fn matrix(&mut self) -> Parsed<TypeKind> {
        if !self.is(Punct::Less) {
            return Ok(TypeKind::Numeric(Scalar::Float, Shape::Matrix { rows: 4, columns: 4 }));
        }
        self.check_case("matrix")?;
        self.bump();
        let element = self.component_type()?;
        let rows = self.next_size()?;
        let columns = self.next_size()?;
        self.close_arguments()?;
        Ok(TypeKind::Matrix(Box::new(element), rows.map(Box::new), columns.map(Box::new)))
    }

    /// Parses optional type arguments such as `<float4, 4>` after the name of an object.
    fn type_arguments(&mut self) -> Parsed<Vec<TypeArgument>> {
        let mut arguments = Vec::new();
        // Annotations of an effect's object also begin with `<`, but they contain a `;`.
        if !self.is(Punct::Less) || self.is_annotation() {
            return Ok(arguments);
        }
        self.bump();
        loop {
            arguments.push(if self.is_modifier(0) || self.is_type(0) || self.is_unknown_argument() {
                let modifiers = self.modifiers()?;
                TypeArgument::Type(modifiers, self.type_name()?)
            } else {
                TypeArgument::Value(self.size()?)
            });
            if self.eat(Punct::Comma).is_none() {
                break;
            }
        }
        self.close_arguments()?;
        Ok(arguments)
    }

    fn is_unknown_argument(&self) -> bool {
        match self.peek().kind {
            TokenKind::Name(name) => self.words.get(name) == Word::Plain && self.declared(name).is_none(),
            _ => false,
        }
    }

    fn close_arguments(&mut self) -> Parsed<()> {
        match self.eat_greater() {
            Some(_) => Ok(()),
            None => self.unexpected(),
        }
    }

    /// Parses `, 4`, or returns `None` if the size is omitted.
    fn next_size(&mut self) -> Parsed<Option<Expr>> {
        match self.eat(Punct::Comma) {
            Some(_) => Ok(Some(self.size()?)),
            None => Ok(None),
        }
    }

    /// Returns whether the program declares a type with this token's name, which may be the name of a
    /// built-in type.
    fn declared_here(&self, token: Token) -> bool {
        matches!(token.kind, TokenKind::Name(name) if self.declared(name) == Some(true))
    }

    /// Parses a size between `<` and `>`, which is an expression without comparisons and shifts.
    fn size(&mut self) -> Parsed<Expr> {
        self.additive()
    }

    /// Parses the sizes of an array after a name, such as `[2][]`.
    pub(super) fn dimensions(&mut self) -> Parsed<Vec<Option<Expr>>> {
        let mut dimensions = Vec::new();
        while self.eat(Punct::OpenBracket).is_some() {
            let size = if self.is(Punct::CloseBracket) { None } else { Some(self.expression()?) };
            dimensions.push(size);
            self.expect(Punct::CloseBracket)?;
            if dimensions.len() > 32 {
                let span = self.last_span();
                self.session.error(Code::LimitExceeded, span, "an array has at most 32 dimensions");
                return Err(ParseFailed);
            }
        }
        Ok(dimensions)
    }
}
