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
# The what-if of `wavepgo estimate` is not in it: nothing can be cut off because it was not seen.
nm "$layer" >"$work/symbols" 2>/dev/null
if grep -q ' wpg_optimize$' "$work/symbols"; then
    ! grep 'wpg_cut_dead' "$work/symbols" || fail "contains the what-if"
fi
readelf -d "$layer" | grep -E 'RPATH|RUNPATH|TEXTREL' && fail "has a run path or text relocations"
# Thread-local storage of the static kind, which a program has little of for what it opens (layer/commands/record.c).
tls=$(readelf -lW "$layer" | awk '$1 == "TLS" { print $6 }')
[ "$((tls + 0))" -le 128 ] || fail "takes $((tls)) bytes of static TLS, 128 at most"
finish
