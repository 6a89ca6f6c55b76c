//! A deferred context, with the handles that its recording has opened.

use std::sync::Arc;

use onze_ddi::*;

use super::{Ctx, Object};

pub struct Dc {
    pub funcs: Arc<dyn DeferredFuncs>,
    pub ctx: Ctx,
    pub open: Vec<Object>,
    pub cached: Vec<DriverList<Cached>>,
    pub device: Arc<dyn DeviceFuncs>,
    pub nothing: storage::RuntimeObject,
}

impl Dc {
    pub fn open(&mut self, object: &Object) {
        if self.ctx.handles.contains(object.key) {
            return;
        }
        if let Some(resource) = &object.resource {
            self.open(resource);
        }
        self.store(object);
        self.open_stored(object);
    }

    pub fn store(&mut self, object: &Object) {
        let size = self.device.calc_deferred_context_handle_size(object.kind, &object.driver);
        assert!(self.ctx.handles.open(object.key, size, object.driver.clone(), self.nothing.clone()));
    }

    pub fn open_stored(&mut self, object: &Object) {
        let dependency = match &object.resource {
            Some(resource) => Dependency::Resource(resource.reference()),
            None => Dependency::None,
        };
        let args = OpenArgs { kind: object.kind, key: object.key, object: &object.driver, dependency };
        self.funcs.open(self.ctx.entry(), args).unwrap();
        self.open.push(object.clone());
    }

    pub fn close_all(&mut self) {
        while let Some(object) = self.open.pop() {
            self.funcs.close(self.ctx.closing(), object.kind, object.key);
            self.ctx.handles.close(object.key);
        }
    }

    pub fn finish(&mut self) -> DriverList<Live> {
        let cached = self.cached.pop();
        let list = self.funcs.create_command_list(self.ctx.entry(), cached).unwrap();
        self.ctx.layer.unbind();
        self.close_all();
        list
    }

    pub fn recycle(&mut self, list: DriverList<Live>) {
        let dead = self.device.recycle_destroy_command_list(list);
        self.take_back(dead);
    }

    pub fn take_back(&mut self, dead: DriverList<Dead>) {
        let cached = self.funcs.recycle_command_list(self.ctx.closing(), dead);
        self.cached.push(cached);
    }

    pub fn abandon(&mut self) {
        self.funcs.abandon_command_list(self.ctx.closing());
        self.ctx.layer.unbind();
        self.close_all();
    }

    pub fn destroy(mut self) {
        self.cached.drain(..).for_each(|list| self.device.destroy_command_list(list.end()));
        self.device.destroy_deferred_context(DriverContext::new(self.ctx.private).end());
    }

    pub fn die(mut self) -> DriverContext<Dead> {
        self.cached.drain(..).for_each(|list| self.device.destroy_command_list(list.end()));
        self.device.recycle_destroy_deferred_context(DriverContext::new(self.ctx.private))
    }

    /// Records a DISCARD map that fills the buffer with one value.
    pub fn discard(&mut self, buffer: &Object, value: u8) {
        self.open(buffer);
        let mut memory =
            self.funcs.dynamic_map(self.ctx.entry(), buffer.r(), 0, MapType::WriteDiscard).unwrap();
        memory.bytes_mut().fill(value);
        self.funcs.dynamic_unmap(self.ctx.entry(), buffer.r(), 0, memory, Written::All);
    }

    pub fn copy(&mut self, dst: &Object, src: &Object) {
        self.open(dst);
        self.open(src);
        self.funcs.resource_copy(self.ctx.entry(), dst.r(), src.r());
    }
}
