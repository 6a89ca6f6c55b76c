use std::{rc::Rc, sync::Arc};

use super::{
    Preprocessor,
    input::{InputScope, InputToken},
    macros::MacroDefinition,
};
use crate::{
    session::{code::Code, source::Span},
    text::{
        lexer::Lexer,
        token::{Punct, Token, TokenKind},
    },
};

const MOST_DEPTH: usize = 256;

/// The cost in tokens of text that is created for a token, because the text's name and line table must be
/// stored with it.
const MADE_TEXT_COST: usize = 8;

/// The number of bytes of a token's text that cost as much as one more token, because each use of a macro can
/// repeat a long token in the output.
const BYTES_OF_TOKEN: usize = 16;

impl Preprocessor<'_> {
    /// Reads the next token after macro expansion, or returns `None` at the end of the scope.
    pub(super) fn next_expanded(&mut self, scope: InputScope) -> Option<InputToken> {
        loop {
            let item = self.next_raw(scope)?;
            let TokenKind::Name(symbol) = item.token.kind else { return Some(item) };
            if item.settled {
                return Some(item);
            }
            let Some(definition) = self.macros.get(&symbol).cloned() else {
                return Some(self.expand_built_in(item));
            };
            if definition.expanding.get() {
                return Some(InputToken { settled: true, ..item });
            }
            let mut arguments = Vec::new();
            if let Some(parameters) = &definition.parameters {
                if !self.next_is_parenthesis(scope) {
                    return Some(item);
                }
                match self.arguments(&definition, item.token, parameters.len(), scope) {
                    Some(list) => arguments = list,
                    None => return Some(InputToken { settled: true, ..item }),
                }
            }
            let items = self.substitute(&definition, arguments, item.token);
            // If a macro expands to nothing, the next token becomes the first one of the line.
            self.line_begins |= items.is_empty() && item.token.first;
            self.begin_expansion(items, Some(definition));
        }
    }

    /// Expands a separate list of tokens, such as an argument or the tokens of a directive.
    pub(super) fn expand_all(&mut self, items: Vec<InputToken>) -> Vec<InputToken> {
        if self.depth == MOST_DEPTH {
            let span = items.first().map_or_else(Span::default, |item| item.token.span);
            self.stop(span, format!("more than {MOST_DEPTH} uses of macros are nested in arguments"));
            return Vec::new();
        }
        self.depth += 1;
        let scope = self.begin_scope(items);
        let mut expanded = Vec::new();
        while let Some(item) = self.next_expanded(scope) {
            expanded.push(item);
            if self.in_expression && item.token.kind == TokenKind::Name(self.words.defined) {
                self.keep_operand_of_defined(scope, &mut expanded);
            }
        }
        self.end_scope(scope);
        self.depth -= 1;
        expanded
    }

    /// Copies the operand of `defined`, a name that may be in parentheses, without expansion.
    fn keep_operand_of_defined(&mut self, scope: InputScope, expanded: &mut Vec<InputToken>) {
        let parenthesis = self.next_is_parenthesis(scope);
        for _ in 0..=usize::from(parenthesis) {
            if let Some(item) = self.next_raw(scope) {
                expanded.push(InputToken { settled: true, ..item });
            }
        }
    }

    /// Reads the arguments of a macro, from the opening parenthesis on.
    ///
    /// Returns `None` if the number of arguments differs from the number of parameters, or if the source ends
    /// inside the arguments. The arguments are dropped in this case.
    fn arguments(
        &mut self,
        definition: &Rc<MacroDefinition>,
        name: Token,
        parameters: usize,
        scope: InputScope,
    ) -> Option<Vec<Vec<InputToken>>> {
        self.next_raw(scope);
        let mut arguments = vec![Vec::new()];
        let mut depth = 1;
        loop {
            let Some(mut item) = self.next_raw(scope) else {
                let message = format!("the source ends within the arguments of macro '{}'", definition.name);
                self.session.warn(Code::MacroEof, name.span, message);
                return None;
            };
            // Tokens from files are already counted, but the tokens of arguments are read again at each
            // nesting level.
            if !scope.reads_files() && !self.spend(1, name.span) {
                return None;
            }
            item.settled |= self.is_expanding(&item.token);
            if item.token.first {
                item.token.first = false;
                item.token.spaced = true;
            }
            match item.token.kind {
                TokenKind::Punct(Punct::Comma) if depth == 1 => {
                    arguments.push(Vec::new());
                    continue;
                }
                TokenKind::Punct(Punct::OpenParenthesis | Punct::OpenBracket | Punct::OpenBrace) => {
                    depth += 1;
                }
                TokenKind::Punct(Punct::CloseParenthesis | Punct::CloseBracket | Punct::CloseBrace) => {
                    depth -= 1;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
            if let Some(argument) = arguments.last_mut() {
                argument.push(item);
            }
        }
        let empty = matches!(arguments.as_slice(), [argument] if argument.is_empty());
        if parameters == 0 && empty {
            arguments.clear();
        }
        if arguments.len() == parameters {
            return Some(arguments);
        }
        let few = if arguments.len() < parameters { "not enough" } else { "too many" };
        let message = format!(
            "{few} actual parameters for macro '{}': it takes {parameters} but is given {}",
            definition.name,
            arguments.len()
        );
        self.session.warn(Code::MacroArguments, name.span, message);
        None
    }

    fn is_expanding(&self, token: &Token) -> bool {
        let TokenKind::Name(symbol) = token.kind else { return false };
        self.macros.get(&symbol).is_some_and(|definition| definition.expanding.get())
    }

    /// Replaces `__LINE__` and `__FILE__` with the position of the outermost macro use.
    fn expand_built_in(&mut self, item: InputToken) -> InputToken {
        let TokenKind::Name(symbol) = item.token.kind else { return item };
        if symbol != self.words.line && symbol != self.words.file {
            return item;
        }
        let (file, line) = self.session.sources.file_and_line(item.token.span);
        let text = if symbol == self.words.line { line.to_string() } else { quote(&file) };
        let name = self.session.names.text(symbol).clone();
        self.make_tokens(&text, &name, item.token).first().map_or(item, |token| InputToken::from(*token))
    }

    /// Creates tokens from text that is not in a file, for a use of a macro, and gives the first token the
    /// white space before `usage`.
    pub(super) fn make_tokens(&mut self, text: &str, name: &Arc<str>, usage: Token) -> Vec<Token> {
        if !self.spend(MADE_TEXT_COST + text.len() / BYTES_OF_TOKEN, usage.span) {
            return Vec::new();
        }
        let text: Arc<str> = text.into();
        let Ok(span) = self.session.sources.add_file("macro text", text.clone()) else {
            self.stop(usage.span, "the source is longer than 2 GiB, including its macros");
            return Vec::new();
        };
        let mut lexer = Lexer::new(text, span.start);
        let mut tokens = Vec::new();
        loop {
            let token = lexer.next(self.session);
            if token.kind == TokenKind::End {
                return tokens;
            }
            let Some(token) = self.produce(token, name, usage) else { return tokens };
            let is_first = tokens.is_empty();
            tokens.push(Token {
                first: is_first && usage.first,
                spaced: if is_first { usage.spaced } else { token.spaced },
                ..token
            });
        }
    }

    pub(super) fn produce(&mut self, token: Token, name: &Arc<str>, usage: Token) -> Option<Token> {
        if !self.spend(token_cost(&token), usage.span) {
            return None;
        }
        match self.session.sources.add_produced(token.span, usage.span, name) {
            Ok(span) => Some(Token { span, first: false, ..token }),
            Err(_) => {
                self.stop(usage.span, "the source is longer than 2 GiB, including its macros");
                None
            }
        }
    }
}

pub(super) fn token_cost(token: &Token) -> usize {
    1 + (token.span.end - token.span.start) as usize / BYTES_OF_TOKEN
}

pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        if matches!(character, '\\' | '"') {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    quoted.push('"');
    quoted
}
