// RINGS is a macro of the program: how many waves are as long as the square.

// The height, 0 to 1, of a wave that runs outwards.
float Wave(float way, float time)
{
    return 0.5 + 0.5 * sin((way * RINGS - time) * 6.2832);
}
