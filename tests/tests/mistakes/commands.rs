//! Mistakes with queries, command lists, deferred contexts, dispatches and devices, and the words that the
//! messages must contain.

use onze::prelude::*;
use onze_tests::watched_device;

use super::{Mistake, row, scene::SHADER};

pub(crate) const MISTAKES: &[Mistake] = &[
    row("begin of an event query", &["query \"done\" of Event", "no beginning", "`end` alone"], |s| {
        s.context.begin(&s.device.labelled("done").create_query(QueryType::Event)?);
        Ok(())
    }),
    row("begin of a query twice", &["query \"seen\"", "begun already", "End it first"], |s| {
        let query = s.device.labelled("seen").create_query(QueryType::OcclusionPredicate)?;
        s.context.begin(&query);
        s.context.begin(&query);
        s.context.end(&query);
        Ok(())
    }),
    row(
        "answer of a query that was never ended",
        &["query \"done\" of Event", "never ended", "`end` before `get_data`"],
        |s| {
            let query = s.device.labelled("done").create_query(QueryType::Event)?;
            s.context.get_data(&query, false).map(drop)
        },
    ),
    row(
        "answer of a query that is begun",
        &["OcclusionPredicate", "begun and not ended", "call `end`"],
        |s| {
            let query = s.device.create_query(QueryType::OcclusionPredicate)?;
            s.context.begin(&query);
            s.context.end(&query);
            s.context.begin(&query);
            let result = s.context.get_data(&query, false).map(drop);
            s.context.end(&query);
            result
        },
    ),
    row(
        "end of a query that was not begun",
        &["query \"seen\" of OcclusionPredicate", "not begun in this context", "Call `begin`"],
        |s| {
            let query = s.device.labelled("seen").create_query(QueryType::OcclusionPredicate)?;
            s.context.end(&query);
            Ok(())
        },
    ),
    row(
        "timestamp outside of a disjoint query",
        &["query \"start\" of Timestamp", "QueryType::TimestampDisjoint", "ticks per second"],
        |s| {
            let query = s.device.labelled("start").create_query(QueryType::Timestamp)?;
            s.context.end(&query);
            Ok(())
        },
    ),
    row(
        "end of a query on which commands depend",
        &["query \"seen\" of OcclusionPredicate", "`set_predication` with None"],
        |s| {
            let query = s.device.labelled("seen").create_predicate(QueryType::OcclusionPredicate)?;
            s.context.set_predication(&query, false);
            s.context.end(&query);
            s.context.set_predication(None, false);
            Ok(())
        },
    ),
    row(
        "predication with a query that is begun",
        &["query \"seen\" of OcclusionPredicate", "begun in this context; end it first"],
        |s| {
            let query = s.device.labelled("seen").create_predicate(QueryType::OcclusionPredicate)?;
            s.context.begin(&query);
            s.context.set_predication(&query, false);
            s.context.end(&query);
            Ok(())
        },
    ),
    row(
        "list with a query that is begun",
        &["query \"seen\" of OcclusionPredicate", "begun in this context", "End it first"],
        |s| {
            let query = s.device.labelled("seen").create_query(QueryType::OcclusionPredicate)?;
            let mut deferred = s.device.create_deferred_context()?;
            deferred.begin(&query);
            deferred.end(&query);
            let list = deferred.finish_command_list(false)?;
            s.context.begin(&query);
            s.context.execute_command_list(&list, false);
            s.context.end(&query);
            Ok(())
        },
    ),
    row("query that a list leaves open", &["query", "within one recording"], |s| {
        let mut deferred = s.device.create_deferred_context()?;
        deferred.begin(&s.device.create_query(QueryType::OcclusionPredicate)?);
        deferred.finish_command_list(false).map(drop)
    }),
    row("list of another device", &["`execute_command_list`", "another device", "belong"], |s| {
        let (_watch, other, _context) = s.other_device();
        let list = other.create_deferred_context()?.finish_command_list(false)?;
        s.context.execute_command_list(&list, false);
        Ok(())
    }),
    row(
        "list with a mapped buffer",
        &["buffer \"camera\"", "mapped", "the list uses it", "Unmap it first"],
        |s| {
            let mut deferred = s.device.create_deferred_context()?;
            deferred.vs_set_constant_buffers(0, &s.camera);
            deferred.map(&s.camera, 0, MapType::WriteDiscard)?.write(0, &1.0_f32);
            let list = deferred.finish_command_list(false)?;
            let token = s.context.map_owned(&s.camera, 0, MapType::WriteDiscard)?;
            s.context.execute_command_list(&list, false);
            s.context.unmap(token);
            Ok(())
        },
    ),
    row(
        "draw in a deferred context without its own state",
        &["topology is undefined", "`ia_set_primitive_topology`"],
        |s| {
            s.bind();
            let mut deferred = s.device.create_deferred_context()?;
            deferred.draw(3, 0);
            let list = deferred.finish_command_list(false)?;
            s.context.execute_command_list(&list, false);
            Ok(())
        },
    ),
    row(
        "draw after a list without restoring",
        &["topology is undefined", "`ia_set_primitive_topology`"],
        |s| {
            s.bind();
            let list = s.device.create_deferred_context()?.finish_command_list(false)?;
            s.context.execute_command_list(&list, false);
            s.context.draw(3, 0);
            Ok(())
        },
    ),
    row(
        "read in a deferred context",
        &["buffer \"readback\"", "deferred context", "the immediate context"],
        |s| {
            let readback = s.buffer(BufferDesc::staging(16, CpuAccessFlags::READ), "readback");
            s.device.create_deferred_context()?.map(&readback, 0, MapType::Read).map(drop)
        },
    ),
    row("unmap in another context", &["`unmap`", "buffer \"camera\"", "context that mapped"], |s| {
        let mut deferred = s.device.create_deferred_context()?;
        deferred.vs_set_constant_buffers(0, &s.camera);
        let token = s.context.map_owned(&s.camera, 0, MapType::WriteDiscard)?;
        deferred.unmap(token);
        Ok(())
    }),
    row(
        "deferred context of a single-threaded device",
        &["DeviceDesc::single_threaded", "leave it false"],
        |_| {
            let desc =
                DeviceDesc { driver_type: DriverType::Null, single_threaded: true, ..DeviceDesc::default() };
            let (watch, device, _context) = watched_device(&desc)?;
            watch.expect(&[MessageId::CreateDeferredContextInvalid]);
            device.create_deferred_context().map(drop)
        },
    ),
    row("end of an event that was not begun", &["`end_event`", "in pairs"], |s| {
        s.context.end_event();
        Ok(())
    }),
    row("dispatch without a compute shader", &["no compute shader", "`cs_set_shader`"], |s| {
        s.context.dispatch(1, 1, 1);
        Ok(())
    }),
    row("dispatch of too many groups", &["70000 by 1 by 1", "at most 65535"], |s| {
        s.context.cs_set_shader(&s.device.create_compute_shader(ShaderSource::wgsl(SHADER, "cs_main"))?);
        s.context.dispatch(70_000, 1, 1);
        Ok(())
    }),
    row(
        "dispatch without a view to write",
        &["slot u0", "compute shader \"cs_main\"", "`counts`", "`cs_set_unordered_access_views`"],
        |s| {
            s.context.cs_set_shader(&s.device.create_compute_shader(ShaderSource::wgsl(SHADER, "cs_main"))?);
            s.context.dispatch(1, 1, 1);
            Ok(())
        },
    ),
    row(
        "indirect draw with a buffer that is not for it",
        &["buffer \"counts\"", "MiscFlags::DRAWINDIRECT_ARGS", "add the flag"],
        |s| {
            let counts = s.buffer(BufferDesc::new(64, BindFlags::VERTEX_BUFFER), "counts");
            s.bind();
            s.context.draw_instanced_indirect(&counts, 0);
            Ok(())
        },
    ),
    row(
        "indirect draw beyond the arguments",
        &["buffer \"counts\"", "has 20 bytes", "bytes 4 to 24", "make it larger"],
        |s| {
            let counts = s.buffer(BufferDesc::indirect(20, BindFlags::empty()), "counts");
            s.bind();
            s.context.draw_indexed_instanced_indirect(&counts, 4);
            Ok(())
        },
    ),
    row("indirect dispatch at an odd offset", &["buffer \"counts\"", "a multiple of 4", "found 6"], |s| {
        let counts = s.buffer(BufferDesc::indirect(64, BindFlags::empty()), "counts");
        s.context.cs_set_shader(&s.device.create_compute_shader(ShaderSource::wgsl(SHADER, "cs_main"))?);
        s.context.dispatch_indirect(&counts, 6);
        Ok(())
    }),
    row(
        "resolve of one sample",
        &["texture \"scene\"", "texture \"picture\"", "one sample", "`copy_subresource_region`"],
        |s| {
            let format = Format::R8G8B8A8_UNORM;
            let [scene, picture] = ["scene", "picture"].map(|label| {
                s.device.create_texture_2d(&Texture2dDesc::render_target(format, 4, 4).label(label), None)
            });
            s.context.resolve_subresource(&picture?, 0, &scene?, 0, format);
            Ok(())
        },
    ),
    row(
        "more samples than there are",
        &["texture \"scene\"", "R8G8B8A8_UNORM", "32 samples", "`check_multisample_quality_levels`"],
        |s| {
            let desc = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 4, 4).label("scene");
            s.device.create_texture_2d(&Texture2dDesc { sample_count: 32, ..desc }, None)?;
            Ok(())
        },
    ),
    row(
        "copy of a counter that is not there",
        &["buffer \"items\"", "has no counter", "BufferUavFlags::COUNTER"],
        |s| {
            let items = s.buffer(BufferDesc::structured(4, 4, BindFlags::UNORDERED_ACCESS), "items");
            let copy = s.buffer(BufferDesc::new(4, BindFlags::VERTEX_BUFFER), "copy");
            s.context.copy_structure_count(&copy, 0, &items.create_unordered_access_view()?);
            Ok(())
        },
    ),
    row(
        "copy of a counter beyond the end",
        &["buffer \"items\"", "buffer \"copy\"", "end at byte 8", "has 4", "a smaller offset"],
        |s| {
            let items = s.buffer(BufferDesc::structured(4, 4, BindFlags::UNORDERED_ACCESS), "items");
            let copy = s.buffer(BufferDesc::new(4, BindFlags::VERTEX_BUFFER), "copy");
            let desc = UnorderedAccessViewDesc::counted_buffer(0, 4);
            let view = s.device.create_unordered_access_view(&items, Some(&desc))?;
            s.context.copy_structure_count(&copy, 4, &view);
            Ok(())
        },
    ),
    row(
        "initial counts for more views than are bound",
        &[
            "`cs_set_unordered_access_views_with_counts`",
            "1 views and 2 initial counts",
            "`u32::MAX` to keep",
        ],
        |s| {
            let items = s.buffer(BufferDesc::structured(4, 4, BindFlags::UNORDERED_ACCESS), "items");
            let view = items.create_unordered_access_view()?;
            s.context.cs_set_unordered_access_views_with_counts(0, &view, &[1, 2]);
            Ok(())
        },
    ),
    row(
        "clear of structures with floats",
        &["buffer \"items\"", "structured", "`clear_unordered_access_view_uint`", "`f32::to_bits`"],
        |s| {
            let items = s.buffer(BufferDesc::structured(4, 4, BindFlags::UNORDERED_ACCESS), "items");
            s.context.clear_unordered_access_view_float(&items.create_unordered_access_view()?, [1.0; 4]);
            Ok(())
        },
    ),
    row(
        "arguments of a draw in a dynamic buffer",
        &["buffer \"counts\"", "Usage::Default", "found Dynamic", "copy the arguments"],
        |s| {
            let desc = BufferDesc {
                misc_flags: MiscFlags::DRAWINDIRECT_ARGS,
                ..BufferDesc::dynamic(64, BindFlags::VERTEX_BUFFER).label("counts")
            };
            s.device.create_buffer(&desc, None).map(drop)
        },
    ),
    row(
        "arguments of a draw in a constant buffer",
        &["buffer \"counts\"", "exclude each other", "a buffer for each use"],
        |s| {
            let desc = BufferDesc::indirect(64, BindFlags::CONSTANT_BUFFER).label("counts");
            s.device.create_buffer(&desc, None).map(drop)
        },
    ),
    row("feature level that no adapter has", &["Level11_0", "Core11"], |_| {
        let feature_levels = vec![FeatureLevel::Level11_0];
        let desc = DeviceDesc { driver_type: DriverType::Null, feature_levels, ..DeviceDesc::default() };
        watched_device(&desc).map(drop)
    }),
];
