// Hidden counters of append, consume and counter buffers.
//= [require]
//= shader model >= 5.0
//= [uav 0]
//= size (counter_buffer, 4)
//= 0 0 0 0
//= [uav 1]
//= size (counter_buffer, 4)
//= 3 0 0 0
//= [uav 2]
//= size (counter_buffer, 4)
//= 2 0 0 0
//= [uav 3]
//= size (counter_buffer, 4)
//= 5 0 0 0
//= [compute shader]
#include "show.hlsli"

AppendStructuredBuffer<uint> appended : register(u0);
ConsumeStructuredBuffer<uint> consumed : register(u1);
RWStructuredBuffer<uint> counted : register(u2);
RWStructuredBuffer<uint> other : register(u3);

[numthreads(1, 1, 1)]
void main(uint zero : SV_GroupIndex) {
    appended.Append(zero + 7);
    appended.Append(8);
    // The first word of the buffer is the same as the initial value of its counter.
    SHOW(consumed.Consume());           //=> uint 0
    SHOW(consumed.Consume());           //=> uint 0
    SHOW(consumed.Consume());           //=> uint 3
    SHOW(counted.IncrementCounter());   //=> uint 2
    SHOW(counted.IncrementCounter());   //=> uint 3
    SHOW(counted.DecrementCounter());   //=> uint 3
    counted[counted.IncrementCounter()] = 9;
    SHOW(counted[3]);                   //=> uint 9
    SHOW(other.DecrementCounter());     //=> uint 4
    uint count, stride;
    appended.GetDimensions(count, stride);
    SHOW(uint2(count, stride));         //=> uint2 4 4
}

//= [test]
//= dispatch 1 1 1
//= probe uav 0 (0) u32 (2)
//= probe uav 1 (0) u32 (0)
//= probe uav 2 (0) u32 (4)
//= probe uav 3 (0) u32 (4)
