// One triangle in, one out with a face normal; steep triangles are dropped.
// A profile should show one geometry lane a triangle, and the emitting arm taken by most.
#version 450

layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec3 surface[];
layout(location = 0) out vec3 color;

void main()
{
    vec3 a = vec3(surface[1].xy - surface[0].xy, (surface[1].z - surface[0].z) * 0.2);
    vec3 b = vec3(surface[2].xy - surface[0].xy, (surface[2].z - surface[0].z) * 0.2);
    vec3 n = normalize(cross(a, b));
    if (n.z < 0.0)
        n = -n;
    if (n.z < 0.4)
        return;
    for (int i = 0; i < 3; ++i) {
        float lit = 0.25 + 0.75 * max(dot(n, normalize(vec3(0.4, -0.5, 0.8))), 0.0);
        color = mix(vec3(0.2, 0.4, 0.15), vec3(0.9, 0.9, 0.95), smoothstep(0.1, 0.6, surface[i].z)) * lit;
        gl_Position = gl_in[i].gl_Position;
        EmitVertex();
    }
    EndPrimitive();
}
