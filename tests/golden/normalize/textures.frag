// expect: inlined=4 kept=0 functions=1
#version 450
layout(set = 0, binding = 0) uniform texture2D image;
layout(set = 0, binding = 1) uniform sampler how;
layout(set = 0, binding = 2) uniform sampler2D both;
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;
vec2 shift(vec2 p) { if (p.x > 0.5) return p.yx; p *= 0.5; if (p.y > 0.3) return p; return -p; }
vec4 sum(texture2D t, sampler s, sampler2D c, vec2 p) { return texture(sampler2D(t, s), shift(p)) + texture(c, p); }
void main() { color = sum(image, how, both, at) + texture(sampler2D(image, how), shift(at), shift(at).x); }
