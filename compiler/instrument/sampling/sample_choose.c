/* Which groups of invocations are counted.
 *
 *     stage                     group                                      order of groups
 *     compute                   workgroup                                  WorkgroupId, x first
 *     fragment                  tile of 8 x 8 pixels                       tiles in blocks of N tiles
 *     vertex                    8 vertices of an instance                  VertexIndex / 8
 *     geometry                  8 primitives                               PrimitiveId / 8
 *     tessellation              patch                                      PrimitiveId
 *
 * Of every N consecutive groups (a stratum) one is counted. A hash of the stratum's place and of a constant
 * of the pipeline chooses it. So coverage is even, the choice is the same in every run, and no step of N in
 * the program's structure is always hit or always missed. (Stratified sampling with one random unit a
 * stratum: Cochran, Sampling Techniques, 5.) A chosen group stands for N.
 *
 * Why the estimate is unbiased: the constant is added before an odd factor or a mixing function. So over all
 * constants every place of a stratum is chosen equally often. A group is counted with probability 1/N and
 * then with weight N, which is once in expectation. Sums of expectations need no independence. So the
 * estimate holds for any sum over groups: lanes, waves, trips, values. A stratum at the edge of a draw may
 * have fewer groups: places without a group are places of weight 0.
 *
 * A dispatch knows its number of workgroups and does better. A last stratum of s < N behind whole ones takes
 * one of its s groups with weight s (probability 1/s). So the weights of a dispatch of N or more add up to
 * its workgroups exactly, at the cost of one workgroup at most. A dispatch with a base other than 0 is
 * sampled as a part of a larger one. Smaller dispatches: sample_small.c.
 *
 * No wave is split. Workgroups consist of whole waves. Elsewhere the first active lane's place is broadcast
 * and decides for its wave, helper lanes and quads included. So code of the program that works across lanes,
 * and barriers, meet the same lanes as before. Without subgroup operations each lane decides for its own
 * group. Quads and patches stay whole, and no wave is counted there. */
#include "compiler/instrument/sampling/sample.h"

enum { TILE_SHIFT = 3, QUAD_SHIFT = 1, INDEX_SHIFT = 3 };

/* -- What can be sampled */

bool wpg_sample_can_broadcast(const wpg_plan *plan)
{
    const wpg_instrument_target *target = &plan->options->target;
    return target->subgroup_basic && target->subgroup_ballot &&
           (target->max_spirv_minor >= 3 || (plan->module->version >> 8 & 0xff) >= 3);
}

/* The pointee of the input variable that is this built-in; NULL if the module has no such variable. */
static const wpg_inst *builtin_variable(const wpg_module *module, SpvBuiltIn builtin)
{
    WPG_INST_EACH (inst, module) {
        if (inst->opcode == SpvOpFunction)
            break;
        if (inst->opcode != SpvOpDecorate || inst->count != 4 || inst->words[2] != SpvDecorationBuiltIn ||
            inst->words[3] != (uint32_t)builtin)
            continue;
        const wpg_inst *variable = wpg_module_def(module, inst->words[1]);
        if (variable && variable->opcode == SpvOpVariable && variable->words[3] == SpvStorageClassInput)
            return variable;
    }
    return NULL;
}

static const wpg_inst *pointee(const wpg_module *module, const wpg_inst *variable)
{
    const wpg_inst *pointer = wpg_module_def(module, variable->type);
    return pointer && pointer->opcode == SpvOpTypePointer ? wpg_module_def(module, pointer->words[3]) : NULL;
}

/* Components of 32 bits: how many; 0 for anything else. */
static unsigned components(const wpg_module *module, const wpg_inst *type, SpvOp scalar)
{
    unsigned count = 1;
    if (type && type->opcode == SpvOpTypeVector) {
        count = type->words[3];
        type = wpg_module_def(module, type->words[2]);
    }
    return type && type->opcode == (uint16_t)scalar && type->words[2] == 32 ? count : 0;
}

