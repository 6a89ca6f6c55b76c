// Atomic functions on typed buffers that return the previous value or exchange values.
//= [require]
//= shader model >= 5.0
//= [uav 1]
//= format r32-uint
//= size (buffer, 3)
//= 5 6 7
//= [uav 2]
//= format r32-sint
//= size (buffer, 2)
//= -1 4
//= [uav 3]
//= format r32-uint
//= size (buffer, 2)
//= 8 9
//= [compute shader]
#include "show.hlsli"
RWBuffer<uint> words : register(u1);
RWBuffer<int> numbers : register(u2);
RWBuffer<uint> others : register(u3);
INPUT uint index = 1;

void exchange(RWBuffer<uint> buffer, uint at, uint value, out uint before) {
    InterlockedExchange(buffer[at], value, before);
}

[numthreads(1, 1, 1)]
void main() {
    uint before, count;
    int was;
    InterlockedAdd(words[index], 10, before);
    SHOW(uint2(before, words[1]));          //=> uint2 6 16
    InterlockedExchange(words[0], 1, before);
    SHOW(uint2(before, words.Load(0)));     //=> uint2 5 1
    InterlockedCompareExchange(words[2], 8, 1, before);
    SHOW(uint2(before, words[2]));          //=> uint2 7 7
    InterlockedCompareStore(words[2], 7, 2);
    words[index + 1] += 3;
    SHOW(words[2]);                         //=> uint 5
    words.GetDimensions(count);
    SHOW(count);                            //=> uint 3
    InterlockedMin(numbers[0], 3, was);
    SHOW(int2(was, numbers[0]));            //=> int2 -1 -1
    InterlockedMax(numbers[index], -7, was);
    SHOW(int2(was, numbers[1]));            //=> int2 4 4
    before = 3;
    InterlockedOr(words[index + 2], 1, before);
    SHOW(uint2(before, words[index + 2]));  //=> uint2 0 0
    exchange(others, index, 6, before);
    SHOW(uint2(before, others[1]));         //=> uint2 9 6
    InterlockedXor(others[0], 1);
    SHOW(others[0]);                        //=> uint 9
}
//= [test]
//= dispatch 1 1 1
//= probe uav 1 (1) u32 (16)
//= probe uav 2 (0) i32 (-1)
