/* Runs the SSA tier for use mode. The tier turns memory into values and drops dead code. It moves no code, so
 * derivatives, quad and subgroup operations keep their control flow.
 *
 *      normal form --copy--> localise.c: variables of the module that one function uses become the function's
 *                   |        split_composites.c, promote.c, drop_unused.c: our own code (promote.h)
 *                   |        ssa_keep.c: loops whose bits hang on their form keep their memory; those not
 *                   |        foreseen are found now: again
 *                   |
 *           memory left that the hook may follow? (leftovers.c)
 *                   |--- no: unused declarations go
 *                  yes: the caller's hook (SPIRV-Tools behind compiler/normalize)
 *
 * The hook is guarded so that only the place of values changes. In some versions a pass of SPIRV-Tools also
 * runs its simplification, which folds floating-point arithmetic (a product and a sum become one Fma) and
 * changes bits. It leaves NoContraction alone. So all floating-point work gets that decoration on the way in,
 * and loses it on the way out. Afterwards no kind of arithmetic may occur more often than before.
 *
 * SPIRV-Tools' dead code pass leaves a module alone that holds a non-semantic set it does not know. So
 * pseudo probes are lifted out before, and put back behind their labels after. The same is done with
 * declarations that an older SPIRV-Tools does not know, and that say nothing of values: else it refuses the
 * module. */
#include "compiler/optimize/ir/pass.h"

#include <string.h>

#include "compiler/analysis/graph/pseudo_probe.h"
#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/passes/localise.h"
#include "compiler/optimize/memory/promote.h"
#include "compiler/optimize/passes/ssa_keep.h"
#include "compiler/spirv/builder.h"

static const char PASS[] = "ssa";

enum { MOST_ROUNDS = 3 };

static bool is_arithmetic(const wpg_module *module, const wpg_inst *inst)
{
    return inst->result && (wpg_inst_traits(module, inst) & WPG_TRAIT_FLOAT) != 0;
}

/* Decorates all floating-point arithmetic that is not yet NoContraction; the ids it did go into `added`. */
static bool protect(wpg_map *added, wpg_module *module)
{
    wpg_map already = {0};
    bool fits = true;
    for (const wpg_inst *inst = module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next)
        if (inst->opcode == SpvOpDecorate && inst->count == 3 && inst->words[2] == SpvDecorationNoContraction)
            fits &= wpg_map_set(&already, inst->words[1], 1);
    wpg_inst *where = wpg_module_section_end(module, WPG_SECTION_ANNOTATION); /* one walk for thousands */
    for (wpg_inst *inst = wpg_first_function(module); inst && fits; inst = inst->next) {
        if (!is_arithmetic(module, inst) || wpg_map_get(&already, inst->result, NULL))
            continue;
        (void)wpg_inst_add(module, where, SpvOpDecorate, inst->result, SpvDecorationNoContraction);
        fits = wpg_map_set(added, inst->result, 1);
    }
    wpg_map_free(&already);
    return fits && !module->arena.failed;
}

static void unprotect(const wpg_map *added, wpg_module *module)
{
    for (wpg_inst *inst = module->first, *next; inst && inst->opcode != SpvOpFunction; inst = next) {
        next = inst->next;
        if (inst->opcode == SpvOpDecorate && inst->count == 3 &&
            inst->words[2] == SpvDecorationNoContraction && wpg_map_get(added, inst->words[1], NULL))
            wpg_inst_remove(module, inst);
    }
}

/* -- What SPIRV-Tools 2023.1 (Debian 12) does not know, and what says nothing of values */

typedef struct lifted {
    wpg_inst *items[16];
    unsigned count;
} lifted;

static bool is_newer(const wpg_inst *inst)
{
    static const char *const extensions[] = {"SPV_KHR_maximal_reconvergence", "SPV_KHR_quad_control"};
    enum { QUAD_CONTROL = 5087, QUAD_DERIVATIVES = 5088, REQUIRE_FULL_QUADS = 5089, RECONVERGES = 6023 };
    const char *name = inst->opcode == SpvOpExtension ? wpg_inst_string(inst, 1) : NULL;
    for (size_t i = 0; name && i < sizeof extensions / sizeof *extensions; i++)
        if (strcmp(name, extensions[i]) == 0)
            return true;
    if (inst->opcode == SpvOpCapability && inst->count > 1)
        return inst->words[1] == QUAD_CONTROL;
    return inst->opcode == SpvOpExecutionMode && inst->count > 2 &&
           (inst->words[2] == QUAD_DERIVATIVES || inst->words[2] == REQUIRE_FULL_QUADS ||
            inst->words[2] == RECONVERGES);
}

/* Takes them out; their words stay until the module is destroyed. */
static void lift_newer(lifted *out, wpg_module *module)
{
    *out = (lifted){.count = 0};
    for (wpg_inst *inst = module->first, *next; inst && inst->opcode != SpvOpFunction; inst = next) {
        next = inst->next;
        if (!is_newer(inst) || out->count == sizeof out->items / sizeof *out->items)
            continue;
        out->items[out->count++] = inst;
        wpg_inst_remove(module, inst);
    }
}

