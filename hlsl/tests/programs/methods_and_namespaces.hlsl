// Structures with methods and bases, and names in namespaces.
//= [require]
//= shader model >= 5.0
//= [uav 0]
//= format r32-uint
//= size (buffer, 4)
//= 0 0 0 0
//= [compute shader]
cbuffer Values : register(b0) {
    uint4 v;
};

namespace Numbers {
    uint twice(uint n) {
        return 2 * n;
    }
}

struct Shape {
    uint scale;

    uint scaled(uint n) {
        return n * scale;
    }
};

struct Square : Shape {
    uint side;

    uint area() {
        return scaled(side * side);
    }

    void grow(uint n) {
        side += n;
    }
};
RWBuffer<uint> result : register(u0);

[numthreads(1, 1, 1)]
void main() {
    Square square;
    square.scale = v.x;
    square.side = v.y;
    result[0] = square.area();
    square.grow(1);
    result[1] = square.side * 10 + square.scale;
    result[2] = Numbers::twice(v.y);
    Shape shape = (Shape)square;
    result[3] = shape.scaled(10);
}

//= [test]
//= uniform 0 uint4 2 3 0 0
//= dispatch 1 1 1
//= probe uav 0 (0) u32 (18)
//= probe uav 0 (1) u32 (42)
//= probe uav 0 (2) u32 (6)
//= probe uav 0 (3) u32 (20)
