/* Which loops and conditions of SPIR-V modules use mode can read, by the front end that made the module:
 *
 *     loops [--loops] [--reasons] FILE.spv|FOLDER...     one line a file; then a table of sums by front end
 *
 * Each entry point is brought to the form that the loop passes work on: normal form, then the SSA tier as
 * wpg_optimize runs it (passes/ssa.c). Of each loop this is asked, with the functions that the passes ask:
 *
 *     test      a branch run in every trip leaves the loop by an integer comparison     wpg_read_loop_test
 *     counter   one side of it counts from a constant by a constant                     wpg_read_induction
 *     trips     the other side is a constant, made of words of uniform blocks and push
 *               constants, or computed before the loop: the trips are an expression
 *
 * Each reachable conditional branch stands in the first group that fits: it is such a loop's test; words
 * alone decide it; it is the same in all trips of its loop; other. --loops prints a line for each loop,
 * --reasons how often each reason kept a loop from being read. "-" as a file reads names from standard
 * input. The lines hold nothing of the machine. A file that is no module is left out, with a message.
 * Threads: one. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compiler/normalize/normalize.h"
#include "compiler/normalize/spirv_tools.h"
#include "compiler/optimize/facts/induction.h"
#include "compiler/optimize/facts/invariant.h"
#include "compiler/spirv/builder.h"
#include "runtime/base/file.h"

enum { MOST_FRONTS = 64, MOST_REASONS = 128, DEEPEST = 8 };

/* What is counted. In memory: entry points that stay in normal form. Then loops, loops with one way out, and
 * what is read of loops; branches, and their groups. */
typedef enum count_of {
    MODULES,
    ENTRIES,
    IN_MEMORY,
    LOOPS,
    ONE_WAY,
    TESTS,
    COUNTERS,
    CONSTANTS,
    WORDS,
    BEFORE,
    BRANCHES,
    TESTED,
    DECIDED,
    INVARIANT,
    OTHER,
    COUNTS,
} count_of;

typedef struct reason {
    const char *text; /* static storage */
    unsigned count;
} reason;

typedef struct tally {
    const char *name; /* of the front end; static storage */
    unsigned n[COUNTS];
    reason reasons[MOST_REASONS];
    unsigned reason_count;
} tally;

static bool say_loops, say_reasons;
static tally fronts[MOST_FRONTS];
static unsigned front_count;

static unsigned trips(const tally *t)
{
    return t->n[CONSTANTS] + t->n[WORDS] + t->n[BEFORE];
}

static void note(tally *t, const char *why, unsigned count)
{
    unsigned i = 0;
    while (i < t->reason_count && strcmp(t->reasons[i].text, why) != 0)
        i++;
    if (i == MOST_REASONS)
        return;
    if (i == t->reason_count)
        t->reasons[t->reason_count++].text = why;
    t->reasons[i].count += count;
}

static void add(tally *sum, const tally *t)
{
    for (unsigned i = 0; i < COUNTS; i++)
        sum->n[i] += t->n[i];
    for (unsigned i = 0; i < t->reason_count; i++)
        note(sum, t->reasons[i].text, t->reasons[i].count);
}

/* -- Front ends -- */

/* The name that SPIRV-Headers' spir-v.xml has for the tool in the module's header. */
static const char *front_end(const wpg_module *module)
{
    static const struct {
        uint32_t tool;
        const char *name;
    } names[] = {
        {6, "LLVM/SPIR-V Translator"},
        {7, "SPIR-V Tools Assembler"},
        {8, "glslang"},
        {13, "shaderc"},
        {14, "DXC (spiregg)"},
        {15, "rspirv"},
        {16, "Mesa (Zink)"},
        {17, "SPIR-V Tools Linker"},
        {18, "vkd3d-shader"},
        {21, "Clspv"},
        {23, "Tint"},
        {24, "ANGLE"},
        {27, "rust-gpu"},
        {28, "naga"},
        {31, "SkSL"},
        {40, "Slang"},
    };
    uint32_t tool = module->generator >> 16;
    bool hlsl = false;
    WPG_INST_EACH (inst, module)
        hlsl |= inst->opcode == SpvOpSource && inst->count > 1 && inst->words[1] == SpvSourceLanguageHLSL;
    if (hlsl && (tool == 8 || tool == 13))
        return "glslang, HLSL";
    if (module->generator == 28)
        return "naga"; /* writes its number into the low half */
    if (module->generator == 0)
        return "Zink, or no tool named"; /* Zink writes 0 */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].tool == tool)
            return names[i].name;
    return "another tool";
}

