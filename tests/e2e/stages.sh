#!/bin/sh
# Outputs that nobody reads: taken off where both stages are at hand, with the same pictures and memory, and to the liking
# of the validation layer. app_stages.c.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app"

plain plain "$app" stages "$WPG_SPIRV"
[ "$(cat "$work/plain.code")" != 77 ] || skip "$(cat "$work/plain.out")"
exited plain 0
"$wavepgo" run --generate --bundle "$work/trained.wavepgo" -- "$app" stages "$WPG_SPIRV" >"$work/train.out" 2>"$work/train.err"
echo $? >"$work/train.code"
same plain train
# with NAME SETTINGS...
with() {
    run_name=$1
    shift
    "$wavepgo" run --use "$work/trained.wavepgo" --validate 1 --hints off --use-log "$work/$run_name.jsonl" --log-file "$work/$run_name.log" "$@" \
        -- "$app" stages "$WPG_SPIRV" >"$work/$run_name.out" 2>"$work/$run_name.err"
    echo $? >"$work/$run_name.code"
    same plain "$run_name"
    [ -s "$work/$run_name.jsonl" ] || fail "$run_name: no use log"
}
# said NAME STAGE TEXT COUNT: so many pipelines and parts whose stage has that remark.
said() {
    found=$(sed 's/{"shader"/\n&/g' "$work/$1.jsonl" | grep "\"stage\": \"$2\"" | grep -c "$3")
    [ "$found" = "$4" ] || { fail "$1: $found stages $2 with '$3', expected $4"; cat "$work/$1.jsonl"; }
}
with use
# No fragment stage reads location 3: told wherever both stages are at hand, so not of parts of one stage.
said use vert 'nobody reads the output at location 3' 6
# What is read at location 1 is of use where the second colour or the first is seen. A part knows no attachments.
said use vert 'nobody reads the output at location 1' 4
said use vert 'the unread output at location 2 stays: floats that it is made of are used elsewhere' 5
case $WPG_DRIVER in
old) # discards are branches
    said use frag 'the unread output at location 1 stays: the driver compiles large stages with branches otherwise' 5
    said use frag 'nobody reads' 0
    ;;
*)
    said use frag 'nobody reads the output at location 1' 5
    said use frag 'the unread output at location 0 stays: nothing is computed for it alone' 1
    ;;
esac
with skipped --skip-passes o
said skipped vert '"outputs"' 0
said skipped frag '"outputs"' 0
# Our words again, from the disk cache.
with again
for run_name in use again; do sed 's/, "run": .*//' "$work/$run_name.jsonl" >"$work/$run_name.told"; done
cmp -s "$work/use.told" "$work/again.told" || fail "a second run is told otherwise"

# -- Validation below the layer.
if find /usr/share/vulkan/explicit_layer.d -name 'VkLayer_khronos_validation.json' 2>/dev/null | grep . >/dev/null; then
    below=VK_LAYER_KHRONOS_validation
    messages() { cat "$work/$1.out" "$work/$1.err" | grep -E -o 'VUID-[A-Za-z0-9-]*|UNASSIGNED-[A-Za-z0-9-]*' | LC_ALL=C sort; }
    VK_INSTANCE_LAYERS=$below plain below-absent "$app" stages "$WPG_SPIRV"
    VK_INSTANCE_LAYERS=$layer_name:$below VK_ADD_LAYER_PATH="$WPG_BUILD/share/vulkan/explicit_layer.d" WAVEPGO_MODE=use WAVEPGO_HINTS=off \
        WAVEPGO_PROFILE_USE="$work/trained.wavepgo" WAVEPGO_USE_LOG="$work/below.jsonl" plain below "$app" stages "$WPG_SPIRV"
    exited below 0
    said below vert 'nobody reads the output at location 3' 6
    messages below-absent >"$work/absent.messages"
    messages below >"$work/below.messages"
    diff "$work/absent.messages" "$work/below.messages" >"$work/diff" || { fail "validation says otherwise below the layer"; cat "$work/diff"; }
else
    echo "note: no validation layer here"
fi
finish
