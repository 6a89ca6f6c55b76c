// Draws a depth slice of a halved 3D texture, as `mips.wgsl` does for a 2D texture. For sizes that halve
// evenly, the result is the mean of eight texels. The instance index is the depth slice.

@group(0) @binding(0) var source: texture_3d<f32>;

struct Varying {
    @builtin(position) position: vec4f,
    @location(0) uv: vec2f,
    @location(1) @interpolate(flat) slice: u32,
}

@vertex
fn cover(@builtin(vertex_index) index: u32, @builtin(instance_index) slice: u32) -> Varying {
    let uv = vec2f(f32(index & 1u), f32(index >> 1u)) * 2.0;
    return Varying(vec4f(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0, 0.0, 1.0), uv, slice);
}

fn plane(low: vec2i, part: vec2f, z: i32, size: vec2i) -> vec4f {
    let a = clamp(low, vec2i(0), size - 1);
    let b = clamp(low + 1, vec2i(0), size - 1);
    let top = mix(textureLoad(source, vec3i(a, z), 0), textureLoad(source, vec3i(b.x, a.y, z), 0), part.x);
    let bottom = mix(textureLoad(source, vec3i(a.x, b.y, z), 0), textureLoad(source, vec3i(b, z), 0), part.x);
    return mix(top, bottom, part.y);
}

@fragment
fn halve(at_pixel: Varying) -> @location(0) vec4f {
    let size = vec3i(textureDimensions(source));
    let slices = f32(max(size.z / 2, 1));
    let w = (f32(at_pixel.slice) + 0.5) / slices;
    let at = vec3f(at_pixel.uv, w) * vec3f(size) - 0.5;
    let low = vec3i(floor(at));
    let part = at - floor(at);
    let front = plane(low.xy, part.xy, clamp(low.z, 0, size.z - 1), size.xy);
    let back = plane(low.xy, part.xy, clamp(low.z + 1, 0, size.z - 1), size.xy);
    return mix(front, back, part.z);
}
