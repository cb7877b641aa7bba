// A vertex stage that does real work: a torus made from the vertex index, displaced along its normal by several octaves
// of noise whose number comes from a uniform buffer; flat parts of the surface skip the displacement.
// A profile should show vertex lanes near the number of distinct vertices (reuse through the index buffer is up to the
// driver), an octave loop with one trip count, and both arms of the "is this part displaced" branch, divergent only in
// waves that straddle the seam.
#version 450

layout(location = 0) out vec3 color;
layout(std140, set = 0, binding = 1) uniform Mesh {
    uint rings;
    uint segments;
    uint octaves;
    float amplitude;
    vec4 rotation; // cosine and sine about x, cosine and sine about y
} torus;

float wave(vec3 p)
{
    float sum = 0.0, weight = 1.0;
    for (uint i = 0u; i < torus.octaves; ++i) {
        sum += weight * sin(p.x * 3.1 + sin(p.y * 2.3)) * cos(p.z * 2.7 - p.x);
        p = p * 1.9 + vec3(1.7, 9.2, 5.1);
        weight *= 0.55;
    }
    return sum;
}

void main()
{
    uint ring = uint(gl_VertexIndex) / (torus.segments + 1u);
    uint segment = uint(gl_VertexIndex) % (torus.segments + 1u);
    float u = float(ring % torus.rings) / float(torus.rings) * 6.2831853;
    float v = float(segment % torus.segments) / float(torus.segments) * 6.2831853;
    vec3 n = vec3(cos(u) * cos(v), sin(v), sin(u) * cos(v));
    vec3 p = vec3(cos(u), 0.0, sin(u)) * 1.1 + n * 0.45;
    float height = 0.0;
    if (p.x > -0.3) {
        height = wave(p * 1.5);
        p += n * height * torus.amplitude;
    }
    vec4 r = torus.rotation;
    p = vec3(p.x, p.y * r.x - p.z * r.y, p.y * r.y + p.z * r.x);
    p = vec3(p.x * r.z + p.z * r.w, p.y, p.z * r.z - p.x * r.w);
    color = vec3(0.5 + 0.4 * height, 0.45, 0.6 - 0.3 * height) * (0.4 + 0.6 * abs(n.z));
    gl_Position = vec4(p.x * 0.5, p.y * 0.66, 0.5 + p.z * 0.25, 1.0);
}
