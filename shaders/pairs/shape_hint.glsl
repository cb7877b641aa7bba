// The kernel of the pair shape_hint: a depthwise convolution of four channels at a time. Its window is a specialisation constant in
// both forms.
layout(local_size_x = 8, local_size_y = 8) in;
layout(constant_id = 0) const int kernel_w = 1;
layout(constant_id = 1) const int kernel_h = 1;
layout(constant_id = 2) const int stride = 1;
layout(constant_id = 3) const int activation = 0; // 1: relu, 2: leaky, 3: clip
layout(constant_id = 4) const int bias_term = 0;
// The shape, or 0: then the push constant is taken.
layout(constant_id = 5) const int shape_w = 0;
layout(constant_id = 6) const int shape_h = 0;
layout(constant_id = 7) const int shape_c = 0;
layout(constant_id = 8) const int shape_cstep = 0;
layout(constant_id = 9) const int out_shape_w = 0;
layout(constant_id = 10) const int out_shape_h = 0;
layout(constant_id = 11) const int out_shape_c = 0;
layout(constant_id = 12) const int out_shape_cstep = 0;
layout(push_constant) uniform Push { int w, h, c, cstep, outw, outh, outc, outcstep; } p;
layout(std430, set = 0, binding = 0) writeonly buffer Result { vec4 result[]; };
layout(std430, set = 0, binding = 2) readonly buffer Image { vec4 image[]; };
layout(std430, set = 0, binding = 3) readonly buffer Weights { vec4 weights[]; };

#define PSC(constant, pushed) (constant == 0 ? pushed : constant)

vec4 activated(vec4 v)
{
    if (activation == 1)
        v = max(v, 0.0);
    if (activation == 2)
        v = mix(v, v * 0.1, lessThan(v, vec4(0.0)));
    if (activation == 3)
        v = clamp(v, 0.0, 6.0);
    return v;
}

void main()
{
    int gx = int(gl_GlobalInvocationID.x), gy = int(gl_GlobalInvocationID.y), gz = int(gl_GlobalInvocationID.z);
    if (gx >= PSC(out_shape_w, p.outw) || gy >= PSC(out_shape_h, p.outh) || gz >= PSC(out_shape_c, p.outc))
        return;
    vec4 sum = bias_term == 1 ? weights[gz * (kernel_w * kernel_h + 1) + kernel_w * kernel_h] : vec4(0.0);
    int at = gz * PSC(shape_cstep, p.cstep) + gy * stride * PSC(shape_w, p.w) + gx * stride, weight = gz * (kernel_w * kernel_h + 1);
    for (int y = 0; y < kernel_h; y++) {
        for (int x = 0; x < kernel_w; x++)
            sum += weights[weight + x] * image[at + x];
        at += PSC(shape_w, p.w);
        weight += kernel_w;
    }
    result[gz * PSC(out_shape_cstep, p.outcstep) + gy * PSC(out_shape_w, p.outw) + gx] = activated(sum);
}
