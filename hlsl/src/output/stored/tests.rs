use super::*;
use crate::{CompileOptions, compile};

const TEXT: &str = "
cbuffer Frame : register(b1) { float4x4 view; float3 sun; float2 weights[3]; };
StructuredBuffer<float4> lights : register(t2);
RWStructuredBuffer<float4> result;
groupshared float sums[64];
float weigh(float a, inout float b) { b += a; return a * weights[uint(a) % 3].y; }
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint index : SV_GroupIndex) {
    float sum = 0;
    for (uint i = 0; i < 4; ++i) {
        if (i == index) continue;
        switch (i) { case 1: sum += weigh(lights[i].x, sum); break; default: sum -= 1; break; }
    }
    sums[index] = sum;
    GroupMemoryBarrierWithGroupSync();
    result[id.x] = mul(view, float4(sun, sums[63 - index]));
}";

fn compiled(text: &str) -> Compiled {
    compile(text, "a.hlsl", "main", "cs_5_0".parse().unwrap(), &CompileOptions::default()).unwrap()
}

fn body(compiled: &Compiled) -> Vec<u8> {
    let Compiled { module, entry_point, reflection, .. } = compiled;
    rmp_serde::to_vec(&ProgramWriter { module, entry_point, reflection }).unwrap()
}

#[test]
fn the_version_of_naga_is_the_one_that_is_linked() {
    let (_, naga) = WRITER.split_once("with naga ").unwrap();
    let manifest = include_str!("../../../Cargo.toml");
    assert!(manifest.contains(&format!("\nnaga = {{ version = \"{naga}.")), "{WRITER}");
}

#[test]
fn a_damaged_byte_is_found_wherever_it_is() {
    let bytes = compiled("[numthreads(1, 1, 1)] void main() {}").to_bytes().unwrap();
    for at in 0..bytes.len() {
        assert!(Compiled::from_bytes(&bytes[..at]).is_err(), "the first {at} bytes");
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x55;
        assert!(Compiled::from_bytes(&damaged).is_err(), "byte {at}");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(matches!(Compiled::from_bytes(&longer), Err(StoredError::Damaged { .. })));
}

#[test]
fn foreign_bytes_and_other_versions_have_their_own_errors() {
    assert_eq!(Compiled::from_bytes(b"DXBC and more").unwrap_err(), StoredError::NotStored);
    assert_eq!(Compiled::from_bytes(b"").unwrap_err(), StoredError::NotStored);
    let bytes = compiled("[numthreads(1, 1, 1)] void main() {}").to_bytes().unwrap();
    let mut other = MAGIC.to_vec();
    other.extend(12_u64.to_le_bytes());
    other.extend(b"0.0.9 with n");
    other.extend(&bytes[MAGIC.len() + 8 + WRITER.len()..]);
    let error = Compiled::from_bytes(&other).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("the shader was stored by onze-hlsl 0.0.9 with n, but this is {WRITER}: compile it again")
    );
}

/// Changed bytes with a matching checksum cause neither an invalid module nor a panic.
#[test]
fn a_wrong_body_is_an_error_or_a_valid_program() {
    let body = body(&compiled(TEXT));
    assert!(load(&body).is_ok());
    let mut state = 0x9e37_79b9_u32;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as usize
    };
    let mut refused = 0;
    const ROUNDS: usize = 4000;
    for _ in 0..ROUNDS {
        let mut wrong = body.clone();
        for _ in 0..1 + random() % 3 {
            let at = random() % wrong.len();
            let length = wrong.len();
            match random() % 3 {
                0 => wrong[at] = random() as u8,
                1 => wrong[at] ^= 1 << (random() % 8),
                _ => drop(wrong.drain(at..(at + random() % 8).min(length))),
            }
        }
        refused += usize::from(load(&wrong).is_err());
    }
    assert!(refused > ROUNDS / 2, "{refused}");
}

#[test]
fn deeply_nested_bytes_do_not_exhaust_the_stack() {
    let mut body = vec![0x93, 0xdc, 0xff, 0xff];
    body.extend(std::iter::repeat_n(0x91, 1 << 20));
    assert!(load(&body).is_err());
}

#[test]
fn programs_are_stored_up_to_the_limit_of_depth() {
    // The program is nested as deeply as the grammar allows.
    let deep = compiled(&format!(
        "RWBuffer<uint> r; [numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {{ {} r[0] = 1; {} }}",
        "switch (r[id.x]) { case 1:".repeat(61),
        "break; }".repeat(61)
    ));
    let loaded = Compiled::from_bytes(&deep.to_bytes().unwrap()).unwrap();
    assert_eq!(loaded.wgsl().unwrap(), deep.wgsl().unwrap());
    // No source can be compiled to modules like these.
    let stored = |blocks: usize| {
        let mut nested = compiled("[numthreads(1, 1, 1)] void main() {}");
        for _ in 0..blocks {
            let body = &mut nested.module.entry_points[0].function.body;
            let inner = std::mem::take(body);
            body.push(naga::Statement::Block(inner), naga::Span::UNDEFINED);
        }
        // The writer needs more stack than the reader.
        let writer = std::thread::Builder::new().stack_size(16 << 20);
        writer.spawn(move || nested.to_bytes()).unwrap().join().unwrap()
    };
    let most = (0..MOST_DEPTH).take_while(|blocks| stored(*blocks).is_ok()).count() - 1;
    assert!(Compiled::from_bytes(&stored(most).unwrap()).is_ok());
    assert_eq!(stored(most + 1), Err(StoredError::TooDeep), "{most} blocks");
    assert!((MOST_DEPTH / 4..MOST_DEPTH).contains(&most), "{most} blocks");
}
