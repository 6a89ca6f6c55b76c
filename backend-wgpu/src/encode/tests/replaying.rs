//! Pages of command lists that are encoded again: the spans of their bundles, and the objects that those
//! read.

use std::sync::Arc;

use onze_ddi::{DsvFlags, Format, ShaderStage};

use super::{
    changing::{Change, INDEXED, NOTHING, PLAIN, Scene},
    copying::{copy_bytes, texture_copy},
    scene::Recording,
};
use crate::{
    objects::{
        allocator::Storage,
        identity::{BufferIdentity, Identity},
        resource::Resource,
        view::View,
    },
    record::{
        command::{Bind, Command, NO_OBJECT, stage_bit},
        page::BoundTargets,
        run_page::RunPage,
    },
    services::policy::tests::{switched_off, with_policy},
};

/// Returns a list's page with draws whose constant buffer is an import.
fn imported(scene: &Scene) -> Recording {
    let mut page = Recording::default();
    scene.bind(&mut page);
    let nowhere =
        Identity::Buffer(BufferIdentity { storage: scene.constants[0].clone(), offset: 0, size: 32 });
    let object = page.import(nowhere);
    let stages = stage_bit(ShaderStage::Pixel);
    page.push(Command::SetConstantBuffer { stages, slot: 0, object, offset: 0, size: 32 });
    (0..16).for_each(|_| _ = page.push(PLAIN));
    page.page.draws = 16;
    page.page.is_listed = true;
    page
}

#[test]
fn a_moved_import_rebuilds_the_bundle() {
    let Some(mut scene) = Scene::new() else { return };
    let RunPage { page, objects, .. } = imported(&scene).finish();
    let mut seen = Vec::new();
    // Most steps change only the offset or only the buffer of the import.
    for (buffer, offset) in [(0, 0), (0, 256), (1, 256), (1, 0), (0, 256), (0, 0)] {
        let storage = scene.constants[buffer].clone();
        for execution in 0..3 {
            let imports = [Identity::Buffer(BufferIdentity { storage: storage.clone(), offset, size: 32 })];
            let listed = RunPage::new(page.clone(), objects.clone(), imports.into(), &[]);
            let clears = scene.clears().finish();
            scene.bench.run_pages(vec![clears, listed]);
            assert_eq!(page.encoding.is_replayed(), execution > 0, "buffer {buffer}, {offset}");
            let found = scene.bench.texels(&scene.target, 0, 0);
            let bound: Change<'_> =
                &|_, page| _ = page.constants(ShaderStage::Pixel, &storage, offset as u32, 32);
            let expected = scene.picture(scene.page(&[bound, NOTHING], PLAIN, 16));
            assert_eq!(found, expected, "buffer {buffer}, {offset}, execution {execution}");
            seen.push(found);
        }
    }
    seen.dedup();
    assert_eq!(seen.len(), 6, "each shows something else");
}

/// Returns a list's page that reads an imported texture and draws to an imported target.
fn reading(scene: &Scene, read: &Arc<View>, target: &Arc<View>) -> Recording {
    let mut page = Recording::default();
    scene.bind(&mut page);
    let mut targets = BoundTargets { color: [NO_OBJECT; 8], depth_stencil: NO_OBJECT };
    targets.color[0] = page.import(Identity::View(target.clone()));
    page.page.targets.push(targets);
    let at = page.page.targets.len() as u32 - 1;
    page.push(Command::SetTargets(at));
    let object = page.import(Identity::View(read.clone()));
    page.push(Bind::ShaderResource { stage: ShaderStage::Pixel, slot: 0, object });
    (0..16).for_each(|_| _ = page.push(PLAIN));
    page.page.draws = 16;
    page.page.is_listed = true;
    page
}

