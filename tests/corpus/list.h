/* Names from a command line, and from standard input where an argument is "-". */
#ifndef WPG_TESTS_CORPUS_LIST_H
#define WPG_TESTS_CORPUS_LIST_H

#include <stddef.h>

/* A line of standard input is a name. The list is malloc'd and lives with the process; NULL: out of memory.
 */
char **list_names(size_t *count, int argc, char **argv);

#endif