typedef struct input {
    SpvBuiltIn builtin;
    unsigned components;
    bool real;
} input;

enum { MOST_INPUTS = 2 };

/* The built-ins a stage's groups are told by. */
static unsigned inputs_of(input *inputs, SpvExecutionModel model)
{
    switch (model) {
    case SpvExecutionModelGLCompute:
        inputs[0] = (input){SpvBuiltInWorkgroupId, 3, false};
        inputs[1] = (input){SpvBuiltInNumWorkgroups, 3, false};
        return 2;
    case SpvExecutionModelFragment:
        inputs[0] = (input){SpvBuiltInFragCoord, 4, true};
        return 1;
    case SpvExecutionModelVertex:
        inputs[0] = (input){SpvBuiltInVertexIndex, 1, false};
        inputs[1] = (input){SpvBuiltInInstanceIndex, 1, false};
        return 2;
    default:
        inputs[0] = (input){SpvBuiltInPrimitiveId, 1, false};
        return 1;
    }
}

/* One walk over everything that stands in the way. */
static const char *survey(const wpg_plan *plan, bool split_waves)
{
    bool in_functions = false, patches = plan->stage->model == SpvExecutionModelTessellationControl;
    WPG_INST_EACH (inst, plan->module) {
        in_functions |= inst->opcode == SpvOpFunction;
        switch ((SpvOp)inst->opcode) {
        case SpvOpCapability:
            if (split_waves && inst->words[1] >= SpvCapabilityGroupNonUniform &&
                inst->words[1] <= SpvCapabilityGroupNonUniformQuad)
                return "the shader works across lanes";
            if (split_waves && (inst->words[1] == SpvCapabilitySubgroupBallotKHR ||
                                inst->words[1] == SpvCapabilitySubgroupVoteKHR))
                return "the shader works across lanes";
            break;
        case SpvOpDecorationGroup:
            return "its decorations are in groups";
        case SpvOpBeginInvocationInterlockEXT:
            return "an interlock must stay in the entry function";
        case SpvOpControlBarrier:
            if (patches && in_functions && !split_waves)
                return "a wave may end within a patch, which has a barrier";
            break;
        default:
            break;
        }
    }
    return NULL;
}

/* Stages whose groups are not told apart: mesh and task workgroups belong to a draw that is counted elsewhere
 * too, and of a ray that is traced every stage would have to be counted or none. */
static bool is_sampled(SpvExecutionModel model)
{
    switch (model) {
    case SpvExecutionModelGLCompute:
    case SpvExecutionModelFragment:
    case SpvExecutionModelVertex:
    case SpvExecutionModelTessellationControl:
    case SpvExecutionModelTessellationEvaluation:
    case SpvExecutionModelGeometry:
        return true;
    default:
        return false;
    }
}

/* NULL if the stage's groups can be told apart. */
static const char *has_no_inputs(const wpg_plan *plan)
{
    if (!is_sampled(plan->stage->model))
        return "stages of this kind are counted in full";
    input inputs[MOST_INPUTS];
    unsigned count = inputs_of(inputs, plan->stage->model);
    for (unsigned i = 0; i < count; i++) {
        const wpg_inst *variable = builtin_variable(plan->module, inputs[i].builtin);
        SpvOp scalar = inputs[i].real ? SpvOpTypeFloat : SpvOpTypeInt;
        if (variable &&
            components(plan->module, pointee(plan->module, variable), scalar) != inputs[i].components)
            return "a built-in variable is of an unusual type";
    }
    return NULL;
}

const char *wpg_sample_refuses(const wpg_plan *plan)
{
    const char *reason = has_no_inputs(plan);
    if (reason)
        return reason;
    if (!wpg_sample_can_clone(plan->module))
        return "instructions newer than this build";
    bool compute = plan->stage->model == SpvExecutionModelGLCompute;
    return survey(plan, !compute && !wpg_sample_can_broadcast(plan));
}

