// The model shader of the pair model_flags: maps of a space ship, each switched by a bit.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(std140, set = 0, binding = 1) uniform Model {
    int flags, n_lights;
    int team_glow_enabled, alpha_glow_map;
    vec4 lights[4]; // position, radius
    vec4 light_colors[4];
    vec4 ambient, base_color, team_base, team_stripe;
    vec4 spec_factor; // w: gloss
    float fog_start, fog_scale, env_strength, thruster;
    vec4 fog_color;
    float desaturate, shadow_bias, outline, anim_timer;
} model;
layout(set = 0, binding = 4) uniform sampler2D base_map;
layout(set = 0, binding = 5) uniform sampler2D normal_map;
layout(set = 0, binding = 6) uniform sampler2D spec_map; // and glow, ambient occlusion
layout(set = 0, binding = 7) uniform sampler2D env_map;  // and shadows

vec3 fresnel(vec3 spec, vec3 l, vec3 h)
{
    return mix(spec, vec3(1.0), pow(clamp(1.0 - dot(h, l), 0.0, 1.0), 5.0));
}

vec3 specular(vec3 l, vec3 v, vec3 n, vec3 spec, float gloss, float fresnel_on)
{
    vec3 h = normalize(v + l);
    float roughness = clamp(1.0 - gloss, 0.0, 1.0), alpha = roughness * roughness + 0.001, a2 = alpha * alpha;
    float n_h = clamp(dot(n, h), 0.0, 1.0), n_v = clamp(dot(n, v), 0.0, 1.0), n_l = clamp(dot(n, l), 0.0, 1.0);
    float d = n_h * n_h * (a2 - 1.0) + 1.0, k = alpha * 0.5, g = 1.0 / ((n_v * (1.0 - k) + k) * (n_l * (1.0 - k) + k));
    return mix(spec, fresnel(spec, l, h), fresnel_on) * a2 / (4.0 * d * d) * g * n_l;
}

float shadow_at(vec3 at)
{
    float lit = 0.0;
    for (int i = 0; i < 16; i++)
        lit += step(at.z + model.shadow_bias, textureLod(env_map, at.xy + vec2(i & 3, i >> 2) * 0.004, 0.0).a);
    return lit / 16.0;
}

void main()
{
    vec3 at = vec3((uv - 0.5) * 6.0, sin(uv.x * 9.0)), v = normalize(vec3(0.0, 0.0, 5.0) - at);
    vec3 n = normalize(vec3(-cos(uv.x * 9.0) * 0.5, 0.1, 1.0));
    if (HAS(NORMAL_MAP)) {
        vec2 bump = textureLod(normal_map, uv * 2.0, 0.0).rg * 2.0 - 1.0;
        n = normalize(n + vec3(bump, 0.0) * 0.7);
    }
    vec4 base = model.base_color;
    if (HAS(DIFFUSE_MAP)) {
        base = textureLod(base_map, uv * 2.0, 0.0);
        if (HAS(ALPHA_MULT))
            base *= model.base_color.a;
    }
    float occlusion = 1.0, cavity = 1.0;
    if (HAS(AMBIENT_MAP)) {
        vec2 ao = textureLod(spec_map, uv * 3.0, 0.0).ba;
        occlusion = ao.x;
        cavity = ao.y;
    }
    if (HAS(TEAMCOLOR)) {
        vec2 mask = textureLod(spec_map, uv * 1.5, 0.0).rg;
        vec3 luminance = vec3(dot(base.rgb, vec3(0.299, 0.587, 0.114)));
        vec3 team = mix(mix(base.rgb, model.team_base.rgb * luminance, mask.x), model.team_stripe.rgb, mask.y);
        base.rgb = pow(team, vec3(1.1));
        if (model.team_glow_enabled != 0)
            base.rgb += model.team_stripe.rgb * mask.y;
    }
    vec4 spec = model.spec_factor;
    if (HAS(SPEC_MAP)) {
        spec = textureLod(spec_map, uv * 2.0, 0.0) * model.spec_factor;
        if (HAS(GLOSS_IN_ALPHA))
            spec.a = clamp(spec.a * 1.2, 0.0, 1.0);
    }
    if (HAS(HDR))
        base.rgb = pow(base.rgb, vec3(2.2));
    vec3 result = model.ambient.rgb * base.rgb * occlusion;
    if (HAS(LIGHT)) {
        for (int i = 0; i < model.n_lights; i++) {
            vec3 to = model.lights[i].xyz - at;
            float distance = length(to), fade = 1.0 / (1.0 + distance * distance / model.lights[i].w);
            if (HAS(SHADOWS) && i == 0)
                fade *= shadow_at(vec3(fract(at.xy * 0.2), 0.4));
            vec3 l = to / distance;
            result += (base.rgb * max(dot(n, l), 0.0) + specular(l, v, n, spec.rgb, spec.a, 1.0)) * model.light_colors[i].rgb * fade * cavity;
        }
    }
    if (HAS(ENV_MAP)) {
        vec3 r = reflect(-v, n);
        vec3 env = vec3(0.0);
        for (int i = 0; i < 8; i++)
            env += textureLod(env_map, r.xy * 0.5 + 0.5 + vec2(i & 1, i >> 1) * 0.01, 0.0).rgb * 0.125;
        result += env * fresnel(spec.rgb, r, n) * model.env_strength * cavity;
    }
    if (HAS(GLOW_MAP)) {
        vec3 glow = textureLod(spec_map, uv, 0.0).rgb;
        if (model.alpha_glow_map != 0)
            glow *= 0.5 + 0.5 * sin(model.anim_timer);
        result += pow(glow, vec3(2.2)) * 2.0;
    }
    if (HAS(DESATURATE))
        result = mix(result, vec3(dot(result, vec3(0.3, 0.5, 0.2))), model.desaturate);
    if (HAS(FOG)) {
        float fog = clamp((length(at) - model.fog_start) * model.fog_scale, 0.0, 1.0);
        result = mix(result, model.fog_color.rgb, fog);
    }
    if (HAS(THRUSTER))
        result *= 1.0 + model.thruster * exp(-4.0 * length(at));
    if (HAS(HDR))
        result = pow(result / (1.0 + result), vec3(1.0 / 2.2));
    color = vec4(result, base.a);
}
