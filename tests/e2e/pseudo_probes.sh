#!/bin/sh
# Pseudo probes cost nothing and are found again: the same identity, the same output, the same machine code on RADV; use
# mode decides the same with and without them, and leaves them in every shader when there is no profile.
# WPG_DRIVER=new or old: output; radv or radv-old: code.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$bench"

for how in normal marked; do
    mkdir $how
    case $how in normal) option=--normalize-only ;; *) option=--pseudo-probes ;; esac
    for module in "$WPG_BUILD"/shaders/*.spv; do
        "$wavepgo" instrument "$module" -o $how/"$(basename "$module")" --validate $option 2>err || fail "$how: $(cat err)"
    done
done
[ "$(find marked -name '*.spv' | wc -l)" -ge 10 ] || fail "too few shaders"
for module in marked/*.spv; do
    name=$(basename "$module")
    blocks=$("$wavepgo" instrument "$module" --list-probes | tee list | wc -l)
    [ "$blocks" -gt 0 ] || fail "$name: no probes"
    [ "$("$wavepgo" instrument "$module" --hash)" = "$("$wavepgo" instrument normal/"$name" --hash)" ] || fail "$name: another identity"
    # Each block is where it was, and the shader is the one it was made of.
    shader=$("$wavepgo" instrument "$WPG_BUILD/shaders/$name" --hash | cut -d. -f1,2)
    awk -v shader="$shader" '$1 != shader || $5 != $12 { bad = 1 } END { exit bad }' list || fail "$name: $(head -n 3 list)"
done

case $WPG_DRIVER in
radv*)
    families="navi31 navi21"
    [ "$WPG_DRIVER" = radv ] || families=gfx1100
    for family in $families; do
        export RADV_FORCE_FAMILY=$family
        for how in normal marked; do
            plain statistics-$how "$bench" --statistics --shaders "$work/$how"
            exited statistics-$how 0
            # Machine code, less what names a place in memory.
            RADV_DEBUG=nocache,shaders plain code-$how "$bench" --compile-only --shaders "$work/$how"
            exited code-$how 0
            grep -E '^[[:space:]]*(s|v|ds|buffer|global|image|exp|scratch|flat|tbuffer)_[a-z0-9_]+ ' code-$how.err | sed 's/0x[0-9a-f]*//g' >isa-$how
        done
        # The driver keys its cache by the words, and says so.
        for how in normal marked; do grep -v "pipeline hash" statistics-$how.out >filtered; mv filtered statistics-$how.out; done
        same statistics-normal statistics-marked
        lines=$(grep -c . isa-normal)
        [ "$lines" -ge 1000 ] || fail "$family: only $lines instructions"
        cmp isa-normal isa-marked || fail "$family: probes change the code"
        echo "$family: $lines instructions, equal"
    done
    finish
    ;;
esac

run_bench="$bench --size small --checksum"
plain absent $run_bench
exited absent 0
for how in normal marked; do
    plain bench-$how $run_bench --shaders "$work/$how"
    same absent bench-$how
done

# Alone: use mode without a profile.
mkdir alone.spirv
WAVEPGO_MODE=use WAVEPGO_PSEUDO_PROBES=1 WAVEPGO_DUMP=$work/alone.spirv WAVEPGO_LOG_FILE=$work/alone.log WAVEPGO_USE_LOG=$work/alone.uselog \
    plain alone "$wavepgo" run -- $run_bench
same absent alone
if [ "$(grep -c 'warning: no pseudo probes: the device has no VK_KHR_shader_non_semantic_info' alone.log)" = 1 ]; then
    # lavapipe 22.3 for a program of Vulkan 1.1: said once, and nothing is rewritten.
    ! find alone.spirv -name '*.use.spv' | grep . || fail "marked, without the extension"
    finish
fi
! grep -v info alone.log || fail "something is warned of"
for module in alone.spirv/*.spv; do
    case $module in
    *.use.spv) "$wavepgo" instrument "$module" --list-probes >list 2>&1 || fail "$module: $(cat list)" ;;
    *) [ -f "${module%.spv}.use.spv" ] || fail "$module: not marked"; continue ;;
    esac
    shader=$(basename "$module" .use.spv)
    [ "$(cut -d. -f1 list | sort -u)" = "$shader" ] || fail "$shader: $(head -n 2 list)"
done
"$wavepgo" show --use-log alone.uselog | grep ' marked; 0 changes made' >/dev/null || fail "use log: $("$wavepgo" show --use-log alone.uselog | tail -n 1)"

# With a profile: the same decisions, the same output; blocks that passes copied are found too.
generate counted $run_bench
"$wavepgo" merge --quiet -o all.profdata counted >merge.out 2>&1 || fail "merge: $(cat merge.out)"
for probes in 0 1; do
    mkdir use$probes.spirv
    WAVEPGO_PSEUDO_PROBES=$probes WAVEPGO_DUMP=$work/use$probes.spirv WAVEPGO_VALIDATE=1 use use$probes "$work/all.profdata" $run_bench
    same absent use$probes
done
optimised=0
for module in use0.spirv/*.use.spv; do
    [ -f "$module" ] || continue
    optimised=$((optimised + 1))
    [ "$("$wavepgo" instrument "$module" --hash)" = "$("$wavepgo" instrument "use1.spirv/$(basename "$module")" --hash)" ] ||
        fail "$(basename "$module"): other decisions with probes"
    "$wavepgo" instrument "use1.spirv/$(basename "$module")" --list-probes | cut -d' ' -f3,5 | sort >found
    "$wavepgo" instrument "alone.spirv/$(basename "$module")" --list-probes | cut -d' ' -f3,5 | sort -u >blocks
    # Passes may remove blocks that cannot run; what is found is of this shader.
    [ -z "$(sort -u found | comm -23 - blocks)" ] || fail "$module: blocks from nowhere"
    lost=$(sort -u found | comm -13 - blocks | wc -l)
    [ $((lost * 4)) -le "$(grep -c . blocks)" ] || fail "$module: $lost of $(grep -c . blocks) blocks lost"
done
[ $optimised -ge 5 ] || fail "only $optimised shaders optimised"
finish
