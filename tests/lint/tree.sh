#!/bin/sh
# What no file of the tree may hold: paths of somebody's machine, notes to self, generated or foreign kinds of file;
# a thread that takes the program's signals; and no C file is longer than 900 lines (tables apart). With a root as
# argument it looks there (for its own test).
set -u
cd "${1:-$(dirname "$0")/../..}" || exit 1
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    files=$(git ls-files --cached --others --exclude-standard)
else
    files=$(find . -type f ! -path './.deps/*' ! -path './build*' ! -path './.git/*' | sed 's|^\./||')
fi
files=$(for file in $files; do [ ! -f "$file" ] || echo "$file"; done)
findings=$(mktemp)
trap 'rm -f "$findings"' EXIT
# shellcheck disable=SC2086
{
    grep -nIE '(^|[^A-Za-z0-9_.$}*-])/(home|root|Users|mnt|media|srv|work|workspace|tmp/[A-Za-z0-9])[A-Za-z0-9_./-]*' $files | grep -v -e '^tests/lint/tree\.sh:' -e XXXXXX -e somebody | sed 's/^/path of a machine: /'
    grep -nIwE 'TODO|FIXME|XXX|HACK' $files | grep -v '^tests/lint/tree\.sh:' | sed 's/^/note to self: /'
    grep -nIiE 'not (yet )?implemented' $files | grep -v '^tests/lint/tree\.sh:' | sed 's/^/unfinished: /'
    grep -nE 'pthread_create *\(' $(printf '%s\n' $files | grep -E '^(layer|runtime|compiler)/.*\.(c|cpp)$' | grep -v '^runtime/base/thread\.c$') /dev/null | sed 's/^/a thread without wpg_thread_start: /'
    # Statement by statement: what takes its decimal sign or its letters from the locale of the program that the layer is loaded
    # into (runtime/base/text.h has the same in C's). The command sets no locale, and runtime/report is the command's alone.
    # shellcheck disable=SC2016
    printf '%s\n' $files | grep -E '^(runtime|layer|compiler)/.*\.(c|h|cpp)$' | grep -v '^runtime/base/text\.[ch]$' | xargs awk '
        FNR == 1 { text = "" }
        { text = text $0 }
        !/[;{}][ ]*$/ { next }
        /(^|[^a-z_])setlocale[ ]*\(/ { print "locale of the whole program: " FILENAME ":" FNR }
        FILENAME !~ /^runtime\/(cli|report)\/|^compiler\/spirv\/generate\// &&
        (text ~ /(^|[^a-z_])(strtod|strtof|strtold|atof|strcasecmp|strncasecmp|tolower|toupper)[ ]*\(/ ||
         text ~ /(^|[^a-z_])(snprintf|sprintf|fprintf|printf|dprintf)[ ]*\(.*"[^"]*%[-+ #0-9.*]*[aefgAEFG]/) {
            print "in the locale of the program (runtime/base/text.h): " FILENAME ":" FNR
        }
        { text = "" }'
    git ls-files .deps 2>/dev/null | sed 's/^/what tests\/setup.sh made: /'
    printf '%s\n' $files | grep -E '\.(py|o|so|a|spv|profraw|profdata|orig|rej|swp)$' | sed 's/^/kind of file: /'
    for file in $files; do
        case $file in
        *.c | *.h | *.cpp)
            lines=$(wc -l <"$file")
            [ "$lines" -le 900 ] || echo "too long: $file has $lines lines"
            ;;
        esac
    done
    printf '%s\n' $files | grep -vE '^(layer|compiler|runtime|json|shaders|tests)/|^(CMakeLists\.txt|README\.md|LICENSE|CONTRIBUTING\.md|CMakePresets\.json|\.[^/]+(/.*)?)$' | sed 's/^/does not belong at the top: /'
} >"$findings"
cat "$findings"
[ ! -s "$findings" ]
