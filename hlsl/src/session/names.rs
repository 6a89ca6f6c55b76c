//! Interned names. A [`Symbol`] represents a name in tokens and in the syntax tree.

use std::sync::Arc;

use crate::session::hash::HashMap;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Symbol(u32);

impl Symbol {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug, Default)]
pub(crate) struct Names {
    texts: Vec<Arc<str>>,
    /// For each symbol, whether the name consists of several names joined by `::`.
    joined: Vec<bool>,
    symbols: HashMap<Arc<str>, Symbol>,
}

impl Names {
    pub(crate) fn intern(&mut self, text: &str) -> Symbol {
        if let Some(symbol) = self.symbols.get(text) {
            return *symbol;
        }
        let symbol = Symbol(self.texts.len() as u32);
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.joined.push(text.contains("::"));
        self.symbols.insert(text, symbol);
        symbol
    }

    /// Returns all names in the order of their symbols.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(|text| &**text)
    }

    pub(crate) fn is_joined(&self, symbol: Symbol) -> bool {
        self.joined[symbol.0 as usize]
    }

    pub(crate) fn text(&self, symbol: Symbol) -> &Arc<str> {
        &self.texts[symbol.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_symbol() {
        let mut names = Names::default();
        let (a, b) = (names.intern("a"), names.intern("b"));
        assert_ne!(a, b);
        assert_eq!(names.intern("a"), a);
        assert_eq!(&**names.text(b), "b");
        let joined = names.intern("a::b");
        assert!(names.is_joined(joined) && !names.is_joined(a));
    }
}
