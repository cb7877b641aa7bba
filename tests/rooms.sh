#!/bin/sh
# The house in figures: files and lines of each room, and call cycles between files.
#
#     sh tests/rooms.sh [BUILD-FOLDER]
#
# A call cycle is a set of files each of which calls, or reads a variable of, another one of the set (a strongly
# connected component of the graph of symbols, read from the object files of a build). Exit code 1 if a cycle crosses rooms, or has more
# than two files. Calls through pointers are not seen.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build}
[ -d "$build" ] || { echo "rooms.sh: no build in $build (cmake --preset release && cmake --build build)" >&2; exit 2; }
cd "$root"

# Objects of our rooms: .../<target>.dir/<path of the source below the folder of its CMakeLists.txt>.o
find "$build" -name '*.[co]*.o' -path '*.dir/*' ! -path "$build/tests/*" ! -path "$build/mutate/*" | LC_ALL=C sort |
    xargs nm -A -P -g 2>/dev/null | awk -v build="$build/" '
    # "OBJECT: SYMBOL TYPE ..." --> "SOURCE SYMBOL has|uses"; a source that is compiled twice counts once.
    {
        object = $1
        if (!(object in source)) {
            file = object
            sub(":$", "", file)
            file = substr(file, length(build) + 1)
            folder = file
            sub("CMakeFiles/.*", "", folder)
            sub(".*[.]dir/", "", file)
            sub("[.]o$", "", file)
            file = folder file
            source[object] = file in first || (getline line <file) < 0 ? "" : file
            close(file)
            first[file] = 1
        }
        if (source[object] != "") print source[object], $2, ($3 == "U" || $3 == "w" || $3 == "v" ? "uses" : "has")
    }' | awk '
    function room(file) { sub("/[^/]*$", "", file); return file }
    $3 == "has" && !($2 in home) { home[$2] = $1 }
    { files[$1] = 1 }
    $3 == "uses" { uses[$1, ++count[$1]] = $2 }
    # Tarjan, with a stack of its own.
    function connect(start,   depth, v, w, i, low_w, member, n) {
        depth = 1
        call[1] = start; at[1] = 0
        number[start] = low[start] = ++clock
        stack[++top] = start; on[start] = 1
        while (depth) {
            v = call[depth]
            if (at[depth] < degree[v]) {
                w = edge[v, ++at[depth]]
                if (!(w in number)) {
                    number[w] = low[w] = ++clock
                    stack[++top] = w; on[w] = 1
                    call[++depth] = w; at[depth] = 0
                } else if (on[w] && number[w] < low[v]) {
                    low[v] = number[w]
                }
                continue
            }
            if (low[v] == number[v]) {
                n = 0
                do { member = stack[top--]; on[member] = 0; set[++n] = member } while (member != v)
                if (n > 1) report(n)
            }
            if (--depth && low[v] < low[call[depth]]) low[call[depth]] = low[v]
        }
    }
    function report(n,   i, j, t, rooms, crossing) {
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && set[j] < set[j - 1]; j--) { t = set[j]; set[j] = set[j - 1]; set[j - 1] = t }
        crossing = 0
        for (i = 2; i <= n; i++) crossing += room(set[i]) != room(set[1])
        cycles++
        bad += crossing || n > 2
        printf "cycle of %d files%s:\n", n, crossing ? ", across rooms" : ""
        for (i = 1; i <= n; i++) printf "    %s\n", set[i]
    }
    END {
        for (f in files) {
            for (i = 1; i <= count[f]; i++) {
                to = home[uses[f, i]]
                if (to != "" && to != f && !((f, to) in known)) { known[f, to] = 1; edge[f, ++degree[f]] = to }
            }
            rooms[room(f)]++
        }
        for (f in files) order[++total] = f
        for (i = 2; i <= total; i++)
            for (j = i; j > 1 && order[j] < order[j - 1]; j--) { t = order[j]; order[j] = order[j - 1]; order[j - 1] = t }
        for (i = 1; i <= total; i++)
            if (!(order[i] in number)) connect(order[i])
        for (r in rooms) printf "%3d files in %s\n", rooms[r], r | "sort -k4"
        close("sort -k4")
        printf "%d files, %d cycles, %d of them not allowed\n", total, cycles, bad
        exit bad > 0
    }'
