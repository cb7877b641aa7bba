// The shading of hits in the pair combiner: a console's texture unit and colour combiner, as settings of each surface.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(std140, set = 0, binding = 1) uniform Hits {
    int hits, pad0, pad1, pad2;
    vec4 fog_color, tint, input_colors[4];
    ivec4 filtering_and_address; // filtering, u, v, uses uv
    ivec4 vertex; // normal, alpha, inputs, textures
    ivec4 options; // alpha, fog, edge, noise
    ivec4 modes[2]; // colour, alpha: single, multiply, mix, same
    ivec4 inputs[2];
    ivec4 size;
    vec4 sun;
} hit;
layout(set = 0, binding = 4) uniform sampler2D textures;

int addressed(int at, int size, int mode)
{
    if (mode == 2)
        return clamp(at, 0, size - 1);
    if (mode == 1) {
        int twice = ((at % (2 * size)) + 2 * size) % (2 * size);
        return twice < size ? twice : 2 * size - 1 - twice;
    }
    return ((at % size) + size) % size;
}

vec4 texel(ivec2 at)
{
    return texelFetch(textures, ivec2(addressed(at.x, hit.size.x, ADDRESS_U), addressed(at.y, hit.size.y, ADDRESS_V)), 0);
}

vec4 sampled(vec2 at)
{
    vec2 p = at * vec2(hit.size.xy);
    if (FILTERING == 1) {
        p -= 0.5;
        ivec2 low = ivec2(floor(p));
        vec2 f = fract(p);
        return mix(mix(texel(low), texel(low + ivec2(1, 0)), f.x), mix(texel(low + ivec2(0, 1)), texel(low + ivec2(1, 1)), f.x), f.y);
    }
    return texel(ivec2(floor(p)));
}

vec4 input_of(int number, vec4 tex_0, vec4 tex_1, vec4 inputs[4])
{
    switch (number) {
    case 1: return inputs[0];
    case 2: return inputs[1];
    case 3: return inputs[2];
    case 4: return inputs[3];
    case 5: return tex_0;
    case 6: return vec4(tex_0.a);
    case 7: return tex_1;
    default: return vec4(0.0);
    }
}

vec4 combined(ivec4 mode, ivec4 number, vec4 tex_0, vec4 tex_1, vec4 inputs[4])
{
    if (mode.x != 0)
        return input_of(number.w, tex_0, tex_1, inputs);
    if (mode.y != 0)
        return input_of(number.x, tex_0, tex_1, inputs) * input_of(number.z, tex_0, tex_1, inputs);
    if (mode.z != 0)
        return mix(input_of(number.y, tex_0, tex_1, inputs), input_of(number.x, tex_0, tex_1, inputs), input_of(number.z, tex_0, tex_1, inputs));
    vec4 b = input_of(number.y, tex_0, tex_1, inputs);
    return (input_of(number.x, tex_0, tex_1, inputs) - b) * input_of(number.z, tex_0, tex_1, inputs) + input_of(number.w, tex_0, tex_1, inputs);
}

float noise(vec2 at)
{
    uvec2 q = uvec2(at) * uvec2(1597334677u, 3812015801u);
    return float((q.x ^ q.y) * 1597334677u) * 2.3283064e-10;
}

// One surface that the ray meets.
vec4 shade(int i)
{
    vec2 at = uv * (2.0 + float(i)) - 0.3;
    vec3 normal = vec3(0.0, 0.0, 1.0);
    if (VERTEX_NORMAL)
        normal = normalize(vec3(sin(at * 3.0), 1.0));
    vec4 inputs[4] = vec4[4](vec4(0.0), vec4(0.0), vec4(0.0), vec4(0.0));
    for (int k = 0; k < VERTEX_INPUTS; k++)
        inputs[k] = mix(hit.input_colors[k], hit.input_colors[(k + 1) & 3], fract(at.x * 0.3));
    if (!VERTEX_ALPHA)
        for (int k = 0; k < 4; k++)
            inputs[k].a = 1.0;
    vec4 tex_0 = vec4(1.0), tex_1 = vec4(1.0);
    if (TEXTURES > 0)
        tex_0 = sampled(VERTEX_UV ? at : vec2(0.5));
    if (TEXTURES > 1)
        tex_1 = sampled(VERTEX_UV ? at * 1.7 : vec2(0.5));
    vec4 result = combined(COLOR_MODE, COLOR_INPUTS, tex_0, tex_1, inputs);
    if (COLOR_MODE.w == 0)
        result.a = combined(ALPHA_MODE, ALPHA_INPUTS, tex_0, tex_1, inputs).a;
    if (OPT_ALPHA && OPT_EDGE) {
        if (result.a > 0.3)
            result.a = 1.0;
        else
            result.a = 0.0;
    }
    if (OPT_NOISE)
        result.a *= round(noise(gl_FragCoord.xy + float(i)));
    if (!OPT_ALPHA)
        result.a = 1.0;
    result.rgb *= 0.4 + 0.6 * max(dot(normal, hit.sun.xyz), 0.0);
    if (OPT_FOG)
        result.rgb = mix(result.rgb, hit.fog_color.rgb, hit.fog_color.a * float(i) * 0.1);
    return result;
}

void main()
{
    vec4 sum = vec4(0.0);
    for (int i = 0; i < hit.hits; i++) {
        vec4 surface = shade(i);
        sum += vec4(surface.rgb * surface.a, surface.a) * (1.0 - sum.a) * 0.6;
    }
    color = sum * hit.tint;
}
