// The vertex stage of the pair ff_vertex: what a fixed-function pipeline of Direct3D 9 does to a vertex.
layout(location = 0) out vec4 out_texcoord[8];
layout(location = 8) out vec4 out_diffuse;
layout(location = 9) out vec4 out_specular;
layout(location = 10) out float out_fog;
struct Light {
    vec4 diffuse, specular, ambient;
    vec4 position; // of the eye's space; w: reach
    vec4 direction; // w: falloff
    vec4 attenuation; // w: type, 1: point, 2: spot, 3: directional
    vec4 cone; // cosines of theta and phi
};
layout(std140, set = 0, binding = 1) uniform State {
    mat4 world_view, normal_matrix, projection;
    mat4 texcoord_matrices[2];
    vec4 ambient, material_diffuse, material_ambient, material_specular, material_emissive;
    float material_power, fog_end, fog_scale, fog_density;
    // The pipeline's key: 16 words.
    uint has_position_t, has_normal, has_color_0, has_color_1;
    uint use_lighting, light_count, normalize_normals, local_viewer;
    uint diffuse_source, ambient_source, specular_source, emissive_source;
    uint fog_mode, range_fog, vertex_blend, texcoord_flags; // flags: 4 bits a stage
} state;
struct Vertex {
    vec4 position, normal, weights, color, texcoord[2];
};
layout(std430, set = 0, binding = 2) readonly buffer Vertices { Vertex vertices[]; };
layout(std430, set = 0, binding = 3) readonly buffer Lights { Light lights[8]; mat4 bones[4]; };

vec4 source_of(uint source, vec4 material, vec4 color_0, vec4 color_1)
{
    if (source == 1u)
        return color_0;
    if (source == 2u)
        return color_1;
    return material;
}

void light_up(vec3 at, vec3 n, inout vec3 diffuse, inout vec3 specular, inout vec3 ambient)
{
    for (uint i = 0u; i < LIGHT_COUNT; i++) {
        vec3 to = lights[i].position.xyz - at, direction;
        float distance = length(to), amount, type = lights[i].attenuation.w;
        if (type == 3.0) {
            direction = -lights[i].direction.xyz;
            amount = 1.0;
        } else {
            direction = to / distance;
            amount = 1.0 / (lights[i].attenuation.x + distance * (lights[i].attenuation.y + distance * lights[i].attenuation.z));
            if (distance > lights[i].position.w)
                amount = 0.0;
            if (type == 2.0) {
                float rho = dot(-direction, lights[i].direction.xyz);
                float spot = clamp((rho - lights[i].cone.y) / (lights[i].cone.x - lights[i].cone.y), 0.0, 1.0);
                amount *= pow(spot, lights[i].direction.w);
            }
        }
        float n_l = clamp(dot(n, direction), 0.0, 1.0);
        vec3 viewer = vec3(0.0, 0.0, -1.0);
        if (LOCAL_VIEWER)
            viewer = normalize(at);
        vec3 half_way = normalize(direction - viewer);
        float n_h = clamp(dot(n, half_way), 0.0, 1.0);
        diffuse += lights[i].diffuse.rgb * amount * n_l;
        specular += n_l > 0.0 ? lights[i].specular.rgb * amount * pow(n_h, state.material_power) : vec3(0.0);
        ambient += lights[i].ambient.rgb * amount;
    }
}

vec4 texcoord_of(uint stage, Vertex v, vec3 at, vec3 n)
{
    uint flags = TEXCOORD_FLAGS >> (4u * stage) & 15u, mode = flags & 3u, transform = flags >> 2;
    vec4 result = v.texcoord[stage & 1u];
    if (mode == 1u) {
        result = vec4(n, 1.0);
    } else if (mode == 2u) {
        result = vec4(at, 1.0);
    } else if (mode == 3u) {
        vec3 r = reflect(normalize(at), n);
        float m = length(vec3(r.x, r.y, r.z + 1.0)) * 2.0;
        result = vec4(r.x / m + 0.5, r.y / m + 0.5, 0.0, 1.0);
    }
    if (transform != 0u) {
        result = state.texcoord_matrices[stage & 1u] * result;
        if (transform == 2u)
            result /= result.w;
    }
    return result;
}

float fog_of(float depth)
{
    switch (FOG_MODE) {
    case 1u: return exp(-depth * state.fog_density);
    case 2u: return exp(-depth * depth * state.fog_density * state.fog_density);
    case 3u: return clamp((state.fog_end - depth) * state.fog_scale, 0.0, 1.0);
    default: return 1.0;
    }
}

void main()
{
    Vertex v = vertices[gl_VertexIndex];
    vec4 position = v.position;
    vec3 n = HAS_NORMAL ? v.normal.xyz : vec3(0.0);
    vec4 at = position;
    if (!POSITION_T) {
        if (VERTEX_BLEND > 0u) {
            at = vec4(0.0);
            vec3 blended = vec3(0.0);
            float rest = 1.0;
            for (uint i = 0u; i <= VERTEX_BLEND; i++) {
                float weight = i < VERTEX_BLEND ? v.weights[i] : rest;
                rest -= weight;
                at += bones[i] * position * weight;
                blended += mat3(bones[i]) * n * weight;
            }
            n = blended;
        } else {
            at = state.world_view * position;
            n = mat3(state.normal_matrix) * n;
        }
        if (NORMALIZE_NORMALS && n != vec3(0.0))
            n = normalize(n);
        gl_Position = state.projection * at;
    } else {
        gl_Position = vec4(position.xyz * position.w, position.w);
    }
    for (uint stage = 0u; stage < 8u; stage++)
        out_texcoord[stage] = texcoord_of(stage, v, at.xyz, n);
    vec4 color_0 = HAS_COLOR_0 ? v.color : vec4(1.0), color_1 = HAS_COLOR_1 ? v.color.bgra : vec4(0.0);
    if (LIGHTING) {
        vec3 diffuse = vec3(0.0), specular = vec3(0.0), ambient = vec3(0.0);
        light_up(at.xyz, n, diffuse, specular, ambient);
        vec4 md = source_of(DIFFUSE_SOURCE, state.material_diffuse, color_0, color_1), ma = source_of(AMBIENT_SOURCE, state.material_ambient, color_0, color_1);
        vec4 me = source_of(EMISSIVE_SOURCE, state.material_emissive, color_0, color_1), ms = source_of(SPECULAR_SOURCE, state.material_specular, color_0, color_1);
        out_diffuse = clamp(vec4(me.rgb + ma.rgb * (state.ambient.rgb + ambient) + md.rgb * diffuse, md.a), 0.0, 1.0);
        out_specular = clamp(vec4(ms.rgb * specular, ms.a), 0.0, 1.0);
    } else {
        out_diffuse = color_0;
        out_specular = color_1;
    }
    float depth = RANGE_FOG ? length(at.xyz) : abs(at.z);
    out_fog = fog_of(depth);
}
