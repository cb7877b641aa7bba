/* A locale with a decimal comma, whose letters I and i are no pair (as in tr_TR): made by localedef in a
 * folder of its own. Owns the process's locale while a test runs. Threads: before any other is started. */
#ifndef WPG_TESTS_LOCALES_H
#define WPG_TESTS_LOCALES_H

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* True when the process is in that locale now. False, with the reason printed, when this machine cannot make
 * it. */
static inline bool wpg_enter_comma_locale(void)
{
    static const char script[] =
        "cd \"$LOCPATH\" || exit 1\n"
        "map=; for l in A B C D E F G H J K L M N O P Q R S T U V W X Y Z; do\n"
        "    s=$(echo $l | tr A-Z a-z); map=\"$map;(<$l>,<$s>)\"; pam=\"$pam;(<$s>,<$l>)\"\n"
        "done\n"
        "{ echo LC_CTYPE; echo 'upper "
        "<A>;<B>;<C>;<D>;<E>;<F>;<G>;<H>;<I>;<J>;<K>;<L>;<M>;<N>;<O>;<P>;<Q>;<R>;<S>;<T>;<U>;<V>;<W>;<X>;<Y>;"
        "<Z>'\n"
        "  echo 'lower "
        "<a>;<b>;<c>;<d>;<e>;<f>;<g>;<h>;<i>;<j>;<k>;<l>;<m>;<n>;<o>;<p>;<q>;<r>;<s>;<t>;<u>;<v>;<w>;<x>;<y>;"
        "<z>'\n"
        "  echo \"toupper ${pam#;}\"; echo \"tolower ${map#;}\"; echo END LC_CTYPE\n"
        "  echo LC_NUMERIC; echo 'decimal_point \",\"'; echo 'thousands_sep \"\"'; echo 'grouping -1'; echo "
        "END LC_NUMERIC; } >comma.src\n"
        "localedef -c -i comma.src -f ANSI_X3.4-1968 ./comma >localedef.out 2>&1\n"
        "[ -f comma/LC_NUMERIC ] || { cat localedef.out; exit 1; }\n";
    char folder[] = "/tmp/wavepgo-locale.XXXXXX", command[128];
    if (!mkdtemp(folder) || setenv("LOCPATH", folder, 1) != 0)
        return false;
    bool made = system(script) == 0;
    bool entered = made && setlocale(LC_ALL, "comma") != NULL;
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    (void)system(command); /* setlocale has read the files */
    char text[16];
    (void)snprintf(text, sizeof text, "%.1f", 0.5);
    if (!entered || strcmp(text, "0,5") != 0 || strcasecmp("I", "i") == 0)
        (void)printf("skip: localedef cannot make a locale with a decimal comma here\n");
    else
        return true;
    (void)setlocale(LC_ALL, "C");
    return false;
}

static inline void wpg_leave_comma_locale(void)
{
    (void)setlocale(LC_ALL, "C");
    (void)unsetenv("LOCPATH");
}

#endif
