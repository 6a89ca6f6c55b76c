struct Constants {
    scale: vec4f, // scale and bias map the read value to the displayable range
    bias: vec4f,
    range: vec4f, // start and change over the cell: of the coordinates in xy, of the level of detail in zw
    side: f32, // grid points per row
    reference: f32, // reference value of comparisons
    is_usable: f32,
}

@group(0) @binding(0) var<uniform> constants: Constants; // register b0
@group(1) @binding(0) var floats: texture_2d<f32>; // register t0, one of these
@group(1) @binding(0) var unsigned: texture_2d<u32>;
@group(1) @binding(0) var signed: texture_2d<i32>;
@group(1) @binding(0) var depths: texture_depth_2d;
@group(1) @binding(1) var reference: texture_2d<f32>; // t1
@group(2) @binding(0) var filtered: sampler; // register s0, one of these
@group(2) @binding(0) var compared: sampler_comparison;

struct Pixel {
    @builtin(position) position: vec4f,
    @location(0) uv: vec2f,
}

// Draws a triangle that covers the viewport.
@vertex
fn vs_main(@builtin(vertex_index) index: u32) -> Pixel {
    let uv = array(vec2f(0.0, 0.0), vec2f(2.0, 0.0), vec2f(0.0, 2.0))[index];
    return Pixel(vec4f(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0, 0.0, 1.0), uv);
}

// Returns the texture coordinates (xy) and the level of detail (z) of a grid point.
fn place(point: vec2u) -> vec3f {
    let part = (vec2f(point) + 0.5) / constants.side;
    return vec3f(constants.range.x + part * constants.range.y, constants.range.z + part.y * constants.range.w);
}

fn read_float(point: vec2u) -> vec4f { return textureLoad(floats, point, 0); }
fn read_unsigned(point: vec2u) -> vec4f { return vec4f(textureLoad(unsigned, point, 0)); }
fn read_signed(point: vec2u) -> vec4f { return vec4f(textureLoad(signed, point, 0)); }
fn read_sampled(point: vec2u) -> vec4f {
    let at = place(point);
    return textureSampleLevel(floats, filtered, at.xy, at.z);
}
fn read_compared(point: vec2u) -> vec4f {
    let passed = textureSampleCompareLevel(depths, compared, place(point).xy, constants.reference);
    return vec4f(vec3f(passed), 1.0);
}

// The position of a pixel in its cell. `kind` is 0 in the left half, 1 in the right half, and 2 in the line below.
struct Part {
    point: vec2u,
    kind: u32,
}

fn part(pixel: Pixel) -> Part {
    let is_right = pixel.uv.x >= 0.5;
    let half = fract(pixel.uv.x * 2.0);
    let row = min(pixel.uv.y / 0.9, 0.999);
    let point = vec2u(vec2f(half, row) * constants.side);
    return Part(point, select(select(0u, 1u, is_right), 2u, pixel.uv.y > 0.9));
}

// Returns the colour, blended over a pattern of squares that is visible where alpha is less than 1.
fn shown(value: vec4f, pixel: Pixel) -> vec4f {
    let color = clamp(value * constants.scale + constants.bias, vec4f(0.0), vec4f(1.0));
    let square = (u32(pixel.position.x / 4.0) + u32(pixel.position.y / 4.0)) % 2u;
    return vec4f(mix(vec3f(select(0.2, 0.5, square == 1u)), color.rgb, color.a), 1.0);
}

fn distance_of(value: vec4f, expected: vec4f) -> f32 {
    let away = abs(value - expected) * abs(constants.scale);
    return max(max(away.x, away.y), max(away.z, away.w));
}

// Returns green if the whole column matches the CPU's values, and red otherwise.
fn verdict(away: f32) -> vec4f {
    return vec4f(select(vec3f(0.7, 0.03, 0.03), vec3f(0.05, 0.3, 0.1), away < 0.012), 1.0);
}

fn expected(point: vec2u) -> vec4f { return textureLoad(reference, point, 0); }

