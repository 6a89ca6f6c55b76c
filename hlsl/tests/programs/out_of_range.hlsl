// Beyond the end of a buffer zeros are read, and nothing is stored or changed.
//= [require]
//= shader model >= 5.0
//= [srv 0]
//= stride 16
//= size (buffer, 2)
//= 1.0 2.0 3.0 4.0
//= 5.0 6.0 7.0 8.0
//= [srv 1]
//= size (raw_buffer, 3)
//= 11 12 13
//= [uav 1]
//= stride 16
//= size (buffer, 2)
//= 21.0 22.0 23.0 24.0
//= 25.0 26.0 27.0 28.0
//= [uav 2]
//= size (raw_buffer, 3)
//= 31 32 33
//= [uav 0]
//= format r32-float
//= size (buffer, 12)
//= 9 9 9 9 9 9 9 9 9 9 9 9
//= [compute shader]
struct Item {
    float3 first;
    float second;
};

StructuredBuffer<Item> items : register(t0);
ByteAddressBuffer bytes : register(t1);
RWStructuredBuffer<Item> changed : register(u1);
RWByteAddressBuffer words : register(u2);

cbuffer Values : register(b0) {
    uint two;
    int negative;
};
RWBuffer<float> result : register(u0);

[numthreads(1, 1, 1)]
void main() {
    Item item = items[two];
    result[0] = item.first.y + item.second;
    result[1] = items[two - 1].first.z;
    result[2] = items[negative].first[two];
    uint4 four = bytes.Load4(two * 2);
    result[3] = four.x;
    result[4] = four.y;
    result[5] = four.z + four.w;
    item.second = 99;
    item.first = 98;
    changed[two] = item;
    changed[negative].first.x = 97;
    words.Store4(two * 2, uint4(41, 42, 43, 44));
    words.Store(two * 6, 45);
    uint before = 7;
    words.InterlockedAdd(two * 2 + 4, 100, before);
    result[6] = before;
    words.InterlockedAdd(two * 6, 100);
    words.InterlockedMax(two * 500, 1000);
    result[7] = changed[1].second;
}

//= [test]
//= uniform 0 int4 2 -1 0 0
//= dispatch 1 1 1
//= probe uav 0 (0) f32 (0)
//= probe uav 0 (1) f32 (7)
//= probe uav 0 (2) f32 (0)
//= probe uav 0 (3) f32 (12)
//= probe uav 0 (4) f32 (13)
//= probe uav 0 (5) f32 (0)
//= probe uav 0 (6) f32 (42)
//= probe uav 0 (7) f32 (28)
//= probe uav 1 (0) rgba (21.0, 22.0, 23.0, 24.0)
//= probe uav 1 (1) rgba (25.0, 26.0, 27.0, 28.0)
//= probe uav 2 (0) u32 (31)
//= probe uav 2 (1) u32 (41)
//= probe uav 2 (2) u32 (142)
