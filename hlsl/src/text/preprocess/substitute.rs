//! Substitution in a macro's definition: parameters, `#` and `##`.

use std::{rc::Rc, sync::Arc};

use super::{
    Preprocessor,
    expand::{quote, token_cost},
    input::InputToken,
    macros::MacroDefinition,
};
use crate::text::token::{Punct, Token, TokenKind};

struct MacroArgument {
    raw: Vec<InputToken>,
    /// The argument after macro expansion, computed when it is first needed.
    expanded: Option<Vec<InputToken>>,
}

impl Preprocessor<'_> {
    pub(super) fn substitute(
        &mut self,
        definition: &Rc<MacroDefinition>,
        arguments: Vec<Vec<InputToken>>,
        usage: Token,
    ) -> Vec<InputToken> {
        let mut items = if definition.parameters.is_none() {
            let produced = definition
                .body
                .iter()
                .map_while(|token| self.produce(*token, &definition.name, usage).map(InputToken::from));
            produced.collect()
        } else {
            self.substitute_arguments(definition, arguments, usage)
        };
        if let Some(item) = items.first_mut() {
            item.token.first = usage.first;
            item.token.spaced = usage.spaced;
        }
        items
    }

    fn substitute_arguments(
        &mut self,
        definition: &Rc<MacroDefinition>,
        arguments: Vec<Vec<InputToken>>,
        usage: Token,
    ) -> Vec<InputToken> {
        let name = &definition.name;
        let mut arguments: Vec<_> = arguments
            .into_iter()
            .map(|argument| MacroArgument { raw: self.paste_argument(argument, name, usage), expanded: None })
            .collect();
        let body = definition.body.as_slice();
        let mut list = JoinedTokens::default();
        let mut at = 0;
        while let Some(token) = body.get(at).filter(|_| !self.stopped) {
            let next = body.get(at + 1);
            if is_paste(token) && at > 0 && next.is_some() {
                list.pasting = true;
                at += 1;
                continue;
            }
            let named = next.filter(|next| is_hash(token) && matches!(next.kind, TokenKind::Name(_)));
            let items = if let Some(named) = named {
                at += 1;
                let argument = definition.parameter(named).and_then(|index| arguments.get(index));
                self.make_string(named, argument, name, Token { first: false, spaced: token.spaced, ..usage })
            } else if let Some(index) = definition.parameter(token) {
                self.argument_items(&mut arguments[index], token)
            } else {
                self.produce(*token, name, usage).map(InputToken::from).into_iter().collect()
            };
            self.append(&mut list, items, name, usage);
            at += 1;
        }
        list.items
    }

    /// Applies `#` to a name. The result is the unexpanded argument for a parameter, and the name itself for
    /// any other name.
    fn make_string(
        &mut self,
        named: &Token,
        argument: Option<&MacroArgument>,
        name: &Arc<str>,
        usage: Token,
    ) -> Vec<InputToken> {
        let text = match argument {
            Some(argument) => self.spell(&argument.raw),
            None => self.session.sources.text(named.span).to_owned(),
        };
        self.make_tokens(&quote(&text), name, usage).into_iter().map(InputToken::from).collect()
    }

    /// Returns the replacement of a parameter, with macros expanded even in an operand of `##`, unlike in C.
    fn argument_items(&mut self, argument: &mut MacroArgument, parameter: &Token) -> Vec<InputToken> {
        if argument.expanded.is_none() {
            argument.expanded = Some(self.expand_all(argument.raw.clone()));
        }
        let mut items = argument.expanded.clone().unwrap_or_default();
        let cost = items.iter().map(|item| token_cost(&item.token)).sum();
        if !self.spend(cost, parameter.span) {
            return Vec::new();
        }
        if let Some(item) = items.first_mut() {
            item.token.spaced = parameter.spaced;
        }
        items
    }

    fn paste_argument(
        &mut self,
        argument: Vec<InputToken>,
        name: &Arc<str>,
        usage: Token,
    ) -> Vec<InputToken> {
        if !argument.iter().any(|item| is_paste(&item.token)) {
            return argument;
        }
        let mut list = JoinedTokens::default();
        for (at, item) in argument.iter().enumerate() {
            if is_paste(&item.token) && at > 0 && at + 1 < argument.len() {
                list.pasting = true;
            } else {
                self.append(&mut list, vec![*item], name, usage);
            }
        }
        list.items
    }

    /// Appends an operand's tokens, and pastes the first one to the previous token if `##` precedes the
    /// operand.
    fn append(&mut self, list: &mut JoinedTokens, items: Vec<InputToken>, name: &Arc<str>, usage: Token) {
        let pasting = std::mem::take(&mut list.pasting);
        let has_left = pasting && !list.empty;
        list.empty = items.is_empty() && !has_left;
        let mut items = items.into_iter();
        if has_left && let Some(right) = items.next() {
            let Some(left) = list.items.pop() else { return };
            let text = |item: &InputToken| self.session.sources.text(item.token.span);
            let text = [text(&left), text(&right)].concat();
            let usage = Token { first: false, spaced: left.token.spaced, ..usage };
            list.items.extend(self.make_tokens(&text, name, usage).into_iter().map(InputToken::from));
        }
        list.items.extend(items);
    }

    /// Writes tokens as text, in which any white space between two tokens becomes a single space.
    fn spell(&self, items: &[InputToken]) -> String {
        let mut text = String::new();
        for (index, item) in items.iter().enumerate() {
            if index > 0 && item.token.spaced {
                text.push(' ');
            }
            text.push_str(self.session.sources.text(item.token.span));
        }
        text
    }
}

#[derive(Default)]
struct JoinedTokens {
    items: Vec<InputToken>,
    pasting: bool,
    empty: bool,
}

fn is_paste(token: &Token) -> bool {
    token.kind == TokenKind::Punct(Punct::Paste)
}

fn is_hash(token: &Token) -> bool {
    token.kind == TokenKind::Punct(Punct::Hash)
}
