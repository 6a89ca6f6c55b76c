// Thread identifiers may be declared signed or with fewer components.
//= [require]
//= shader model >= 5.0
//= [compute shader]
#include "show.hlsli"

[numthreads(2, 2, 1)]
void main(int2 thread : SV_DispatchThreadID, uint group : SV_GroupID) {
    if (thread.x == 3 && thread.y == 1)
        SHOW(int3(thread - 4, group));  //=> int3 -1 -3 1
}

//= [test]
//= dispatch 2 1 1
