//! The directive `#pragma warning`, which changes how later warnings are treated.
//!
//! The preprocessor reads all pragmas before the parser reports its first warning. Each warning is therefore
//! matched with the pragmas that precede its position in the order in which the preprocessor reads the
//! source. In this order, an included file is located at its `#include`.

use crate::session::{code::Code, hash::HashSet};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WarningAction {
    Show,
    Disable,
    Once,
    Error,
}

#[derive(Debug, Default)]
pub(crate) struct WarningRules {
    /// The start positions of files, in ascending order, each with the positions of the `#include`s that led
    /// to the file.
    files: Vec<(u32, Vec<u32>)>,
    /// The pragmas, in the order in which the preprocessor reads them.
    rules: Vec<WarningRule>,
    shown: HashSet<Code>,
}

#[derive(Debug)]
struct WarningRule {
    order: Vec<u32>,
    number: u32,
    action: WarningAction,
}

impl WarningRules {
    /// Records that a file begins at a position, where `includes` contains the positions of the enclosing
    /// `#include`s, beginning with the outermost one.
    pub(crate) fn begin_file(&mut self, start: u32, includes: Vec<u32>) {
        self.files.push((start, includes));
    }

    /// Adds a `#pragma warning` at a position, which sets the treatment of all warnings with a number.
    ///
    /// For warnings about code generation, whose numbers begin at 4000, the pragma may omit the 4000.
    pub(crate) fn add(&mut self, position: u32, number: u32, action: WarningAction) {
        let order = self.order(position);
        let number = if number < 1000 { number + 4000 } else { number };
        self.rules.push(WarningRule { order, number, action });
    }

    pub(crate) fn action(&mut self, position: u32, code: Code) -> WarningAction {
        if self.rules.is_empty() {
            return WarningAction::Show;
        }
        let order = self.order(position);
        let number = u32::from(code.number());
        let rule = self.rules.iter().rev().find(|rule| rule.number == number && rule.order <= order);
        match rule.map(|rule| rule.action) {
            Some(WarningAction::Once) if !self.shown.insert(code) => WarningAction::Disable,
            Some(action) => action,
            None => WarningAction::Show,
        }
    }

    /// Returns the positions of the enclosing `#include`s followed by the position itself, so that comparing
    /// these lists gives the order in which positions are read.
    fn order(&self, position: u32) -> Vec<u32> {
        let behind = self.files.partition_point(|(start, _)| *start <= position);
        let includes = behind.checked_sub(1).map(|index| self.files[index].1.as_slice());
        includes.unwrap_or_default().iter().copied().chain([position]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_begins_at_its_place_and_the_last_one_wins() {
        let mut rules = WarningRules::default();
        rules.begin_file(0, vec![]);
        let code = Code::MacroRedefinition;
        assert_eq!(rules.action(20, code), WarningAction::Show);
        rules.add(10, 1519, WarningAction::Disable);
        rules.add(30, 1519, WarningAction::Error);
        assert_eq!(rules.action(5, code), WarningAction::Show);
        assert_eq!(rules.action(20, code), WarningAction::Disable);
        assert_eq!(rules.action(40, code), WarningAction::Error);
        assert_eq!(rules.action(40, Code::SyntaxError), WarningAction::Show);
    }

    #[test]
    fn an_included_file_is_read_at_its_include() {
        let mut rules = WarningRules::default();
        rules.begin_file(0, vec![]);
        rules.begin_file(100, vec![50]);
        rules.add(110, 1519, WarningAction::Disable);
        let code = Code::MacroRedefinition;
        assert_eq!(rules.action(40, code), WarningAction::Show);
        assert_eq!(rules.action(105, code), WarningAction::Show);
        assert_eq!(rules.action(60, code), WarningAction::Disable);
        rules.add(60, 1519, WarningAction::Error);
        assert_eq!(rules.action(120, code), WarningAction::Disable);
    }

    #[test]
    fn a_number_below_1000_means_a_code_generation_warning() {
        let mut rules = WarningRules::default();
        for number in [0, 999, 1000, 1519] {
            rules.add(0, number, WarningAction::Disable);
        }
        let numbers: Vec<_> = rules.rules.iter().map(|rule| rule.number).collect();
        assert_eq!(numbers, [4000, 4999, 1000, 1519]);
    }

    #[test]
    fn once_shows_the_first() {
        let mut rules = WarningRules::default();
        rules.begin_file(0, vec![]);
        rules.add(0, 1519, WarningAction::Once);
        assert_eq!(rules.action(1, Code::MacroRedefinition), WarningAction::Once);
        assert_eq!(rules.action(2, Code::MacroRedefinition), WarningAction::Disable);
    }
}