static tally *front_of(const char *name)
{
    for (unsigned i = 0; i < front_count; i++)
        if (strcmp(fronts[i].name, name) == 0)
            return &fronts[i];
    if (front_count == MOST_FRONTS)
        return NULL;
    fronts[front_count].name = name;
    return &fronts[front_count++];
}

/* -- Words: uniform blocks and push constants -- */

typedef struct word_list {
    WPG_VEC(wpg_word_place) places; /* of the normal form: the SSA tier keeps ids */
} word_list;

static bool is_word(const word_list *words, const wpg_word_place *place)
{
    for (size_t i = 0; i < words->places.count; i++)
        if (memcmp(&words->places.data[i], place, sizeof *place) == 0)
            return true;
    return false;
}

/* Is the value computed of constants and of words alone, without float arithmetic? *any: of a word at all. */
static bool of_words(bool *any, const word_list *words, const wpg_view *view, uint32_t id, unsigned depth)
{
    const wpg_module *module = view->module;
    const wpg_inst *inst = wpg_module_def(module, id), *load = inst;
    wpg_word_place place;
    if (inst && wpg_is_module_constant(module, id))
        return true;
    if (!inst || !wpg_view_is_local(view, id) || depth > DEEPEST)
        return false;
    if (inst->opcode == SpvOpCompositeExtract && inst->count == 5)
        load = wpg_module_def(module, inst->words[3]);
    if (load && load->opcode == SpvOpLoad) {
        bool found = wpg_pointer_class(module, load->words[3]) == SpvStorageClassPushConstant;
        if (!found && wpg_word_place_of(&place, module, load) && place.count < WPG_WORD_DEPTH) {
            if (load != inst)
                place.indices[place.count++] = inst->words[4];
            found = is_word(words, &place);
        }
        *any |= found;
        return found;
    }
    unsigned traits = wpg_inst_traits(module, inst);
    if (!(traits & WPG_TRAIT_SPECULATABLE) || traits & WPG_TRAIT_FLOAT)
        return false;
    wpg_operand_list operands = {0};
    bool all = wpg_used_ids(&operands, module, inst);
    for (size_t i = 0; all && i < operands.count; i++)
        all = of_words(any, words, view, inst->words[operands.data[i]], depth + 1);
    wpg_vec_free(&operands);
    return all;
}

/* -- One loop -- */

typedef struct found_loop {
    wpg_guard_plan plan;
    wpg_induction counter;
    uint32_t test, bound;   /* block; WPG_NO_BLOCK: no test was read. Id */
    const char *kind, *why; /* of the bound, if the trips are known; else why not */
} found_loop;

static const wpg_inst *uncast(const wpg_module *module, uint32_t id)
{
    const wpg_inst *inst = wpg_module_def(module, id);
    while (inst && inst->opcode == SpvOpBitcast)
        inst = wpg_module_def(module, inst->words[3]);
    return inst;
}

static bool is_inside(const wpg_view *view, const wpg_loop *loop, uint32_t id)
{
    return id < view->bound && view->block_of[id] != WPG_NO_BLOCK && loop->inside[view->block_of[id]];
}

/* Why no branch was read as the loop's test. */
static const char *test_reason(const wpg_view *view, const wpg_loop *loop)
{
    const wpg_cfg *cfg = view->cfg;
    const char *why = "left by return, discard or switch alone";
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        if (!loop->inside[b] || block->terminator->opcode != SpvOpBranchConditional ||
            block->successor_count != 2 ||
            loop->inside[block->successors[0]] == loop->inside[block->successors[1]])
            continue;
        if (block->loop != loop->construct || !wpg_cfg_dominates(cfg, b, loop->back_edge)) {
            why = "left from inside a branch or an inner loop: no test is made in every trip";
            continue;
        }
        if (!wpg_loop_leads_to_merge(view, loop, block->successors[loop->inside[block->successors[0]]])) {
            why = "the way out branches again, returns or discards";
            continue;
        }
        const wpg_inst *condition = wpg_module_def(view->module, block->terminator->words[1]);
        while (condition && condition->opcode == SpvOpLogicalNot)
            condition = wpg_module_def(view->module, condition->words[3]);
        switch (condition ? condition->opcode : SpvOpNop) {
        case SpvOpLogicalAnd:
        case SpvOpLogicalOr:
            return "the test joins several conditions (and, or)";
        case SpvOpPhi:
        case SpvOpSelect:
            return "the test is a Boolean made in several places (&&, ||, a flag)";
        case SpvOpLoad:
            return "the test is a Boolean kept in memory";
        default:
            return condition && wpg_is_module_constant(view->module, condition->result)
                       ? "the test is a constant"
                       : "the test compares no integers (floats, vectors)";
        }
    }
    return why;
}

