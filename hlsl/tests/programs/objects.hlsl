// Objects in arrays, structures and parameters, and explicit registers with gaps.
//= [require]
//= shader model >= 5.0
//= [srv 2]
//= format r32-float
//= size (2d, 1, 1)
//= 20.0
//= [srv 3]
//= format r32-float
//= size (2d, 1, 1)
//= 30.0
//= [srv 0]
//= format r32-float
//= size (2d, 1, 1)
//= 1.0
//= [srv 1]
//= format r32-float
//= size (2d, 1, 1)
//= 10.0
//= [srv 9]
//= format r32-uint
//= size (buffer, 2)
//= 90 91
//= [srv 4]
//= stride 4
//= size (buffer, 2)
//= 40 41
//= [uav 1]
//= format r32-uint
//= size (buffer, 2)
//= 0 0
//= [uav 4]
//= format r32-uint
//= size (buffer, 2)
//= 0 0
//= [sampler 3]
//= filter point point point
//= address clamp clamp clamp
//= [compute shader]
#include "show.hlsli"

Texture2D<float> pair[2] : register(t2);
Texture2D<float> unused;
Texture2D<float> first;             // t0, the lowest free register
Texture2D<float> second;            // t1
Buffer<uint> late : register(t9);
StructuredBuffer<uint> third;       // t4, because t2 and t3 are taken
RWBuffer<uint> lists[1] : register(u4);
RWBuffer<uint> list : register(u1);
SamplerState samplers[4] : register(s0);

struct Material {
    Texture2D<float> texture1;
    SamplerState state;
    float scale;
};

float read(Texture2D<float> t) { return t[uint2(0, 0)]; }
float readFirst(Texture2D<float> t[2]) { return t[0][uint2(0, 0)]; }
float sample1(Material m) { return m.texture1.SampleLevel(m.state, 0.5, 0) * m.scale; }
uint at(Buffer<uint> b, uint place) { return b[place]; }
void put(RWBuffer<uint> b, uint value) { b[1] = value; }

[numthreads(1, 1, 1)]
void main(uint zero : SV_GroupIndex) {
    SHOW(pair[0][uint2(0, 0)]); //=> float 20
    SHOW(pair[1].Load(0));      //=> float 30
    SHOW(first[uint2(0, 0)]);   //=> float 1
    SHOW(second[uint2(0, 0)]);  //=> float 10
    SHOW(late[1]);              //=> uint 91
    SHOW(third[zero + 1]);      //=> uint 41
    SHOW(read(first));          //=> float 1
    SHOW(read(pair[1]));        //=> float 30
    SHOW(readFirst(pair));      //=> float 20
    SHOW(at(late, zero));       //=> uint 90
    float sum = 0;
    for (int i = 0; i < 2; i++)
        sum += pair[i][uint2(0, 0)] * (i + 1);
    SHOW(sum);                  //=> float 80
    Texture2D<float> local = second;
    SHOW(read(local));          //=> float 10
    Material material;
    material.texture1 = pair[0];
    material.state = samplers[3];
    material.scale = 3;
    SHOW(sample1(material));    //=> float 60
    put(list, 5);
    put(lists[0], 6);
    SHOW(list[1]);              //=> uint 5
    SHOW(lists[0][1]);          //=> uint 6
}

//= [test]
//= dispatch 1 1 1
//= probe uav 1 (1) u32 (5)
//= probe uav 4 (1) u32 (6)
