/* `wavepgo isa`: compiles one compute shader to AMD machine code, and prints the counts of its blocks beside
 * the instructions, before and after a profile. It compiles through LLVM (compiler/amdgpu), and for
 * comparison through RADV without hardware. `wavepgo isa` starts the separate program wavepgo-isa: nothing
 * else of the command needs LLVM.
 *
 *     module, profile --input.c--> normal form, counts by block --versions.c--> code, listings (listing.c)
 *         --radv.c: the driver's own--> output.c: linked; text.c, json.c, html.c
 *
 * Threads: one. Ownership: wpg_isa_finish frees everything. */
#ifndef WPG_RUNTIME_CLI_ISA_ISA_H
#define WPG_RUNTIME_CLI_ISA_ISA_H

#include <stdio.h>

#include "compiler/amdgpu/counters/generate.h"
#include "compiler/amdgpu/driver/emit.h"
#include "compiler/amdgpu/profile/candidates.h"
#include "compiler/amdgpu/profile/origins.h"
#include "compiler/spirv/debug.h"
#include "runtime/base/vec.h"
#include "runtime/report/model/shader_source.h"
#include "runtime/cli/estimate/estimate.h"
#include "runtime/profile/profile.h"
#include "runtime/profile/shader_view.h"

#define WPG_ISA_COMMAND  "isa"
#define WPG_ISA_NO_BLOCK UINT32_MAX

typedef struct wpg_isa_options {
    const char *in, *entry, *gpu, *profile, *out, *html, *driver, *counters, *linker;
    unsigned wave_size, code_object;
    wpg_amdgpu_abi abi;
    bool json, ir, radv, generate, relocatable;
    bool contract;                /* a * b + c may become one operation */
    bool verify;                  /* say what was checked of the profile on its way */
    wpg_counter_options counting; /* of generate */
    WPG_VEC(wpg_spec_value) spec;
} wpg_isa_options;

/* A line of a listing. Its text is the listing's. */
typedef struct wpg_isa_line {
    const char *text;
    bool is_code;          /* an instruction; else a label or a comment */
    uint32_t block;        /* block of the normal form that it comes from; WPG_ISA_NO_BLOCK: not known */
    uint32_t structurised; /* structurised block that it runs with; WPG_ISA_NO_BLOCK: code generation's own */
} wpg_isa_line;

typedef struct wpg_isa_listing {
    char *text; /* malloc'd; lines point into it */
    WPG_VEC(wpg_isa_line) lines;
    uint32_t instructions, placed,
        structurised; /* lines of code; of these with a block of the one, the other */
} wpg_isa_listing;

typedef struct wpg_isa_version {
    const char *title; /* "code"; "before", "after" with a profile; "code", "counting" with --generate */
    wpg_amdgpu_code *code;
    wpg_isa_listing listing;
} wpg_isa_version;

enum { WPG_ISA_VERSIONS = 2 };
typedef struct wpg_isa {
    wpg_isa_options options;
    uint32_t *words; /* malloc'd */
    size_t word_count;
    wpg_module *normal;
    wpg_stage stage;
    char entry[256];
    wpg_shader_names names; /* of the module before it was normalised */
    wpg_hash128 shader;     /* names.now */
    bool guessed_gpu;       /* no GPU is here and none was named */
    wpg_profile *profile;
    wpg_shader_view *view;
    const wpg_shader_counts *counts; /* of the entry function; NULL without a profile */
    size_t functions;
    bool other_form; /* the profile's counts are not of this normal form: perhaps of structurised blocks */
    uint32_t block_count;
    wpg_source_line *places; /* [block_count], malloc'd: the first line of each block; line 0: unknown */
    wpg_isa_version versions[WPG_ISA_VERSIONS];
    unsigned version_count;
    wpg_amdgpu_use use; /* with two versions: how the second was chosen */
    wpg_origins origins;
    wpg_amdgpu_counts structurised; /* the counts that were used; arrays are malloc'd */
    bool own;                       /* the kernel counted them itself: exact */
    wpg_counter_table counters;     /* where options.generate: of the second version */
    uint8_t *linked;                /* malloc'd: what options.out gets, if not the object itself */
    size_t linked_size;
    char not_used[256];          /* why the profile was not used; "" */
    wpg_profcheck_phases phases; /* where options.verify */
    wpg_estimate radv;           /* one pipeline, where options.radv */
} wpg_isa;

