// Structures in buffers, accessed as a whole, by fields, by elements and by components.
//= [require]
//= shader model >= 5.0
//= [srv 0]
//= stride 40
//= size (buffer, 2)
//= 1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0 9.0 10.0
//= 20.0 21.0 22.0 23.0 24.0 25.0 26.0 27.0 28.0 29.0
//= [uav 1]
//= stride 40
//= size (buffer, 1)
//= 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
//= [uav 0]
//= format r32-float
//= size (buffer, 7)
//= 0 0 0 0 0 0 0
//= [compute shader]
struct Item {
    float weight;
    float2 at;
    float list[3];
    float2x2 turn;
};

StructuredBuffer<Item> items : register(t0);
RWStructuredBuffer<Item> changed : register(u1);

cbuffer Values : register(b0) {
    uint4 place;
};
RWBuffer<float> result : register(u0);

[numthreads(1, 1, 1)]
void main() {
    Item item = items[place.x];
    result[0] = item.weight;
    result[1] = items[0].list[place.x];
    result[2] = items[place.x].turn[1][0];
    changed[0] = items[1];
    changed[0].at.y = 70;
    changed[0].list[place.y] += 1;
    result[3] = changed[0].at.y;
    result[4] = changed[0].list[2];
    result[5] = changed[0].at.x;
    uint count, stride;
    items.GetDimensions(count, stride);
    result[6] = count * 100 + stride;
}

//= [test]
//= uniform 0 uint4 1 2 0 0
//= dispatch 1 1 1
//= probe uav 0 (0) f32 (20)
//= probe uav 0 (1) f32 (5)
//= probe uav 0 (2) f32 (27)
//= probe uav 0 (3) f32 (70)
//= probe uav 0 (4) f32 (26)
//= probe uav 0 (5) f32 (21)
//= probe uav 0 (6) f32 (240)
