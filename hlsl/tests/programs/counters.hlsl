// Hidden counters of structured buffers and append buffers.
//= [require]
//= shader model >= 5.0
//= [uav 1]
//= size (counter_buffer, 4)
//= 0 0 0 0
//= [uav 2]
//= size (counter_buffer, 4)
//= 0 0 0 0
//= [uav 0]
//= format r32-uint
//= size (buffer, 4)
//= 0 0 0 0
//= [compute shader]
AppendStructuredBuffer<uint> list : register(u1);
RWStructuredBuffer<uint> counted : register(u2);
RWBuffer<uint> result : register(u0);

[numthreads(4, 1, 1)]
void main(uint thread : SV_GroupIndex) {
    list.Append(thread + 1);
    GroupMemoryBarrierWithGroupSync();
    AllMemoryBarrierWithGroupSync();
    if (thread == 0) {
        result[0] = counted.IncrementCounter();
        result[1] = counted.IncrementCounter();
        result[2] = counted.DecrementCounter();
        result[3] = 7;
    }
}

//= [test]
//= dispatch 1 1 1
//= probe uav 0 (0) u32 (0)
//= probe uav 0 (1) u32 (1)
//= probe uav 0 (2) u32 (1)
//= probe uav 0 (3) u32 (7)
//= probe uav 1 (0) u32 (4)
//= probe uav 2 (0) u32 (1)
