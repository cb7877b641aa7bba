// What the pairs lobes_mix and lobes_pruned share: the leaf lobes of a layered surface, each a function that shader generators
// emit for one node of a material's graph. A lobe answers a light's direction, or gathers the dome light by eight samples.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(std140, set = 0, binding = 1) uniform Surface {
    vec3 base_color;
    float base;
    vec3 specular_color;
    float specular;
    vec3 transmission_color;
    float transmission;
    vec3 subsurface_color;
    float subsurface;
    vec3 sheen_color;
    float sheen;
    vec3 coat_color;
    float coat;
    vec3 metal_edge;
    float metalness;
    vec3 emission_color;
    float emission;
    float diffuse_roughness;
    float specular_roughness;
    float specular_ior;
    float sheen_roughness;
    float coat_roughness;
    float coat_ior;
    float thin_walled;
    float film_thickness;
    vec4 lights[4]; // direction, intensity
    int light_count;
} surface;
layout(set = 0, binding = 4) uniform sampler2D dome;

const float PI = 3.14159265;
const float EPS = 1e-6;
const int SAMPLES = 8;

struct Frame {
    vec3 normal, view, light;
    float n_v, n_l;
    bool indirect;
};

// What a lobe sends to the eye, and what it lets through to the layers below.
struct Lobe {
    vec3 response, throughput;
};

Lobe nothing()
{
    return Lobe(vec3(0.0), vec3(1.0));
}

vec3 dome_light(vec3 direction, float roughness)
{
    vec2 at = vec2(atan(direction.x, -direction.z) / (2.0 * PI) + 0.5, acos(clamp(direction.y, -1.0, 1.0)) / PI);
    return textureLod(dome, at, roughness).rgb * 1.5;
}

vec2 hammersley(int i)
{
    return vec2((float(i) + 0.5) / float(SAMPLES), float(bitfieldReverse(uint(i))) * 2.3283064e-10);
}

mat3 around(vec3 n)
{
    vec3 t = normalize(cross(abs(n.y) < 0.99 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0), n));
    return mat3(t, cross(n, t), n);
}

float distribution(float n_h, float alpha)
{
    float a2 = alpha * alpha, d = n_h * n_h * (a2 - 1.0) + 1.0;
    return a2 / (PI * d * d);
}

float masking(float n_l, float n_v, float alpha)
{
    float a2 = alpha * alpha;
    return 2.0 / (sqrt(a2 + (1.0 - a2) * n_l * n_l) / n_l + sqrt(a2 + (1.0 - a2) * n_v * n_v) / n_v);
}

float fresnel_dielectric(float cosine, float ior)
{
    float g2 = ior * ior - 1.0 + cosine * cosine;
    if (g2 < 0.0)
        return 1.0;
    float g = sqrt(g2), a = (g - cosine) / (g + cosine), b = ((g + cosine) * cosine - 1.0) / ((g - cosine) * cosine + 1.0);
    return 0.5 * a * a * (1.0 + b * b);
}

vec3 fresnel_schlick(float cosine, vec3 f0, vec3 edge)
{
    return mix(f0, edge, pow(clamp(1.0 - cosine, 0.0, 1.0), 5.0));
}

// Interference of a thin film: a cosine for each colour.
vec3 film_tint(float cosine, float thickness)
{
    vec3 phase = thickness * 4.0 * PI * cosine / vec3(0.65, 0.55, 0.45);
    return 0.5 + 0.5 * cos(phase);
}

// The dome through a glossy lobe: half vectors by the lobe's distribution.
vec3 gather_glossy(Frame f, float alpha, vec3 f0, vec3 edge)
{
    mat3 world = around(f.normal);
    vec3 sum = vec3(0.0);
    for (int i = 0; i < SAMPLES; i++) {
        vec2 xi = hammersley(i);
        float c = sqrt((1.0 - xi.y) / (1.0 + (alpha * alpha - 1.0) * xi.y)), s = sqrt(max(1.0 - c * c, 0.0));
        vec3 h = world * vec3(s * cos(2.0 * PI * xi.x), s * sin(2.0 * PI * xi.x), c);
        vec3 l = reflect(-f.view, h);
        float n_l = clamp(dot(f.normal, l), EPS, 1.0), v_h = clamp(dot(f.view, h), EPS, 1.0), n_h = clamp(dot(f.normal, h), EPS, 1.0);
        float g = masking(n_l, f.n_v, alpha);
        sum += dome_light(l, alpha) * fresnel_schlick(v_h, f0, edge) * g * v_h / (n_h * f.n_v) * n_l;
    }
    return sum / float(SAMPLES);
}

