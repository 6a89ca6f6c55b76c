//! Checks that the forwarding traits pass each entry with its arguments to the inner driver.
//!
//! A driver is wrapped twice. [`Outer`] replaces no entry of the tables under test, so all its calls are
//! forwarded. [`Inner`] records the calls that arrive, some of them with their arguments.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod common;

use std::{num::NonZeroU32, sync::Arc};

use common::{Events, Options, Runtime, now, open, take};
use onze_ddi::{
    forward::{
        ForwardAdapter, ForwardContext, ForwardDeferred, ForwardDevice, ForwardDriver, ForwardImmediate,
    },
    *,
};
use onze_null::driver;

struct Outer<T: ?Sized> {
    inner: Arc<T>,
    log: Events,
}

struct Inner<T: ?Sized> {
    inner: Arc<T>,
    log: Events,
}

/// Wraps a table twice.
fn twice<T: ?Sized>(inner: Arc<T>, log: &Events) -> Outer<Inner<T>> {
    Outer { inner: Arc::new(Inner { inner, log: log.clone() }), log: log.clone() }
}

fn note(log: &Events, call: String) {
    log.lock().unwrap().push(call);
}

impl ForwardDriver for Outer<dyn Driver> {
    type Inner = dyn Driver;

    fn inner(&self) -> &Self::Inner {
        &*self.inner
    }

    fn open_adapter(
        &self,
        args: OpenAdapterArgs,
    ) -> BoxFuture<'_, Result<Arc<dyn AdapterFuncs>, OpenAdapterError>> {
        Box::pin(async {
            let inner = self.inner.open_adapter(args).await?;
            Ok(Arc::new(Outer { inner, log: self.log.clone() }) as Arc<dyn AdapterFuncs>)
        })
    }
}

impl ForwardAdapter for Outer<dyn AdapterFuncs> {
    type Inner = dyn AdapterFuncs;

    fn inner(&self) -> &Self::Inner {
        &*self.inner
    }

    fn create_device(
        &self,
        args: CreateDeviceArgs,
    ) -> BoxFuture<'_, Result<CreatedDevice, CreateDeviceError>> {
        Box::pin(async {
            let created = self.inner.create_device(args).await?;
            let table = Arc::<dyn ImmediateFuncs>::from(created.immediate_funcs);
            Ok(CreatedDevice {
                funcs: Arc::new(twice(created.funcs, &self.log)),
                immediate_funcs: Box::new(twice(table, &self.log)),
                immediate: created.immediate,
            })
        })
    }
}

impl ForwardDevice for Outer<Inner<dyn DeviceFuncs>> {
    type Inner = Inner<dyn DeviceFuncs>;

    fn inner(&self) -> &Self::Inner {
        &self.inner
    }

    fn forward<'a, R>(&'a self, entry: &'static str, call: impl FnOnce(&'a Self::Inner) -> R) -> R {
        note(&self.log, format!("outer {entry}"));
        call(self.inner())
    }
}

impl ForwardDevice for Inner<dyn DeviceFuncs> {
    type Inner = dyn DeviceFuncs;

    fn inner(&self) -> &Self::Inner {
        &*self.inner
    }

    fn forward<'a, R>(&'a self, entry: &'static str, call: impl FnOnce(&'a Self::Inner) -> R) -> R {
        note(&self.log, format!("inner {entry}"));
        call(self.inner())
    }

    fn create_deferred_context(
        &self,
        args: &CreateDeferredContextArgs,
    ) -> Result<CreatedDeferredContext, CreateError> {
        note(&self.log, "inner create_deferred_context".into());
        let CreatedDeferredContext { funcs, private } = self.inner.create_deferred_context(args)?;
        Ok(CreatedDeferredContext { funcs: Arc::new(twice(funcs, &self.log)), private })
    }

    fn check_multisample_quality_levels(&self, format: Format, sample_count: u32) -> u32 {
        note(&self.log, format!("inner check_multisample_quality_levels({format:?}, {sample_count})"));
        self.inner.check_multisample_quality_levels(format, sample_count)
    }
}

