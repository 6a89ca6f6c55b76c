// Pixel shader inputs: system values, and interpolated values in all modes. The triangle covers the target. Its
// vertices have w components of 1, 1 and 3, so that perspective has an effect.
//= [require]
//= shader model >= 5.0
//= [rtv 0]
//= size (2d, 4, 4)
//= [vb 0]
//= -1.0 -1.0 0.0 1.0  0.0 10.0
//= -1.0  3.0 0.0 1.0  0.0 20.0
//=  9.0 -3.0 0.75 3.0  1.0 30.0
//= [input layout]
//= 0 r32g32b32a32-float POSITION
//= 0 r32g32-float VALUE
//= [vertex shader]
struct Corner {
    float4 position : SV_Position;
    float plain : PLAIN;
    noperspective float flat2D : FLAT;
    nointerpolation float first : FIRST;
    nointerpolation uint id : ID;
    centroid float middle : MIDDLE;
    linear float2 list[2] : LIST;
    float4 whole : WHOLE3;
    uint instance : INSTANCE;
};

Corner main(float4 position : POSITION, float2 value : VALUE, uint id : SV_VertexID, uint instance : SV_InstanceID) {
    Corner corner;
    corner.position = position;
    corner.plain = corner.flat2D = corner.middle = value.x;
    corner.first = value.y;
    corner.id = id + 5;
    corner.list[0] = value.xx * 2;
    corner.list[1] = value.xx * 3;
    corner.whole = float4(1, 2, 3, 4);
    corner.instance = instance;
    return corner;
}
//= [pixel shader]
#include "show.hlsli"

struct Seen {
    float4 position : SV_Position;
    float plain : PLAIN;
    noperspective float flat2D : FLAT;
    nointerpolation float first : FIRST;
    nointerpolation uint id : ID;
    centroid float middle : MIDDLE;
    linear float2 list[2] : LIST;
    float4 whole : WHOLE3;
    uint instance : INSTANCE;
};

float4 main(Seen seen, bool front : SV_IsFrontFace) : SV_Target {
    if (all(seen.position.xy == float2(2.5, 1.5)) && seen.instance == 1) {
        SHOW(seen.position.xy); //=> float2 2.5 1.5
        SHOW(seen.first);       //=> float 10
        SHOW(seen.id);          //=> uint 5
        SHOW(seen.whole);       //=> float4 1 2 3 4 ~ 0.0001
        SHOW(front);            //=> bool true

        // The pixel is at (0.25, 0.25) in normalized device coordinates. The third vertex is at (3, -1), so its
        // screen-space weight is 1.25 / 4 = 0.3125, and 1 / w is 0.6875 + 0.3125 / 3.
        SHOW(seen.flat2D);      //=> float 0.3125 ~ 0.0001
        SHOW(seen.plain);       //=> float 0.1315789 ~ 0.0001
        SHOW(seen.middle);      //=> float 0.1315789 ~ 0.0001
        SHOW(seen.list[1]);     //=> float2 0.3947368 0.3947368 ~ 0.0001
        SHOW(seen.position.w);  //=> float 1.2631579 ~ 0.0001
        SHOW(seen.position.z);  //=> float 0.078125 ~ 0.0001
    }
    return 0;
}

//= [test]
//= draw triangle list 3 2