static void put_newer(wpg_module *module, const lifted *from)
{
    for (unsigned i = 0; i < from->count; i++) {
        const wpg_inst *inst = from->items[i];
        (void)wpg_inst_insert(module, wpg_module_section_end(module, wpg_inst_section(inst)),
                              (SpvOp)inst->opcode, inst->words + 1, inst->count - 1u);
    }
}

/* Counts each kind of arithmetic, adding `sign` (1 or -1 modulo 2^64). */
static bool count_arithmetic(wpg_map *counts, const wpg_module *module, uint64_t sign)
{
    for (const wpg_inst *inst = wpg_first_function(module); inst; inst = inst->next) {
        if (!is_arithmetic(module, inst))
            continue;
        uint64_t key = (uint64_t)inst->opcode << 32 | (inst->opcode == SpvOpExtInst ? inst->words[4] : 0),
                 count = 0;
        wpg_map_get(counts, key, &count);
        if (!wpg_map_set(counts, key, count + sign))
            return false;
    }
    return true;
}

/* Is every kind of arithmetic in `after` at most as often as in `before`? *nomem is set when that cannot be
 * told.
 */
static bool only_less_arithmetic(const wpg_module *before, const wpg_module *after, bool *nomem)
{
    wpg_map counts = {0};
    bool less = true;
    *nomem = !count_arithmetic(&counts, before, 1) || !count_arithmetic(&counts, after, (uint64_t)-1);
    for (size_t i = 0; i < counts.capacity; i++)
        less &= !counts.slots[i].used || (int64_t)counts.slots[i].value >= 0;
    wpg_map_free(&counts);
    return less;
}

/* What a run of the tier works on, and what it has to put back. */
typedef struct tier_run {
    wpg_module *copy;
    wpg_pseudo_probe *probes;
    size_t probe_count;
    lifted newer;
    bool left;       /* something that the hook might do */
    wpg_arena arena; /* of the probes */
} tier_run;

static void run_finish(tier_run *run)
{
    wpg_module_destroy(run->copy);
    wpg_arena_finish(&run->arena);
}

/* A copy of the module in which our own code has made values of memory. Variables of `kept` stay. */
static wpg_status begin_run(tier_run *run, const wpg_context *context, const wpg_kept *kept,
                            wpg_error *reason)
{
    *run = (tier_run){.copy = NULL};
    wpg_arena_init(&run->arena);
    wpg_status status = wpg_module_copy(&run->copy, context->module, reason);
    if (status == WPG_OK)
        status = wpg_pseudo_probes_lift(&run->probes, &run->probe_count, run->copy, &run->arena, reason);
    if (status != WPG_OK)
        return status;
    lift_newer(&run->newer, run->copy);
    wpg_graphs graphs = {0};
    bool fits = wpg_localise_globals(run->copy) && (!kept->any || wpg_kept_pin(run->copy, kept)) &&
                wpg_split_composites(run->copy) && wpg_promote_variables(run->copy, &graphs) &&
                wpg_drop_unused(run->copy, &graphs) && wpg_memory_is_left(&run->left, run->copy);
    wpg_graphs_finish(&graphs);
    if (!fits)
        return wpg_fail(reason, WPG_E_NOMEM, "out of memory");
    if (kept->any)
        wpg_kept_unpin(run->copy, kept);
    return WPG_OK;
}

/* Words of the copy through the hook, with its arithmetic protected, as another module. */
static wpg_status ask_hook(wpg_module **out, tier_run *run, wpg_ssa_fn ssa, const wpg_kept *kept,
                           wpg_error *reason)
{
    uint32_t *words = NULL, *ssa_words = NULL;
    size_t count = 0, ssa_count = 0;
    wpg_map added = {0};
    const bool fits = (!kept->any || wpg_kept_pin(run->copy, kept)) && protect(&added, run->copy);
    wpg_status status = fits ? WPG_OK : wpg_fail(reason, WPG_E_NOMEM, "out of memory");
    if (status == WPG_OK)
        status = wpg_module_emit(&words, &count, run->copy, reason);
    if (status == WPG_OK)
        status = ssa(&ssa_words, &ssa_count, words, count, reason);
    if (status == WPG_OK)
        status = wpg_module_parse(out, ssa_words, ssa_count, reason);
    if (status == WPG_OK) {
        unprotect(&added, *out);
        if (kept->any)
            wpg_kept_unpin(*out, kept);
    }
    wpg_map_free(&added);
    free(words);
    free(ssa_words);
    return status;
}

/* The copy without declarations that nothing names. By words where parsing may find out more than it says. */
static wpg_status give_copy(wpg_module **out, tier_run *run, wpg_error *reason)
{
    if (!wpg_drop_declarations(run->copy))
        return wpg_fail(reason, WPG_E_NOMEM, "out of memory");
    if (run->copy->has_unknown || run->copy->decorates_late)
        return wpg_module_copy(out, run->copy, reason);
    *out = run->copy;
    run->copy = NULL;
    return WPG_OK;
}

