/* Entry: how waves start the stage. Live and helper lanes, wave size, fullness. Counted once a wave.
 *
 *     record: 1, waves, live lanes, helper lanes, waves with a lane in every slot, sum of wave sizes, then
 *             waves by live lanes in eighths of the wave size, 0 (less than one eighth) to 8 (all)
 *
 * Waves without a live lane are not seen. A wave with free slots is a tail wave: of a workgroup that is no
 * multiple of the size, or of a small draw. The size is BuiltIn SubgroupSize. */
#include "compiler/instrument/probes/probe.h"

enum { EIGHTHS = 9, SLOTS_FULL = EIGHTHS, BUCKETS = 2 * EIGHTHS };

typedef struct entry_site {
    uint32_t helpers; /* counter, WPG_NO_COUNTER where there are no helpers */
    uint32_t sizes;
    uint32_t buckets; /* first of BUCKETS: by eighths, first the waves with a free slot, then those without */
} entry_site;

static void plan(wpg_probe_plan *p)
{
    entry_site *site = p->function->is_entry ? wpg_probe_alloc(p, 1, sizeof *site) : NULL;
    if (!site)
        return;
    site->helpers = p->plan->helper_test == WPG_HELPER_NONE ? WPG_NO_COUNTER : wpg_probe_counters(p, 1);
    site->sizes = wpg_probe_counters(p, 1);
    site->buckets = wpg_probe_counters(p, BUCKETS);
    wpg_probe_describe(p, 1);
    wpg_probe_word(p);
    wpg_probe_add(p, WPG_TERM_WAVES, 0);
    wpg_probe_word(p);
    wpg_probe_add(p, WPG_TERM_LANES, 0);
    wpg_probe_word(p);
    if (site->helpers != WPG_NO_COUNTER)
        wpg_probe_add(p, WPG_TERM_COUNTER, site->helpers);
    wpg_probe_word(p);
    for (uint32_t i = 0; i < EIGHTHS; i++)
        wpg_probe_add(p, WPG_TERM_COUNTER, site->buckets + SLOTS_FULL + i);
    wpg_probe_word(p);
    wpg_probe_add(p, WPG_TERM_COUNTER, site->sizes);
    for (uint32_t i = 0; i < EIGHTHS; i++) {
        wpg_probe_word(p);
        wpg_probe_add(p, WPG_TERM_COUNTER, site->buckets + i);
        wpg_probe_add(p, WPG_TERM_COUNTER, site->buckets + SLOTS_FULL + i);
    }
    wpg_probe_place(p, 0, NULL, site);
}

static uint32_t find_size_variable(const wpg_module *module)
{
    for (const wpg_inst *inst = module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next)
        if (inst->opcode == SpvOpDecorate && inst->count == 4 && inst->words[2] == SpvDecorationBuiltIn &&
            inst->words[3] == SpvBuiltInSubgroupSize)
            return inst->words[1];
    return 0;
}

/* The wave size as u32: the module's own variable where it has one, of whichever signedness. */
static uint32_t load_size(wpg_inject *in)
{
    wpg_module *m = in->module;
    uint32_t variable = find_size_variable(m), type = in->t_u32;
    const wpg_inst *known = variable ? wpg_module_def(m, variable) : NULL;
    const wpg_inst *pointer = known ? wpg_module_def(m, known->type) : NULL;
    if (pointer && pointer->opcode == SpvOpTypePointer && pointer->count == 4) {
        type = pointer->words[3];
        wpg_entry_point_add_interface(m, in->plan->entry_point, variable);
    } else {
        uint32_t input = wpg_type_pointer(m, SpvStorageClassInput, in->t_u32);
        variable = wpg_global_variable(m, in->plan->entry_point, SpvStorageClassInput, input);
        wpg_decorate(m, variable, SpvDecorationBuiltIn, (const uint32_t[]){SpvBuiltInSubgroupSize}, 1);
        if (in->plan->stage->model == SpvExecutionModelFragment)
            wpg_decorate(m, variable, SpvDecorationFlat, NULL, 0);
    }
    uint32_t size = WPG_EMIT(in, SpvOpLoad, type, variable);
    return type == in->t_u32 ? size : WPG_EMIT(in, SpvOpBitcast, in->t_u32, size);
}

static void emit(wpg_inject *in, const wpg_function_plan *function, const wpg_probe_point *point)
{
    const entry_site *site = point->site;
    wpg_add adds[2];
    size_t count = 0;
    (void)function;
    uint32_t live = wpg_probe_live(in), lanes = wpg_probe_lanes(in, live);
    uint32_t taken = live ? wpg_probe_lanes(in, 0) : lanes, size = load_size(in);
    uint32_t eighths =
        WPG_EMIT(in, SpvOpUDiv, in->t_u32,
                 WPG_EMIT(in, SpvOpIMul, in->t_u32, lanes, wpg_const_u32(in->module, EIGHTHS - 1)), size);
    uint32_t full = WPG_EMIT(in, SpvOpIEqual, in->t_bool, taken, size);
    uint32_t from =
        WPG_EMIT(in, SpvOpSelect, in->t_u32, full, wpg_const_u32(in->module, SLOTS_FULL), in->c_zero);
    uint32_t bucket = WPG_EMIT(in, SpvOpIAdd, in->t_u32, eighths, from);
    adds[count++] = (wpg_add){site->sizes, size};
    if (site->helpers != WPG_NO_COUNTER)
        adds[count++] = (wpg_add){site->helpers, WPG_EMIT(in, SpvOpISub, in->t_u32, taken, lanes)};
    wpg_if among_live = {0};
    if (live)
        among_live = wpg_if_begin(in, live);
    wpg_if elected =
        wpg_if_begin(in, WPG_EMIT(in, SpvOpGroupNonUniformElect, in->t_bool, in->subgroup_scope));
    wpg_memory_add_at(in, wpg_probe_index(in, site->buckets, bucket), in->c_one);
    wpg_memory_add(in, adds, count);
    wpg_if_end(in, elected);
    if (live)
        wpg_if_end(in, among_live);
}

const wpg_probe wpg_probe_entry = {
    .name = "entry", .record = "entry_mask", .bit = WPG_PROBE_ENTRY, .ids = 128, .plan = plan, .emit = emit};
