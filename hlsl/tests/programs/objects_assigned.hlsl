// Variables of object types: static variables, results of functions, out parameters, and assignments in control flow.
//= [require]
//= shader model >= 4.0
//= shader model < 6.0
//= [srv 0]
//= size (2d, 1, 1)
//= 1.0 0.0 0.0 0.0
//= [srv 1]
//= size (2d, 1, 1)
//= 2.0 0.0 0.0 0.0
//= [srv 2]
//= size (2d, 1, 1)
//= 3.0 0.0 0.0 0.0
//= [pixel shader]
Texture2D<float> one : register(t0);
Texture2D<float> two : register(t1);
Texture2D<float> three : register(t2);
uniform uint n;

static Texture2D<float> current;

struct Pair {
    Texture2D<float> texture;
    float scale;
};

float read() {
    return current.Load(int3(0, 0, 0));
}

void choose(Texture2D<float> texture) {
    current = texture;
}

Texture2D<float> second() {
    return two;
}

Pair pair(float scale) {
    Pair pair = { three, scale };
    return pair;
}

void swap(inout Texture2D<float> a, inout Texture2D<float> b) {
    Texture2D<float> c = a;
    a = b;
    b = c;
}

void pick(out Texture2D<float> texture, bool first) {
    if (first)
        texture = one;
    else
        texture = two;
}

float4 main() : SV_Target {
    choose(three);
    float sum = 0;
    [loop]
    for (uint k = 0; k < n; k++)
        sum += read();
    Texture2D<float> picked;
    pick(picked, true);
    sum = sum * 10 + picked.Load(int3(0, 0, 0));
    pick(picked, false);
    sum = sum * 10 + picked.Load(int3(0, 0, 0));
    choose(one);
    float a = read();
    current = second();
    a += 10 * read() + 100 * second().Load(int3(0, 0, 0));

    Pair p = pair(4);
    float b = p.scale * p.texture.Load(int3(0, 0, 0)) + 100 * pair(5).scale;

    Texture2D<float> left = one, right = three;
    swap(left, right);
    float c = left.Load(int3(0, 0, 0)) * 10 + right.Load(int3(0, 0, 0));

    Texture2D<float> last = one;
    if (n > 1)
        last = three;
    else
        last = three;
    float d = last.Load(int3(0, 0, 0));
    for (int i = 0; i < 3; i++) {
        d = d * 10 + last.Load(int3(0, 0, 0));
        if (i == 0)
            last = two;
        else
            last = one;
    }
    return float4(a, b, c + 1000 * sum, d);
}

//= [test]
//= uniform 0 uint 1
//= draw quad
//= probe (0, 0) rgba (221, 512, 312031, 3321)