/* What keeps a value of the loop from being a counter. Less is nearer to one. */
typedef enum counter_fault {
    FAULT_START,
    FAULT_STEP,
    FAULT_NO_ADD,
    FAULT_WAYS,
    FAULT_DERIVED,
    FAULT_MEMORY,
    FAULT_NONE_COUNTS,
    FAULT_OUTSIDE,
} counter_fault;

static const char *const fault_texts[] = {
    "the counter starts at a value computed before the loop",
    "the counter's step is no constant",
    "the counter is changed otherwise than by adding (shifted, multiplied, loaded)",
    "the counter changes in some trips only, or in several places",
    "tested is a value computed of a counter",
    "tested is a variable kept in memory",
    "tested is no counter: loaded or computed anew in each trip",
    "nothing that is tested changes in the loop",
};

static counter_fault phi_fault(const wpg_view *view, const wpg_loop *loop, const wpg_inst *phi)
{
    const wpg_module *module = view->module;
    uint32_t value;
    if (phi->count != 7)
        return FAULT_WAYS;
    unsigned back = phi->words[4] == view->cfg->blocks[loop->back_edge].id ? 3 : 5;
    const wpg_inst *next = uncast(module, phi->words[back]);
    if (!next || next->opcode == SpvOpPhi || next->opcode == SpvOpSelect)
        return FAULT_WAYS;
    if (next->opcode != SpvOpIAdd && next->opcode != SpvOpISub)
        return FAULT_NO_ADD;
    const wpg_inst *a = uncast(module, next->words[3]), *b = uncast(module, next->words[4]);
    if (a != phi && b != phi)
        return (a && a->opcode == SpvOpPhi) || (b && b->opcode == SpvOpPhi) ? FAULT_WAYS : FAULT_NO_ADD;
    if (!wpg_is_u32_const(module, next->words[a == phi ? 4 : 3], &value))
        return FAULT_STEP;
    return wpg_is_u32_const(module, phi->words[8 - back], &value) ? FAULT_DERIVED : FAULT_START;
}

static counter_fault value_fault(const wpg_view *view, const wpg_loop *loop, uint32_t id, unsigned depth)
{
    const wpg_inst *inst = uncast(view->module, id);
    if (!inst || !is_inside(view, loop, inst->result) || depth > DEEPEST)
        return FAULT_OUTSIDE;
    if (inst->opcode == SpvOpPhi)
        return view->block_of[inst->result] == loop->header ? phi_fault(view, loop, inst) : FAULT_WAYS;
    if (inst->opcode == SpvOpLoad) {
        SpvStorageClass class = wpg_pointer_class(view->module, inst->words[3]);
        return class == SpvStorageClassFunction || class == SpvStorageClassPrivate ? FAULT_MEMORY
                                                                                   : FAULT_NONE_COUNTS;
    }
    wpg_operand_list operands = {0};
    counter_fault fault = FAULT_OUTSIDE;
    if (wpg_used_ids(&operands, view->module, inst))
        for (size_t i = 0; i < operands.count; i++) {
            counter_fault other = value_fault(view, loop, inst->words[operands.data[i]], depth + 1);
            if (other < FAULT_MEMORY)
                other = inst->opcode == SpvOpIAdd || inst->opcode == SpvOpISub ? other : FAULT_DERIVED;
            if (other < fault)
                fault = other;
        }
    wpg_vec_free(&operands);
    return fault == FAULT_OUTSIDE ? FAULT_NONE_COUNTS : fault;
}

