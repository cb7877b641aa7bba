/* The kernels as C (lang.h), and their table. kernels_list.inc is made by CMake of the files in kernels/: it
 * includes each and lists it as ORACLE_KERNEL(name, execution model). */
#include "tests/e2e/oracle/kernels.h"

#include <string.h>

#include "tests/e2e/oracle/lang.h"

#define ORACLE_TEXTS
#include <kernels_list.inc>
#undef ORACLE_TEXTS

static const oracle_kernel table[] = {
#define ORACLE_KERNEL(name, model) {#name, SpvExecutionModel##model, kernel_##name},
#include <kernels_list.inc>
#undef ORACLE_KERNEL
};

const oracle_kernel *oracle_find_kernel(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}
