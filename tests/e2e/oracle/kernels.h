/* The kernels of tests/e2e/oracle/kernels in their C reading, by name. Static storage. */
#ifndef WPG_TESTS_E2E_ORACLE_KERNELS_H
#define WPG_TESTS_E2E_ORACLE_KERNELS_H

#include <spirv/unified1/spirv.h>

typedef struct oracle_kernel {
    const char *name;
    SpvExecutionModel model;
    void (*run)(void);
} oracle_kernel;

const oracle_kernel *oracle_find_kernel(const char *name); /* NULL: there is none */

#endif
