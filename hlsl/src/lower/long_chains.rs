//! Long `else if` chains.
//!
//! In naga, each `else if` is nested in the previous `If`. naga's validator and writers, browsers and drivers
//! recurse for each level. A chain with more than [`CHAIN_LEVELS`] links is therefore split into sections.
//! The innermost `else` of a section sets a variable, and the next section runs if this variable is set.
//!
//! ```wgsl
//! var goes_on: bool;
//! goes_on = false;
//! if (a) { … } else { if (b) { … } else { goes_on = true; } }
//! if (goes_on) { goes_on = false; if (c) { … } else { … } }
//! ```

use naga::Statement as Emitted;

use crate::{
    check::tree::{Block, Expr, Statement, StatementKind},
    lower::{
        builder::Builder,
        jumps::{KnownState, leaves},
        result::{Lowered, Value, naga_span},
    },
    session::{source::Span, stack::CHAIN_LEVELS},
};

/// One `if` of a chain.
struct ChainLink<'t> {
    condition: &'t Expr,
    then: &'t Block,
    span: Span,
}

/// An `If` whose `else` block is being lowered.
struct OpenIf {
    condition: Value,
    accept: naga::Block,
    span: naga::Span,
}

/// A chain whose links are lowered one after another.
#[derive(Default)]
struct IfChain {
    /// The links of the current section, from the outermost to the innermost. Their `else` blocks are on the
    /// builder's stack.
    open: Vec<OpenIf>,
    /// The variable that leads to the next section.
    goes_on: Option<Value>,
    /// The condition of the current section, which is the value of `goes_on`. The first section has no
    /// condition.
    guard: Option<Value>,
    /// The merged state at the ends of the links' bodies.
    after: Option<KnownState>,
}

/// Returns the links of a chain and its last `else`, or `None` if the chain is short enough to stay nested.
fn links<'t>(first: ChainLink<'t>, mut otherwise: &'t Block) -> Option<(Vec<ChainLink<'t>>, &'t Block)> {
    let mut links = vec![first];
    while let [Statement { kind: StatementKind::If { condition, then, otherwise: next, .. }, span }] =
        &otherwise.statements[..]
    {
        links.push(ChainLink { condition, then, span: *span });
        otherwise = next;
    }
    (links.len() > CHAIN_LEVELS).then_some((links, otherwise))
}

impl Builder<'_, '_> {
    /// Lowers an `if` that begins a long chain. Otherwise does nothing and returns `false`.
    pub(super) fn long_chain(
        &mut self,
        condition: &Expr,
        then: &Block,
        otherwise: &Block,
        span: Span,
    ) -> Lowered<bool> {
        let Some((links, otherwise)) = links(ChainLink { condition, then, span }, otherwise) else {
            return Ok(false);
        };
        let mut chain = IfChain::default();
        let mut last = otherwise;
        for link in &links {
            self.span = naga_span(link.span);
            match self.decide(link.condition)? {
                Some(true) => {
                    last = link.then;
                    break;
                }
                Some(false) => {}
                None => self.link(&mut chain, link)?,
            }
        }
        self.statements(&last.statements)?;
        if !self.is_left() {
            let end = self.state();
            chain.after = self.joined(chain.after.take(), Some(end))?;
        }
        self.close_part(&mut chain, None);
        if let Some(after) = chain.after {
            self.replace_state(after);
        }
        self.span = naga_span(span);
        Ok(true)
    }

    /// Lowers the condition and the body of a link, and begins its `else` block.
    fn link(&mut self, chain: &mut IfChain, link: &ChainLink<'_>) -> Lowered<()> {
        if chain.open.len() == CHAIN_LEVELS {
            self.next_part(chain);
        }
        let span = self.span;
        let condition = self.expr(link.condition)?;
        let before = self.state();
        let accept = self.block(|builder| builder.statements(&link.then.statements))?;
        let end = self.replace_state(before);
        self.span = span;
        if leaves(&accept) {
            // The body ends with a jump, so the rest of the block acts as the `else`.
            self.push(Emitted::If { condition, accept, reject: naga::Block::new() });
            return Ok(());
        }
        chain.after = self.joined(chain.after.take(), Some(end))?;
        chain.open.push(OpenIf { condition, accept, span });
        self.begin_block();
        Ok(())
    }

    /// Ends the current section and begins the next one.
    fn next_part(&mut self, chain: &mut IfChain) {
        let goes_on = match chain.goes_on {
            Some(goes_on) => goes_on,
            None => {
                let ty = self.lowerer.vector_type(naga::Scalar::BOOL, 1);
                self.variable("goes_on", ty)
            }
        };
        let yes = self.boolean(true);
        self.store(goes_on, yes);
        self.close_part(chain, Some(goes_on));
        chain.goes_on = Some(goes_on);
        chain.guard = Some(self.load(goes_on));
        self.begin_block();
    }

    /// Ends the blocks of a section, from the innermost to the outermost. If `goes_on` is given, it is set to
    /// `false` before the section.
    fn close_part(&mut self, chain: &mut IfChain, goes_on: Option<Value>) {
        while let Some(OpenIf { condition, accept, span }) = chain.open.pop() {
            let reject = self.end_block();
            self.span = span;
            if let Some(goes_on) = goes_on.filter(|_| chain.open.is_empty()) {
                let no = self.boolean(false);
                self.store(goes_on, no);
            }
            self.push(Emitted::If { condition, accept, reject });
        }
        if let Some(condition) = chain.guard.take() {
            let accept = self.end_block();
            self.push(Emitted::If { condition, accept, reject: naga::Block::new() });
        }
    }
}
