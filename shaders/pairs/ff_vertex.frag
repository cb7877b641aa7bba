// The fragment stage of both sides of the pair ff_vertex: uses all that the vertex stage gives.
#version 450
layout(location = 0) in vec4 texcoord[8];
layout(location = 8) in vec4 diffuse;
layout(location = 9) in vec4 specular;
layout(location = 10) in float fog;
layout(location = 0) out vec4 color;

void main()
{
    vec2 at = vec2(0.0);
    for (int i = 0; i < 8; i++)
        at += texcoord[i].xy;
    float check = mod(floor(at.x) + floor(at.y), 2.0) * 0.2 + 0.8;
    color = vec4(mix(vec3(0.5), diffuse.rgb * check + specular.rgb, fog), 1.0);
}