Lobe diffuse_lobe(Frame f, float weight, vec3 tint, float roughness)
{
    if (weight < EPS)
        return nothing();
    if (f.indirect) {
        mat3 world = around(f.normal);
        vec3 sum = vec3(0.0);
        for (int i = 0; i < SAMPLES; i++) {
            vec2 xi = hammersley(i);
            float s = sqrt(xi.y);
            sum += dome_light(world * vec3(s * cos(2.0 * PI * xi.x), s * sin(2.0 * PI * xi.x), sqrt(1.0 - xi.y)), 1.0);
        }
        return Lobe(sum / float(SAMPLES) * tint * weight, vec3(0.0));
    }
    float s2 = roughness * roughness, s = dot(f.light, f.view) - f.n_l * f.n_v;
    float t = s > 0.0 ? max(f.n_l, f.n_v) : 1.0;
    float oren = 1.0 - 0.5 * s2 / (s2 + 0.33) + 0.45 * s2 / (s2 + 0.09) * s / t;
    return Lobe(tint * weight * oren * f.n_l / PI, vec3(0.0));
}

Lobe translucent_lobe(Frame f, float weight, vec3 tint)
{
    if (weight < EPS)
        return nothing();
    if (f.indirect)
        return Lobe(dome_light(-f.normal, 1.0) * tint * weight, vec3(0.0));
    return Lobe(tint * weight * clamp(-dot(f.normal, f.light), 0.0, 1.0) / PI, vec3(0.0));
}

Lobe subsurface_lobe(Frame f, float weight, vec3 tint, vec3 radius)
{
    if (weight < EPS)
        return nothing();
    float curvature = 0.6 + 0.4 * f.n_v;
    vec3 sum = vec3(0.0), total = vec3(0.0);
    for (int i = 0; i < SAMPLES; i++) {
        float theta = (float(i) + 0.5) / float(SAMPLES) * PI - 0.5 * PI, d = abs(2.0 / curvature * sin(theta * 0.5));
        vec3 profile = (exp(-d / radius) + exp(-d / (3.0 * radius))) / (8.0 * PI * radius * max(d, 0.001));
        vec3 bent = normalize(f.normal + theta * cross(f.normal, vec3(0.0, 1.0, 0.01)));
        sum += profile * (f.indirect ? dome_light(bent, 1.0) : vec3(clamp(dot(bent, f.light), 0.0, 1.0) / PI));
        total += profile;
    }
    return Lobe(sum / total * tint * weight, vec3(0.0));
}

Lobe sheen_lobe(Frame f, float weight, vec3 tint, float roughness)
{
    if (weight < EPS)
        return nothing();
    float albedo = clamp(0.13 * (1.0 - f.n_v) * (1.0 - f.n_v) / max(roughness, 0.05) + 0.02, 0.0, 1.0);
    vec3 through = vec3(1.0 - albedo * weight * max(tint.r, max(tint.g, tint.b)));
    if (f.indirect) {
        mat3 world = around(f.normal);
        vec3 sum = vec3(0.0);
        for (int i = 0; i < SAMPLES; i++) {
            vec2 xi = hammersley(i);
            float c = xi.y, s = sqrt(1.0 - c * c);
            sum += dome_light(world * vec3(s * cos(2.0 * PI * xi.x), s * sin(2.0 * PI * xi.x), c), roughness) * pow(s, 1.0 / roughness);
        }
        return Lobe(sum / float(SAMPLES) * albedo * tint * weight, through);
    }
    float n_h = clamp(dot(f.normal, normalize(f.light + f.view)), EPS, 1.0), inverse = 1.0 / max(roughness, 0.05);
    float d = (2.0 + inverse) * pow(max(1.0 - n_h * n_h, EPS), 0.5 * inverse) / (2.0 * PI);
    return Lobe(tint * weight * d * f.n_l / (4.0 * (f.n_l + f.n_v - f.n_l * f.n_v)), through);
}

