/* Where blocks are in the source, and how shaders are called beside their hash. Threads: no shared state. */
#ifndef WPG_RUNTIME_REPORT_MODEL_PLACES_H
#define WPG_RUNTIME_REPORT_MODEL_PLACES_H

#include "runtime/report/model/model.h"

enum { WPG_PLACE_SIZE = 160 };

/* "raymarch.comp:57 loop"; "" where no line is known. Returns buffer. */
const char *wpg_report_line_of(char buffer[WPG_PLACE_SIZE], const wpg_report *report,
                               const wpg_report_shader *shader, uint32_t function, uint32_t block);
/* "block 4 (raymarch.comp:57 loop)", "block 4". Without report or shader: "block 4". Returns buffer. */
const char *wpg_report_block_text(char buffer[WPG_PLACE_SIZE], const wpg_report *report,
                                  const wpg_report_shader *shader, uint32_t function, uint32_t block);
/* The text with the place behind each "block N" but that of block `except` (WPG_REPORT_NONE: behind each).
 * malloc'd; NULL: no memory. */
char *wpg_report_with_places(const char *text, const wpg_report *report, const wpg_report_shader *shader,
                             uint32_t function, uint32_t except);

/* The shader or pipeline with the hash, given as digits; NULL: the report has none. `report` may be NULL. */
const wpg_report_shader *wpg_report_shader_of(const wpg_report *report, const char *hex);
const wpg_report_pipeline *wpg_report_pipeline_of(const wpg_report *report, const char *hex);

/* "raymarch.comp 0af3c2d1": the name, and the hash's first digits where the name has them not. */
const char *wpg_report_called(char buffer[WPG_PLACE_SIZE], const char *name, const char *hex);

#endif
