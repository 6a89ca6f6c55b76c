// The sky, drawn as one triangle that covers the picture at the far plane.

struct Fragment {
    @builtin(position) position: vec4f,
    @location(0) place: vec2f,
}

@vertex
fn vs_sky(@builtin(vertex_index) index: u32) -> Fragment {
    let corner = vec2f(f32(index & 1u), f32(index >> 1u)) * 4.0 - 1.0;
    return Fragment(vec4f(corner, 1.0, 1.0), corner);
}

@fragment
fn ps_sky(in: Fragment) -> @location(0) vec4f {
    let far = view.directions * vec4f(in.place, 1.0, 1.0);
    let direction = normalize(far.xyz / far.w - view.eye.xyz);
    let disc = smoothstep(0.9994, 0.9997, dot(direction, lights.to_sun.xyz)) * 6.0;
    return vec4f(tone_map(sky(direction) + lights.sun_color.rgb * disc), 1.0);
}
