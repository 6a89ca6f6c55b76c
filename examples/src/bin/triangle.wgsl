struct Corner {
    @builtin(position) position: vec4f,
    @location(0) color: vec4f,
}

@vertex
fn vs_main(@location(0) position: vec2f, @location(1) color: vec4f) -> Corner {
    return Corner(vec4f(position, 0.0, 1.0), color);
}

@fragment
fn ps_main(in: Corner) -> @location(0) vec4f {
    return in.color;
}
