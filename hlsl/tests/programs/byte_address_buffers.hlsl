// Byte address buffers: loads and stores of one to four words.
//= [require]
//= shader model >= 5.0
//= [srv 0]
//= format r32-typeless
//= size (raw_buffer, 5)
//= 1 2 3 4 5
//= [uav 1]
//= format r32-typeless
//= size (raw_buffer, 4)
//= 0 6 0 0
//= [uav 0]
//= format r32-uint
//= size (buffer, 6)
//= 0 0 0 0 0 0
//= [compute shader]
ByteAddressBuffer words : register(t0);
RWByteAddressBuffer written : register(u1);

cbuffer Values : register(b0) {
    uint4 at;
};
RWBuffer<uint> result : register(u0);

[numthreads(1, 1, 1)]
void main() {
    result[0] = words.Load(at.x);
    uint3 three = words.Load3(at.x);
    result[1] = three.x + three.y * 10 + three.z * 100;
    written.Store2(at.y, uint2(7, 8));
    written.Store(0, words.Load4(0).w);
    result[2] = written.Load(at.y + 4);
    result[3] = written.Load(0);
    uint old;
    written.InterlockedAdd(4, 5, old);
    result[4] = old * 100 + written.Load(4);
    uint bytes;
    words.GetDimensions(bytes);
    result[5] = bytes;
}

//= [test]
//= uniform 0 uint4 4 8 0 0
//= dispatch 1 1 1
//= probe uav 0 (0) u32 (2)
//= probe uav 0 (1) u32 (432)
//= probe uav 0 (2) u32 (8)
//= probe uav 0 (3) u32 (4)
//= probe uav 0 (4) u32 (611)
//= probe uav 0 (5) u32 (20)
