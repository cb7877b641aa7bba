// The fragment stage of the pair ff_stages: the eight texture stages of Direct3D 9.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(std140, set = 0, binding = 1) uniform State {
    uvec4 stages[8]; // x: colour operation and arguments, y: alpha operation and arguments, z: to the temporary register
    vec4 factor, constants[8], bump[8];
    vec4 diffuse, specular;
    uint active_stages;
} state;
layout(set = 0, binding = 4) uniform sampler2D texture_0;
layout(set = 0, binding = 5) uniform sampler2D texture_1;
layout(set = 0, binding = 6) uniform sampler2D texture_2;
layout(set = 0, binding = 7) uniform sampler2D texture_3;

const uint DISABLE = 1u, SELECT_1 = 2u, SELECT_2 = 3u, MODULATE = 4u, MODULATE_2X = 5u, MODULATE_4X = 6u, ADD = 7u, ADD_SIGNED = 8u, ADD_SIGNED_2X = 9u,
           SUBTRACT = 10u, ADD_SMOOTH = 11u, BLEND_DIFFUSE = 12u, BLEND_TEXTURE = 13u, BLEND_FACTOR = 14u, BLEND_CURRENT = 16u, MODULATE_ALPHA_ADD = 18u,
           DOT_PRODUCT = 24u, MULTIPLY_ADD = 25u, LERP = 26u;

struct Registers {
    vec4 current, temporary, diffuse, specular, texel, constant;
};

vec4 argument(uint word, uint at, Registers r)
{
    uint arg = bitfieldExtract(word, int(at), 6);
    vec4 value;
    switch (arg & 7u) {
    case 0u: value = r.diffuse; break;
    case 1u: value = r.current; break;
    case 2u: value = r.texel; break;
    case 3u: value = state.factor; break;
    case 4u: value = r.specular; break;
    case 5u: value = r.temporary; break;
    default: value = r.constant; break;
    }
    if ((arg & 16u) != 0u)
        value = 1.0 - value;
    if ((arg & 32u) != 0u)
        value = value.aaaa;
    return value;
}

vec4 operation(uint word, Registers r)
{
    vec4 a = argument(word, 6u, r), b = argument(word, 12u, r), c = argument(word, 18u, r);
    switch (word & 63u) {
    case SELECT_1: return a;
    case SELECT_2: return b;
    case MODULATE: return a * b;
    case MODULATE_2X: return clamp(a * b * 2.0, 0.0, 1.0);
    case MODULATE_4X: return clamp(a * b * 4.0, 0.0, 1.0);
    case ADD: return clamp(a + b, 0.0, 1.0);
    case ADD_SIGNED: return clamp(a + b - 0.5, 0.0, 1.0);
    case ADD_SIGNED_2X: return clamp((a + b - 0.5) * 2.0, 0.0, 1.0);
    case SUBTRACT: return clamp(a - b, 0.0, 1.0);
    case ADD_SMOOTH: return clamp(a + b - a * b, 0.0, 1.0);
    case BLEND_DIFFUSE: return mix(b, a, r.diffuse.a);
    case BLEND_TEXTURE: return mix(b, a, r.texel.a);
    case BLEND_FACTOR: return mix(b, a, state.factor.a);
    case BLEND_CURRENT: return mix(b, a, r.current.a);
    case MODULATE_ALPHA_ADD: return clamp(a + a.a * b, 0.0, 1.0);
    case DOT_PRODUCT: return clamp(vec4(dot(a.rgb - 0.5, b.rgb - 0.5) * 4.0), 0.0, 1.0);
    case MULTIPLY_ADD: return clamp(a * b + c, 0.0, 1.0);
    case LERP: return mix(b, a, c);
    default: return r.current;
    }
}

vec4 texel_of(uint stage, vec2 at)
{
    switch (stage & 3u) {
    case 0u: return texture(texture_0, at);
    case 1u: return texture(texture_1, at);
    case 2u: return texture(texture_2, at);
    default: return texture(texture_3, at);
    }
}

void run_stage(uint stage, uint color_word, uint alpha_word, uint to_temporary, inout Registers r)
{
    r.texel = texel_of(stage, uv * (1.0 + float(stage) * 0.5));
    r.constant = state.constants[stage];
    vec4 result = operation(color_word, r);
    if ((alpha_word & 63u) == DISABLE)
        result.a = r.current.a;
    else if (alpha_word != color_word)
        result.a = operation(alpha_word, r).a;
    if (to_temporary != 0u)
        r.temporary = result;
    else
        r.current = result;
}

void main()
{
    Registers r;
    r.diffuse = state.diffuse * vec4(uv, 0.5 + 0.5 * uv.x, 1.0) + 0.2;
    r.specular = state.specular * uv.y;
    r.current = r.diffuse;
    r.temporary = vec4(0.0);
    if (ACTIVE_STAGES > 0u)
        run_stage(0u, COLOR_0, ALPHA_0, TEMPORARY_0, r);
    if (ACTIVE_STAGES > 1u)
        run_stage(1u, COLOR_1, ALPHA_1, TEMPORARY_1, r);
    if (ACTIVE_STAGES > 2u)
        run_stage(2u, COLOR_2, ALPHA_2, TEMPORARY_2, r);
    if (ACTIVE_STAGES > 3u)
        run_stage(3u, COLOR_3, ALPHA_3, TEMPORARY_3, r);
    for (uint i = 4u; i < 8u; i++) {
        if (i >= ACTIVE_STAGES)
            break;
        run_stage(i, state.stages[i].x, state.stages[i].y, state.stages[i].z, r);
    }
    color = r.current + vec4(r.specular.rgb, 0.0);
}
