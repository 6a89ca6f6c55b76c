//! Tests of correct and incorrect use of back buffers and their rotation.

use std::sync::Arc;

use onze_ddi::{
    verifier::{Rule, verify},
    {Driver, DriverObject, Handle, ResourceHandle},
};

use super::{
    Case, Runtime,
    common::{faulty::Fault, swap_chain_args, take},
    rgba,
};

pub(super) struct Chain {
    driver: DriverObject,
    primaries: [DriverObject; 2],
    pub(super) handles: [ResourceHandle; 2],
}

impl Chain {
    pub(super) fn new(r: &mut Runtime) -> Self {
        let driver = r.immediate.create_swap_chain(r.ctx.entry(), &swap_chain_args()).unwrap().object;
        let primaries = [(); 2].map(|()| {
            r.immediate.create_primary(r.ctx.entry(), &driver, &rgba().into(), &mut [0; 16]).unwrap()
        });
        let handles = primaries.each_ref().map(|primary| {
            let key = r.key();
            assert!(r.ctx.handles.open(key, 16, primary.clone(), Arc::new(())));
            Handle::new(key)
        });
        Self { driver, primaries, handles }
    }

    fn rotate(r: &mut Runtime, handles: &[ResourceHandle]) {
        r.immediate.rotate_resource_identities(r.ctx.entry(), handles);
    }

    pub(super) fn behave(self, r: &mut Runtime) {
        for _ in 0..3 {
            r.immediate.present(r.ctx.entry(), &self.driver, self.handles[0], 0).unwrap();
            Self::rotate(r, &self.handles);
        }
        for (handle, primary) in self.handles.into_iter().zip(self.primaries) {
            r.ctx.handles.close(handle.key());
            r.immediate.destroy_primary(r.ctx.entry(), primary);
        }
        r.immediate.destroy_swap_chain(r.ctx.entry(), self.driver);
    }
}

fn rotates(
    driver: &Arc<dyn Driver>,
    choose: impl FnOnce(&mut Runtime, [ResourceHandle; 2]) -> Vec<ResourceHandle>,
) {
    let mut r = Runtime::new(driver);
    let chain = Chain::new(&mut r);
    let handles = choose(&mut r, chain.handles);
    Chain::rotate(&mut r, &handles);
}

pub(super) const SWAP_CHAINS: &[Case] = &[
    (Rule::BackBuffersCounted, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let chain = Chain::new(&mut r);
        r.immediate.create_primary(r.ctx.entry(), &chain.driver, &rgba().into(), &mut [0; 16]).unwrap();
    }),
    (Rule::BackBuffersCounted, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let chain = r.immediate.create_swap_chain(r.ctx.entry(), &swap_chain_args()).unwrap().object;
        r.immediate.destroy_swap_chain(r.ctx.entry(), chain.clone());
        r.immediate.create_primary(r.ctx.entry(), &chain, &rgba().into(), &mut [0; 16]).unwrap();
    }),
    (Rule::RotatedTogether, Fault::None, |driver| {
        rotates(driver, |r, [first, _]| vec![first, Chain::new(r).handles[0]]);
    }),
    (Rule::RotatedTogether, Fault::None, |driver| {
        rotates(driver, |r, [first, _]| vec![first, r.texture(rgba(), &[]).r()]);
    }),
    (Rule::RotatedOnce, Fault::None, |driver| rotates(driver, |_, [first, _]| vec![first, first])),
    (Rule::RotatedOnce, Fault::None, |driver| rotates(driver, |_, [first, _]| vec![first])),
];

#[test]
fn verified_resize_keeps_width_and_height() {
    let mut r = Runtime::new(&verify(onze_null::driver()));
    let chain = r.immediate.create_swap_chain(r.ctx.entry(), &swap_chain_args()).unwrap().object;
    take(&r.events);
    r.immediate.resize_swap_chain(r.ctx.entry(), &chain, 7, 9).unwrap();
    assert_eq!(take(&r.events), ["display mode 7 x 9"]);
}
