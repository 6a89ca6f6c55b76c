//! The immediate context's table under watch.

use super::{
    breach::{Rule, ensure, lock},
    context::Table,
    registry::address,
    watch::Role,
};
use crate::{
    CreateError, GetDataError, MapError, PresentError, QueryData,
    context::{Entry, FlushFlags, ImmediateFuncs},
    device::DriverObject,
    handle::{Handle, HandleType, Key, QueryHandle, ResourceHandle, kind},
    map::{MapType, MappedMemory, Written},
    resource::Texture2dDesc,
    swap_chain::{CreateSwapChainArgs, PresentStatus},
};

impl Table<dyn ImmediateFuncs> {
    /// The living allocations that were made for primaries.
    fn primary_allocations(&self) -> usize {
        lock(&self.watch.device.allocations).values().filter(|primary| **primary).count()
    }
}

impl ImmediateFuncs for Table<dyn ImmediateFuncs> {
    fn staging_map(
        &self,
        cx: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        map_type: MapType,
        do_not_wait: bool,
    ) -> Result<MappedMemory, MapError> {
        let types = (map_type, &[MapType::Read, MapType::Write, MapType::ReadWrite][..]);
        self.map("staging_map", cx, resource, subresource, types, |t, cx| {
            t.staging_map(cx, resource, subresource, map_type, do_not_wait)
        })
    }

    fn staging_unmap(
        &self,
        cx: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        memory: MappedMemory,
        written: Written,
    ) {
        self.unmap("staging_unmap", cx, resource, subresource, memory, |t, cx, memory| {
            t.staging_unmap(cx, resource, subresource, memory, written);
        });
    }

    fn query_get_data(
        &self,
        cx: Entry<'_>,
        query: QueryHandle,
        do_not_flush: bool,
    ) -> Result<QueryData, GetDataError> {
        let entry = "query_get_data";
        self.watch.handle(entry, cx.handles, query);
        self.call(entry, Role::Other, cx, |t, cx| t.query_get_data(cx, query, do_not_flush))
    }

    fn flush(&self, cx: Entry<'_>, flags: FlushFlags) -> bool {
        self.call("flush", Role::Other, cx, |t, cx| t.flush(cx, flags))
    }

    fn close(&self, cx: Entry<'_>, kind: HandleType, key: Key) {
        let entry = "close";
        // The kind of the handle does not matter to the storage.
        let object = cx.handles.object(Handle::<kind::Resource>::new(key)).map(address);
        self.record(entry, ensure(object.is_some(), Rule::HandleOpen, || format!("{kind:?} {key:?}")));
        if let Some(object) = object {
            let is = lock(&self.watch.device.registry).is(object, kind);
            self.record(entry, ensure(is, Rule::HandleKind, || format!("{key:?} is no living {kind:?}")));
        }
        self.record(entry, self.watch.end_maps(Some(key)));
        self.call(entry, Role::Close, cx, |t, cx| t.close(cx, kind, key));
    }

    fn create_swap_chain(
        &self,
        cx: Entry<'_>,
        args: &CreateSwapChainArgs,
    ) -> Result<DriverObject, PresentError> {
        let created =
            self.call("create_swap_chain", Role::Other, cx, |t, cx| t.create_swap_chain(cx, args))?;
        lock(&self.watch.device.registry).swap_chain_created(&created);
        Ok(created)
    }

    fn destroy_swap_chain(&self, cx: Entry<'_>, swap_chain: DriverObject) {
        let entry = "destroy_swap_chain";
        let check = lock(&self.watch.device.registry).destroy_swap_chain(address(&swap_chain));
        self.record(entry, check);
        self.call(entry, Role::Close, cx, |t, cx| t.destroy_swap_chain(cx, swap_chain));
    }

    fn create_primary(
        &self,
        cx: Entry<'_>,
        swap_chain: &DriverObject,
        desc: &Texture2dDesc,
        private: &mut [u8],
    ) -> Result<DriverObject, CreateError> {
        let entry = "create_primary";
        let ready = ensure(private.iter().all(|b| *b == 0), Rule::PrivateBytesReady, || "not zeroed".into());
        self.record(entry, ready);
        let created =
            self.call(entry, Role::Other, cx, |t, cx| t.create_primary(cx, swap_chain, desc, private))?;
        lock(&self.watch.device.registry).created_primary(&created);
        Ok(created)
    }

    fn destroy_primary(&self, cx: Entry<'_>, primary: DriverObject) {
        let entry = "destroy_primary";
        let check = lock(&self.watch.device.registry).destroy(address(&primary), HandleType::Resource, true);
        self.record(entry, check);
        let before = self.primary_allocations();
        self.call(entry, Role::Close, cx, |t, cx| t.destroy_primary(cx, primary));
        let after = self.primary_allocations();
        // A driver that asked for no memory has none to give back.
        let details = || format!("{before} allocations before, {after} after");
        self.record(entry, ensure(before == 0 || after < before, Rule::PrimaryDeallocated, details));
    }

    fn resize_swap_chain(
        &self,
        cx: Entry<'_>,
        swap_chain: &DriverObject,
        width: u32,
        height: u32,
    ) -> Result<(), PresentError> {
        self.call("resize_swap_chain", Role::Other, cx, |t, cx| {
            t.resize_swap_chain(cx, swap_chain, width, height)
        })
    }

    fn present(
        &self,
        cx: Entry<'_>,
        swap_chain: &DriverObject,
        back_buffer: ResourceHandle,
        sync_interval: u32,
    ) -> Result<PresentStatus, PresentError> {
        let entry = "present";
        self.watch.handle(entry, cx.handles, back_buffer);
        self.call(entry, Role::Other, cx, |t, cx| t.present(cx, swap_chain, back_buffer, sync_interval))
    }
}
