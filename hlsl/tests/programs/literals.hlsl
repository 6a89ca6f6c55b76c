// Forms of number literals and their types. A literal without a suffix matches int and uint equally well in overload
// resolution, so such literals are added to a variable.
//= [require]
//= shader model >= 5.0
//= [compute shader]
#include "show.hlsli"

[numthreads(1, 1, 1)]
void main() {
    int zero = 0;
    SHOW(10 + zero);        //=> int 10
    SHOW(010 + zero);       //=> int 8
    SHOW(0x1F + zero);      //=> int 31
    SHOW(0XfU);             //=> uint 15
    SHOW(10u);              //=> uint 10
    SHOW(10L + zero);       //=> int 10
    SHOW(int(-1));          //=> int -1
    SHOW(1.5);              //=> float 1.5
    SHOW(.5);               //=> float 0.5
    SHOW(5.);               //=> float 5
    SHOW(1e3);              //=> float 1000
    SHOW(1.5E-1);           //=> float 0.15
    SHOW(2.f);              //=> float 2
    SHOW(1F);               //=> float 1
    SHOW(.25h + 1.0f);      //=> float 1.25
    SHOW(16777217.0);       //=> float 16777216
    SHOW(true);             //=> bool true
    SHOW(false);            //=> bool false
    SHOW(1.0 / 3);          //=> float 0.33333334
    SHOW(int(7 / 2));       //=> int 3
    SHOW(7 / 2.0);          //=> float 3.5
    SHOW(1 ? 2 : 3);        //=> int 2
    SHOW(__LINE__ + zero);  //=> int 33
}

//= [test]
//= dispatch 1 1 1
