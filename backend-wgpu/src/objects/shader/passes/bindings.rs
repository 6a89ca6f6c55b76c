//! The pass that moves resources from the runtime's bindings to the driver's.

use crate::objects::shader::bindings::place;

use super::context::{ModulePass, PassScope};

pub(super) const PASS: ModulePass = ModulePass {
    name: "bindings",
    scope: PassScope::Shader,
    applies: |_| true,
    run: |context| {
        let stage = context.stage;
        onze_ddi::remap_bindings(&mut context.module, |group, slot| place(stage, group, slot));
    },
};
