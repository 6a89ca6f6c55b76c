// Arrays of all kinds with dynamic indices.
//= [require]
//= shader model >= 5.0
//= [compute shader]
#include "show.hlsli"

INPUT uint one = 1;
INPUT float listOf[4] = { 1, 2, 3, 4 };
static const float known[4] = { 10, 20, 30, 40 };
static int kept[3] = { 5, 6, 7 };
groupshared uint shared1[2][3];

struct Cell {
    float2 v;
    int list[2];
};

float sum(float x[4]) { return x[0] + x[1] + x[2] + x[3]; }
float at(float x[4], uint place) { return x[place]; }
void set(inout float x[4], uint place, float value) { x[place] = value; }
float second(const float2 x[2]) { return x[one].y; }

[numthreads(1, 1, 1)]
void main() {
    SHOW(listOf[one + 1]);                                  //=> float 3
    SHOW(known[one * 3]);                                   //=> float 40
    kept[one] += 10;
    SHOW(kept[1]);                                          //=> int 16
    SHOW(kept[one + 1]);                                    //=> int 7
    SHOW(sum(listOf));                                      //=> float 10
    SHOW(at(known, one));                                   //=> float 20
    float copy[4] = listOf;
    set(copy, one, 50);
    SHOW(copy[1]);                                          //=> float 50
    SHOW(listOf[1]);                                        //=> float 2
    SHOW(at(copy, one + 2));                                //=> float 4
    float grid[2][3] = { 1, 2, 3, 4, 5, 6 };
    SHOW(grid[one][one + 1]);                               //=> float 6
    SHOW(grid.Length + 10 * grid[one].Length);              //=> uint 32
    grid[one][0] = 9;
    SHOW(grid[1][0]);                                       //=> float 9
    SHOW(grid[0][one]);                                     //=> float 2
    Cell cells[3] = (Cell[3])0;
    cells[one].v.y = 3;
    cells[one + 1].list[one] = 4;
    SHOW(cells[1].v);                                       //=> float2 0 3
    SHOW(int2(cells[2].list[0], cells[2].list[1]));         //=> int2 0 4
    cells[0] = cells[one];
    SHOW(cells[0].v);                                       //=> float2 0 3
    float2 vectors[2] = { 1, 2, 3, 4 };
    SHOW(vectors[one][one]);                                //=> float 4
    vectors[one][0] = 7;
    SHOW(vectors[1]);                                       //=> float2 7 4
    SHOW(second(vectors));                                  //=> float 4
    bool flags[2] = { true, false };
    SHOW(flags[one]);                                       //=> bool false
    float2x2 squares[2] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    SHOW(squares[one][one][0]);                             //=> float 7
    SHOW(mul(squares[one], float2(1, 1)));                  //=> float2 11 15
    shared1[one][one + 1] = 8;
    SHOW(shared1[1][2]);                                    //=> uint 8
    SHOW(float3(7, 8, 9)[one]);                             //=> float 8
    SHOW((listOf[0] > 0 ? vectors[0] : vectors[1])[one]);   //=> float 2
    typedef float Row[2];
    Row rows[2] = { { 1, 2 }, { 3, 4 } };
    Row row = rows[one];
    SHOW(row[one]);                                         //=> float 4
}

//= [test]
//= dispatch 1 1 1
