/* Writes the results: the code object, linked if needed; the page; the listing. */
#include <stdlib.h>
#include <string.h>

#include "compiler/amdgpu/llvm/link.h"
#include "runtime/base/file.h"
#include "runtime/cli/isa/isa.h"

static wpg_status link_object(wpg_isa *isa, wpg_error *err)
{
    const wpg_amdgpu_code *code = isa->versions[isa->version_count - 1].code;
    wpg_error why;
    wpg_status status = wpg_amdgpu_link(&isa->linked, &isa->linked_size, code->elf, code->elf_size,
                                        isa->options.linker, &why);
    return status == WPG_OK ? WPG_OK
                            : wpg_fail(err, status, "not linked: %s; --relocatable gives the object as it is",
                                       why.message);
}

static wpg_status print_all(const wpg_isa *isa, wpg_error *err)
{
    if (isa->options.out && strcmp(isa->options.out, "-") == 0) {
        const wpg_isa_object object = wpg_isa_object_of(isa);
        (void)fwrite(object.bytes, 1, object.size, stdout);
    } else if (isa->options.json) {
        wpg_isa_json(stdout, isa);
    } else {
        wpg_isa_text(stdout, isa);
    }
    return fflush(stdout) == 0 && !ferror(stdout)
               ? WPG_OK
               : wpg_fail(err, WPG_E_IO, "standard output cannot be written");
}

static wpg_status write_page(const wpg_isa *isa, wpg_error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *page = open_memstream(&text, &size);
    if (!page)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    wpg_isa_html(page, isa);
    wpg_status status = fclose(page) == 0 ? wpg_file_write_atomic(isa->options.html, text, size, err)
                                          : wpg_fail(err, WPG_E_NOMEM, "out of memory");
    free(text);
    return status;
}

wpg_status wpg_isa_write(wpg_isa *isa, wpg_error *err)
{
    const char *out = isa->options.out;
    if (out && wpg_isa_is_linked(isa))
        WPG_TRY(link_object(isa, err));
    if (isa->options.html)
        WPG_TRY(write_page(isa, err));
    if (out && strcmp(out, "-") != 0) {
        const wpg_isa_object object = wpg_isa_object_of(isa);
        WPG_TRY(wpg_file_write_atomic(out, object.bytes, object.size, err));
    }
    return print_all(isa, err);
}