/* -- Inputs */

static uint32_t u32_vector(wpg_inject *in, unsigned count)
{
    return count == 1 ? in->t_u32 : wpg_type_vector(in->module, in->t_u32, count);
}

static uint32_t declare_input(wpg_inject *in, const input *wanted)
{
    wpg_module *m = in->module;
    const wpg_inst *known = builtin_variable(m, wanted->builtin);
    if (known) {
        wpg_entry_point_add_interface(m, in->plan->entry_point, known->result);
        return known->result;
    }
    uint32_t type = wanted->real ? wpg_type_vector(m, wpg_type_float(m, 32), wanted->components)
                                 : u32_vector(in, wanted->components);
    uint32_t pointer = wpg_type_pointer(m, SpvStorageClassInput, type);
    uint32_t variable = wpg_global_variable(m, in->plan->entry_point, SpvStorageClassInput, pointer);
    wpg_decorate(m, variable, SpvDecorationBuiltIn, (const uint32_t[]){wanted->builtin}, 1);
    return variable;
}

static void declare_inputs(wpg_inject *in)
{
    input inputs[MOST_INPUTS];
    unsigned count = inputs_of(inputs, in->plan->stage->model);
    for (unsigned i = 0; i < count; i++)
        in->sample.inputs[i] = declare_input(in, &inputs[i]);
}

void wpg_sample_declare(wpg_inject *in)
{
    declare_inputs(in);
    const bool compute = in->plan->stage->model == SpvExecutionModelGLCompute;
    if ((compute && in->plan->sample_ended == WPG_NO_COUNTER) || !wpg_sample_can_broadcast(in->plan))
        return;
    wpg_require_version(in->module, 3);
    wpg_require_capability(in->module, SpvCapabilityGroupNonUniform);
    wpg_require_capability(in->module, SpvCapabilityGroupNonUniformBallot);
    in->subgroup_scope = wpg_const_u32(in->module, SpvScopeSubgroup);
}

/* Loads input `index` as unsigned components. */
static uint32_t load_u32(wpg_inject *in, unsigned index, unsigned count)
{
    const wpg_inst *variable = wpg_module_def(in->module, in->sample.inputs[index]);
    const wpg_inst *loaded = variable ? pointee(in->module, variable) : NULL;
    if (!loaded)
        return in->c_zero; /* memory ran out, which the module knows */
    uint32_t type = loaded->result, wanted = u32_vector(in, count);
    uint32_t value = WPG_EMIT(in, SpvOpLoad, type, variable->result);
    return type == wanted ? value : WPG_EMIT(in, SpvOpBitcast, wanted, value);
}

/* -- Arithmetic */

static uint32_t constant(wpg_inject *in, uint32_t value)
{
    return wpg_const_u32(in->module, value);
}

static uint32_t binary(wpg_inject *in, SpvOp opcode, uint32_t a, uint32_t b)
{
    return WPG_EMIT(in, opcode, in->t_u32, a, b);
}

static uint32_t divide(wpg_inject *in, uint32_t value, uint32_t by)
{
    if (by & (by - 1))
        return binary(in, SpvOpUDiv, value, constant(in, by));
    uint32_t shift = (uint32_t)__builtin_ctz(by);
    return shift ? binary(in, SpvOpShiftRightLogical, value, constant(in, shift)) : value;
}

static uint32_t remainder_of(wpg_inject *in, uint32_t value, uint32_t by)
{
    return by & (by - 1) ? binary(in, SpvOpUMod, value, constant(in, by))
                         : binary(in, SpvOpBitwiseAnd, value, constant(in, by - 1));
}

/* Mixes all 32 bits: two multiplications, three shifts (lowbias32, C. Wellons, "Prospecting for Hash
 * Functions", 2018: https://nullprogram.com/blog/2018/07/31/). */
