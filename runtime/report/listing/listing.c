/* Prints SPIR-V instructions by the grammar table. Sources: SPIR-V 1.6, section 3; GLSL.std.450. */
#include "runtime/report/listing/listing.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/spirv/grammar.h"

wpg_status wpg_listing_init(wpg_listing *listing, const wpg_module *module, wpg_error *err)
{
    *listing = (wpg_listing){.module = module, .names = calloc((size_t)module->bound + 1, sizeof(char *))};
    if (!listing->names)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    WPG_INST_EACH (inst, module) {
        if (inst->opcode == SpvOpFunction)
            break;
        if (inst->opcode == SpvOpName && inst->count > 2 && inst->words[1] < module->bound)
            listing->names[inst->words[1]] = wpg_inst_string(inst, 2);
    }
    return WPG_OK;
}

void wpg_listing_finish(wpg_listing *listing)
{
    free(listing->names);
    listing->names = NULL;
}

/* -- Ids */

/* A name's letters, digits and underlines; names of functions end in their parameters' types. */
static void print_name(FILE *out, const char *name)
{
    enum { MOST = 40 };
    for (int i = 0; i < MOST && (isalnum((unsigned char)name[i]) || name[i] == '_'); i++)
        (void)fputc(name[i], out);
}

static void print_id(FILE *out, const wpg_listing *listing, uint32_t id)
{
    const char *name = id < listing->module->bound ? listing->names[id] : NULL;
    (void)fputc('%', out);
    if (name && (isalnum((unsigned char)*name) || *name == '_')) {
        print_name(out, name);
        (void)fputc('.', out);
    }
    (void)fprintf(out, "%" PRIu32, id);
}

/* The number of a scalar constant of 32 bits, true, false. False: it is none, and nothing was printed. */
static bool print_constant(FILE *out, const wpg_listing *listing, const wpg_inst *inst)
{
    const wpg_inst *type = inst ? wpg_module_def(listing->module, inst->type) : NULL;
    if (inst && (inst->opcode == SpvOpConstantTrue || inst->opcode == SpvOpConstantFalse)) {
        (void)fputs(inst->opcode == SpvOpConstantTrue ? "true" : "false", out);
        return true;
    }
    if (!inst || inst->opcode != SpvOpConstant || inst->count != 4 || !type || type->count < 3 ||
        type->words[2] != 32)
        return false;
    float real;
    memcpy(&real, &inst->words[3], sizeof real);
    if (type->opcode == SpvOpTypeFloat)
        (void)fprintf(out, "%.9g", (double)real);
    else if (type->opcode == SpvOpTypeInt && type->count > 3 && type->words[3])
        (void)fprintf(out, "%" PRId32, (int32_t)inst->words[3]);
    else
        (void)fprintf(out, "%" PRIu32, inst->words[3]);
    return true;
}

/* "uint", "float", "float4", "bool"; else the id. */
static void print_type(FILE *out, const wpg_listing *listing, uint32_t id)
{
    const wpg_inst *type = wpg_module_def(listing->module, id);
    const uint16_t opcode = type ? type->opcode : SpvOpNop;
    if (opcode == SpvOpTypeVoid)
        (void)fputs("void", out);
    else if (opcode == SpvOpTypeBool)
        (void)fputs("bool", out);
    else if (opcode == SpvOpTypeInt && type->count > 3)
        (void)fprintf(out, type->words[2] == 32 ? "%sint" : "%sint%" PRIu32, type->words[3] ? "" : "u",
                      type->words[2]);
    else if (opcode == SpvOpTypeFloat && type->count > 2)
        (void)fprintf(out, type->words[2] == 32 ? "float" : "float%" PRIu32, type->words[2]);
    else if (opcode == SpvOpTypeVector && type->count > 3 && type->words[2] != id) {
        const wpg_inst *of = wpg_module_def(listing->module, type->words[2]);
        if (of && of->opcode != SpvOpTypeVector) /* a damaged module may nest for ever */
            print_type(out, listing, type->words[2]);
        (void)fprintf(out, "x%" PRIu32, type->words[3]);
    } else
        print_id(out, listing, id);
}

/* -- Operands */

