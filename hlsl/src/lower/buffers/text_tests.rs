use crate::lower::testing::{compute, pixel};

#[test]
fn parts_of_structured_buffers_can_be_read_and_written() {
    compute(
        "struct Inner { float3 a; bool b; row_major float2x3 m; };
        struct Item { uint id; Inner inner[2]; float4x4 world; half2 h; int4 last; };
        StructuredBuffer<Item> items; RWStructuredBuffer<Item> out_items; RWStructuredBuffer<float3x3> matrices;
        RWStructuredBuffer<uint> counts;
        [numthreads(8, 1, 1)] void main(uint3 i : SV_DispatchThreadID) {
            Item item = items[i.x];
            item.inner[1].a.zy = items[i.y].inner[i.z & 1].m[1].xy;
            out_items[i.x] = item;
            out_items[i.x].inner[i.y].b = !items.Load(2).inner[0].b;
            out_items[i.x].world[i.y][i.z] += 1;
            out_items[i.x].world._m01_m23 = items[0].last.xy;
            out_items[i.y].inner[0] = (Inner)0;
            matrices[i.x] = transpose(matrices[i.y]);
            uint a, b; out_items.GetDimensions(a, b); counts[0] = a * b; counts[1]++;
        }",
    );
}

#[test]
fn atomically_changed_members_have_atomic_types() {
    let text = compute(
        "struct Item { float a; uint n; int2 pair; uint many[3]; };
        RWStructuredBuffer<Item> items; RWStructuredBuffer<int> numbers; RWStructuredBuffer<uint2> pairs;
        [numthreads(8, 1, 1)] void main(uint3 i : SV_DispatchThreadID) {
            Item item = items[i.x]; uint before; int least; float f;
            InterlockedAdd(items[i.x].n, item.n, before);
            InterlockedMin(items[i.x].pair.y, -3, least);
            InterlockedExchange(items[before].many[i.y], 7, f);
            InterlockedCompareExchange(numbers[i.x], 2, 3, least);
            InterlockedCompareStore(numbers[i.x], 2, 3);
            InterlockedOr(pairs[i.x].x, 4); InterlockedAnd(pairs[i.x][1], 4); InterlockedXor(numbers[1], 4);
            items[i.y] = item; items[i.y].pair = least; items[i.z].n += before + f;
        }",
    );
    assert!(text.contains("n: atomic<u32>"), "{text}");
    assert!(text.contains("pair: array<atomic<i32>, 2>"), "{text}");
    assert!(text.contains("a: f32"), "{text}");
}

#[test]
fn byte_address_buffers_support_all_methods() {
    let text = compute(
        "ByteAddressBuffer a; RWByteAddressBuffer b;
        [numthreads(8, 1, 1)] void main(uint3 i : SV_DispatchThreadID) {
            uint4 all = a.Load4(i.x) + uint4(a.Load3(i.y), a.Load(4)); uint size, before;
            b.Store4(16, all); b.Store2(i.x, asuint(float2(1, 2))); b.Store(i.z, a.Load2(8).y);
            a.GetDimensions(size); b.Store3(0, size);
        }",
    );
    assert!(text.contains("array<u32>"), "{text}");
    let text = compute(
        "RWByteAddressBuffer b;
        [numthreads(8, 1, 1)] void main(uint3 i : SV_DispatchThreadID) {
            uint before; b.Store2(4, b.Load2(8));
            b.InterlockedAdd(i.x, 2); b.InterlockedMax(i.x, -2, before); b.InterlockedMin(i.x, 2u, before);
            b.InterlockedExchange(4, before, before); b.InterlockedCompareStore(0, 1, 2);
            b.InterlockedCompareExchange(4, 1, 2, before); b.Store(12, before);
        }",
    );
    assert!(text.contains("array<atomic<u32>>"), "{text}");
    assert!(text.contains("loop"), "{text}");
}

#[test]
fn append_and_consume_use_hidden_counters() {
    let text = compute(
        "struct P { float3 at; float age; };
        AppendStructuredBuffer<P> dead : register(u1); ConsumeStructuredBuffer<P> alive : register(u3);
        RWStructuredBuffer<float2> counted : register(u5);
        [numthreads(8, 1, 1)] void main(uint3 i : SV_DispatchThreadID) {
            P p = alive.Consume(); p.age += 1; dead.Append(p);
            counted[counted.IncrementCounter()] = p.age; counted[counted.DecrementCounter()].x = 2;
        }",
    );
    for binding in [1, 3, 5] {
        assert!(text.contains(&format!("@group(4) @binding({binding})")), "{text}");
    }
}

#[test]
fn groupshared_variables_can_be_changed_atomically() {
    compute(
        "groupshared uint count; groupshared struct { int most; float other; } s[4]; RWStructuredBuffer<int> o;
        [numthreads(8, 1, 1)] void main(uint3 i : SV_DispatchThreadID, uint g : SV_GroupIndex) {
            int before; if (g == 0) count = 0; s[g & 3].most = 0; s[g & 3].other = 1;
            GroupMemoryBarrierWithGroupSync(); AllMemoryBarrier();
            InterlockedAdd(count, 1); InterlockedMax(s[i.x].most, -4, before);
            InterlockedCompareExchange(s[1].most, 2, 4, before);
            DeviceMemoryBarrierWithGroupSync();
            o[g] = before + count + s[1].most + s[2].other;
        }",
    );
}

#[test]
fn pixel_shaders_can_write_buffers() {
    pixel(
        "RWStructuredBuffer<uint> o : register(u1); RWByteAddressBuffer b : register(u2);
        float4 main(float4 p : SV_Position) : SV_Target { o[p.x] = p.y; b.Store(4, 1); DeviceMemoryBarrier(); return 0; }",
    );
}
