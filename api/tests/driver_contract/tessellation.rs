//! Hull and domain shaders, as the driver sees them.

use onze::prelude::*;
use onze_ddi::{CreateError, verifier};

use super::{device, entries};

/// A vertex, a hull and a domain shader.
const PATCHES: &str = "
    struct V { @builtin(position) at: vec4f }
    struct C { tess_factor: array<f32, 2> }
    @vertex fn vertex() -> V { return V(); }
    fn constants(points: array<V, 2>) -> C { return C(); }
    fn place(points: array<V, 2>) -> V { return points[1]; }";

#[test]
fn a_hull_or_domain_shader_without_memory_can_be_created_later() {
    let (spy, device, mut immediate) = device();
    let desc = HullShaderDesc::new(TessellatorDomain::Isoline, 2);
    let hull = || device.create_hull_shader(ShaderSource::wgsl_hull(PATCHES, "constants", &desc));
    let domain = || {
        device.create_domain_shader(ShaderSource::wgsl_domain(PATCHES, "place", TessellatorDomain::Isoline))
    };
    *spy.create_fails.lock().unwrap() = Some(CreateError::OutOfMemory);
    assert!(matches!(hull(), Err(onze::Error::OutOfMemory(_))));
    assert!(matches!(domain(), Err(onze::Error::OutOfMemory(_))));
    assert_eq!(device.info_queue().count(MessageId::CreateShaderInvalid), 2);
    assert_eq!(device.statistics().live_objects, 0);
    *spy.create_fails.lock().unwrap() = None;
    let shaders = (hull().unwrap(), domain().unwrap());
    assert_eq!(device.statistics().live_objects, 2);
    drop(shaders);
    immediate.flush();
    assert_eq!(spy.take_of("destroy").len(), 2);
    assert_eq!(device.get_device_removed_reason(), Ok(()));
}

/// The driver gets a draw only if both stages of tessellation are bound to a patch list, and the verifier agrees.
#[test]
fn draws_with_half_a_tessellation_never_reach_the_driver() {
    let (spy, device, mut immediate) = device();
    let desc = HullShaderDesc::new(TessellatorDomain::Isoline, 2);
    let hull = device.create_hull_shader(ShaderSource::wgsl_hull(PATCHES, "constants", &desc)).unwrap();
    let domain = ShaderSource::wgsl_domain(PATCHES, "place", TessellatorDomain::Isoline);
    let domain = device.create_domain_shader(domain).unwrap();
    immediate.vs_set_shader(&device.create_vertex_shader(ShaderSource::wgsl(PATCHES, "vertex")).unwrap());
    immediate.ia_set_primitive_topology(PrimitiveTopology::PatchList2);
    let before = verifier::breaches().len();
    let mut calls = |hs: Option<&HullShader>, ds: Option<&DomainShader>| {
        spy.take();
        immediate.hs_set_shader(hs);
        immediate.ds_set_shader(ds);
        immediate.draw(4, 0);
        immediate.draw_instanced(4, 2, 0, 0);
        entries(&spy.take())
    };
    assert_eq!(calls(Some(&hull), None), ["set_shader"]);
    assert_eq!(calls(Some(&hull), Some(&domain)), ["set_shader", "draw", "draw_instanced"]);
    assert_eq!(calls(None, Some(&domain)), ["set_shader"]);
    assert_eq!(calls(None, None), ["set_shader"]);
    assert_eq!(verifier::breaches().len(), before);
}
