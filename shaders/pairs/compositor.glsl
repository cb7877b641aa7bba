// The surface shader of the pairs compositor and hdr_window: a window's texture, and what a desktop does to it.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(std140, set = 0, binding = 1) uniform Window {
    vec2 top_left, full_size;
    float radius, rounding_power, alpha, discard_alpha_value;
    vec4 tint;
    int tex_type; // 0: rgba, 1: rgbx
    int discard_opaque, discard_alpha, apply_tint;
    int skip_cm, source_tf, target_tf, tone_map;
    float source_min, source_max, source_reference, target_max;
    float target_reference, max_luminance, sdr_saturation, sdr_brightness;
    int change_sdr, pad0, pad1, pad2;
    mat4 convert, target_to_xyz;
} window;
layout(set = 0, binding = 4) uniform sampler2D surface;

const int TF_BT1886 = 1, TF_LINEAR = 5, TF_GAMMA22 = 2, TF_SRGB = 9, TF_PQ = 11, TF_HLG = 13;

vec3 to_linear(vec3 c, int tf)
{
    switch (tf) {
    case TF_LINEAR:
        return c;
    case TF_PQ: {
        vec3 e = pow(clamp(c, 0.0, 1.0), vec3(1.0 / 78.84375));
        return pow(max(e - 0.8359375, 0.0) / (18.8515625 - 18.6875 * e), vec3(1.0 / 0.1593017578125));
    }
    case TF_HLG:
        return mix(exp((c - 0.55991073) / 0.17883277) + 0.28466892, c * c / 3.0, lessThanEqual(c, vec3(0.5)));
    case TF_BT1886:
        return pow(max(c, 0.0), vec3(2.4));
    case TF_GAMMA22:
        return pow(max(c, 0.0), vec3(2.2));
    default:
        return mix(pow((c + 0.055) / 1.055, vec3(2.4)), c / 12.92, lessThanEqual(c, vec3(0.04045)));
    }
}

vec3 from_linear(vec3 c, int tf)
{
    switch (tf) {
    case TF_LINEAR:
        return c;
    case TF_PQ: {
        vec3 e = pow(clamp(c, 0.0, 1.0), vec3(0.1593017578125));
        return pow((0.8359375 + 18.8515625 * e) / (1.0 + 18.6875 * e), vec3(78.84375));
    }
    case TF_HLG:
        return mix(0.17883277 * log(max(12.0 * c - 0.28466892, 1e-6)) + 0.55991073, sqrt(3.0 * max(c, 0.0)), lessThanEqual(c, vec3(1.0 / 12.0)));
    case TF_BT1886:
        return pow(max(c, 0.0), vec3(1.0 / 2.4));
    case TF_GAMMA22:
        return pow(max(c, 0.0), vec3(1.0 / 2.2));
    default:
        return mix(1.055 * pow(max(c, 0.0), vec3(1.0 / 2.4)) - 0.055, c * 12.92, lessThanEqual(c, vec3(0.0031308)));
    }
}

// Luminance of an opponent space is bent between the source's white and the display's.
vec3 tone_mapped(vec3 c)
{
    const mat3 to_lms = mat3(0.4122, 0.2119, 0.0883, 0.5363, 0.6807, 0.2817, 0.0514, 0.1074, 0.6300);
    const mat3 from_lms = mat3(4.0767, -1.2684, -0.0042, -3.3077, 2.6098, -0.7034, 0.2310, -0.3413, 1.7076);
    vec3 lms = from_linear(to_lms * c * window.source_max / 10000.0, TF_PQ);
    vec3 ictcp = vec3(0.5 * (lms.x + lms.y), 1.6137 * lms.x - 3.3234 * lms.y + 1.7097 * lms.z, 4.3782 * lms.x - 4.2456 * lms.y - 0.1325 * lms.z);
    float luminance = to_linear(ictcp.xxx, TF_PQ).x * 10000.0;
    float source_white = window.source_reference / window.source_max, target_white = window.target_reference / window.target_max;
    float x = clamp(luminance / window.source_max, 0.0, 1.0), bent = x;
    if (x > source_white) {
        float slope = (1.0 - target_white) / (1.0 - source_white), t = (x - source_white) / (1.0 - source_white);
        bent = target_white + (1.0 - target_white) * t * slope / (1.0 + t * (slope - 1.0));
    } else {
        bent = x * target_white / source_white;
    }
    ictcp.x = from_linear(vec3(bent * window.target_max / 10000.0), TF_PQ).x;
    lms = vec3(ictcp.x + 0.00861 * ictcp.y + 0.11103 * ictcp.z, ictcp.x - 0.00861 * ictcp.y - 0.11103 * ictcp.z, ictcp.x + 0.56003 * ictcp.y - 0.32063 * ictcp.z);
    return max(from_lms * to_linear(lms, TF_PQ) * 10000.0 / window.target_max, 0.0);
}

vec3 sdr_adjusted(vec3 c)
{
    vec3 xyz = mat3(window.target_to_xyz) * c;
    return mix(vec3(xyz.y), c, window.sdr_saturation) * window.sdr_brightness;
}

void colour_manage(inout vec4 pixel)
{
    pixel.rgb /= max(pixel.a, 0.001);
    pixel.rgb = to_linear(pixel.rgb, window.source_tf);
    pixel.rgb = mat3(window.convert) * pixel.rgb;
    if (TONE_MAP)
        pixel.rgb = tone_mapped(pixel.rgb);
    if (CHANGE_SDR)
        pixel.rgb = sdr_adjusted(pixel.rgb);
    pixel.rgb = from_linear(pixel.rgb, window.target_tf) * pixel.a;
}

// Corners of the window, smoothed over a pixel; the power makes circles or squircles.
void rounded(inout vec4 pixel)
{
    vec2 at = abs(gl_FragCoord.xy - window.top_left - window.full_size * 0.5) - window.full_size * 0.5 + window.radius;
    if (at.x + at.y > window.radius && at.x > 0.0 && at.y > 0.0) {
        float distance = pow(pow(at.x, window.rounding_power) + pow(at.y, window.rounding_power), 1.0 / window.rounding_power);
        if (distance > window.radius + 0.5)
            discard;
        pixel *= 1.0 - smoothstep(window.radius - 0.5, window.radius + 0.5, distance);
    }
}

void main()
{
    vec4 pixel = texture(surface, uv);
    if (RGBX)
        pixel.a = 1.0;
    if (DISCARD_OPAQUE && pixel.a * window.alpha == 1.0)
        discard;
    if (DISCARD_ALPHA && pixel.a <= window.discard_alpha_value)
        discard;
    if (MANAGE_COLOUR)
        colour_manage(pixel);
    if (TINT)
        pixel.rgb *= window.tint.rgb;
    if (ROUND)
        rounded(pixel);
    color = pixel * window.alpha;
}
