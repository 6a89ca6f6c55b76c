// Turns the arguments of an indirect draw with a geometry shader into those of its expanded vertices.

struct Params {
    // Not 0 if the draw has indices.
    indexed: u32,
    // Number of vertices of the first primitive.
    first: u32,
    // Number of further vertices of each other primitive.
    step: u32,
    // Maximum number of primitives.
    most: u32,
    // Number of expanded vertices for a primitive.
    expansion: u32,
    // Position in `constants` of the draw's first index, or 0 if the vertex stage does not read it.
    index_place: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> arguments: array<u32, 5>;
// The constants of pulled vertices.
@group(0) @binding(2) var<storage, read_write> constants: array<u32>;
@group(0) @binding(3) var<storage, read_write> new_arguments: array<u32, 4>;

@compute @workgroup_size(1)
fn main() {
    var primitives = 0u;
    if arguments[0] >= params.first {
        primitives = min((arguments[0] - params.first) / params.step + 1u, params.most);
    }
    // A draw with too many expanded vertices draws nothing.
    if primitives > 0xffffffffu / params.expansion { primitives = 0u; }
    let is_indexed = params.indexed != 0u;
    constants[0] = select(arguments[2], arguments[3], is_indexed);
    constants[1] = select(arguments[3], arguments[4], is_indexed);
    constants[2] = primitives;
    if params.index_place != 0u { constants[params.index_place] = arguments[2]; }
    new_arguments = array(primitives * params.expansion, arguments[1], 0u, 0u);
}
