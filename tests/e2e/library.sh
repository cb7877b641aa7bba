#!/bin/sh
# What the layer's library shows and needs: one exported symbol; libc, libm and pthread, nothing else.
. "$(dirname "$0")/lib.sh"
need_built "$layer"
need_program readelf
need_program nm
nm -D --defined-only "$layer" | awk '$2 != "A" { print $3 }' | sed 's/@.*//' >"$work/exported"
[ "$(cat "$work/exported")" = vkNegotiateLoaderLayerInterfaceVersion ] || fail "exported symbols: $(cat "$work/exported" | tr '\n' ' ')"
readelf -d "$layer" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' >"$work/needed"
[ -s "$work/needed" ] || fail "readelf shows no NEEDED entry"
grep -v -x -E 'libc\.so\.6|libm\.so\.6|libpthread\.so\.0|ld-linux.*' "$work/needed" >"$work/extra" && fail "needs: $(tr '\n' ' ' <"$work/extra")"
readelf -d "$layer" | grep -E 'RPATH|RUNPATH|TEXTREL' && fail "has a run path or text relocations"
finish