Lobe dielectric_lobe(Frame f, float weight, vec3 tint, float ior, float roughness)
{
    if (weight < EPS)
        return nothing();
    float alpha = max(roughness * roughness, 0.001), root = (1.0 - ior) / (1.0 + ior);
    vec3 f0 = vec3(root * root) * film_tint(f.n_v, surface.film_thickness);
    vec3 through = 1.0 - weight * tint * fresnel_dielectric(f.n_v, ior);
    if (f.indirect)
        return Lobe(gather_glossy(f, alpha, f0, vec3(1.0)) * tint * weight, through);
    vec3 h = normalize(f.light + f.view);
    float n_h = clamp(dot(f.normal, h), EPS, 1.0), v_h = clamp(dot(f.view, h), EPS, 1.0);
    return Lobe(tint * weight * fresnel_schlick(v_h, f0, vec3(1.0)) * distribution(n_h, alpha) * masking(f.n_l, f.n_v, alpha) / (4.0 * f.n_v), through);
}

Lobe transmission_lobe(Frame f, float weight, vec3 tint, float ior, float roughness)
{
    if (weight < EPS)
        return nothing();
    if (!f.indirect)
        return Lobe(vec3(0.0), vec3(0.0));
    float alpha = max(roughness * roughness, 0.001);
    mat3 world = around(f.normal);
    vec3 sum = vec3(0.0);
    for (int i = 0; i < SAMPLES; i++) {
        vec2 xi = hammersley(i);
        float c = sqrt((1.0 - xi.y) / (1.0 + (alpha * alpha - 1.0) * xi.y)), s = sqrt(max(1.0 - c * c, 0.0));
        vec3 h = world * vec3(s * cos(2.0 * PI * xi.x), s * sin(2.0 * PI * xi.x), c);
        vec3 inside = refract(-f.view, h, 1.0 / ior);
        sum += dome_light(normalize(inside + 0.15 * h), alpha) * (1.0 - fresnel_dielectric(clamp(dot(f.view, h), EPS, 1.0), ior));
    }
    return Lobe(sum / float(SAMPLES) * tint * weight, vec3(0.0));
}

Lobe conductor_lobe(Frame f, float weight, vec3 facing, vec3 edge, float roughness)
{
    if (weight < EPS)
        return nothing();
    float alpha = max(roughness * roughness, 0.001);
    if (f.indirect)
        return Lobe(gather_glossy(f, alpha, facing, edge) * weight, vec3(0.0));
    vec3 h = normalize(f.light + f.view);
    float n_h = clamp(dot(f.normal, h), EPS, 1.0), v_h = clamp(dot(f.view, h), EPS, 1.0);
    return Lobe(weight * fresnel_schlick(v_h, facing, edge) * distribution(n_h, alpha) * masking(f.n_l, f.n_v, alpha) / (4.0 * f.n_v), vec3(0.0));
}

Lobe mixed(Lobe under, Lobe over, float amount)
{
    return Lobe(mix(under.response, over.response, amount), mix(under.throughput, over.throughput, amount));
}

Lobe layered(Lobe top, Lobe bottom)
{
    return Lobe(top.response + bottom.response * top.throughput, top.throughput * bottom.throughput);
}

Lobe added(Lobe a, Lobe b)
{
    return Lobe(a.response + b.response, a.throughput * b.throughput);
}

Lobe shade(Frame f); // the material's graph: it differs between the two sides of a pair

// The ball that material viewers show.
void main()
{
    vec2 at = (uv - 0.5) * 2.2;
    float r2 = dot(at, at);
    if (r2 > 1.0) {
        color = vec4(dome_light(normalize(vec3(at, -1.5)), 0.0), 1.0);
        return;
    }
    Frame f;
    f.normal = vec3(at.x, -at.y, sqrt(1.0 - r2));
    f.view = vec3(0.0, 0.0, 1.0);
    f.n_v = clamp(dot(f.normal, f.view), EPS, 1.0);
    vec3 sum = surface.emission_color * surface.emission;
    f.indirect = false;
    for (int i = 0; i < surface.light_count; i++) {
        f.light = normalize(surface.lights[i].xyz);
        f.n_l = clamp(dot(f.normal, f.light), EPS, 1.0);
        sum += shade(f).response * surface.lights[i].w;
    }
    f.indirect = true;
    f.light = f.normal;
    f.n_l = 1.0;
    sum += shade(f).response;
    color = vec4(sum / (1.0 + sum), 1.0);
}