static uint32_t mix(wpg_inject *in, uint32_t x)
{
    static const uint32_t shifts[] = {16, 15, 16}, factors[] = {0x7feb352d, 0x846ca68b};
    for (unsigned i = 0; i < 3; i++) {
        x = binary(in, SpvOpBitwiseXor, x, binary(in, SpvOpShiftRightLogical, x, constant(in, shifts[i])));
        if (i < 2)
            x = binary(in, SpvOpIMul, x, constant(in, factors[i]));
    }
    return x;
}

/* Mixed with the pipeline's constant. */
static uint32_t mix_seeded(wpg_inject *in, uint32_t x)
{
    return mix(in, binary(in, SpvOpIAdd, x, constant(in, in->plan->options->sample_seed)));
}

/* A number below `size` (at most 65536) from a hash: its upper half, scaled. */
static uint32_t pick(wpg_inject *in, uint32_t hash, uint32_t size)
{
    uint32_t sixteen = constant(in, 16);
    uint32_t high = binary(in, SpvOpShiftRightLogical, hash, sixteen);
    return binary(in, SpvOpShiftRightLogical, binary(in, SpvOpIMul, high, size), sixteen);
}

/* One of `rate` places, for fragments and vertices, whose shaders may be as short as the choice itself: one
 * multiplication, whose upper bits are the place (multiplicative hashing: Knuth, The Art of Computer
 * Programming 3, 6.4). Of the factor, both 2^-32 and, for what is in the upper half of x, 2^-16 parts are
 * those of a sequence of even coverage in two dimensions (M. Roberts, "The Unreasonable Effectiveness of
 * Quasirandom Sequences", 2018: 1/p, 1/p^2 for p^3 = p + 1). */
static uint32_t pick_fast(wpg_inject *in, uint32_t x, uint32_t rate)
{
    if (rate & (rate - 1))
        return pick(in, mix_seeded(in, x), constant(in, rate));
    uint32_t seeded = binary(in, SpvOpIAdd, x, constant(in, in->plan->options->sample_seed));
    uint32_t product = binary(in, SpvOpIMul, seeded, constant(in, 0xc13f91e1));
    return binary(in, SpvOpShiftRightLogical, product, constant(in, 32 - (uint32_t)__builtin_ctz(rate)));
}

static uint32_t equal(wpg_inject *in, uint32_t a, uint32_t b)
{
    return WPG_EMIT(in, SpvOpIEqual, in->t_bool, a, b);
}

static uint32_t first_lanes(wpg_inject *in, uint32_t value)
{
    if (!wpg_sample_can_broadcast(in->plan))
        return value;
    return WPG_EMIT(in, SpvOpGroupNonUniformBroadcastFirst, in->t_u32, in->subgroup_scope, value);
}

/* -- Stages */

static uint32_t choose_workgroup(wpg_inject *in, uint32_t *weight, wpg_sample_lay_fn lay)
{
    const uint32_t rate = in->plan->map->sample_rate;
    uint32_t at[3], size[3], id = load_u32(in, 0, 3), count = load_u32(in, 1, 3);
    for (uint32_t i = 0; i < 3; i++) {
        at[i] = WPG_EMIT(in, SpvOpCompositeExtract, in->t_u32, id, i);
        size[i] = WPG_EMIT(in, SpvOpCompositeExtract, in->t_u32, count, i);
    }
    uint32_t row = binary(in, SpvOpIAdd, at[1], binary(in, SpvOpIMul, size[1], at[2]));
    uint32_t linear = binary(in, SpvOpIAdd, at[0], binary(in, SpvOpIMul, size[0], row));
    uint32_t total = binary(in, SpvOpIMul, size[0], binary(in, SpvOpIMul, size[1], size[2]));
    uint32_t large = 0;
    in->sample.total = total;
    if (in->plan->sample_ended != WPG_NO_COUNTER) {
        uint32_t small = WPG_EMIT(in, SpvOpULessThan, in->t_bool, total, constant(in, rate));
        linear = binary(in, SpvOpIAdd, linear, lay(in, small));
        large = WPG_EMIT(in, SpvOpLogicalNot, in->t_bool, small);
    }
    uint32_t stratum = divide(in, linear, rate), place = remainder_of(in, linear, rate);
    uint32_t is_last = equal(in, stratum, divide(in, total, rate));
    if (large)
        is_last = WPG_EMIT(in, SpvOpLogicalAnd, in->t_bool, is_last, large);
    uint32_t rest = remainder_of(in, total, rate);
    *weight = WPG_EMIT(in, SpvOpSelect, in->t_u32, is_last, rest, constant(in, rate));
    return equal(in, place, pick(in, mix_seeded(in, stratum), *weight));
}