static void read_bound(found_loop *found, const word_list *words, const wpg_view *view)
{
    bool any = false, late = false;
    uint32_t value;
    if (wpg_is_u32_const(view->module, found->bound, &value)) {
        found->kind = "constant";
    } else if (of_words(&any, words, view, found->bound, 0) && any) {
        found->kind = "words";
    } else {
        found->why = wpg_invariant_refusal(&late, view, &found->plan.loop, found->bound);
        if (!found->why)
            found->kind = "before";
        else if (!*found->why)
            found->why = "the bound may be another one in each trip";
        else if (strncmp(found->why, "the condition is loaded in a block", 34) == 0)
            found->why = "the bound is loaded in a block that may not run";
        else
            found->why = "the bound is loaded from memory that the shader may write";
    }
}

/* Fills test, counter, bound, and kind or why. plan.loop is described. */
static void read_loop(found_loop *found, const word_list *words, const wpg_view *view)
{
    counter_fault fault = FAULT_OUTSIDE;
    found->test = WPG_NO_BLOCK;
    found->bound = 0;
    for (uint32_t b = 0; b < view->cfg->count && !found->bound; b++) {
        if (!found->plan.loop.inside[b] || !wpg_read_loop_test(&found->plan, view, b))
            continue;
        found->test = b;
        for (unsigned side = 3; side <= 4 && !found->bound; side++) {
            uint32_t id = found->plan.compare->words[side];
            counter_fault why = value_fault(view, &found->plan.loop, id, 0);
            if (wpg_read_induction(&found->counter, view, &found->plan.loop, id))
                found->bound = found->plan.compare->words[7 - side];
            else if (why < fault)
                fault = why;
        }
    }
    if (found->test == WPG_NO_BLOCK)
        found->why = test_reason(view, &found->plan.loop);
    else if (!found->bound)
        found->why = fault_texts[fault];
    else
        read_bound(found, words, view);
}

static void print_loop(const found_loop *found)
{
    printf("    loop at block %u, ways out %u: ", found->plan.loop.header, found->plan.loop.exits);
    if (found->test != WPG_NO_BLOCK)
        printf("test in block %u, ", found->test);
    if (found->bound)
        printf("counter from %d by %d, ", (int)found->counter.first, (int)found->counter.step);
    if (found->kind)
        printf("trips by %s\n", found->kind);
    else
        printf("%s\n", found->why);
}

/* -- One function -- */

static void count_branch(tally *t, const word_list *words, const wpg_view *view, const wpg_loop *loops,
                         const bool *is_test, uint32_t b)
{
    const wpg_block *block = &view->cfg->blocks[b];
    if (block->rpo == WPG_NO_BLOCK || block->terminator->opcode != SpvOpBranchConditional)
        return;
    uint32_t condition = block->terminator->words[1];
    bool any = false, late;
    t->n[BRANCHES]++;
    if (is_test[b])
        t->n[TESTED]++;
    else if (of_words(&any, words, view, condition, 0) && any)
        t->n[DECIDED]++;
    else if (block->loop != WPG_NO_BLOCK && loops[block->loop].members &&
             !wpg_invariant_refusal(&late, view, &loops[block->loop], condition))
        t->n[INVARIANT]++;
    else
        t->n[OTHER]++;
}

static void count_function(tally *t, const word_list *words, wpg_module *module, uint32_t function)
{
    wpg_view *view = NULL;
    wpg_arena arena;
    if (wpg_view_create(&view, module, function, &(wpg_error){0}) != WPG_OK)
        return;
    wpg_arena_init(&arena);
    wpg_loop *loops = WPG_ARENA_ARRAY(&arena, wpg_loop, view->cfg->construct_count + 1u);
    bool *is_test = WPG_ARENA_ARRAY(&arena, bool, view->cfg->count + 1u);
    for (uint32_t c = 0; loops && is_test && c < view->cfg->construct_count; c++) {
        found_loop found = {0};
        if (!wpg_loop_describe(&found.plan.loop, view, c))
            continue; /* none: never repeats, or never ends */
        loops[c] = found.plan.loop;
        read_loop(&found, words, view);
        t->n[LOOPS]++;
        t->n[ONE_WAY] += found.plan.loop.exits == 1;
        t->n[TESTS] += found.test != WPG_NO_BLOCK;
        t->n[COUNTERS] += found.bound != 0;
        t->n[CONSTANTS] += found.kind && strcmp(found.kind, "constant") == 0;
        t->n[WORDS] += found.kind && strcmp(found.kind, "words") == 0;
        t->n[BEFORE] += found.kind && strcmp(found.kind, "before") == 0;
        if (found.kind)
            is_test[found.test] = true;
        else
            note(t, found.why, 1);
        if (say_loops)
            print_loop(&found);
    }
    for (uint32_t b = 0; loops && is_test && b < view->cfg->count; b++)
        count_branch(t, words, view, loops, is_test, b);
    wpg_arena_finish(&arena);
    wpg_view_destroy(view);
}

