// The factors of lines.

fn process_factors(count: u32) {
    let across = raw_factor(0u);
    let along = raw_factor(1u);
    // The number of lines is an integer in all modes, from 1 to 64.
    let density = rounded_factor(across, 0x3f800000u, 0x42800000u, true);
    let lines = edge_word(density, (density & ONE) != 0u);
    let factor = rounded_factor(along, LOWEST_FACTOR, HIGHEST_FACTOR, IS_INTEGER);
    let line = edge_word(factor, select(IS_ODD, (factor & ONE) != 0u, IS_INTEGER));
    let is_culled = culls(across) | culls(along);
    set_word(0u, select(lines, 0u, is_culled));
    set_word(1u, select(line, 0u, is_culled));
}
