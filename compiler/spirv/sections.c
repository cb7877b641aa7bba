/* Sections of a module: which one an instruction belongs to, and where each ends.
 *
 * The end of a section is the answer of a walk: the first instruction of a later section, or the first of
 * the undecided instructions that stand directly before that. Answers are kept from edit to edit. Most edits
 * stand behind the first OpFunction and change no end. An instruction added at its section's end moves the
 * ends of the empty sections before it. After any other edit the end is unknown, and the next question
 * walks.
 * Threads, ownership: module.h. Source: SPIR-V 1.6, 2.4 (logical layout). */
#include <string.h>

#include "compiler/spirv/grammar.h"
#include "compiler/spirv/module_internal.h"

wpg_section wpg_inst_own_section(const wpg_inst *inst)
{
    /* The common cases, for speed: ranges of numbers that only functions hold. */
    if (inst->opcode >= SpvOpImageTexelPointer && inst->opcode <= SpvOpInBoundsPtrAccessChain)
        return WPG_SECTION_FUNCTION;
    if (inst->opcode >= SpvOpVectorExtractDynamic && inst->opcode < SpvOpNoLine)
        return wpg_opcode_lookup(inst->opcode) ? WPG_SECTION_FUNCTION : WPG_SECTION_COUNT;
    if (wpg_opcode_is_annotation(inst->opcode))
        return WPG_SECTION_ANNOTATION;
    switch (inst->opcode) {
    case SpvOpCapability:
        return WPG_SECTION_CAPABILITY;
    case SpvOpExtension:
        return WPG_SECTION_EXTENSION;
    case SpvOpExtInstImport:
        return WPG_SECTION_IMPORT;
    case SpvOpMemoryModel:
        return WPG_SECTION_MEMORY_MODEL;
    case SpvOpEntryPoint:
        return WPG_SECTION_ENTRY_POINT;
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
        return WPG_SECTION_EXECUTION_MODE;
    case SpvOpString:
    case SpvOpSource:
    case SpvOpSourceContinued:
    case SpvOpSourceExtension:
    case SpvOpName:
    case SpvOpMemberName:
    case SpvOpModuleProcessed:
        return WPG_SECTION_DEBUG;
    case SpvOpVariable:
        return inst->count > 3 && inst->words[3] == SpvStorageClassFunction ? WPG_SECTION_FUNCTION
                                                                            : WPG_SECTION_GLOBAL;
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpUndef:
    case SpvOpExtInst:
    case SpvOpNop:
        return WPG_SECTION_COUNT;
    default:
        break;
    }
    if ((inst->opcode >= SpvOpTypeVoid && inst->opcode <= SpvOpTypeForwardPointer) ||
        (inst->opcode >= SpvOpConstantTrue && inst->opcode <= SpvOpSpecConstantOp))
        return WPG_SECTION_GLOBAL;
    const wpg_opcode_info *info = wpg_opcode_lookup(inst->opcode);
    if (!info)
        return WPG_SECTION_COUNT;
    if (!strchr("TCS", info->name[2])) /* most are none of the following */
        return WPG_SECTION_FUNCTION;
    /* The remaining types and constants are extensions'. */
    return !strncmp(info->name, "OpType", 6) || !strncmp(info->name, "OpConstant", 10) ||
                   !strncmp(info->name, "OpSpecConstant", 14)
               ? WPG_SECTION_GLOBAL
               : WPG_SECTION_FUNCTION;
}

wpg_section wpg_inst_section(const wpg_inst *inst)
{
    wpg_section section = wpg_inst_own_section(inst);
    if (section != WPG_SECTION_COUNT)
        return section;
    /* A line belongs to what follows it; the rest to what comes before. */
    bool line = inst->opcode == SpvOpLine || inst->opcode == SpvOpNoLine;
    for (const wpg_inst *at = line ? inst->next : inst->prev; at; at = line ? at->next : at->prev) {
        section = wpg_inst_own_section(at);
        if (section == WPG_SECTION_COUNT)
            continue;
        /* Undefs and module-scope extended instructions stand among the types. */
        return line || section == WPG_SECTION_FUNCTION ? section : WPG_SECTION_GLOBAL;
    }
    return line ? WPG_SECTION_FUNCTION : WPG_SECTION_GLOBAL;
}

/* -- Ends ---------------------------------------------------------------------------------------------- */

/* The ends of the sections from *next on and before `until`, which are not found yet. */
static void end_at(wpg_section_ends *ends, unsigned *next, unsigned until, wpg_inst *later, wpg_inst *run,
                   wpg_inst *lines)
{
    for (; *next < until && *next < WPG_SECTION_FUNCTION; ++*next) {
        wpg_inst *undecided = *next == WPG_SECTION_GLOBAL ? lines : run;
        ends->of[*next].known = true;
        ends->of[*next].later = later;
        ends->of[*next].end = undecided ? undecided : later;
    }
}