/* options.c: 0, or an exit code; complains. */
int wpg_isa_parse(wpg_isa_options *options, int argc, char **argv);
/* input.c: the module in normal form, and what the profile has of it. */
wpg_status wpg_isa_read(wpg_isa *isa, wpg_error *err);
/* versions.c: code and listings. */
wpg_status wpg_isa_compile(wpg_isa *isa, wpg_error *err);
/* radv.c: RADV's code of the same shader, original and by use mode. WPG_E_UNSUPPORTED: no driver that reports
 * statistics. */
wpg_status wpg_isa_radv(wpg_isa *isa, wpg_error *err);
/* output.c: writes files, then prints the listing. If a file cannot be written, nothing is printed. */
wpg_status wpg_isa_write(wpg_isa *isa, wpg_error *err);
void wpg_isa_finish(wpg_isa *isa);

/* Makes the content of -o. HSA's object is linked unless a relocatable object was asked for; PAL's drivers
 * take the object. */
typedef struct wpg_isa_object {
    const uint8_t *bytes;
    size_t size;
    bool shared;
    unsigned version; /* of HSA's code objects; 0: PAL's, which have none */
} wpg_isa_object;
wpg_isa_object wpg_isa_object_of(const wpg_isa *isa);
bool wpg_isa_is_linked(const wpg_isa *isa); /* to a shared object */

/* own_counts.c: makes a profile (options.out) from the array (options.counters) that a kernel of --generate
 * left. WPG_E_MISMATCH: the array is of another kernel. */
wpg_status wpg_isa_read_counters(const wpg_isa *isa, wpg_error *err);
/* The profile's counts of the structurised blocks; arrays in `arena`. false: it has none of that graph. */
bool wpg_isa_own_counts(wpg_amdgpu_counts *counts, const wpg_isa *isa, uint64_t checksum,
                        uint32_t block_count, wpg_arena *arena);

/* listing.c: the kernel's instructions of an assembly text with lines (wpg_amdgpu_options.lines). */
wpg_status wpg_isa_list(wpg_isa_listing *listing, const char *assembly, const char *kernel, wpg_error *err);
void wpg_isa_listing_finish(wpg_isa_listing *listing);

/* beside.c: the block that stands beside a line, WPG_ISA_NO_BLOCK if none does; lines of code that have one;
 * how many blocks there are of that kind, and whether they were counted. */
uint32_t wpg_isa_block(const wpg_isa *isa, const wpg_isa_line *line);
uint32_t wpg_isa_placed(const wpg_isa *isa, const wpg_isa_listing *listing);
uint32_t wpg_isa_blocks(const wpg_isa *isa);
bool wpg_isa_counted(const wpg_isa *isa);
/* Counts of such a block. false: not known. */
bool wpg_isa_waves(uint64_t *waves, const wpg_isa *isa, uint32_t block);
bool wpg_isa_lanes(uint64_t *lanes, const wpg_isa *isa, uint32_t block);

/* Prints where the waves that weigh blocks come from: words, without a newline. */
void wpg_isa_weighted_by(FILE *out, const wpg_isa *isa);

/* Scales a score by scaled counts back to the real counts. */
uint64_t wpg_isa_unscaled(const wpg_isa *isa, uint64_t score);

/* verify.c: the checks of the profile as text, and as a member of the JSON document. */
void wpg_isa_verify_text(FILE *out, const wpg_isa *isa);
void wpg_isa_verify_json(FILE *out, const wpg_isa *isa);

/* One figure of all versions: what tables show. */
typedef struct wpg_isa_figure {
    const char *name, *key; /* for people, for JSON */
    size_t offset;          /* in wpg_amdgpu_figures, a uint32_t */
} wpg_isa_figure;
extern const wpg_isa_figure wpg_isa_figures[];
extern const size_t wpg_isa_figure_count;
uint32_t wpg_isa_figure_of(const wpg_isa_version *version, const wpg_isa_figure *figure);

void wpg_isa_text(FILE *out, const wpg_isa *isa);
void wpg_isa_json(FILE *out, const wpg_isa *isa);
void wpg_isa_html(FILE *out, const wpg_isa *isa);

#endif
