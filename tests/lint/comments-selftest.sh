#!/bin/sh
# Plants each wreck that comments.sh knows in a small tree and sees it reported; sound comments pass.
set -u
comments=$(cd "$(dirname "$0")" && pwd)/comments.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/runtime/base"
failed=0

expect() { # EXIT-CODE TEXT NAME; the C file on standard input
    cat >"$tree/runtime/base/a.c"
    output=$(sh "$comments" "$tree" 2>&1)
    code=$?
    if [ $code != "$1" ] || ! printf '%s' "$output" | grep -F -e "$2" >/dev/null; then
        printf 'comments-selftest: %s: exit %s, expected %s and "%s"\n%s\n' "$3" "$code" "$1" "$2" "$output"
        failed=1
    fi
}

# -- Wrecks
expect 1 "a.c:5: prose right behind an indented line" "the end of a diagram's line" <<'END'
/* Files.
 *
 *     read --> records --merge--> one profile a file --> written
 *     late --> records --merge with what earlier devices left--> one profile a file -->
 * disk
 *
 * Threads: any. */
END
expect 1 "a.c:4: prose right behind an indented line" "the end of a table's line, with the next line" <<'END'
/* Facts.
 *
 *     is KEY TEXT...            a property; merging keeps it (two that differ: the smaller text, and a
 * conflict) sum KEY N                 added up
 *     range KEY MIN MAX         smallest and largest seen */
END
expect 1 "a.c:3: prose right behind an indented line" "the end of a list's line" <<'END'
/* Rules:
 *   - a call of the application fails if the driver failed that very call with the application's own
 * objects;
 *   - nothing crashes. */
END
expect 1 "a.c:3: prose right behind an indented line" "prose that follows a list at once" <<'END'
/* Rules:
 *   - nothing crashes.
 * Threads: any. */
END
expect 1 "a.c:4: prose right behind an indented line" "inside a function" <<'END'
void f(void)
{
    /*     a --> b -->
     * c
     */
    /*
     *     a --> b -->
     * c */
}
END
sed -i 's/a --> b -->$/a --> b/' "$tree/runtime/base/a.c"
expect 1 "a.c:2: a gap in a line that is not indented" "lines of a table that were joined" <<'END'
/* Rules: blocks      uniform <= waves <= lanes, no lanes without a wave, flow
 * waves <= sum(arms) masks       blocks of one class have equal counts */
END
expect 1 "a.c:2: a gap in a line that is not indented" "an aligned line that was joined" <<'END'
enum { LEAST = 16,     /* least average cost of what falls away a run: measured on
                          lavapipe     25.0.7, cheap arms gain nothing */ };
END
expect 1 "a.c:2: section rule on a line of its own" "a section rule over two lines" <<'END'
/* -- Live lanes (live.c)
 * ------------------------------------------------------------------------------------------------------- */
END
expect 1 "a.c:1: section rule not closed on its line" "a section rule whose end is cut" <<'END'
/* -- Injecting ----------------------------------------------------------------------------------------------
 */
END
expect 1 "a.c:1: more than 110 columns" "a long line" <<'END'
/* One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen. */
END

# -- Sound
expect 0 "1 files, 0 findings" "diagrams, tables, lists, rules, and what only looks like a comment" <<'END'
/* Files.
 *
 *     records --merge--> one profile a file
 *         --rename--> disk
 *
 * becomes
 *
 *     KEY       meaning
 *     LONGER    meaning, which goes
 *               on here
 *
 * Rules:
 *   - nothing crashes;
 *   - everything
 *     is freed.
 *
 * - a list at the margin
 *   that goes on
 * - and its second item
 *
 *     (chain)    drawn last */
#include <stdio.h>

/* -- A section ----------------------------------------------------------------------------------------- */
/* -- Another: said in
 * two lines */
struct s {
    int one;    /* a trailing comment
                   that goes on */
    int two[3]; /* [n]; another */
};
static const char text[] = "/*     a table --> in a string   of gaps",
                  quote = '"', escaped[] = "\"/* no comment";
static int after; /* one */ /* two */ static int more; /* three,
                                                          closed */ static int last;
/*
 * Begins on its second line. */
END
exit $failed
