#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Result { float v[]; };
void main()
{
    float x = v[gl_GlobalInvocationID.x];
    if (x > 0.5)
        x = sqrt(x);
    v[gl_GlobalInvocationID.x] = x;
}
