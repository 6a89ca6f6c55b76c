// Nested branches, loops, switches and early exits. A line that is not reached must not write its record.
//= [require]
//= shader model >= 5.0
//= [compute shader]
#include "show.hlsli"

INPUT int two = 2;
INPUT int ten = 10;
INPUT float f = 0.5;
INPUT bool yes = true;
INPUT uint big = 0xffffffff;

int sign3(int x) {
    if (x < 0)
        return -1;
    else if (x > 0)
        return 1;
    return 0;
}

// 100 times the number of iterations of the outer loop, plus the sum over the inner loop.
int leave(int limit) {
    int rounds = 0, sum = 0;
    for (int i = 0; i < 5; i++) {
        rounds++;
        if (i == 1)
            continue;
        for (int j = 0; j < 5; j++) {
            if (j == limit)
                break;
            if (j == 1)
                continue;
            sum += j;
        }
        if (i == 3)
            break;
    }
    return rounds * 100 + sum;
}

int findIn(int x) {
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            if (i * 4 + j == x)
                return i * 10 + j;
    return -1;
}

int choose(int x) {
    int result = 0;
    switch (x) {
        case 0:
            result = 10;
            break;
        case 1:
        case 2:
            result = 20;
            break;
        case -3: {
            int local = 30;
            result = local;
            break;
        }
        default:
            result = 40;
            break;
        case 5:
            result = 50;
            break;
    }
    return result + 1;
}

int leaves(int x) {
    switch (x) {
        case 0: return 1;
        case 1: if (two == 2) break; return 2;
        case 2:
            for (int i = 0; i < 10; i++) {
                if (i == 3)
                    break;
                if (i == 5)
                    return 99;
            }
            return 3;
        default:
            break;
    }
    return 4;
}

int loopOfSwitch() {
    int sum = 0;
    for (int i = 0; i < 6; i++) {
        switch (i) {
            case 0: sum += 5; break;
            case 1: sum += 1; break;
            case 4: return sum * 100;
            default: sum += 10; break;
        }
        sum += 1000;
    }
    return -1;
}

int natural(uint x) {
    switch (x) {
        case 0xffffffff: return 1;
        case 4: return 2;
        default: return 3;
    }
}

[numthreads(1, 1, 1)]
void main() {
    SHOW(sign3(-5));        //=> int -1
    SHOW(sign3(two));       //=> int 1
    SHOW(sign3(two - 2));   //=> int 0

    if (yes)
        SHOW(1.0);                  //=> float 1
    else
        SHOW(2.0);                  //=> never
    if (f)
        SHOW(1.0);                  //=> float 1
    if (two - 2) {
        SHOW(1.0);                  //=> never
    } else if (ten) {
        SHOW(2.0);                  //=> float 2
    } else {
        SHOW(3.0);                  //=> never
    }
    if (yes) {
        if (!yes)
            SHOW(1.0);              //=> never
        else
            SHOW(2.0);              //=> float 2
    }
    if (f > 1) {} else SHOW(5.0);   //=> float 5

    SHOW(leave(4));     //=> int 415
    SHOW(leave(0));     //=> int 400
    SHOW(leave(two));   //=> int 400
    SHOW(findIn(6));    //=> int 12
    SHOW(findIn(16));   //=> int -1

    SHOW(choose(0));        //=> int 11
    SHOW(choose(1));        //=> int 21
    SHOW(choose(two));      //=> int 21
    SHOW(choose(-3));       //=> int 31
    SHOW(choose(4));        //=> int 41
    SHOW(choose(5));        //=> int 51
    SHOW(leaves(0));        //=> int 1
    SHOW(leaves(1));        //=> int 4
    SHOW(leaves(two));      //=> int 3
    SHOW(leaves(ten));      //=> int 4
    SHOW(loopOfSwitch());   //=> int 402600
    SHOW(natural(big));     //=> int 1
    SHOW(natural(two * 2)); //=> int 2
    SHOW(natural(two));     //=> int 3

    int n = 0;
    while (n * n < ten)
        n++;
    SHOW(n);        //=> int 4
    do {
        n += 10;
        if (n > 50)
            break;
    } while (n < 30);
    SHOW(n);        //=> int 34
    do
        n++;
    while (false);
    SHOW(n);        //=> int 35
    n = 0;
    do {
        n++;
        if (n < 3)
            continue;
        n += 100;
    } while (n < 5);
    SHOW(n);        //=> int 103
    while (true) {
        n--;
        if (n % 10 == 0)
            break;
    }
    SHOW(n);        //=> int 100
    for (;;) {
        if (n-- < 90)
            break;
    }
    SHOW(n);        //=> int 88
    n = 0;
    for (int i = ten; i > 0; i -= 3)
        n = n * 10 + i;
    SHOW(n);        //=> int 10741
    n = 0;
    [unroll] for (int j = 0; j < 4; j++)
        n += j * j;
    SHOW(n);        //=> int 14
    [loop] for (uint k = 0; k < 3; ++k)
        n += k;
    SHOW(n);        //=> int 17
    [unroll(2)] for (int l = 0; l < 2; l++)
        n += 100;
    SHOW(n);        //=> int 217
    [branch] if (n > 5) n = 1; else n = 2;
    SHOW(n);        //=> int 1
    [flatten] if (n > 5) n = 1; else n = 2;
    SHOW(n);        //=> int 2
    [forcecase] switch (two) { case 2: n = 8; break; default: n = 9; break; }
    SHOW(n);        //=> int 8
    for (float x = 0; x < f * 4; x += 0.5)
        n++;
    SHOW(n);        //=> int 12
    {
        int n = 5;
        SHOW(n);    //=> int 5
    }
    SHOW(n);        //=> int 12
    ;;;
    if (yes) {
        SHOW(1.0);  //=> float 1
        return;
    }
    SHOW(2.0);      //=> never
}

//= [test]
//= dispatch 1 1 1
