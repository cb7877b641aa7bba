#!/bin/sh
# Diagrams, tables and lists in block comments of C files stand as drawn. Four rules:
#
#   - An indented line is followed by an indented line, an empty line, a list marker or the end of the comment.
#     Where prose follows at once, a tool has broken the line or joined the lines.
#   - A line with a gap of three spaces or more is indented. In prose such a gap is the rest of a table.
#   - A section rule, /* -- Name ---- */, is one line.
#   - No line of a comment has more than 110 columns.
#
# List markers: "- ", "1. ", "1: ", "(word) ". With a root as argument the script looks there (for its own test).
set -u
cd "${1:-$(dirname "$0")/../..}" || exit 1
findings=$(mktemp)
trap 'rm -f "$findings"' EXIT
find runtime compiler layer shaders tests \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) -type f 2>/dev/null | sort | xargs awk '
    function report(what) { print FILENAME ":" FNR ": " what }
    # One line of a block comment: what stands behind the star or the opening of the comment.
    function look(text, starred,    spaces, bare) {
        sub(/[ \t]*\*\/.*/, "", text)
        match(text, /^ */)
        spaces = RLENGTH
        bare = substr(text, spaces + 1)
        sub(/ +$/, "", bare)
        if (bare == "") {
            indented = 0
            return
        }
        if (bare ~ /^-+$/ && length(bare) >= 8)
            report("section rule on a line of its own")
        if (spaces >= 2 && starred) {
            indented = 1
            return
        }
        if (indented && starred && bare !~ /^(- |[0-9]+[.:] |\([a-z]+\) )/)
            report("prose right behind an indented line")
        if (bare ~ /[^ ]   +[^ ]/)
            report("a gap in a line that is not indented")
        indented = 0
    }
    FNR == 1 { inside = 0 }
    {
        line = $0
        seen = inside
        if (inside) {
            text = line
            starred = sub(/^[ \t]*\*([^\/]|$)/, " &", text)
            if (starred)
                sub(/^[ \t]*\*/, "", text)
            else
                sub(/^[ \t]*/, "", text)
            look(text, starred)
            if (!match(line, /\*\//))
                line = ""
            else {
                line = substr(line, RSTART + 2)
                inside = 0
            }
        }
        # What is left is code: strings and characters away, then whole comments, then one that stays open.
        gsub(/"([^"\\]|\\.)*"/, "s", line)
        gsub(/\047([^\047\\]|\\.)*\047/, "c", line)
        sub(/\/\/.*/, "", line)
        while (match(line, /\/\*/)) {
            seen = 1
            rest = substr(line, RSTART + 2)
            if (match(rest, /\*\//)) {
                line = substr(rest, RSTART + 2)
                continue
            }
            inside = 1
            indented = 0
            if (rest ~ /^ -- .*-------/ )
                report("section rule not closed on its line")
            else
                look(rest, 0)
            break
        }
        if (seen && length($0) > 110)
            report("more than 110 columns")
    }
' >"$findings"
cat "$findings"
[ ! -s "$findings" ]
