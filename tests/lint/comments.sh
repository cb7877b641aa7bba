#!/bin/sh
# Diagrams, tables and lists in block comments of C files stand as drawn. Four rules:
#
#   - An indented line is followed by an indented line, an empty line, a list marker or the end of the comment.
#     Where prose follows at once, a tool has broken the line or joined lines.
#   - A line with a gap of three spaces or more is indented. In prose such a gap is the rest of a table.
#   - A section rule, /* -- Name ---- */, is one line.
#   - No line of a comment has more than 110 columns.
#
# List markers: "- ", "1. ", "1: ", "(word) ". With a root as argument the script looks there (for its own test).
set -u
cd "${1:-$(dirname "$0")/../..}" || exit 1
files=$(mktemp)
findings=$(mktemp)
trap 'rm -f "$files" "$findings"' EXIT
find runtime compiler layer shaders tests \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) -type f 2>/dev/null | sort >"$files"
# shellcheck disable=SC2016
xargs awk '
    function report(what) { print FILENAME ":" FNR ": " what }

    # One line of a comment: the text behind the star or the opening. drawn: its indentation counts. In a comment
    # behind code, whose further lines begin without a star, indentation is alignment.
    function look(text, drawn,    spaces, bare) {
        sub(/[ \t]*\*\/.*/, "", text)
        match(text, /^ */)
        spaces = RLENGTH
        bare = substr(text, spaces + 1)
        sub(/ +$/, "", bare)
        if (bare == "") {
            indented = 0
            return
        }
        if (bare ~ /^--------+$/)
            report("section rule on a line of its own")
        if (spaces >= 2 && drawn) {
            indented = 1
            return
        }
        if (indented && drawn && bare !~ /^(- |[0-9]+[.:] |\([a-z]+\) )/)
            report("prose right behind an indented line")
        if (bare ~ /[^ ]   +[^ ]/)
            report("a gap in a line that is not indented")
        indented = 0
    }

    FNR == 1 { inside = 0 }
    {
        code = $0
        comment = inside
        if (inside) {
            text = code
            drawn = text ~ /^[ \t]*\*([^\/]|$)/
            if (drawn)
                sub(/^[ \t]*\*/, "", text)
            else
                sub(/^[ \t]*/, "", text)
            look(text, drawn)
            if (!match(code, /\*\//)) {
                if (length($0) > 110)
                    report("more than 110 columns")
                next
            }
            code = substr(code, RSTART + 2)
            inside = 0
        }
        # The code, from one string, character or comment to the next.
        while (match(code, /["\047]|\/\*|\/\//)) {
            opening = substr(code, RSTART, RLENGTH)
            code = substr(code, RSTART + RLENGTH)
            if (opening == "//") {
                comment = 1
                break
            } else if (opening == "/*") {
                comment = 1
                if (match(code, /\*\//)) {
                    code = substr(code, RSTART + 2)
                    continue
                }
                inside = 1
                indented = 0
                if (code ~ /^ -- .*--------/)
                    report("section rule not closed on its line")
                else
                    look(code, 1)
                break
            } else if (opening == "\"") {
                match(code, /^([^"\\]|\\.)*"/)
                code = substr(code, RLENGTH + 1)
            } else {
                match(code, /^([^\047\\]|\\.)*\047/)
                code = substr(code, RLENGTH + 1)
            }
        }
        if (comment && length($0) > 110)
            report("more than 110 columns")
    }
' <"$files" >"$findings" || exit 1
cat "$findings"
echo "comments: $(grep -c . "$files") files, $(grep -c . "$findings") findings"
[ ! -s "$findings" ]
