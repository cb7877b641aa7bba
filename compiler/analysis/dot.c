/* The graph as Graphviz text, for debugging. */
#include "compiler/analysis/internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "compiler/spirv/grammar.h"

static const char *const construct_names[] = {"selection", "switch", "loop"};

static void print_block(FILE *out, const wpg_cfg *cfg, uint32_t b)
{
    const wpg_block *block = &cfg->blocks[b];
    const wpg_opcode_info *info = wpg_opcode_lookup(block->terminator->opcode);
    (void)fprintf(out, "  b%u [label=\"%u: %%%u\\n%s", b, b, block->id, info ? info->name : "?");
    if (block->construct != WPG_NO_BLOCK) {
        const wpg_construct *c = &cfg->constructs[block->construct];
        (void)fprintf(out, "\\nin %s %u%s%s", construct_names[c->kind], block->construct,
                      c->leaves_early ? ", leaves early" : "", c->changes_mask ? ", changes mask" : "");
    }
    (void)fprintf(out, "\"%s];\n", block->rpo == WPG_NO_BLOCK ? ", style=dashed" : "");
    for (uint32_t i = 0; i < block->successor_count; i++) {
        uint32_t to = block->successors[i];
        bool back = block->rpo != WPG_NO_BLOCK && cfg->blocks[to].rpo <= block->rpo;
        (void)fprintf(out, "  b%u -> b%u%s;\n", b, to, back ? " [constraint=false, color=blue]" : "");
    }
    if (block->merge) {
        uint32_t merge = wpg_cfg_find(cfg, block->merge->words[1]);
        if (merge != WPG_NO_BLOCK)
            (void)fprintf(out, "  b%u -> b%u [style=dotted, label=merge];\n", b, merge);
    }
}

char *wpg_cfg_to_dot(const wpg_cfg *cfg)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    (void)fprintf(out, "digraph function_%u {\n  node [shape=box, fontname=monospace];\n",
                  cfg->function->result);
    for (uint32_t b = 0; b < cfg->count; b++)
        print_block(out, cfg, b);
    (void)fprintf(out, "}\n");
    bool whole = !ferror(out);
    if (fclose(out) != 0 || !whole) {
        free(text);
        return NULL;
    }
    return text;
}
