// Loops that must be unrolled, because the index of a texture is known only in each iteration. Also the tracking of
// known parts of variables in such loops.
//= [require]
//= shader model >= 5.0
//= [srv 0]
//= size (2d, 1, 1)
//= 1.0 0.0 0.0 0.0
//= [srv 1]
//= size (2d, 1, 1)
//= 2.0 0.0 0.0 0.0
//= [srv 2]
//= size (2d, 1, 1)
//= 3.0 0.0 0.0 0.0
//= [srv 3]
//= size (2d, 1, 1)
//= 4.0 0.0 0.0 0.0
//= [srv 4]
//= format r32-float
//= size (2d, 3, 3)
//= 1.0 2.0 3.0
//= 4.0 5.0 6.0
//= 7.0 8.0 9.0
//= [compute shader]
#include "show.hlsli"

// Texture i contains the value i + 1.
Texture2D<float> t[4] : register(t0);
Texture2D<float> grid : register(t4);

INPUT int zero = 0;
INPUT int two = 2;
INPUT int ten = 10;

#define READ(i) t[i].Load(int3(0, 0, 0))

struct Numbers {
    int first;
    int2 rest;
    int list[2];
};

float counted(int count) {
    float sum = 0;
    [unroll(4)] for (int i = 0; i < count; i++)
        sum = sum * 10 + READ(i);
    return sum;
}

float partlyKnown(int count, float most) {
    float sum = 0;
    for (int i = 0; i < 4 && i < count && sum < most; i++)
        sum = sum * 10 + READ(i);
    return sum;
}

float found(float value) {
    float sum = 0;
    bool found = false;
    for (int i = 0; i < 4 && !found; i++) {
        sum += READ(i);
        found = READ(i) == value;
    }
    return sum;
}

float untilBreak(int skipped) {
    float sum = 0;
    int i = 0;
    for (;;) {
        if (i >= 4)
            break;
        if (i == skipped) {
            i++;
            continue;
        }
        sum = sum * 10 + READ(i);
        i++;
    }
    return sum;
}

float untilReturn(float most) {
    float sum = 0;
    int i = 0;
    while (true) {
        sum += READ(i);
        if (sum > most)
            return -sum;
        if (i == 3)
            return sum;
        i++;
    }
    return 0;
}

float countedDown(int count) {
    float sum = 0;
    int z = 4;
    while (z --> 0) {
        if (z >= count)
            continue;
        sum = sum * 10 + READ(z);
    }
    return sum * 10 + z;
}

float doCounted(int count) {
    float sum = 0;
    int i = 0;
    [unroll(3)] do {
        sum = sum * 10 + READ(i);
    } while (++i < count);
    return sum;
}

float offsets() {
    const int2 places[4] = { int2(-1, -1), int2(1, -1), int2(-1, 1), int2(1, 1) };
    float sum = 0;
    for (int i = 0; i < 4; i++)
        sum = sum * 10 + grid.Load(int3(1, 1, 0), places[i]);
    return sum;
}

float components() {
    int2 o = int2(-1, 0);
    float sum = 0;
    for (; o.x < 2; o.x++)
        sum = sum * 10 + grid.Load(int3(1, 1, 0), o);
    o.yx = o.xy - 1;
    return sum * 10 + READ(o.y) + 10 * o.x;
}

float elements(int index) {
    int a[3] = { 2, 1, 0 };
    float sum = READ(a[0]);
    a[1] = 3;
    sum = sum * 10 + READ(a[1]);
    sum = sum * 10 + READ(a[a[2]]);
    // Any element may have changed, so no element is known.
    a[index] = 7;
    return sum * 10 + a[2];
}

float fields() {
    Numbers n;
    n.first = 3;
    n.rest = int2(zero, 1);
    n.list[1] = 2;
    Numbers m = n;
    m.first = 0;
    return READ(n.first) * 1000 + READ(n.rest.y) * 100 + READ(m.list[1]) * 10 + READ(m.first);
}

float behindBranch(int n) {
    int i = 1;
    if (n == 0) {
        i = 3;
        return READ(i);
    }
    float sum = READ(i);
    if (n == 1)
        i = 2;
    else {
        sum += 100;
        i = 2;
    }
    return sum * 10 + READ(i);
}

float oneComponentDiffers(int n) {
    int2 v = int2(1, 2);
    if (n > 0)
        v.y = 3;
    return READ(v.x) * 10 + v.y;
}

void change(inout int2 v, int n) { v.x += n; }

float throughCalls(int n) {
    int2 v = int2(1, 2);
    change(v, n);
    int i = 2, j = 1;
    i = j++;
    return v.x * 1000 + v.y * 100 + READ(i) * 10 + READ(j);
}

float nested(int count) {
    float sum = 0;
    for (int i = 0; i < 2; i++) {
        int k = i;
        [unroll(2)] for (int j = 0; j < count; j++) {
            if (j == 1 && i == 0)
                break;
            sum = sum * 10 + READ(k);
            k += 2;
        }
    }
    return sum;
}

float switched(int n) {
    float sum = 0;
    int k = 0;
    for (int i = 0; i < 4; i++) {
        switch (n + i) {
        case 1:
            k = 5;
            break;
        default:
            k++;
            break;
        }
        sum = sum * 10 + READ(i) + k;
    }
    return sum;
}

[numthreads(1, 1, 1)]
void main() {
    SHOW(counted(zero));                //=> float 0
    SHOW(counted(two));                 //=> float 12
    SHOW(counted(ten));                 //=> float 1234
    SHOW(partlyKnown(two, 1000));       //=> float 12
    SHOW(partlyKnown(ten, 1000));       //=> float 1234
    SHOW(partlyKnown(ten, 100));        //=> float 123
    SHOW(partlyKnown(ten, 12));         //=> float 12
    SHOW(found(two));                   //=> float 3
    SHOW(found(ten));                   //=> float 10
    SHOW(untilBreak(two));              //=> float 124
    SHOW(untilBreak(ten));              //=> float 1234
    SHOW(untilReturn(two));             //=> float -3
    SHOW(untilReturn(ten));             //=> float 10
    SHOW(countedDown(two));             //=> float 209
    SHOW(countedDown(ten));             //=> float 43209
    SHOW(doCounted(zero));              //=> float 1
    SHOW(doCounted(two));               //=> float 12
    SHOW(doCounted(ten));               //=> float 123
    SHOW(offsets());                    //=> float 1379
    SHOW(components());                 //=> float 4552
    SHOW(elements(two));                //=> float 3437
    SHOW(elements(zero));               //=> float 3430
    SHOW(fields());                     //=> float 4231
    SHOW(behindBranch(zero));           //=> float 4
    SHOW(behindBranch(1));              //=> float 23
    SHOW(behindBranch(two));            //=> float 1023
    SHOW(oneComponentDiffers(zero));    //=> float 22
    SHOW(oneComponentDiffers(two));     //=> float 23
    SHOW(throughCalls(two));            //=> float 3223
    SHOW(nested(two));                  //=> float 124
    SHOW(nested(1));                    //=> float 12
    SHOW(switched(zero));               //=> float 2801
    SHOW(switched(two));                //=> float 2468
}

//= [test]
//= dispatch 1 1 1