fn missing(pixel: Pixel) -> vec4f {
    let stripe = fract((pixel.position.x + pixel.position.y) / 8.0) < 0.5;
    return vec4f(vec3f(select(0.03, 0.06, stripe)), 1.0);
}

@fragment
fn float_main(pixel: Pixel) -> @location(0) vec4f {
    let part = part(pixel);
    if part.kind == 1 { return shown(expected(part.point), pixel); }
    if constants.is_usable == 0.0 { return missing(pixel); }
    if part.kind == 0 { return shown(read_float(part.point), pixel); }
    var away = 0.0;
    for (var y = 0u; y < u32(constants.side); y++) {
        let point = vec2u(part.point.x, y);
        away = max(away, distance_of(read_float(point), expected(point)));
    }
    return verdict(away);
}

@fragment
fn unsigned_main(pixel: Pixel) -> @location(0) vec4f {
    let part = part(pixel);
    if part.kind == 1 { return shown(expected(part.point), pixel); }
    if constants.is_usable == 0.0 { return missing(pixel); }
    if part.kind == 0 { return shown(read_unsigned(part.point), pixel); }
    var away = 0.0;
    for (var y = 0u; y < u32(constants.side); y++) {
        let point = vec2u(part.point.x, y);
        away = max(away, distance_of(read_unsigned(point), expected(point)));
    }
    return verdict(away);
}

@fragment
fn signed_main(pixel: Pixel) -> @location(0) vec4f {
    let part = part(pixel);
    if part.kind == 1 { return shown(expected(part.point), pixel); }
    if constants.is_usable == 0.0 { return missing(pixel); }
    if part.kind == 0 { return shown(read_signed(part.point), pixel); }
    var away = 0.0;
    for (var y = 0u; y < u32(constants.side); y++) {
        let point = vec2u(part.point.x, y);
        away = max(away, distance_of(read_signed(point), expected(point)));
    }
    return verdict(away);
}

@fragment
fn sampled_main(pixel: Pixel) -> @location(0) vec4f {
    let part = part(pixel);
    if part.kind == 1 { return shown(expected(part.point), pixel); }
    if constants.is_usable == 0.0 { return missing(pixel); }
    if part.kind == 0 { return shown(read_sampled(part.point), pixel); }
    var away = 0.0;
    for (var y = 0u; y < u32(constants.side); y++) {
        let point = vec2u(part.point.x, y);
        away = max(away, distance_of(read_sampled(point), expected(point)));
    }
    return verdict(away);
}

@fragment
fn compared_main(pixel: Pixel) -> @location(0) vec4f {
    let part = part(pixel);
    if part.kind == 1 { return shown(expected(part.point), pixel); }
    if constants.is_usable == 0.0 { return missing(pixel); }
    if part.kind == 0 { return shown(read_compared(part.point), pixel); }
    var away = 0.0;
    for (var y = 0u; y < u32(constants.side); y++) {
        let point = vec2u(part.point.x, y);
        away = max(away, distance_of(read_compared(point), expected(point)));
    }
    return verdict(away);
}

// Writes the red channel as depth, because the CPU cannot upload to depth textures.
@fragment
fn depth_main(pixel: Pixel) -> @builtin(frag_depth) f32 {
    return textureLoad(floats, vec2u(pixel.position.xy), 0).x;
}

@group(1) @binding(0) var atlas: texture_2d<f32>; // t0
@group(2) @binding(0) var atlas_sampler: sampler; // s0

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) uv: vec2f,
}

// Draws text. Each letter is an instance with its rectangles in the window and in the atlas.
@vertex
fn text_vs_main(@builtin(vertex_index) index: u32, @location(0) place: vec4f, @location(1) part: vec4f) -> Corner {
    let corner = vec2f(f32(index & 1), f32(index >> 1));
    let at = mix(place.xy, place.zw, corner) * vec2f(2.0, -2.0) + vec2f(-1.0, 1.0);
    return Corner(vec4f(at, 0.0, 1.0), mix(part.xy, part.zw, corner));
}

@fragment
fn text_ps_main(corner: Corner) -> @location(0) vec4f {
    return vec4f(vec3f(0.75), textureSample(atlas, atlas_sampler, corner.uv).r);
}
