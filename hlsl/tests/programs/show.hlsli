// SHOW(value) records a value and its type for the current line. `//=>` at the end of the line states the expected
// value. A program with INPUT runs twice. In the first run, INPUT declares a constant buffer variable. In the second
// run, it declares a compile-time constant.
RWByteAddressBuffer shown : register(u7);

#define SHOW(value) show(__LINE__, value)

void showWords(uint at, uint kind, uint count, uint4 words) {
    shown.Store(32 * at, kind << 8 | count);
    shown.Store4(32 * at + 4, words);
}

void show(uint at, float value) { showWords(at, 0, 1, asuint(float4(value, 0, 0, 0))); }
void show(uint at, float2 value) { showWords(at, 0, 2, asuint(float4(value, 0, 0))); }
void show(uint at, float3 value) { showWords(at, 0, 3, asuint(float4(value, 0))); }
void show(uint at, float4 value) { showWords(at, 0, 4, asuint(value)); }
void show(uint at, int value) { showWords(at, 1, 1, uint4(value, 0, 0, 0)); }
void show(uint at, int2 value) { showWords(at, 1, 2, uint4(value, 0, 0)); }
void show(uint at, int3 value) { showWords(at, 1, 3, uint4(value, 0)); }
void show(uint at, int4 value) { showWords(at, 1, 4, uint4(value)); }
void show(uint at, uint value) { showWords(at, 2, 1, uint4(value, 0, 0, 0)); }
void show(uint at, uint2 value) { showWords(at, 2, 2, uint4(value, 0, 0)); }
void show(uint at, uint3 value) { showWords(at, 2, 3, uint4(value, 0)); }
void show(uint at, uint4 value) { showWords(at, 2, 4, value); }
void show(uint at, bool value) { showWords(at, 3, 1, uint4(value, 0, 0, 0)); }
void show(uint at, bool2 value) { showWords(at, 3, 2, uint4(value, 0, 0)); }
void show(uint at, bool3 value) { showWords(at, 3, 3, uint4(value, 0)); }
void show(uint at, bool4 value) { showWords(at, 3, 4, uint4(value)); }