#[test]
fn an_imported_view_of_another_texture_rebuilds_the_bundle() {
    let Some(mut scene) = Scene::new() else { return };
    let views = scene.images.clone();
    let targets = [(); 2].map(|()| {
        let target = scene.bench.target(Format::R8G8B8A8_UNORM, 4, 4);
        (scene.bench.rtv(&target, Format::R8G8B8A8_UNORM), target)
    });
    let RunPage { page, objects, .. } = reading(&scene, &views[0], &targets[0].0).finish();
    let mut seen = Vec::new();
    for read in [0, 1, 0] {
        for execution in 0..4 {
            // The target changes each time, but bundles do not depend on it.
            let (target, texture) = &targets[execution % 2];
            let imports = [Identity::View(target.clone()), Identity::View(views[read].clone())];
            let listed = RunPage::new(page.clone(), objects.clone(), imports.into(), &[]);
            let mut clears = scene.clears();
            clears.clear(target, [0.0, 0.0, 0.0, 1.0]);
            scene.bench.run_pages(vec![clears.finish(), listed]);
            assert_eq!(page.encoding.is_replayed(), execution > 0, "view {read}, execution {execution}");
            seen.push(scene.bench.texels(texture, 0, 0));
        }
    }
    seen.dedup();
    assert_eq!(seen.len(), 3, "each texture shows something else, on both targets alike");
    assert_eq!(seen[0], seen[2]);
}

/// A destination, a source, and a copy of the destination's original contents.
enum Copied {
    Bytes([Arc<Storage>; 3]),
    Texels([Arc<Resource>; 3]),
}

impl Copied {
    fn bytes(scene: &Scene, [to, from]: &[Arc<Storage>; 2]) -> Self {
        Self::Bytes([to.clone(), from.clone(), scene.bench.buffer(&scene.bench.bytes(to))])
    }

    fn texels(scene: &mut Scene) -> Self {
        let [to, from] = scene.textures.clone();
        let kept = scene.bench.target(Format::R8G8B8A8_UNORM, 2, 1);
        let mut page = Recording::default();
        texture_copy(&mut page, &to, &kept, [[0; 3]; 2], [2, 1, 1]);
        scene.bench.run(vec![page]);
        Self::Texels([to, from, kept])
    }

    /// Returns a page that overwrites the destination with the source, or restores its contents.
    fn copy(&self, back: bool) -> Recording {
        let mut page = Recording::default();
        let from = if back { 2 } else { 1 };
        match self {
            Self::Bytes(all) => copy_bytes(&mut page, (&all[from], 0), (&all[0], 0), all[from].size),
            Self::Texels(all) => {
                texture_copy(&mut page, &all[from], &all[0], [[0; 3]; 2], [2, 1, 1]);
            }
        }
        page
    }
}

#[test]
fn copies_run_after_the_reads_of_a_bundle() {
    let Some(mut scene) = Scene::new() else { return };
    let texels = Copied::texels(&mut scene);
    let copies = [
        ("vertices", Copied::bytes(&scene, &scene.vertices)),
        ("indices", Copied::bytes(&scene, &scene.indices)),
        ("constants", Copied::bytes(&scene, &scene.constants)),
        ("texels", texels),
    ];
    let expected = scene.picture(scene.page(&[NOTHING, NOTHING], INDEXED, 16));
    for (what, copied) in copies {
        let mut page = scene.page(&[NOTHING, NOTHING], INDEXED, 16);
        page.page.is_listed = true;
        let listed = page.finish();
        for execution in 0..4 {
            let pages = vec![scene.clears().finish(), listed.clone(), copied.copy(false).finish()];
            scene.bench.run_pages(pages);
            assert_eq!(listed.page.encoding.is_replayed(), execution > 0);
            let found = scene.bench.texels(&scene.target, 0, 0);
            assert_eq!(found, expected, "{what}, execution {execution}");
            let after = scene.picture(scene.page(&[NOTHING, NOTHING], INDEXED, 16));
            assert_ne!(after, expected, "{what}: nothing was copied");
            scene.bench.run(vec![copied.copy(true)]);
        }
    }
}

