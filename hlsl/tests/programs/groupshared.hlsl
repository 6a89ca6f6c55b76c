// Group memory, barriers and atomic functions.
//= [require]
//= shader model >= 5.0
//= [uav 0]
//= format r32-uint
//= size (buffer, 6)
//= 0 0 0 0 0 0
//= [compute shader]
groupshared uint list[8];
groupshared uint total;
groupshared uint largest[2];
RWBuffer<uint> result : register(u0);

[numthreads(8, 1, 1)]
void main(uint thread : SV_GroupIndex, uint3 at : SV_DispatchThreadID, uint3 group : SV_GroupID) {
    list[thread] = at.x + 1;
    if (thread == 0) {
        total = 0;
        largest[0] = largest[1] = 0;
    }
    GroupMemoryBarrierWithGroupSync();
    InterlockedAdd(total, list[7 - thread]);
    uint before;
    InterlockedMax(largest[group.x], at.x, before);
    GroupMemoryBarrierWithGroupSync();
    if (thread == 0) {
        result[3 * group.x] = total;
        result[3 * group.x + 1] = list[7];
        result[3 * group.x + 2] = largest[group.x];
    }
}

//= [test]
//= dispatch 2 1 1
//= probe uav 0 (0) u32 (36)
//= probe uav 0 (1) u32 (8)
//= probe uav 0 (2) u32 (7)
//= probe uav 0 (3) u32 (100)
//= probe uav 0 (4) u32 (16)
//= probe uav 0 (5) u32 (15)
