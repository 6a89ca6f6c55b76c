// The program defines the macro RINGS: the number of waves along the square's side.

// Returns the height of a wave that runs outwards, from 0 to 1.
float Wave(float way, float time)
{
    return 0.5 + 0.5 * sin((way * RINGS - time) * 6.2832);
}
