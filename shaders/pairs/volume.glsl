// The ray marcher of the pair volume: a scan, seen through clip planes, as a maximum or with light.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(std140, set = 0, binding = 1) uniform View {
    vec4 clip_planes[6]; // normal, depth; a depth above 1: off
    vec4 clip_color;
    mat4 ray_matrix;
    int steps, clip_count, cutaway, mip;
    int cubic, overlays, drawing, pad;
    float gradient_amount, gradient_opacity, silhouette, back_opacity;
    vec4 light;
} view;
layout(set = 0, binding = 4) uniform sampler3D scan;
layout(set = 0, binding = 5) uniform sampler3D overlay;
layout(set = 0, binding = 6) uniform sampler3D drawing;

// Tricubic by eight linear fetches.
vec4 tricubic(vec3 at)
{
    vec3 size = vec3(textureSize(scan, 0)), grid = at * size - 0.5, index = floor(grid), f = grid - index, g = 1.0 - f;
    vec3 w0 = g * g * g / 6.0, w1 = 2.0 / 3.0 - 0.5 * f * f * (2.0 - f), w2 = 2.0 / 3.0 - 0.5 * g * g * (2.0 - g), w3 = f * f * f / 6.0;
    vec3 g0 = w0 + w1, g1 = w2 + w3;
    vec3 h0 = (w1 / g0 - 0.5 + index) / size, h1 = (w3 / g1 + 1.5 + index) / size;
    vec4 sum = vec4(0.0);
    for (int i = 0; i < 8; i++) {
        vec3 which = vec3(i & 1, i >> 1 & 1, i >> 2), w = mix(g0, g1, which);
        sum += textureLod(scan, mix(h0, h1, which), 0.0) * w.x * w.y * w.z;
    }
    return sum;
}

vec4 voxel(vec3 at)
{
    if (CUBIC)
        return tricubic(at);
    return textureLod(scan, at, 0.0);
}

// True if a plane hides the sample. A cutaway hides what is behind all planes, else each plane hides its own side.
bool clipped(vec3 at)
{
    bool all_behind = true, any_behind = false;
    for (int i = 0; i < 6; i++) {
        if (view.clip_planes[i].a > 1.0)
            continue;
        bool behind = dot(view.clip_planes[i].xyz, at - 0.5) > view.clip_planes[i].a;
        all_behind = all_behind && behind;
        any_behind = any_behind || behind;
    }
    if (CUTAWAY)
        return all_behind;
    return any_behind;
}

vec3 gradient(vec3 at)
{
    const float d = 1.0 / 32.0;
    vec3 low = vec3(textureLod(scan, at - vec3(d, 0, 0), 0.0).a, textureLod(scan, at - vec3(0, d, 0), 0.0).a, textureLod(scan, at - vec3(0, 0, d), 0.0).a);
    vec3 high = vec3(textureLod(scan, at + vec3(d, 0, 0), 0.0).a, textureLod(scan, at + vec3(0, d, 0), 0.0).a, textureLod(scan, at + vec3(0, 0, d), 0.0).a);
    return low - high;
}

void main()
{
    vec3 start = (view.ray_matrix * vec4(uv, 0.0, 1.0)).xyz, end = (view.ray_matrix * vec4(uv, 1.0, 1.0)).xyz, step_vector = (end - start) / float(view.steps);
    vec3 direction = normalize(end - start), at = start;
    vec4 sum = vec4(0.0);
    float brightest = 0.0;
    for (int i = 0; i < view.steps; i++, at += step_vector) {
        if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0))))
            continue;
        if (CLIP_PLANES && clipped(at))
            continue;
        vec4 value = voxel(at);
        if (MIP) {
            if (value.a > brightest) {
                brightest = value.a;
                sum = vec4(value.rgb, 1.0);
            }
            continue;
        }
        if (GRADIENT) {
            vec3 slope = gradient(at), n = normalize(slope + 1e-5);
            float lit = mix(1.0, max(dot(n, view.light.xyz), 0.0), view.gradient_amount);
            value.rgb *= lit;
            if (view.gradient_opacity > 0.0)
                value.a *= pow(clamp(length(slope) * 4.0, 0.0, 1.0), view.gradient_opacity);
            if (view.silhouette > 0.0)
                value.rgb *= pow(abs(dot(n, direction)), view.silhouette);
        }
        if (OVERLAY) {
            vec4 over = textureLod(overlay, at, 0.0);
            value = mix(value, over, over.a * 0.5);
        }
        if (DRAWING) {
            vec4 over = textureLod(drawing, at, 0.0);
            value = mix(value, over, step(0.5, over.a));
        }
        value.a *= view.back_opacity;
        value.rgb *= value.a;
        sum += (1.0 - sum.a) * value;
        if (sum.a > 0.95)
            break;
    }
    color = sum;
}
