// The factors of triangles and squares.

// Returns the number of the word of an edge: 0 to 3 for the edges of the patch, 4 and 5 for the inside.
fn word_number(factor: u32) -> u32 {
    return factor + select(0u, 4u - EDGES, factor >= EDGES);
}

// Converts all factors. `count` is their number, which compilers should not know: if they unroll the loops, compilation
// takes twice as long.
fn process_factors(count: u32) {
    var is_culled = false;
    var highest = 0u;
    for (var number = 0u; number < count; number += 1u) {
        let raw = raw_factor(number);
        let factor = rounded_factor(raw, LOWEST_FACTOR, HIGHEST_FACTOR, IS_INTEGER);
        is_culled |= (number < EDGES) & culls(raw);
        highest = max(highest, factor);
        set_word(word_number(number), factor);
    }
    for (var number = 0u; number < count; number += 1u) {
        let is_inside = number >= EDGES;
        let lowest = select(0u, ONE + 1u, is_inside & IS_ODD & (highest > ONE));
        let factor = max(word(word_number(number)), lowest);
        let is_odd = ((factor & ONE) != 0u) & !(is_inside & (factor == ONE));
        let edge = edge_word(factor, select(IS_ODD, is_odd, IS_INTEGER));
        let converted = select(edge, ONE, is_inside & (highest == ONE));
        set_word(word_number(number), select(converted, 0u, is_culled));
    }
}
