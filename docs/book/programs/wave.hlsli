// RINGS is a macro of the program: the number of waves along the square's side.

// The height of a wave that runs outwards, 0 to 1.
float Wave(float way, float time)
{
    return 0.5 + 0.5 * sin((way * RINGS - time) * 6.2832);
}