impl<T: ContextFuncs + ?Sized> ForwardContext for Outer<Inner<T>> {
    type Inner = Inner<T>;

    fn inner(&self) -> &Self::Inner {
        &self.inner
    }

    fn forward<R>(
        &self,
        entry: &'static str,
        cx: Entry<'_>,
        call: impl FnOnce(&Self::Inner, Entry<'_>) -> R,
    ) -> R {
        note(&self.log, format!("outer {entry}"));
        call(&self.inner, cx)
    }

    fn forward_closing<R>(
        &self,
        entry: &'static str,
        cx: ClosingEntry<'_>,
        call: impl FnOnce(&Self::Inner, ClosingEntry<'_>) -> R,
    ) -> R {
        note(&self.log, format!("outer {entry} (closing)"));
        call(&self.inner, cx)
    }
}

impl ForwardImmediate for Outer<Inner<dyn ImmediateFuncs>> {}

impl ForwardDeferred for Outer<Inner<dyn DeferredFuncs>> {}

impl<T: ContextFuncs + ?Sized> ForwardContext for Inner<T> {
    type Inner = T;

    fn inner(&self) -> &T {
        &self.inner
    }

    fn forward<R>(&self, entry: &'static str, cx: Entry<'_>, call: impl FnOnce(&T, Entry<'_>) -> R) -> R {
        note(&self.log, format!("inner {entry}"));
        call(&self.inner, cx)
    }

    fn forward_closing<R>(
        &self,
        entry: &'static str,
        cx: ClosingEntry<'_>,
        call: impl FnOnce(&T, ClosingEntry<'_>) -> R,
    ) -> R {
        note(&self.log, format!("inner {entry} (closing)"));
        call(&self.inner, cx)
    }

    fn draw_indexed_instanced(
        &self,
        _: Entry<'_>,
        index_count: u32,
        instance_count: u32,
        start_index: u32,
        base_vertex: i32,
        start_instance: u32,
    ) {
        let args = (index_count, instance_count, start_index, base_vertex, start_instance);
        note(&self.log, format!("inner draw_indexed_instanced{args:?}"));
    }
}

impl ForwardImmediate for Inner<dyn ImmediateFuncs> {
    fn close(&self, _: ClosingEntry<'_>, kind: HandleType, key: Key) {
        note(&self.log, format!("inner close({kind:?}, {key:?})"));
    }
}

impl ForwardDeferred for Inner<dyn DeferredFuncs> {}

fn wrapped(log: &Events) -> Arc<dyn Driver> {
    Arc::new(Outer::<dyn Driver> { inner: driver(), log: log.clone() })
}

/// Returns the calls of `entries`, in order, if each is forwarded from the outer to the inner table.
fn both(entries: &[&str]) -> Vec<String> {
    entries.iter().flat_map(|entry| [format!("outer {entry}"), format!("inner {entry}")]).collect()
}

#[test]
fn driver_and_adapter_return_the_inner_results() {
    let (plain, wrapped, core) = (driver() as Arc<dyn Driver>, wrapped(&Events::default()), Arc::default());
    assert_eq!(wrapped.name(), plain.name());
    assert_eq!(now(wrapped.adapters()).len(), now(plain.adapters()).len());
    let (plain, wrapped) = (open(&plain, &core), open(&wrapped, &core));
    let count = plain.supported_versions(None);
    assert_eq!(wrapped.supported_versions(None), count);
    let (mut a, mut b) = (vec![0; count], vec![0; count]);
    plain.supported_versions(Some(&mut a));
    wrapped.supported_versions(Some(&mut b));
    assert_eq!(a, b);
    assert_eq!(wrapped.threading_caps(), plain.threading_caps());
    assert_eq!(wrapped.pipeline_caps().feature_levels, plain.pipeline_caps().feature_levels);
}

#[test]
fn every_device_entry_reaches_the_inner_device() {
    let log = Events::default();
    let r = Runtime::new(&wrapped(&log));
    let device = r.device.clone();
    let query = ObjectDesc::Query(QueryType::Event.into());
    let create = |index| {
        let mut private = vec![0; device.calc_private_size(&query)];
        device.create(Key::new(index, NonZeroU32::MIN), &query, &mut private).unwrap()
    };
    take(&log);

    device.check_deferred_context_handle_sizes(None);
    let (a, b) = (create(1), create(2));
    device.calc_deferred_context_handle_size(HandleType::Query, &a);
    device.driver_object_of(HandleType::Query, &a);
    device.destroy(HandleType::Query, a);
    device.destroy_unused(HandleType::Query, b);
    assert_eq!(
        take(&log),
        both(&[
            "check_deferred_context_handle_sizes",
            "calc_private_size",
            "create",
            "calc_private_size",
            "create",
            "calc_deferred_context_handle_size",
            "driver_object_of",
            "destroy",
            "destroy_unused",
        ])
    );

    let args = CreateDeferredContextArgs::default();
    let context = device.create_deferred_context(&args).unwrap();
    let cached = device.recycle_deferred_context(device.recycle_destroy_deferred_context(context.private));
    let context = device.recycle_create_deferred_context(cached, &args).unwrap();
    device.destroy_deferred_context(context.private.end());
    assert_eq!(
        take(&log),
        both(&[
            "create_deferred_context",
            "recycle_destroy_deferred_context",
            "recycle_deferred_context",
            "recycle_create_deferred_context",
            "destroy_deferred_context",
        ])
    );

    device.check_format_support(Format::R8_UNORM);
    device.check_format_support2(Format::R8_UNORM);
    device.statistics();
    device.poll();
    device.driver_object();
    r.destroy_device();
    assert_eq!(
        take(&log),
        both(&[
            "check_format_support",
            "check_format_support2",
            "statistics",
            "poll",
            "driver_object",
            "destroy_device",
        ])
    );
}

#[test]
fn every_deferred_entry_reaches_the_inner_table() {
    let log = Events::default();
    let mut r = Runtime::new(&wrapped(&log));
    let query = r.query();
    let mut context = r.deferred();
    take(&log);

    context.open(&query);
    let list = context.finish();
    context.recycle(list);
    context.abandon();
    let list = context.finish();
    r.device.destroy_command_list(list.end());
    let calls = take(&log);
    let expected = both(&[
        "calc_deferred_context_handle_size",
        "open",
        "create_command_list",
        "close (closing)",
        "recycle_destroy_command_list",
        "recycle_command_list (closing)",
        "abandon_command_list (closing)",
        "create_command_list",
        "destroy_command_list",
    ]);
    assert_eq!(calls, expected);
}

#[test]
fn entries_with_a_default_reach_the_inner_table() {
    let log = Events::default();
    let mut r = Runtime::new(&wrapped(&log));
    take(&log);
    r.immediate.prepare_draw(r.ctx.entry());
    r.immediate.renew_upload_page(r.ctx.entry()).unwrap();
    assert_eq!(take(&log), both(&["prepare_draw", "renew_upload_page"]));
}

#[test]
fn forwarded_entries_keep_their_arguments_and_results() {
    let log = Events::default();
    let mut r = Runtime::with(&wrapped(&log), Options::default()).unwrap();
    let (source, staging) = (r.dynamic(), r.staging());
    r.write(&source, MapType::WriteDiscard, 7);
    r.copy(&staging, &source);
    assert_eq!(r.read(&staging).0, [7; 16]);
    take(&log);

    assert_eq!(r.device.check_multisample_quality_levels(Format::R8_UNORM, 1), 1);
    r.immediate.draw_indexed_instanced(r.ctx.entry(), 1, 2, 3, -4, 5);
    r.immediate.close(r.ctx.closing(), HandleType::Resource, source.key);
    assert_eq!(
        take(&log),
        [
            "outer check_multisample_quality_levels".into(),
            "inner check_multisample_quality_levels(R8_UNORM, 1)".into(),
            "outer draw_indexed_instanced".into(),
            "inner draw_indexed_instanced(1, 2, 3, -4, 5)".into(),
            "outer close (closing)".into(),
            format!("inner close(Resource, {:?})", source.key),
        ]
    );
}