/* Blocks of N tiles are as square as N allows: 4 x 4 for 16. */
static uint32_t choose_tile(wpg_inject *in, uint32_t *weight)
{
    const uint32_t rate = in->plan->map->sample_rate, t_float = wpg_type_float(in->module, 32);
    uint32_t width = 1;
    while (rate % (2 * width) == 0 && 4 * width * width <= rate)
        width *= 2;
    const uint32_t height = rate / width, t_coord = wpg_type_vector(in->module, t_float, 4);
    uint32_t coord = WPG_EMIT(in, SpvOpLoad, t_coord, in->sample.inputs[0]), tile[2];
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t real = WPG_EMIT(in, SpvOpCompositeExtract, t_float, coord, i);
        tile[i] = binary(in, SpvOpShiftRightLogical, WPG_EMIT(in, SpvOpConvertFToU, in->t_u32, real),
                         constant(in, TILE_SHIFT));
    }
    /* One word, one broadcast: 16 bits hold the tiles of any framebuffer. */
    uint32_t sixteen = constant(in, 16), low = constant(in, 0xffff);
    uint32_t both = binary(in, SpvOpBitwiseOr, tile[0], binary(in, SpvOpShiftLeftLogical, tile[1], sixteen));
    both = first_lanes(in, both);
    *weight = constant(in, rate);
    if ((rate & (rate - 1)) == 0) {
        const uint32_t across = (uint32_t)__builtin_ctz(width);
        uint32_t blocks = (0xffffu >> across) | ((0xffffu & ~(height - 1)) << (16 - across));
        uint32_t moved = divide(in, both, width);
        uint32_t block = binary(in, SpvOpBitwiseAnd, moved, constant(in, blocks));
        uint32_t column = remainder_of(in, both, width);
        uint32_t line = binary(in, SpvOpShiftRightLogical, both, constant(in, 16 - across));
        line = binary(in, SpvOpBitwiseAnd, line, constant(in, (height - 1) * width));
        return equal(in, binary(in, SpvOpBitwiseOr, line, column), pick_fast(in, block, rate));
    }
    tile[0] = binary(in, SpvOpBitwiseAnd, both, low);
    tile[1] = binary(in, SpvOpShiftRightLogical, both, sixteen);
    uint32_t block = binary(in, SpvOpBitwiseOr, divide(in, tile[0], width),
                            binary(in, SpvOpShiftLeftLogical, divide(in, tile[1], height), sixteen));
    uint32_t place = binary(in, SpvOpIAdd, remainder_of(in, tile[0], width),
                            binary(in, SpvOpIMul, remainder_of(in, tile[1], height), constant(in, width)));
    return equal(in, place, pick(in, mix_seeded(in, block), *weight));
}

