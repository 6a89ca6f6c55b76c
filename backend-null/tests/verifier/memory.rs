//! Tests that breach the contract's rules for the memory of objects that commands or bindings use.

use onze_ddi::{verifier::Rule, *};

use crate::{
    Case,
    common::{Object, Runtime, faulty::Fault, swap_chain_args},
    rgba,
};

fn shared(r: &mut Runtime) -> Object {
    let desc = BufferDesc::new(16, BindFlags::VERTEX_BUFFER);
    r.buffer(BufferDesc { misc_flags: MiscFlags::SHARED, ..desc }, &[])
}

pub(crate) const MEMORY: &[Case] = &[
    (Rule::UnboundBeforeClosed, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let buffer = r.dynamic();
        r.ctx.layer.constants = vec![ConstantBufferBinding::whole(Some(buffer.r()))];
        r.destroy(buffer);
    }),
    (Rule::UnboundBeforeClosed, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let (buffer, mut dc) = (r.dynamic(), r.deferred());
        dc.open(&buffer);
        dc.ctx.layer.constants = vec![ConstantBufferBinding::whole(Some(buffer.r()))];
        dc.funcs.create_command_list(dc.ctx.entry(), None).unwrap();
        dc.close_all();
    }),
    (Rule::RenderBeforeDeallocate, Fault::DeallocateEarly, |driver| {
        let mut r = Runtime::new(driver);
        let (a, b) = (r.staging(), r.staging());
        r.copy(&a, &b);
        r.destroy(b);
        r.flush();
    }),
    (Rule::RenderBeforeDeallocate, Fault::DeallocateEarly, |driver| {
        let mut r = Runtime::new(driver);
        let buffer = r.dynamic();
        r.ctx.layer.constants = vec![ConstantBufferBinding::whole(Some(buffer.r()))];
        r.draw();
        r.ctx.layer.unbind();
        r.destroy(buffer);
        r.flush();
    }),
    (Rule::RenderBeforeDeallocate, Fault::DeallocateEarly, |driver| {
        let mut r = Runtime::new(driver);
        let (buffer, mut dc) = (r.staging(), r.deferred());
        dc.copy(&buffer, &buffer);
        let list = dc.finish();
        r.execute(&list);
        r.device.destroy_command_list(list.end());
        r.destroy(buffer);
        r.flush();
    }),
    (Rule::FlushRetires, Fault::KeepDestroyed, |driver| {
        let mut r = Runtime::new(driver);
        let buffer = r.staging();
        r.destroy(buffer);
        r.flush();
    }),
    (Rule::SharedByFlush, Fault::KeepShared, |driver| {
        let mut r = Runtime::new(driver);
        let shared = shared(&mut r);
        // The rule applies even if the GPU has not finished with the object.
        r.copy(&shared, &shared);
        r.destroy(shared);
        r.flush();
    }),
    (Rule::AllocateInCreate, Fault::AllocateElsewhere, |driver| {
        shared(&mut Runtime::new(driver));
    }),
    (Rule::AllocateInCreate, Fault::AllocateElsewhere, |driver| {
        let mut r = Runtime::new(driver);
        let chain = r.immediate.create_swap_chain(r.ctx.entry(), &swap_chain_args()).unwrap().object;
        r.immediate.create_primary(r.ctx.entry(), &chain, &rgba().into(), &mut [0; 16]).unwrap();
    }),
];
