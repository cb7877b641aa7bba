/* Splits LLVM's assembly text into lines. `.loc FILE LINE ...` names the normal form's block of the following
 * lines, until the next `.loc` or a label. Labels name the structurised block (compiler/amdgpu/llvm/
 * machine.h). Directives and the code generator's comments are left out, except comments on spills. The lines
 * of inline assembly, which counts, have no tab. LLVM bundles the members of an s_clause and names the block
 * of one of them: the first has the block, the others have none. */
#include <stdlib.h>
#include <string.h>

#include "compiler/amdgpu/llvm/machine.h"
#include "runtime/cli/isa/isa.h"

/* Where the kernel's label stands; NULL if it does not. */
static char *find_label(char *text, const char *kernel)
{
    size_t length = strlen(kernel);
    for (char *at = text; (at = strstr(at, kernel)) != NULL; at += length)
        if ((at == text || at[-1] == '\n') && at[length] == ':')
            return at;
    return NULL;
}

static void trim_end(char *line)
{
    size_t length = strlen(line);
    while (length && (line[length - 1] == ' ' || line[length - 1] == '\t'))
        line[--length] = '\0';
}

/* Of a comment behind an instruction only what is about spills stays. */
static void trim_comment(char *line)
{
    char *comment = strchr(line, ';');
    if (comment && !strstr(comment, "Spill") && !strstr(comment, "Reload"))
        *comment = '\0';
    trim_end(line);
}

static bool add(wpg_isa_listing *listing, wpg_isa_line line)
{
    listing->instructions += line.is_code;
    listing->placed += line.is_code && line.block != WPG_ISA_NO_BLOCK;
    listing->structurised += line.is_code && line.structurised != WPG_ISA_NO_BLOCK;
    return wpg_vec_push(&listing->lines, line);
}

/* Where the lines that follow come from. */
typedef struct place {
    uint32_t block, structurised;
    unsigned long members; /* of an s_clause that follow */
    bool bound;            /* and its first one was there */
} place;

/* The block of an instruction by LLVM's lines. */
static uint32_t block_of(place *at, const char *text)
{
    unsigned long more;
    if (sscanf(text, "s_clause %lx", &more) == 1) {
        at->members = more + 1;
        at->bound = false;
        return at->block;
    }
    const bool known = !at->members || !at->bound;
    at->bound = at->members > 0;
    at->members -= at->members > 0;
    return known ? at->block : WPG_ISA_NO_BLOCK;
}

static bool add_line(wpg_isa_listing *listing, char *line, place *at)
{
    unsigned long number;
    int64_t structurised;
    if (wpg_machine_begins_block(&structurised, line, strlen(line))) {
        at->members = 0;
        at->structurised = structurised == WPG_MACHINE_FOREIGN ? WPG_ISA_NO_BLOCK : (uint32_t)structurised;
    }
    if (line[0] == '\t' && line[1] == '.') {
        if (sscanf(line, "\t.loc\t%*u %lu", &number) == 1)
            *at = (place){number ? (uint32_t)number - 1 : WPG_ISA_NO_BLOCK, at->structurised, 0, false};
        return true;
    }
    trim_comment(line);
    const size_t length = strlen(line);
    const bool in_text = line[0] == '\t';
    if (in_text && line[1] == '\0')
        return true;
    if (in_text || (length && line[0] != ';' && line[0] != '.' && line[length - 1] != ':')) {
        char *text = line + in_text;
        return add(listing, (wpg_isa_line){text, true, block_of(at, text), at->structurised});
    }
    if (line[0] == '\0' || strncmp(line, ".Ltmp", 5) == 0 || strncmp(line, ".Lfunc_begin", 12) == 0)
        return true;
    return add(listing, (wpg_isa_line){line, false, WPG_ISA_NO_BLOCK, WPG_ISA_NO_BLOCK});
}

wpg_status wpg_isa_list(wpg_isa_listing *listing, const char *assembly, const char *kernel, wpg_error *err)
{
    place at = {.block = WPG_ISA_NO_BLOCK, .structurised = WPG_ISA_NO_BLOCK};
    *listing = (wpg_isa_listing){.text = strdup(assembly)};
    if (!listing->text)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    char *line = find_label(listing->text, kernel);
    if (!line)
        return wpg_fail(err, WPG_E_FORMAT, "LLVM's assembly has no %s", kernel);
    while (line && strncmp(line, ".Lfunc_end", 10) != 0 && strncmp(line, "\t.section", 9) != 0) {
        char *end = strchr(line, '\n');
        if (end)
            *end = '\0';
        if (!add_line(listing, line, &at))
            return wpg_fail(err, WPG_E_NOMEM, "out of memory");
        line = end ? end + 1 : NULL;
    }
    return WPG_OK;
}

void wpg_isa_listing_finish(wpg_isa_listing *listing)
{
    wpg_vec_free(&listing->lines);
    free(listing->text);
    *listing = (wpg_isa_listing){0};
}
