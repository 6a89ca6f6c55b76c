// Rocks, ships and gifts, lit by a sun, the nebula, shots and explosions.

struct Object {
    to_world: mat4x4f,
    tint: vec4f, // rgb: factor of the colour; w: factor of the emitted light
    rock: vec4f, // x: roughness of the surface; y: a number that differs for each object
}

@group(0) @binding(1) var<uniform> object: Object; // register b1

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) world: vec3f,
    @location(1) normal: vec3f,
    @location(2) color: vec4f,
    @location(3) place: vec3f, // position in the object's local space
}

const SUN: vec3f = vec3f(-0.55, 0.60, 0.58);

@vertex
fn vs_main(@location(0) position: vec3f, @location(1) normal: vec3f, @location(2) color: vec4f) -> Corner {
    let world = object.to_world * vec4f(position, 1.0);
    let turned = (object.to_world * vec4f(normal, 0.0)).xyz;
    return Corner(scene.to_clip * world, world.xyz, turned, color, position);
}

// Returns the surface grain at a position: an offset of the normal, and in w a factor of the brightness.
fn grain(place: vec3f) -> vec4f {
    let p = place * 6.5 + object.rock.y;
    let e = 0.12;
    let here = noise(p);
    let slope = vec3f(noise(p + vec3f(e, 0.0, 0.0)), noise(p + vec3f(0.0, e, 0.0)), noise(p + vec3f(0.0, 0.0, e))) - here;
    return vec4f(slope / e * 0.28, 0.72 + 0.5 * here * noise(p * 2.7) + 0.2 * here);
}

@fragment
fn ps_main(corner: Corner) -> @location(0) vec4f {
    // An object that crosses an edge of the arena is drawn on both sides. Each copy shows only the part inside the
    // arena.
    let inside = scene.arena.xy - abs(corner.world.xy);
    let edge = min(inside.x, inside.y);
    if edge < 0.0 {
        discard;
    }
    var normal = normalize(corner.normal);
    var color = corner.color.rgb * object.tint.rgb;
    if object.rock.x > 0.0 {
        let rough = grain(corner.place);
        let bend = (object.to_world * vec4f(rough.xyz, 0.0)).xyz / length(object.to_world[0].xyz);
        normal = normalize(normal - bend * object.rock.x);
        color *= rough.w;
    }
    let view = normalize(scene.eye.xyz - corner.world);
    let sun_way = normalize(scene.right.xyz * SUN.x + scene.up.xyz * SUN.y + vec3f(0.0, 0.0, SUN.z));
    let sun = max(dot(normal, sun_way), 0.0) * vec3f(1.9, 1.65, 1.35);
    let sky = mix(vec3f(0.10, 0.04, 0.16), vec3f(0.07, 0.12, 0.26), 0.5 + 0.5 * normal.z);
    let shine = pow(max(dot(normal, normalize(sun_way + view)), 0.0), 24.0) * (1.0 - object.rock.x) * 0.7;
    var light = sun + sky;
    for (var n = 0; n < i32(scene.up.w); n++) {
        let way = scene.lights[n].position.xyz - corner.world;
        let square = dot(way, way);
        let facing = max(dot(normal, way * inverseSqrt(square)), 0.0) * 0.85 + 0.15;
        light += scene.lights[n].color.rgb * facing / (0.6 + square);
    }
    // Add a rim of the nebula's light, and the light of the arena's border.
    let rim = pow(1.0 - max(dot(normal, view), 0.0), 3.0) * vec3f(0.14, 0.22, 0.42);
    let border = exp(-edge * 7.0) * vec3f(0.15, 0.75, 1.0);
    let own = corner.color.a;
    let lit = color * light * (1.0 - own) + rim * (1.0 - own) + shine * light + color * own * 1.9 * object.tint.w;
    return vec4f((lit + border) * scene.right.w, 1.0);
}
