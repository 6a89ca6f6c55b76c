// Layout of fields in structured buffers. Each field follows the previous one without gaps. Each word of the source
// buffers contains its own index.
//= [require]
//= shader model >= 5.0
//= [srv 0]
//= stride 92
//= size (buffer, 1)
//= 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
//= 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
//= 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47
//= 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
//= 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79
//= 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95
//= [srv 1]
//= stride 12
//= size (buffer, 8)
//= 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
//= 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
//= 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47
//= 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
//= 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79
//= 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95
//= [srv 2]
//= stride 4
//= size (buffer, 24)
//= 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
//= 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
//= 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47
//= 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
//= 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79
//= 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95
//= [srv 3]
//= stride 56
//= size (buffer, 1)
//= 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
//= 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
//= 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47
//= 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
//= 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79
//= 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95
//= [uav 0]
//= stride 48
//= size (buffer, 2)
//= 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
//= [compute shader]
#include "show.hlsli"

struct Inner {
    uint a;
    uint3 b;
};

struct Item {
    uint s;
    uint3 v;
    uint2 w;
    uint list[3];
    Inner inners[2];
    bool flag;
    float f;
    uint4 last;
};

struct Matrices {
    row_major uint2x3 rows;
    column_major uint3x2 columns;
    uint2x1 thin;
};

struct Written {
    uint3 a;
    int b[2];
    row_major uint2x2 m;
    uint2 c;
    bool d;
};

StructuredBuffer<Item> items : register(t0);
StructuredBuffer<uint3> triples : register(t1);
StructuredBuffer<uint> words : register(t2);
StructuredBuffer<Matrices> matrices : register(t3);
RWStructuredBuffer<Written> written : register(u0);

[numthreads(1, 1, 1)]
void main(uint zero : SV_GroupIndex) {
    uint one = zero + 1;
    SHOW(items[0].s);                   //=> uint 0
    SHOW(items[0].v);                   //=> uint3 1 2 3
    SHOW(items[zero].w);                //=> uint2 4 5
    SHOW(items[zero].list[0]);          //=> uint 6
    SHOW(items[zero].list[one + 1]);    //=> uint 8
    SHOW(items[0].inners[0].b);         //=> uint3 10 11 12
    SHOW(items[0].inners[one].a);       //=> uint 13
    SHOW(items[0].inners[one].b.zx);    //=> uint2 16 14
    SHOW(items[0].inners[one].b[one]);  //=> uint 15
    SHOW(items[0].flag);                //=> bool true
    SHOW(asuint(items[0].f));           //=> uint 18
    SHOW(items[0].last);                //=> uint4 19 20 21 22
    Item item = items[zero];
    SHOW(item.v);                       //=> uint3 1 2 3
    SHOW(item.inners[1].b);             //=> uint3 14 15 16
    SHOW(item.last.w);                  //=> uint 22

    SHOW(triples[0]);       //=> uint3 0 1 2
    SHOW(triples[one]);     //=> uint3 3 4 5
    SHOW(triples[7].z);     //=> uint 23
    SHOW(triples.Load(2));  //=> uint3 6 7 8
    SHOW(words[one * 9]);   //=> uint 9

    SHOW(matrices[0].rows[one]);    //=> uint3 3 4 5
    SHOW(matrices[0].columns[one]); //=> uint2 7 10
    SHOW(matrices[0].columns._m20); //=> uint 8
    SHOW(matrices[0].thin[one]);    //=> uint 13
    Matrices copy = matrices[0];
    SHOW(copy.columns[2]);          //=> uint2 8 11

    uint count, stride;
    items.GetDimensions(count, stride);
    SHOW(uint2(count, stride)); //=> uint2 4 92
    triples.GetDimensions(count, stride);
    SHOW(uint2(count, stride)); //=> uint2 32 12
    written.GetDimensions(count, stride);
    SHOW(uint2(count, stride)); //=> uint2 2 48

    written[0].a = uint3(1, 2, 3);
    written[0].b[one] = -5;
    written[0].m[one] = uint2(8, 9);
    written[0].m._m01 = 7;
    written[0].c.y = 11;
    written[0].d = true;
    SHOW(written[0].a);                             //=> uint3 1 2 3
    SHOW(int2(written[0].b[0], written[0].b[1]));   //=> int2 0 -5
    SHOW(written[0].m[0]);                          //=> uint2 0 7
    SHOW(written[0].m[1]);                          //=> uint2 8 9
    SHOW(written[0].c);                             //=> uint2 0 11
    SHOW(written[0].d);                             //=> bool true
    written[one] = written[0];
    written[one].a.zx = uint2(20, 30);
    written[one].a[one] += 40;
    written[one].b[0]--;
    SHOW(written[1].a);                             //=> uint3 30 42 20
    SHOW(int2(written[1].b[0], written[1].b[1]));   //=> int2 -1 -5
    Written local = (Written)6;
    written[one] = local;
    SHOW(written[1].c);                             //=> uint2 6 6
    SHOW(written[1].d);                             //=> bool true
}

//= [test]
//= dispatch 1 1 1