/* -- One entry point -- */

static void find_words(word_list *words, const wpg_module *normal)
{
    for (wpg_inst *f = wpg_next_function(normal->first); f; f = wpg_next_function(f->next)) {
        wpg_cfg *cfg = NULL;
        wpg_arena arena;
        wpg_word_site *sites = NULL;
        uint32_t count = 0;
        if (wpg_cfg_create(&cfg, normal, f, &(wpg_error){0}) != WPG_OK)
            continue;
        wpg_arena_init(&arena);
        if (wpg_word_sites(&sites, &count, cfg, &arena) == WPG_OK)
            for (uint32_t i = 0; i < count; i++)
                (void)wpg_vec_push(&words->places, sites[i].place);
        wpg_arena_finish(&arena);
        wpg_cfg_destroy(cfg);
    }
}

static bool check_entry(tally *t, const uint32_t *data, size_t count, const wpg_stage *stage, wpg_error *err)
{
    wpg_module *normal = NULL, *values = NULL;
    if (wpg_module_parse(&normal, data, count, err) != WPG_OK)
        return false;
    if (wpg_normalize(normal, stage, NULL, err) != WPG_OK) {
        wpg_module_destroy(normal);
        return false;
    }
    word_list words = {{0}};
    wpg_remarks remarks = {0};
    wpg_optimize_options options;
    wpg_function_profile *profiles = NULL;
    uint32_t functions = 0;
    for (wpg_inst *f = wpg_next_function(normal->first); f; f = wpg_next_function(f->next))
        functions++;
    profiles = calloc(functions + 1u, sizeof *profiles);
    uint32_t i = 0;
    for (wpg_inst *f = wpg_next_function(normal->first); profiles && f; f = wpg_next_function(f->next), i++)
        profiles[i] = (wpg_function_profile){.function = f->result, .ordinal = i};
    wpg_optimize_defaults(&options);
    wpg_arena_init(&remarks.arena);
    wpg_context context = {.module = normal,
                           .stage = stage,
                           .options = &options,
                           .remarks = &remarks,
                           .profiles = profiles,
                           .profile_count = profiles ? functions : 0,
                           .err = err};
    find_words(&words, normal);
    bool fits = profiles && wpg_ssa_form(&values, &context, wpg_ssa_tier) == WPG_OK;
    t->n[ENTRIES]++;
    t->n[IN_MEMORY] += !values;
    wpg_module *form = values ? values : normal;
    for (wpg_inst *f = wpg_next_function(form->first); fits && f; f = wpg_next_function(f->next))
        count_function(t, &words, form, f->result);
    wpg_vec_free(&words.places);
    wpg_arena_finish(&remarks.arena);
    wpg_analyses_finish(&context);
    free(profiles);
    wpg_module_destroy(values);
    wpg_module_destroy(normal);
    return fits;
}

/* -- Files -- */

static void print_sum(const tally *t)
{
    printf("loops %u, one way out %u, test %u, counter %u, trips %u (constant %u, words %u, before %u); "
           "branches %u: loop test %u, words %u, invariant %u, other %u; in memory %u of %u\n",
           t->n[LOOPS], t->n[ONE_WAY], t->n[TESTS], t->n[COUNTERS], trips(t), t->n[CONSTANTS], t->n[WORDS],
           t->n[BEFORE], t->n[BRANCHES], t->n[TESTED], t->n[DECIDED], t->n[INVARIANT], t->n[OTHER],
           t->n[IN_MEMORY], t->n[ENTRIES]);
}

