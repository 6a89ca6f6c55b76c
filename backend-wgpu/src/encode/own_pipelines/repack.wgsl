// Widens packed texels to those of a wider format, and narrows them again. Source and destination are rows in
// buffers.

struct Params {
    // Number of texels in a row, and number of rows.
    width: u32,
    rows: u32,
    // Bytes from one row of packed texels to the next, and words from one row of wide texels to the next.
    pitch: u32,
    wide_pitch: u32,
    // The number of the packing.
    packing: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> source: array<u32>;
@group(0) @binding(2) var<storage, read_write> destination: array<u32>;

const ALPHA = 0u;
const B5G6R5 = 1u;
const B5G5R5A1 = 2u;
const B4G4R4A4 = 3u;
const NO_ALPHA = 4u;
const R8G8_B8G8 = 5u;
const G8R8_G8B8 = 6u;
const THREE_FLOATS = 7u;
const THREE_INTEGERS = 8u;

fn byte_at(at: u32) -> u32 {
    return extractBits(source[at / 4u], 8u * (at % 4u), 8u);
}

fn half_at(at: u32) -> u32 {
    return byte_at(at) | (byte_at(at + 1u) << 8u);
}

// Converts a component of `bits` bits to 8 bits, with rounding.
fn spread(texel: u32, first: u32, bits: u32) -> u32 {
    let most = (1u << bits) - 1u;
    return (extractBits(texel, first, bits) * 510u + most) / (2u * most);
}

// Converts a component of 8 bits to `bits` bits, with rounding.
fn gather(wide: u32, component: u32, bits: u32) -> u32 {
    let most = (1u << bits) - 1u;
    return (extractBits(wide, 8u * component, 8u) * 2u * most + 255u) / 510u;
}

fn rgba(r: u32, g: u32, b: u32, a: u32) -> u32 {
    return r | (g << 8u) | (b << 16u) | (a << 24u);
}

@compute @workgroup_size(8, 8)
fn widen(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= params.width || id.y >= params.rows {
        return;
    }
    let row = id.y * params.pitch;
    if params.packing >= THREE_FLOATS {
        let to = id.y * params.wide_pitch + 4u * id.x;
        for (var n = 0u; n < 3u; n++) {
            destination[to + n] = source[(row + 12u * id.x) / 4u + n];
        }
        destination[to + 3u] = select(1u, 0x3f800000u, params.packing == THREE_FLOATS);
        return;
    }
    var wide = 0u;
    switch params.packing {
        case ALPHA: {
            wide = byte_at(row + id.x) << 24u;
        }
        case B5G6R5: {
            let t = half_at(row + 2u * id.x);
            wide = rgba(spread(t, 11u, 5u), spread(t, 5u, 6u), spread(t, 0u, 5u), 255u);
        }
        case B5G5R5A1: {
            let t = half_at(row + 2u * id.x);
            wide = rgba(spread(t, 10u, 5u), spread(t, 5u, 5u), spread(t, 0u, 5u), spread(t, 15u, 1u));
        }
        case B4G4R4A4: {
            let t = half_at(row + 2u * id.x);
            wide = rgba(spread(t, 8u, 4u), spread(t, 4u, 4u), spread(t, 0u, 4u), spread(t, 12u, 4u));
        }
        case NO_ALPHA: {
            wide = source[row / 4u + id.x] | 0xff000000u;
        }
        default: {
            let at = row + 4u * (id.x / 2u);
            let green = 2u * (id.x % 2u);
            if params.packing == R8G8_B8G8 {
                wide = rgba(byte_at(at), byte_at(at + 1u + green), byte_at(at + 2u), 255u);
            } else {
                wide = rgba(byte_at(at + 1u), byte_at(at + green), byte_at(at + 3u), 255u);
            }
        }
    }
    destination[id.y * params.wide_pitch + id.x] = wide;
}

// Returns a wide texel of a row, or 0 beyond the row.
fn wide_at(row: u32, x: u32) -> u32 {
    return select(0u, source[row * params.wide_pitch + min(x, params.width - 1u)], x < params.width);
}

fn narrow_half(wide: u32) -> u32 {
    switch params.packing {
        case B5G6R5: {
            return gather(wide, 2u, 5u) | (gather(wide, 1u, 6u) << 5u) | (gather(wide, 0u, 5u) << 11u);
        }
        case B5G5R5A1: {
            return gather(wide, 2u, 5u) | (gather(wide, 1u, 5u) << 5u) | (gather(wide, 0u, 5u) << 10u)
                | (gather(wide, 3u, 1u) << 15u);
        }
        default: {
            return gather(wide, 2u, 4u) | (gather(wide, 1u, 4u) << 4u) | (gather(wide, 0u, 4u) << 8u)
                | (gather(wide, 3u, 4u) << 12u);
        }
    }
}

// Writes one word of packed texels.
@compute @workgroup_size(8, 8)
fn narrow(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= params.pitch / 4u || id.y >= params.rows {
        return;
    }
    var word = 0u;
    if params.packing == ALPHA {
        for (var n = 0u; n < 4u; n++) {
            word |= (wide_at(id.y, 4u * id.x + n) >> 24u) << (8u * n);
        }
    } else if params.packing <= B4G4R4A4 {
        word = narrow_half(wide_at(id.y, 2u * id.x)) | (narrow_half(wide_at(id.y, 2u * id.x + 1u)) << 16u);
    } else if params.packing == NO_ALPHA {
        word = wide_at(id.y, id.x);
    } else if params.packing <= G8R8_G8B8 {
        let first = wide_at(id.y, 2u * id.x);
        let second = extractBits(wide_at(id.y, 2u * id.x + 1u), 8u, 8u);
        let red = extractBits(first, 0u, 8u);
        let green = extractBits(first, 8u, 8u);
        let blue = extractBits(first, 16u, 8u);
        if params.packing == R8G8_B8G8 {
            word = rgba(red, green, blue, second);
        } else {
            word = rgba(green, red, second, blue);
        }
    } else {
        word = source[id.y * params.wide_pitch + 4u * (id.x / 3u) + id.x % 3u];
    }
    destination[id.y * (params.pitch / 4u) + id.x] = word;
}
