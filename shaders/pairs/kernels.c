/* Pairs of compute kernels: sizes and switches as push constants, and as specialisation constants. See
 * pairs.h. */
#include "shaders/pairs/pairs.h"

#include <math.h>
#include <string.h>

static void groups(bench_work *work, uint32_t x, uint32_t y, uint32_t z, uint32_t invocations)
{
    work->groups[0] = x;
    work->groups[1] = y;
    work->groups[2] = z;
    work->invocations = (uint64_t)x * y * z * invocations;
}

/* A division as a multiplication and a shift: n / d = (mulhi(n, magic) + n) >> shift. */
static uint32_t magic_of(uint32_t d, uint32_t *shift)
{
    *shift = 0;
    while (*shift < 32 && (1u << *shift) < d)
        ++*shift;
    return (uint32_t)((UINT64_C(1) << 32) * ((UINT64_C(1) << *shift) - d) / d + 1);
}

static wpg_status prepare_conv2d(bench_work *work, bench_size size, wpg_error *err)
{
    static const uint32_t widths[BENCH_SIZES] = {12, 40, 128}, channels[BENCH_SIZES] = {4, 16, 64};
    enum { KERNEL = 3, PAD = 1, COUT = 32 };
    const uint32_t width = widths[size], cin = channels[size], plane = width * width;
    struct {
        uint32_t cout, cin, batch, kernel_w, kernel_h, width, height, out_width, out_height;
        uint32_t stride_x, stride_y, pad_x, pad_y, dilation_x, dilation_y;
        uint32_t nb_kernel[3], nb[3], nb_out[3], magic[4];
    } push = {
        .cout = COUT,
        .cin = cin,
        .batch = 1,
        .kernel_w = KERNEL,
        .kernel_h = KERNEL,
        .width = width,
        .height = width,
        .out_width = width,
        .out_height = width,
        .stride_x = 1,
        .stride_y = 1,
        .pad_x = PAD,
        .pad_y = PAD,
        .dilation_x = 1,
        .dilation_y = 1,
        .nb_kernel = {KERNEL, KERNEL * KERNEL, KERNEL * KERNEL * cin},
        .nb = {width, plane, plane * cin},
        .nb_out = {width, plane, plane * COUT},
    };
    push.magic[0] = magic_of(width, &push.magic[1]);
    push.magic[2] = magic_of(plane, &push.magic[3]);
    const uint32_t constants[] = {KERNEL, KERNEL, 1, 1, PAD, PAD, 1, 1};
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        pair_constant(work, constants[i]);
    bench_work_push(work, &push, sizeof push);
    groups(work, COUT / 16, (plane + 63) / 64, 1, 64);
    work->output_size = (size_t)plane * COUT * 4;
    WPG_TRY(pair_floats(work, 0, (size_t)KERNEL * KERNEL * cin * COUT, err));
    return pair_floats(work, 1, (size_t)plane * cin, err);
}

static wpg_status prepare_attention(bench_work *work, bench_size size, wpg_error *err)
{
    static const uint32_t queries[BENCH_SIZES] = {8, 32, 512}, keys[BENCH_SIZES] = {64, 256, 4096};
    enum { HEADS = 4, KEY_HEADS = 2, SIZE = 64 };
    struct {
        uint32_t queries, keys, heads, key_heads;
        uint32_t nb_query, nb_query_head, nb_key, nb_key_head, nb_value, nb_value_head, nb_mask;
        float scale, max_bias, logit_softcap;
        uint32_t mask_and_heads;
        float m0, m1;
        uint32_t split_k;
    } push = {
        .queries = queries[size],
        .keys = keys[size],
        .heads = HEADS,
        .key_heads = KEY_HEADS,
        .nb_query = HEADS * SIZE,
        .nb_query_head = SIZE,
        .nb_key = KEY_HEADS * SIZE,
        .nb_key_head = SIZE,
        .nb_value = KEY_HEADS * SIZE,
        .nb_value_head = SIZE,
        .nb_mask = keys[size],
        .scale = 0.125f,
        .mask_and_heads = HEADS,
        .m0 = 1,
        .m1 = 1,
        .split_k = 1,
    };
    pair_constant(work, 0);
    bench_work_push(work, &push, sizeof push);
    groups(work, queries[size] / 4, HEADS, 1, 64);
    work->output_size = (size_t)queries[size] * HEADS * SIZE * 4;
    WPG_TRY(pair_floats(work, 0, (size_t)queries[size] * HEADS * SIZE + 2ul * keys[size] * KEY_HEADS * SIZE,
                        err));
    return pair_floats(work, 1, (size_t)queries[size] * keys[size], err);
}

static wpg_status prepare_rms_norm(bench_work *work, bench_size size, wpg_error *err)
{
    static const uint32_t columns[BENCH_SIZES] = {640, 5120, 5120}, rows[BENCH_SIZES] = {4, 64, 4096};
    const uint32_t wide = columns[size], high = rows[size];
    const struct {
        uint32_t columns, rows, channels, nb_row, nb_channel, nb_out_row, nb_out_channel;
        uint32_t weight_columns, weight_rows, nb_weight_row;
        float epsilon;
    } push = {wide, high, 1, wide, wide * high, wide, wide * high, wide, 1, wide, 1e-5f};
    pair_constant(work, (wide + 127) / 128);
    bench_work_push(work, &push, sizeof push);
    groups(work, high, 1, 1, 128);
    work->output_size = (size_t)wide * high * 4;
    WPG_TRY(pair_floats(work, 0, (size_t)wide * high, err));
    return pair_floats(work, 1, wide, err);
}

static wpg_status prepare_shape_hint(bench_work *work, bench_size size, wpg_error *err)
{
    static const int32_t widths[BENCH_SIZES] = {10, 58, 114}, channels[BENCH_SIZES] = {2, 32, 64};
    enum { KERNEL = 3, RELU = 1 };
    const int32_t wide = widths[size], out = wide - KERNEL + 1, c = channels[size];
    const int32_t shape[] = {wide, wide, c, wide * wide, out, out, c, out * out};
    const int32_t window[] = {KERNEL, KERNEL, 1, RELU, 1};
    for (int i = 0; i < 5; i++)
        bench_work_constant(work, (uint32_t)window[i]);
    for (int i = 0; i < 8; i++)
        bench_work_constant(work, pair_is_after() ? (uint32_t)shape[i] : 0);
    bench_work_push(work, shape, sizeof shape);
    groups(work, (uint32_t)(out + 7) / 8, (uint32_t)(out + 7) / 8, (uint32_t)c, 64);
    work->output_size = (size_t)out * (size_t)out * (size_t)c * 16;
    WPG_TRY(pair_floats(work, 0, (size_t)wide * (size_t)wide * (size_t)c * 4, err));
    return pair_floats(work, 1, (size_t)c * (KERNEL * KERNEL + 1) * 4, err);
}

const pair pair_kernels[] = {
    PAIR_COMPUTE(conv2d, "llama.cpp 16978: stride, padding and window as specialisation constants"),
    PAIR_COMPUTE(attention, "llama.cpp 19309: mask and cap as specialisation constants"),
    PAIR_COMPUTE(rms_norm, "llama.cpp 15281: loops unrolled for a number of blocks"),
    PAIR_COMPUTE(shape_hint, "ncnn: shapes as specialisation constants where a hint gives them"),
    {{0}, {0}},
};