static const char *extended_name(const wpg_listing *listing, const wpg_inst *inst)
{
    static const char *const names[] = {NULL,
                                        "Round",
                                        "RoundEven",
                                        "Trunc",
                                        "FAbs",
                                        "SAbs",
                                        "FSign",
                                        "SSign",
                                        "Floor",
                                        "Ceil",
                                        "Fract",
                                        "Radians",
                                        "Degrees",
                                        "Sin",
                                        "Cos",
                                        "Tan",
                                        "Asin",
                                        "Acos",
                                        "Atan",
                                        "Sinh",
                                        "Cosh",
                                        "Tanh",
                                        "Asinh",
                                        "Acosh",
                                        "Atanh",
                                        "Atan2",
                                        "Pow",
                                        "Exp",
                                        "Log",
                                        "Exp2",
                                        "Log2",
                                        "Sqrt",
                                        "InverseSqrt",
                                        "Determinant",
                                        "MatrixInverse",
                                        "Modf",
                                        "ModfStruct",
                                        "FMin",
                                        "UMin",
                                        "SMin",
                                        "FMax",
                                        "UMax",
                                        "SMax",
                                        "FClamp",
                                        "UClamp",
                                        "SClamp",
                                        "FMix",
                                        "IMix",
                                        "Step",
                                        "SmoothStep",
                                        "Fma",
                                        "Frexp",
                                        "FrexpStruct",
                                        "Ldexp",
                                        "PackSnorm4x8",
                                        "PackUnorm4x8",
                                        "PackSnorm2x16",
                                        "PackUnorm2x16",
                                        "PackHalf2x16",
                                        "PackDouble2x32",
                                        "UnpackSnorm2x16",
                                        "UnpackUnorm2x16",
                                        "UnpackHalf2x16",
                                        "UnpackSnorm4x8",
                                        "UnpackUnorm4x8",
                                        "UnpackDouble2x32",
                                        "Length",
                                        "Distance",
                                        "Cross",
                                        "Normalize",
                                        "FaceForward",
                                        "Reflect",
                                        "Refract",
                                        "FindILsb",
                                        "FindSMsb",
                                        "FindUMsb",
                                        "InterpolateAtCentroid",
                                        "InterpolateAtSample",
                                        "InterpolateAtOffset",
                                        "NMin",
                                        "NMax",
                                        "NClamp"};
    const wpg_inst *set = inst->count > 4 ? wpg_module_def(listing->module, inst->words[3]) : NULL;
    const char *set_name = set && set->opcode == SpvOpExtInstImport ? wpg_inst_string(set, 2) : NULL;
    if (inst->opcode != SpvOpExtInst || !set_name || strcmp(set_name, "GLSL.std.450") != 0 ||
        inst->words[4] >= sizeof names / sizeof *names)
        return NULL;
    return names[inst->words[4]];
}

static void print_string(FILE *out, const wpg_inst *inst, size_t at)
{
    const char *text = wpg_inst_string(inst, at);
    (void)fprintf(out, " \"%s\"", text ? text : "");
}

static void print_operand(FILE *out, const wpg_listing *listing, const wpg_inst *inst,
                          const wpg_operand *operand)
{
    if (operand->kind == WPG_OPERAND_STRING) {
        print_string(out, inst, operand->at);
        return;
    }
    for (uint16_t i = 0; i < operand->count; i++) {
        const uint32_t word = inst->words[operand->at + i];
        (void)fputc(' ', out);
        if (!wpg_operand_is_id(operand))
            (void)fprintf(out, "%" PRIu32, word);
        else if (!print_constant(out, listing, wpg_module_def(listing->module, word)))
            print_id(out, listing, word);
    }
}

void wpg_listing_print(FILE *out, const wpg_listing *listing, const wpg_inst *inst)
{
    const wpg_opcode_info *info = wpg_opcode_lookup(inst->opcode);
    const char *extended = extended_name(listing, inst);
    wpg_operand operand;
    if (inst->result) {
        print_id(out, listing, inst->result);
        (void)fputs(" = ", out);
    }
    if (info)
        (void)fputs(info->name, out);
    else
        (void)fprintf(out, "Op%u", inst->opcode);
    if (inst->type) {
        (void)fputc(' ', out);
        print_type(out, listing, inst->type);
    }
    if (extended)
        (void)fprintf(out, " %s", extended);
    wpg_operand_walk walk = wpg_operands(listing->module, inst);
    while (wpg_operand_next(&walk, &operand))
        if (operand.kind != WPG_OPERAND_RESULT && operand.kind != WPG_OPERAND_RESULT_TYPE &&
            !(extended && operand.at < 5))
            print_operand(out, listing, inst, &operand);
    if (walk.malformed)
        (void)fputs(" ...", out);
}