/* The rest of the tier. The hook takes long: it is asked only where it can do something. */
static wpg_status end_run(wpg_module **out, tier_run *run, wpg_ssa_fn ssa, const wpg_kept *kept,
                          wpg_error *reason)
{
    wpg_status status = run->left ? ask_hook(out, run, ssa, kept, reason) : give_copy(out, run, reason);
    if (status == WPG_OK) {
        put_newer(*out, &run->newer);
        status = wpg_pseudo_probes_put(*out, run->probes, run->probe_count, reason);
    }
    if (status != WPG_OK) {
        wpg_module_destroy(*out);
        *out = NULL;
    }
    return status;
}

/* The tier failed. Fails for memory only; else there is a remark. */
static wpg_status say_failure(wpg_context *context, wpg_status status, const wpg_error *reason)
{
    if (status == WPG_E_NOMEM)
        return wpg_fail(context->err, WPG_E_NOMEM, "out of memory");
    wpg_remark_add(context, WPG_REMARK_REFUSED, PASS, 0, 0, "failed: %.120s", reason->message);
    return WPG_OK;
}

/* The rest of the tier. What the hook gave is checked: our own code makes no arithmetic. *out = NULL, with a
 * remark, if it fails. */
static wpg_status make_values(wpg_module **out, tier_run *run, wpg_context *context, wpg_ssa_fn ssa,
                              const wpg_kept *kept)
{
    wpg_error reason = {0};
    wpg_module *values = NULL;
    bool nomem = false;
    wpg_status status = end_run(&values, run, ssa, kept, &reason);
    if (status == WPG_OK && run->left && !only_less_arithmetic(context->module, values, &nomem))
        status = nomem ? WPG_E_NOMEM
                       : wpg_fail(&reason, WPG_E_UNSUPPORTED, "it changed floating-point arithmetic");
    if (status == WPG_OK) {
        *out = values;
        return WPG_OK;
    }
    wpg_module_destroy(values);
    return say_failure(context, status, &reason);
}

/* One run. *found: a loop that is to keep its form, and was not known before; there is no *out then. Most are
 * found before the hook is asked: what our own code leaves to it changes few loops. */
static wpg_status run_once(wpg_module **out, uint32_t *found, wpg_kept *kept, wpg_context *context,
                           wpg_ssa_fn ssa, wpg_arena *arena)
{
    tier_run run;
    wpg_error reason = {0};
    bool fits = true;
    *found = 0;
    wpg_status status = begin_run(&run, context, kept, &reason);
    if (status != WPG_OK)
        status = say_failure(context, status, &reason);
    else if ((fits = wpg_kept_add(found, kept, context, run.copy, arena)) && !*found)
        status = make_values(out, &run, context, ssa, kept);
    if (*out && status == WPG_OK && run.left)
        fits = wpg_kept_add(found, kept, context, *out, arena);
    if (*out && kept->view && kept->view->module == *out && (run.left || !run.probe_count)) {
        wpg_view_adopt(context, kept->view);
        kept->view = NULL;
    }
    wpg_view_destroy(kept->view);
    kept->view = NULL;
    run_finish(&run);
    if (fits && !*found)
        return status;
    if (*out)
        wpg_analyses_leave(context, *out);
    wpg_module_destroy(*out);
    *out = NULL;
    return fits ? status : wpg_fail(context->err, WPG_E_NOMEM, "out of memory");
}

/* The tier, again while loops are found that are to keep their form. */
static wpg_status make_most_values(wpg_module **out, wpg_context *context, wpg_ssa_fn ssa, wpg_arena *arena)
{
    wpg_kept kept = {0};
    uint32_t found = 0;
    if (!wpg_kept_foresee(&kept, context, arena))
        return wpg_fail(context->err, WPG_E_NOMEM, "out of memory");
    for (int round = 0; round < MOST_ROUNDS; round++) {
        WPG_TRY(run_once(out, &found, &kept, context, ssa, arena));
        if (!found)
            return WPG_OK;
    }
    wpg_remark_add(
        context, WPG_REMARK_REFUSED, PASS, 0, 0,
        "loops of counted trips compute %%%u and others of constants, which a driver rounds its own way "
        "or not by the code around it",
        found);
    return WPG_OK;
}

wpg_status wpg_ssa_form(wpg_module **out, wpg_context *context, wpg_ssa_fn ssa)
{
    *out = NULL;
    if (!ssa || (wpg_module_traits(context->module) & WPG_TRAIT_UNKNOWN)) {
        wpg_remark_add(context, WPG_REMARK_REFUSED, PASS, 0, 0,
                       "not run, values kept in variables are not followed: %s",
                       ssa ? "the shader has an instruction not known here" : "not available");
        return WPG_OK;
    }
    wpg_arena arena;
    wpg_arena_init(&arena);
    wpg_status status = make_most_values(out, context, ssa, &arena);
    wpg_arena_finish(&arena);
    return status;
}
