// Switches with several labels per case, a default in the middle, returns from a case, and switches in loops.
//= [require]
//= shader model >= 5.0
//= [uav 0]
//= format r32-sint
//= size (buffer, 10)
//= 0 0 0 0 0 0 0 0 0 0
//= [compute shader]
cbuffer Values : register(b0) {
    int4 values;
};

int pick(int n) {
    int picked = 0;
    switch (n) {
        case 0:
            picked = 10;
            break;
        case 1:
        case 2:
            picked = 20;
            break;
        default:
            picked = 40;
            break;
        case 3:
            picked = 30;
            break;
    }
    return picked;
}

int give(int n) {
    switch (n) {
        case 1:
            return 7;
        default:
            break;
    }
    return 8;
}
RWBuffer<int> result : register(u0);

[numthreads(1, 1, 1)]
void main() {
    result[0] = pick(values.x);
    result[1] = pick(values.y);
    result[2] = pick(values.z);
    result[3] = pick(values.w);
    result[4] = pick(-5);
    result[5] = give(values.y);
    result[6] = give(values.w);
    int sum = 0;
    for (int i = 0; i < 6; i++) {
        switch (i) {
            case 1:
                sum += 50;
                break;
            case 4:
                sum += 100;
                break;
            default:
                sum += i;
                break;
        }
        sum += 1000;
    }
    result[7] = sum;
    switch (values.z) {
        default:
            result[8] = 5;
            break;
    }
    switch (uint(values.w)) {
        case 3u: {
            int inner = 9;
            result[9] = inner;
            break;
        }
    }
}

//= [test]
//= uniform 0 int4 0 1 2 3
//= dispatch 1 1 1
//= probe uav 0 (0) i32 (10)
//= probe uav 0 (1) i32 (20)
//= probe uav 0 (2) i32 (20)
//= probe uav 0 (3) i32 (30)
//= probe uav 0 (4) i32 (40)
//= probe uav 0 (5) i32 (7)
//= probe uav 0 (6) i32 (8)
//= probe uav 0 (7) i32 (6160)
//= probe uav 0 (8) i32 (5)
//= probe uav 0 (9) i32 (9)