static void check_file(const char *file)
{
    wpg_error err = {0};
    uint8_t *data = NULL;
    size_t size = 0;
    wpg_module *module = NULL;
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    if (wpg_file_read(&data, &size, file, (size_t)64 << 20, &err) != WPG_OK ||
        wpg_module_parse(&module, (const uint32_t *)(const void *)data, size / 4, &err) != WPG_OK) {
        fprintf(stderr, "loops: %s: %s: left out\n", name, err.message);
        free(data);
        return;
    }
    tally one = {.name = front_end(module), .n = {[MODULES] = 1}};
    WPG_INST_EACH (inst, module) {
        if (inst->opcode != SpvOpEntryPoint)
            continue;
        wpg_stage stage = {.model = (SpvExecutionModel)inst->words[1], .entry = wpg_inst_string(inst, 3)};
        if (stage.entry && wpg_stage_name(stage.model) &&
            !check_entry(&one, (const uint32_t *)(const void *)data, size / 4, &stage, &err))
            fprintf(stderr, "loops: %s, %s: %s: left out\n", name, stage.entry, err.message);
    }
    printf("%s: %s: ", name, one.name);
    print_sum(&one);
    tally *sum = front_of(one.name);
    if (sum)
        add(sum, &one);
    wpg_module_destroy(module);
    free(data);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Files that end in .spv, and folders, in the order of their names' bytes. */
static void check_path(const char *path)
{
    WPG_VEC(char *) paths = {0};
    struct stat about;
    DIR *folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode) ? opendir(path) : NULL;
    if (!folder) {
        check_file(path);
        return;
    }
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char full[4096];
        size_t length = strlen(entry->d_name);
        (void)snprintf(full, sizeof full, "%s/%s", path, entry->d_name);
        bool wanted = length > 4 && strcmp(entry->d_name + length - 4, ".spv") == 0;
        wanted |= entry->d_name[0] != '.' && stat(full, &about) == 0 && S_ISDIR(about.st_mode);
        char *copy = wanted ? strdup(full) : NULL;
        if (copy && !wpg_vec_push(&paths, copy))
            free(copy);
    }
    (void)closedir(folder);
    if (paths.count)
        qsort(paths.data, paths.count, sizeof *paths.data, by_name);
    for (size_t i = 0; i < paths.count; i++) {
        check_path(paths.data[i]);
        free(paths.data[i]);
    }
    wpg_vec_free(&paths);
}

static int by_count(const void *a, const void *b)
{
    const reason *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : strcmp(x->text, y->text);
}

static int by_front(const void *a, const void *b)
{
    const tally *x = a, *y = b;
    return strcmp(x->name, y->name);
}

int main(int argc, char **argv)
{
    int from = 1;
    for (; from < argc && strncmp(argv[from], "--", 2) == 0; from++) {
        say_loops |= strcmp(argv[from], "--loops") == 0;
        say_reasons |= strcmp(argv[from], "--reasons") == 0;
    }
    if (from == argc) {
        fprintf(stderr, "usage: loops [--loops] [--reasons] FILE.spv|FOLDER... (- reads names)\n");
        return 2;
    }
    for (int i = from; i < argc; i++) {
        char line[4096];
        if (strcmp(argv[i], "-") != 0)
            check_path(argv[i]);
        else
            while (fgets(line, sizeof line, stdin)) {
                line[strcspn(line, "\n")] = 0;
                check_path(line);
            }
    }
    qsort(fronts, front_count, sizeof *fronts, by_front);
    printf("\n| front end | modules | loops | test | counter | trips: constant, words, before | branches | "
           "loop test | words | invariant | other |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (unsigned i = 0; i < front_count; i++) {
        const tally *t = &fronts[i];
        printf("| %s | %u | %u | %u | %u | %u: %u, %u, %u | %u | %u | %u | %u | %u |\n", t->name,
               t->n[MODULES], t->n[LOOPS], t->n[TESTS], t->n[COUNTERS], trips(t), t->n[CONSTANTS],
               t->n[WORDS], t->n[BEFORE], t->n[BRANCHES], t->n[TESTED], t->n[DECIDED], t->n[INVARIANT],
               t->n[OTHER]);
    }
    for (unsigned i = 0; say_reasons && i < front_count; i++) {
        tally *t = &fronts[i];
        qsort(t->reasons, t->reason_count, sizeof *t->reasons, by_count);
        for (unsigned r = 0; r < t->reason_count; r++)
            printf("%s%s: %u %s\n", r ? "" : "\n", t->name, t->reasons[r].count, t->reasons[r].text);
    }
    return 0;
}
