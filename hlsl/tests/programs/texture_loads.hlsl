// Texel loads, and the dimensions of textures.
//= [require]
//= shader model >= 5.0
//= [srv 0]
//= format r32-float
//= size (2d, 4, 4)
//= levels 3
//= 0.0 1.0 2.0 3.0
//= 10.0 11.0 12.0 13.0
//= 20.0 21.0 22.0 23.0
//= 30.0 31.0 32.0 33.0
//= 100.0 101.0 110.0 111.0
//= 200.0
//= [srv 1]
//= format r32g32-sint
//= size (2darray, 2, 1, 2)
//= 1 -1 2 -2
//= 11 -11 12 -12
//= [srv 2]
//= format r32-uint
//= size (3d, 2, 2, 2)
//= 0 1 10 11
//= 100 101 110 111
//= [srv 3]
//= format r32-float
//= size (1d, 4)
//= levels 2
//= 1.0 2.0 3.0 4.0
//= 10.0 20.0
//= [srv 4]
//= format r32-float
//= size (1darray, 2, 3)
//= 1.0 2.0
//= 11.0 12.0
//= 21.0 22.0
//= [srv 5]
//= format r32-float
//= size (cube, 4)
//= levels 1
//= 1.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
//= 2.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
//= 3.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
//= 4.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
//= 5.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
//= 6.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
//= [compute shader]
#include "show.hlsli"

Texture2D<float> plain : register(t0);
Texture2DArray<int2> layers : register(t1);
Texture3D<uint> volume : register(t2);
Texture1D<float> line1 : register(t3);
Texture1DArray<float> lines : register(t4);
TextureCube<float> cube : register(t5);

INPUT int one = 1;
INPUT int2 place = int2(1, 2);

[numthreads(1, 1, 1)]
void main() {
    SHOW(plain.Load(int3(place, 0)));                   //=> float 21
    SHOW(plain.Load(int3(place / 2, one)));             //=> float 110
    SHOW(plain.Load(int3(0, 0, 2)));                    //=> float 200
    SHOW(plain.Load(int3(place, 0), int2(1, -1)));      //=> float 12
    SHOW(plain[place]);                                 //=> float 21
    SHOW(plain[uint2(3, one)]);                         //=> float 13
    SHOW(plain.mips[one][uint2(1, 1)]);                 //=> float 111
    SHOW(plain.mips[0][place]);                         //=> float 21
    SHOW(layers.Load(int4(one, 0, one, 0)));            //=> int2 12 -12
    SHOW(layers[int3(0, 0, one)]);                      //=> int2 11 -11
    SHOW(layers[int3(0, 0, one)].y);                    //=> int -11
    SHOW(layers.mips[0][int3(1, 0, 0)]);                //=> int2 2 -2
    SHOW(layers.Load(int4(0, 0, one, 0), int2(1, 0)));  //=> int2 12 -12
    SHOW(volume.Load(int4(1, 0, one, 0)));              //=> uint 101
    SHOW(volume[uint3(0, one, 1)]);                     //=> uint 110
    SHOW(volume.Load(int4(0, 0, 0, 0), int3(1, 1, 0))); //=> uint 11
    SHOW(line1.Load(int2(place.y, 0)));                 //=> float 3
    SHOW(line1.Load(int2(one, 0), 2));                  //=> float 4
    SHOW(line1.Load(int2(one, 1)));                     //=> float 20
    SHOW(line1[one]);                                   //=> float 2
    SHOW(lines.Load(int3(one, 2, 0)));                  //=> float 22
    SHOW(lines[uint2(0, one)]);                         //=> float 11

    // Dimensions as integers and floats, of the first level and of other levels.
    uint w, h, d, levels;
    float fw, fh, fd, flevels;
    int iw, ih;
    plain.GetDimensions(w, h);
    SHOW(uint2(w, h));                  //=> uint2 4 4
    plain.GetDimensions(fw, fh);
    SHOW(float2(fw, fh));               //=> float2 4 4
    plain.GetDimensions(iw, ih);
    SHOW(int2(iw, ih));                 //=> int2 4 4
    plain.GetDimensions(one, w, h, levels);
    SHOW(uint3(w, h, levels));          //=> uint3 2 2 3
    plain.GetDimensions(2, fw, fh, flevels);
    SHOW(float3(fw, fh, flevels));      //=> float3 1 1 3
    layers.GetDimensions(w, h, d);
    SHOW(uint3(w, h, d));               //=> uint3 2 1 2
    layers.GetDimensions(0, w, h, d, levels);
    SHOW(uint4(w, h, d, levels));       //=> uint4 2 1 2 1
    volume.GetDimensions(w, h, d);
    SHOW(uint3(w, h, d));               //=> uint3 2 2 2
    volume.GetDimensions(0, fw, fh, fd, flevels);
    SHOW(float4(fw, fh, fd, flevels));  //=> float4 2 2 2 1
    line1.GetDimensions(w);
    SHOW(w);                            //=> uint 4
    line1.GetDimensions(one, w, levels);
    SHOW(uint2(w, levels));             //=> uint2 2 2
    lines.GetDimensions(w, d);
    SHOW(uint2(w, d));                  //=> uint2 2 3
    lines.GetDimensions(0, w, d, levels);
    SHOW(uint3(w, d, levels));          //=> uint3 2 3 1
    cube.GetDimensions(w, h);
    SHOW(uint2(w, h));                  //=> uint2 4 4
    cube.GetDimensions(0, w, h, levels);
    SHOW(uint3(w, h, levels));          //=> uint3 4 4 1
}

//= [test]
//= dispatch 1 1 1