/// wgpu requires that a bundle declares whether it may write depth and stencil.
#[test]
fn bundles_are_drawn_with_read_only_depth() {
    let Some(mut scene) = Scene::new() else { return };
    for flags in [
        DsvFlags::READ_ONLY_DEPTH,
        DsvFlags::READ_ONLY_STENCIL,
        DsvFlags::READ_ONLY_DEPTH | DsvFlags::READ_ONLY_STENCIL,
    ] {
        let depth = scene.bench.depth(Format::R24G8_TYPELESS, 4, 4);
        let read_only = scene.bench.dsv(&depth, Format::D24_UNORM_S8_UINT, flags);
        let bound: Change<'_> = &|s, page| _ = page.targets(&[Some(&s.views[0])], Some(&read_only));
        let expected = scene.picture(scene.page(&[bound, NOTHING], PLAIN, 16));
        let mut page = scene.page(&[bound, NOTHING], PLAIN, 16);
        page.page.is_listed = true;
        let listed = page.finish();
        for execution in 0..4 {
            scene.bench.run_pages(vec![scene.clears().finish(), listed.clone()]);
            assert_eq!(listed.page.encoding.is_replayed(), execution > 0, "{flags:?}");
            assert_eq!(scene.bench.texels(&scene.target, 0, 0), expected, "{flags:?}, execution {execution}");
        }
    }
}

#[test]
fn an_indirect_draw_ends_the_span() {
    let Some(mut scene) = Scene::new() else { return };
    let arguments = scene.bench.buffer(bytemuck::cast_slice(&[3u32, 1, 0, 0]));
    let mut recorded = Recording::default();
    scene.bind(&mut recorded);
    (0..16).for_each(|_| _ = recorded.push(PLAIN));
    recorded.constants(ShaderStage::Pixel, &scene.constants[1], 256, 32);
    let object = recorded.buffer(&arguments);
    recorded.push(Command::DrawIndirect { indexed: false, object, offset: 0 });
    (recorded.page.draws, recorded.page.is_listed) = (17, true);
    let RunPage { page, objects, .. } = recorded.finish();
    let pictures = [false, true, true].map(|is_replayed| {
        let listed = RunPage::new(page.clone(), objects.clone(), [].into(), &[]);
        let clears = scene.clears().finish();
        scene.bench.run_pages(vec![clears, listed]);
        assert_eq!(page.encoding.is_replayed(), is_replayed);
        scene.bench.texels(&scene.target, 0, 0)
    });
    assert_eq!(pictures[0], pictures[1]);
    assert_eq!(pictures[0], pictures[2]);
}

#[test]
fn pictures_are_the_same_with_any_mechanism_off() {
    let Some(mut scene) = Scene::new() else { return };
    let bound: Change<'_> = &|s, page| _ = page.constants(ShaderStage::Pixel, &s.constants[1], 256, 32);
    let expected = scene.picture(scene.page(&[bound, NOTHING], PLAIN, 16));
    for (off, policy) in switched_off() {
        let has_bundles = policy.bundle_draws.is_some();
        let Some(mut scene) = with_policy(policy, Scene::new) else { return };
        scene.bench.caches.uses_replica = true;
        scene.bench.caches.may_compile = true;
        let RunPage { page, objects, .. } = imported(&scene).finish();
        // After this number of executions, draws use replicas unless those are switched off.
        for execution in 0..80 {
            let imports = [Identity::Buffer(BufferIdentity {
                storage: scene.constants[1].clone(),
                offset: 256,
                size: 32,
            })];
            let listed = RunPage::new(page.clone(), objects.clone(), imports.into(), &[]);
            let clears = scene.clears().finish();
            scene.bench.run_pages(vec![clears, listed]);
            assert_eq!(page.encoding.is_replayed(), has_bundles && execution > 0, "without {off}");
            if execution % 20 == 19 {
                assert_eq!(scene.bench.texels(&scene.target, 0, 0), expected, "without {off}, {execution}");
            }
        }
    }
}