/* One walk for the ends of all sections. */
static void walk(wpg_section_ends *ends, const wpg_module *module)
{
    wpg_inst *run = NULL, *lines = NULL; /* first of the undecided ones just before `inst`; of its lines */
    unsigned next = 0;
    for (wpg_inst *inst = module->first; inst && next < WPG_SECTION_FUNCTION; inst = inst->next) {
        const wpg_section here = wpg_inst_own_section(inst);
        if (here == WPG_SECTION_COUNT) {
            /* Lines go with what follows. The others stand among the types, or are unknown. */
            const bool line = inst->opcode == SpvOpLine || inst->opcode == SpvOpNoLine;
            run = run ? run : inst;
            lines = !line ? NULL : lines ? lines : inst;
            continue;
        }
        end_at(ends, &next, here, inst, run, lines);
        run = lines = NULL;
    }
    end_at(ends, &next, WPG_SECTION_FUNCTION, NULL, run, lines);
}

wpg_inst *wpg_section_end_by_walk(const wpg_module *module, wpg_section section)
{
    wpg_section_ends ends;
    if (section >= WPG_SECTION_FUNCTION)
        return NULL;
    walk(&ends, module);
    return ends.of[section].end;
}

wpg_inst *wpg_module_section_end(const wpg_module *module, wpg_section section)
{
    if (section >= WPG_SECTION_FUNCTION)
        return NULL;
    wpg_section_ends *ends = module->ends;
    if (!ends->of[section].known)
        walk(ends, module);
    return ends->of[section].end;
}

static void forget_all(wpg_module *module)
{
    *module->ends = (wpg_section_ends){0};
}

static bool is_decided(const wpg_inst *inst)
{
    return !inst || wpg_inst_own_section(inst) != WPG_SECTION_COUNT;
}

/* Does the instruction stand behind one that only functions have? Then no end lies behind it. A long run of
 * undecided instructions counts as no. */
static bool is_in_function(const wpg_inst *inst)
{
    enum { MOST_STEPS = 16 };
    const wpg_inst *at = inst->prev;
    for (unsigned steps = 0; at && steps < MOST_STEPS; at = at->prev, steps++) {
        wpg_section section = wpg_inst_own_section(at);
        if (section != WPG_SECTION_COUNT)
            return section == WPG_SECTION_FUNCTION;
    }
    return false;
}

/* The instruction was inserted at its own section's end. Sections before it that ended there end at the
 * instruction now: there is nothing between. */
static void append(wpg_section_ends *ends, wpg_section section, wpg_inst *inst)
{
    for (unsigned s = 0; s < section; s++) {
        if (ends->of[s].known && ends->of[s].later == ends->of[section].later) {
            ends->of[s].later = inst;
            if (ends->of[s].end == inst->next)
                ends->of[s].end = inst;
        }
    }
}

/* Behind one of its own kind, which is always of the same section: most edits before the functions. */
static bool follows_its_like(const wpg_inst *inst)
{
    return inst->prev && inst->prev->opcode == inst->opcode &&
           (inst->opcode == SpvOpName || inst->opcode == SpvOpDecorate);
}

void wpg_ends_inserted(wpg_module *module, wpg_inst *inst)
{
    if (follows_its_like(inst) || is_in_function(inst))
        return;
    wpg_section section = wpg_inst_own_section(inst);
    const wpg_inst *before = inst->prev;
    /* Behind one of the same or a later section, and in no run of undecided ones. */
    if (section != WPG_SECTION_COUNT && before && is_decided(before) &&
        wpg_inst_own_section(before) >= section)
        return;
    if (section < WPG_SECTION_FUNCTION && module->ends->of[section].known &&
        module->ends->of[section].end == inst->next)
        append(module->ends, section, inst);
    else
        forget_all(module);
}

void wpg_ends_removing(wpg_module *module, const wpg_inst *inst)
{
    const bool among_its_like = follows_its_like(inst) && inst->next && inst->next->opcode == inst->opcode;
    if (among_its_like || is_in_function(inst))
        return;
    if (!is_decided(inst->prev) || !is_decided(inst->next)) {
        forget_all(module);
        return;
    }
    for (unsigned s = 0; s < WPG_SECTION_FUNCTION; s++)
        if (module->ends->of[s].end == inst || module->ends->of[s].later == inst)
            module->ends->of[s].known = false;
}

void wpg_ends_rewritten(wpg_module *module, const wpg_inst *inst, wpg_section before)
{
    wpg_section section = wpg_inst_own_section(inst);
    if ((section != before || section == WPG_SECTION_COUNT) && !is_in_function(inst))
        forget_all(module);
}
