#!/bin/sh
# How far two outputs of wavepgo-pairs are from each other: images by bytes, buffers by floats.
#
#     sh shaders/pairs/difference.sh A.ppm B.ppm      "equal", or "12 bytes differ, by 1 at most"
#     sh shaders/pairs/difference.sh A.bin B.bin      "equal", or "3 floats differ, by 2e-07 at most": of the larger, or of 1
#
# Exit code 0: equal, or by 2 bytes or 1e-4 at most. 1: further. 2: no such files, or not of one size.
set -eu
[ $# = 2 ] && [ -r "$1" ] && [ -r "$2" ] || { echo "difference: needs two files" >&2; exit 2; }
[ "$(wc -c <"$1")" = "$(wc -c <"$2")" ] || { echo "difference: $1 and $2 differ in size" >&2; exit 2; }
cmp -s "$1" "$2" && { echo equal; exit 0; }
case $1 in
*.ppm)
    cmp -l "$1" "$2" | awk '
        function byte(octal) { return int(octal / 100) * 64 + int(octal % 100 / 10) * 8 + octal % 10 }
        { d = byte($2) - byte($3); if (d < 0) d = -d; if (d > most) most = d }
        END { printf "%d bytes differ, by %d at most\n", NR, most; exit most > 2 }'
    ;;
*)
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    od -An -v -t f4 -w4 "$1" >"$work/a"
    od -An -v -t f4 -w4 "$2" >"$work/b"
    paste "$work/a" "$work/b" | awk '
        function size(x) { return x < 0 ? -x : x }
        $1 != $2 {
            n++
            scale = size($1) > size($2) ? size($1) : size($2)
            d = size($1 - $2) / (scale > 1 ? scale : 1)
            if (d > most || d != d) most = d
        }
        END { printf "%d floats differ, by %.0e at most\n", n, most; exit !(most <= 1e-4) }'
    ;;
esac
