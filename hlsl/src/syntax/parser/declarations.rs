use super::{Parsed, Parser, types::is_modifier_keyword};
use crate::{
    session::{code::Code, names::Symbol, source::Span},
    syntax::{
        ast::{
            Annotations, Attribute, BufferBlock, Declarator, Function, Ident, Initializer, Item, Modifiers,
            PackOffset, Parameter, Path, Register, Semantic, Struct, StructKind, TypeKind, TypeName, Typedef,
            Variables,
        },
        keyword::{Keyword, Word},
    },
    text::token::{Punct, Token, TokenKind},
};

const MOST_BUFFER_MODIFIERS: usize = 16;

/// Returns whether a word in `register` is a profile such as `ps` or `vs_4_0`, even one that does not exist.
fn is_profile(text: &str) -> bool {
    text.chars().nth(1).is_some_and(|c| !c.is_ascii_digit())
}

impl Parser<'_> {
    /// Parses declarations to the end of the source, or to the end of the current block if `in_block` is set.
    pub(super) fn items(&mut self, in_block: bool) -> Vec<Item> {
        let mut items = Vec::new();
        while !(self.is_end() || in_block && self.is(Punct::CloseBrace)) {
            let began = self.at;
            match self.nested(|parser| parser.item(&mut items)) {
                Ok(()) => {}
                Err(_) => self.recover(began),
            }
        }
        items
    }

    fn item(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        if self.eat(Punct::Semicolon).is_some() || self.forward_declaration() || self.effect_item()? {
            return Ok(());
        }
        if self.is_buffer_block(0) {
            items.push(Item::Buffer(self.buffer_block()?));
            return Ok(());
        }
        match self.keyword() {
            Some(Keyword::Typedef) => items.push(Item::Typedef(self.typedef()?)),
            Some(Keyword::Namespace) => {
                self.bump();
                let name = self.ident()?;
                self.expect(Punct::OpenBrace)?;
                let inside = self.items(true);
                self.expect(Punct::CloseBrace)?;
                items.push(Item::Namespace(name, inside));
            }
            _ => {
                let attributes = self.attributes()?;
                let modifiers = self.modifiers()?;
                let type_name = self.type_name()?;
                items.push(self.declaration(attributes, modifiers, type_name)?);
            }
        }
        Ok(())
    }

    /// Parses the rest of a declaration after its type: a function, variables, or nothing if the type is a
    /// structure.
    fn declaration(
        &mut self,
        attributes: Vec<Attribute>,
        modifiers: Modifiers,
        type_name: TypeName,
    ) -> Parsed<Item> {
        if let TypeKind::Struct(structure) = type_name.kind {
            if self.is_struct_end()? {
                return Ok(Item::Struct(*structure));
            }
            let type_name = TypeName { kind: TypeKind::Struct(structure), span: type_name.span };
            return Ok(Item::Variables(self.variables(modifiers, type_name)?));
        }
        let is_function = self.skip_path(0).is_some_and(|end| self.is_ahead(end, Punct::OpenParenthesis));
        if is_function {
            return Ok(Item::Function(self.function(attributes, modifiers, type_name)?));
        }
        if let Some(attribute) = attributes.first() {
            let message = "attributes stand only before functions and statements";
            return self.error(Code::SyntaxError, attribute.name.span, message);
        }
        Ok(Item::Variables(self.variables(modifiers, type_name)?))
    }

    fn skip_path(&self, mut count: usize) -> Option<usize> {
        loop {
            if !matches!(self.ahead(count).kind, TokenKind::Name(_)) {
                return None;
            }
            if !self.is_ahead(count + 1, Punct::Scope) {
                return Some(count + 1);
            }
            count += 2;
        }
    }

    pub(super) fn function(
        &mut self,
        attributes: Vec<Attribute>,
        modifiers: Modifiers,
        result: TypeName,
    ) -> Parsed<Function> {
        let name = self.path()?;
        if name.scope.is_empty() {
            self.declare(name.name, false);
        }
        self.expect(Punct::OpenParenthesis)?;
        self.scoped(|parser| {
            let parameters = parser.parameters()?;
            let annotations = parser.annotations()?;
            let body = match parser.eat(Punct::Semicolon) {
                Some(_) => None,
                None => Some(parser.block()?),
            };
            Ok(Function { attributes, modifiers, result, name, parameters, annotations, body })
        })
    }

    fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        let mut parameters = Vec::new();
        if self.keyword() == Some(Keyword::Void) && self.is_ahead(1, Punct::CloseParenthesis) {
            self.bump();
        }
        while !self.is(Punct::CloseParenthesis) {
            parameters.push(self.parameter()?);
            if self.eat(Punct::Comma).is_none() {
                break;
            }
        }
        self.expect(Punct::CloseParenthesis)?;
        Ok(parameters)
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        let first = self.peek().span;
        let modifiers = self.modifiers()?;
        let type_name = self.type_name()?;
        let name = match self.peek().kind {
            TokenKind::Name(_) => Some(self.ident()?),
            _ => None,
        };
        if let Some(name) = name {
            self.declare(name.name, false);
        }
        let dimensions = self.dimensions()?;
        let annotations = self.annotations()?;
        self.skip_annotation()?;
        let default = match self.eat(Punct::Assign) {
            Some(_) => Some(self.initializer_value()?),
            None => None,
        };
        let span = self.join(first, self.last_span());
        Ok(Parameter { modifiers, type_name, name, dimensions, annotations, default, span })
    }

    /// Parses variables, beginning with the first name and including the `;` after them.
    pub(super) fn variables(&mut self, modifiers: Modifiers, type_name: TypeName) -> Parsed<Variables> {
        let mut declarators = Vec::new();
        loop {
            declarators.push(self.declarator()?);
            if self.eat(Punct::Comma).is_none() {
                break;
            }
        }
        self.end_statement()?;
        Ok(Variables { modifiers, type_name, declarators })
    }

    fn declarator(&mut self) -> Parsed<Declarator> {
        let name = self.ident()?;
        self.declare(name.name, false);
        let dimensions = self.dimensions()?;
        let annotations = self.annotations()?;
        self.skip_annotation()?;
        let initializer = match self.eat(Punct::Assign) {
            Some(_) => Some(Initializer::Value(self.initializer_value()?)),
            None if self.is(Punct::OpenBrace) => Some(Initializer::States(self.states()?)),
            None => None,
        };
        Ok(Declarator { name, dimensions, annotations, initializer })
    }

    // Annotations after a colon

    /// Parses the annotations after a declared name, such as `: SEMANTIC : register(t0) : packoffset(c1)`, in
    /// any order.
    pub(super) fn annotations(&mut self) -> Parsed<Annotations> {
        let mut annotations = Annotations::default();
        while self.eat(Punct::Colon).is_some() {
            match self.keyword() {
                Some(Keyword::Register) => {
                    let register = self.register()?;
                    annotations.registers.extend(register);
                }
                Some(Keyword::PackOffset) => annotations.pack_offset = Some(self.pack_offset()?),
                _ => {
                    let token = self.peek();
                    let TokenKind::Name(name) = token.kind else { return self.unexpected() };
                    self.bump();
                    annotations.semantic = Some(Semantic { name, span: token.span });
                }
            }
        }
        Ok(annotations)
    }

    /// Parses `register(ps_5_0, t3[2], space1)`, or returns `None` for `register(ps_5_0[1], t3)` because it
    /// does not have an effect.
    fn register(&mut self) -> Parsed<Option<Register>> {
        let first = self.bump().span;
        self.expect(Punct::OpenParenthesis)?;
        let mut register = Register::default();
        let mut is_void = false;
        loop {
            let token = self.any_name()?;
            let written = self.text(token);
            let text = written.to_ascii_lowercase();
            let offset = match self.eat(Punct::OpenBracket) {
                Some(_) => {
                    let offset = self.expression()?;
                    self.expect(Punct::CloseBracket)?;
                    Some(offset)
                }
                None => None,
            };
            if let Some(space) = text.strip_prefix("space") {
                register.space = space.parse().unwrap_or_default();
            } else if register.class == '\0' && is_profile(&text) && self.is(Punct::Comma) {
                register.profile = Some(self.session.names.intern(&written));
                is_void = offset.is_some();
            } else {
                (register.class, register.index) = self.split_register(token)?;
                register.has_letters = text.chars().skip(1).any(|c| !c.is_ascii_digit());
                register.offset = offset;
            }
            if self.eat(Punct::Comma).is_none() {
                break;
            }
        }
        let last = self.expect(Punct::CloseParenthesis)?;
        register.span = self.join(first, last.span);
        Ok((!is_void).then_some(register))
    }

    /// Returns the letter and the number of a register such as `t3`, with 0 for a missing number as in
    /// `t[3]`.
    fn split_register(&mut self, token: Token) -> Parsed<(char, u32)> {
        let text = self.text(token);
        let mut chars = text.chars();
        let class = chars.next().unwrap_or_default().to_ascii_lowercase();
        let digits = chars.as_str();
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        match if end == 0 { Ok(0) } else { digits[..end].parse() } {
            Ok(index) => Ok((class, index)),
            Err(_) => self.error(Code::InvalidRegister, token.span, format!("invalid register '{text}'")),
        }
    }

    fn pack_offset(&mut self) -> Parsed<PackOffset> {
        let first = self.bump().span;
        self.expect(Punct::OpenParenthesis)?;
        let token = self.any_name()?;
        let (class, register) = self.split_register(token)?;
        if !self.text(token).chars().skip(1).all(|c| c.is_ascii_digit()) {
            return self.error(Code::InvalidRegister, token.span, "packoffset needs a register c");
        }
        let mut component = 0;
        if self.eat(Punct::Dot).is_some() {
            let token = self.any_name()?;
            let text = self.text(token);
            let place = |letters: &str| (text.len() == 1).then(|| letters.find(text.as_str())).flatten();
            component = match place("xyzw").or_else(|| place("rgba")) {
                Some(component) => component as u32,
                None => {
                    let message =
                        format!("invalid component '{text}' of packoffset: x, y, z or w is expected");
                    return self.error(Code::InvalidRegister, token.span, message);
                }
            };
        }
        let last = self.expect(Punct::CloseParenthesis)?;
        let span = self.join(first, last.span);
        if class != 'c' {
            return self.error(Code::InvalidRegister, span, "packoffset needs a register c");
        }
        Ok(PackOffset { register, component, span })
    }

    fn any_name(&mut self) -> Parsed<Token> {
        match self.peek().kind {
            TokenKind::Name(_) => Ok(self.bump()),
            _ => self.unexpected(),
        }
    }

    // Attributes

    pub(super) fn attributes(&mut self) -> Parsed<Vec<Attribute>> {
        let mut attributes = Vec::new();
        while self.eat(Punct::OpenBracket).is_some() {
            let token = self.any_name()?;
            let TokenKind::Name(name) = token.kind else { return self.unexpected() };
            let arguments = match self.eat(Punct::OpenParenthesis) {
                Some(_) if self.is(Punct::CloseParenthesis) => return self.unexpected(),
                Some(_) => self.arguments()?,
                None => Vec::new(),
            };
            self.expect(Punct::CloseBracket)?;
            attributes.push(Attribute { name: Ident { name, span: token.span }, arguments });
        }
        Ok(attributes)
    }

    // Types

    pub(super) fn typedef(&mut self) -> Parsed<Typedef> {
        self.bump();
        let modifiers = self.modifiers()?;
        let type_name = self.type_name()?;
        let mut names = Vec::new();
        loop {
            let name = self.ident()?;
            let dimensions = self.dimensions()?;
            self.declare(name.name, true);
            names.push((name, dimensions));
            if self.eat(Punct::Comma).is_none() {
                break;
            }
        }
        self.end_statement()?;
        Ok(Typedef { modifiers, type_name, names })
    }

    /// Parses `struct S : Base { … }`, or the C notation `struct S` for a structure that is declared
    /// elsewhere.
    pub(super) fn struct_type(&mut self) -> Parsed<TypeName> {
        let first = self.peek();
        let kind = match self.keyword() {
            Some(Keyword::Class) => StructKind::Class,
            Some(Keyword::Interface) => StructKind::Interface,
            _ => StructKind::Struct,
        };
        self.bump();
        let name = if self.is(Punct::OpenBrace) { None } else { Some(self.ident()?) };
        if let Some(name) = name {
            let body_follows = self.is(Punct::OpenBrace) || self.is(Punct::Colon);
            if !body_follows && self.declared(name.name) == Some(true) {
                let path = Path { global: false, scope: Vec::new(), name: name.name, span: name.span };
                return Ok(TypeName { kind: TypeKind::Named(path), span: self.join(first.span, name.span) });
            }
            self.declare(name.name, true);
        }
        let mut bases = Vec::new();
        if self.eat(Punct::Colon).is_some() {
            loop {
                bases.push(self.path()?);
                if self.eat(Punct::Comma).is_none() {
                    break;
                }
            }
        }
        self.expect(Punct::OpenBrace)?;
        let mut structure =
            Struct { kind, name, bases, fields: Vec::new(), methods: Vec::new(), span: Span::default() };
        self.scoped(|parser| {
            while !parser.is_end() && !parser.is(Punct::CloseBrace) {
                let began = parser.at;
                if parser.member(&mut structure).is_err() {
                    parser.recover(began);
                }
            }
        });
        let last = self.expect(Punct::CloseBrace)?;
        structure.span = self.join(first.span, last.span);
        Ok(TypeName { span: structure.span, kind: TypeKind::Struct(Box::new(structure)) })
    }

    /// Skips a forward declaration such as `struct S;`, and returns whether there was one.
    pub(super) fn forward_declaration(&mut self) -> bool {
        let is_kind = matches!(self.keyword(), Some(Keyword::Struct | Keyword::Class | Keyword::Interface));
        let is_forward = is_kind
            && matches!(self.word_of(self.ahead(1)), Some(Word::Plain))
            && self.is_ahead(2, Punct::Semicolon);
        if is_forward {
            (0..3).for_each(|_| _ = self.bump());
        }
        is_forward
    }

    fn member(&mut self, structure: &mut Struct) -> Parsed<()> {
        if self.eat(Punct::Semicolon).is_some() {
            return Ok(());
        }
        let attributes = self.attributes()?;
        let modifiers = self.modifiers()?;
        let type_name = self.type_name()?;
        if self.is_ahead(1, Punct::OpenParenthesis) {
            structure.methods.push(self.function(attributes, modifiers, type_name)?);
        } else {
            structure.fields.push(self.variables(modifiers, type_name)?);
        }
        Ok(())
    }

    /// Returns whether a `cbuffer` or a `tbuffer` with optional modifiers begins `count` tokens ahead.
    pub(super) fn is_buffer_block(&self, count: usize) -> bool {
        let keywords = (count..count + MOST_BUFFER_MODIFIERS).find(|count| !self.is_buffer_modifier(*count));
        let keyword = keywords.and_then(|end| self.keyword_ahead(end));
        matches!(keyword, Some(Keyword::Cbuffer | Keyword::Tbuffer))
    }

    /// Returns whether a token may precede `cbuffer`, as a modifier or as `single`, which has a meaning only
    /// in effects.
    fn is_buffer_modifier(&self, count: usize) -> bool {
        let TokenKind::Name(name) = self.ahead(count).kind else { return false };
        let is_modifier = self.keyword_ahead(count).is_some_and(is_modifier_keyword);
        (is_modifier || self.is_single(name)) && self.declared(name) != Some(true)
    }

    fn is_single(&self, name: Symbol) -> bool {
        &**self.session.names.text(name) == "single"
    }

    fn buffer_block(&mut self) -> Parsed<BufferBlock> {
        let mut modifiers = self.modifiers()?;
        while matches!(self.peek().kind, TokenKind::Name(name) if self.is_single(name)) {
            self.bump();
            let more = self.modifiers()?;
            modifiers = Modifiers {
                flags: modifiers.flags | more.flags,
                packing: modifiers.packing.or(more.packing),
                primitive: modifiers.primitive.or(more.primitive),
                span: self.join(modifiers.span, more.span),
            };
        }
        let texture = self.keyword() == Some(Keyword::Tbuffer);
        self.bump();
        let name = self.ident()?;
        let annotations = self.annotations()?;
        self.skip_annotation()?;
        self.expect(Punct::OpenBrace)?;
        let items = self.items(true);
        self.expect(Punct::CloseBrace)?;
        Ok(BufferBlock { modifiers, texture, name, registers: annotations.registers, items })
    }
}
