// Thread and group identifiers.
//= [require]
//= shader model >= 5.0
//= [compute shader]
#include "show.hlsli"

struct Numbers {
    uint3 inGroup : SV_GroupThreadID;
    uint index : SV_GroupIndex;
};

[numthreads(4, 3, 2)]
void main(uint3 thread : SV_DispatchThreadID, uint3 group : SV_GroupID, Numbers numbers) {
    if (all(group == uint3(1, 2, 1)) && numbers.index == 17) {
        SHOW(thread);           //=> uint3 5 7 3
        SHOW(group);            //=> uint3 1 2 1
        SHOW(numbers.inGroup);  //=> uint3 1 1 1
    }
    if (all(group == 0) && all(numbers.inGroup == uint3(3, 2, 0)))
        SHOW(numbers.index);    //=> uint 11
    if (any(group > uint3(1, 2, 1)))
        SHOW(group);            //=> never
}

//= [test]
//= dispatch 2 3 2