/* Vertices and primitives: by index, and by instance where there is one. */
static uint32_t choose_index(wpg_inject *in, uint32_t *weight)
{
    const uint32_t rate = in->plan->map->sample_rate;
    const SpvExecutionModel model = in->plan->stage->model;
    bool grouped = model == SpvExecutionModelVertex || model == SpvExecutionModelGeometry;
    uint32_t group = divide(in, first_lanes(in, load_u32(in, 0, 1)), grouped ? 1u << INDEX_SHIFT : 1);
    uint32_t hash = divide(in, group, rate);
    if (model == SpvExecutionModelVertex)
        hash = binary(in, SpvOpIAdd, hash,
                      binary(in, SpvOpIMul, first_lanes(in, load_u32(in, 1, 1)), constant(in, 0x9e3779b1)));
    *weight = constant(in, rate);
    return equal(in, remainder_of(in, group, rate), pick_fast(in, hash, rate));
}

uint32_t wpg_sample_choose(wpg_inject *in, uint32_t *weight, wpg_sample_lay_fn lay)
{
    switch (in->plan->stage->model) {
    case SpvExecutionModelGLCompute:
        return choose_workgroup(in, weight, lay);
    case SpvExecutionModelFragment:
        return choose_tile(in, weight);
    default:
        return choose_index(in, weight);
    }
}

bool wpg_sample_inputs(wpg_inject *in)
{
    if (has_no_inputs(in->plan))
        return false;
    declare_inputs(in);
    return true;
}

uint32_t wpg_sample_group(wpg_inject *in)
{
    const SpvExecutionModel model = in->plan->stage->model;
    uint32_t at[3] = {0}, count = 0;
    if (model == SpvExecutionModelGLCompute) {
        uint32_t id = load_u32(in, 0, 3);
        for (; count < 3; count++)
            at[count] = WPG_EMIT(in, SpvOpCompositeExtract, in->t_u32, id, count);
    } else if (model == SpvExecutionModelFragment) {
        uint32_t t_float = wpg_type_float(in->module, 32);
        uint32_t coord =
            WPG_EMIT(in, SpvOpLoad, wpg_type_vector(in->module, t_float, 4), in->sample.inputs[0]);
        for (; count < 2; count++)
            at[count] = divide(in,
                               WPG_EMIT(in, SpvOpConvertFToU, in->t_u32,
                                        WPG_EMIT(in, SpvOpCompositeExtract, t_float, coord, count)),
                               1u << QUAD_SHIFT); /* a small image has few tiles */
    } else {
        at[count++] = divide(in, load_u32(in, 0, 1), 1u << INDEX_SHIFT);
    }
    /* Odd factors: rows and planes do not repeat what columns are. */
    static const uint32_t factors[] = {1, 0x9e3779b1, 0x85ebca77};
    uint32_t sum = at[0];
    for (uint32_t i = 1; i < count; i++)
        sum = binary(in, SpvOpIAdd, sum, binary(in, SpvOpIMul, at[i], constant(in, factors[i])));
    return mix(in, sum);
}

bool wpg_sample_has_copies(const wpg_plan *plan)
{
    return plan->stage->model == SpvExecutionModelGLCompute && !has_no_inputs(plan);
}

void wpg_sample_declare_copies(wpg_inject *in)
{
    input inputs[MOST_INPUTS];
    (void)inputs_of(inputs, SpvExecutionModelGLCompute);
    in->sample.inputs[0] = declare_input(in, &inputs[0]);
}

uint32_t wpg_sample_copy(wpg_inject *in)
{
    uint32_t id = load_u32(in, 0, 3), sum = 0;
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t at = WPG_EMIT(in, SpvOpCompositeExtract, in->t_u32, id, i);
        sum = sum ? binary(in, SpvOpIAdd, sum, at) : at;
    }
    return binary(in, SpvOpBitwiseAnd, sum, constant(in, WPG_COPIES - 1));
}

uint32_t wpg_sample_weight(wpg_inject *in)
{
    if (in->sample.weight_variable)
        return WPG_EMIT(in, SpvOpLoad, in->t_u32, in->sample.weight_variable);
    return in->sample.constant_weight;
}
