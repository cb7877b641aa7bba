#!/bin/sh
# 32-bit programs beside 64-bit ones: one installation, one command, two layers. The same program in both widths has the same
# pipelines, the same rewritten words and the same counts, a profile of either serves the other, and one launch of both counts both.
# Runs from the 32-bit build; WPG_BUILD_64 is the other (build/ of the source tree).
. "$(dirname "$0")/lib.sh"
WPG_BUILD_64=${WPG_BUILD_64:-$WPG_SOURCE/build}
[ "$manifest_name" = VkLayer_wavepgo.x86.json ] || skip "this is no 32-bit build"
app_64=$WPG_BUILD_64/bin/e2e_app
need_built "$layer" "$app" "$app_64" "$WPG_BUILD_64/bin/wavepgo" "$WPG_BUILD_64/lib/libVkLayer_wavepgo.so"
unset XDG_CONFIG_HOME
icd_of() { # 64|32 DRIVER
    [ "$1" = 32 ] && driver_icd "$2" && return
    (unset WPG_LVP_ICD && . "$WPG_SOURCE/.deps/env.sh" && driver_icd "$2")
}
[ -n "$(icd_of 64 "$WPG_DRIVER")" ] || skip "no 64-bit driver beside the 32-bit one"

# Both in one prefix, where neither takes the other's place; the 64-bit command.
for build in "$WPG_BUILD_64" "$WPG_BUILD"; do
    cmake --install "$build" --prefix "$work/prefix" >"$work/install.out" 2>&1 || die "cmake --install: $(tail -n 3 "$work/install.out")"
done
wavepgo=$work/prefix/bin/wavepgo
[ "$(find "$work/prefix" -name 'libVkLayer_wavepgo.so' | grep -c .)" = 2 ] || fail "not two layers: $(find "$work/prefix" -name '*.so')"
cmp -s "$wavepgo" "$WPG_BUILD_64/bin/wavepgo" || {
    # cmake --install drops the run path only.
    [ "$(od -An -tx1 -j4 -N1 "$wavepgo" | tr -d ' ')" = 02 ] || fail "the command is not the 64-bit one"
}

on() { # 64|32 DRIVER COMMAND...
    icd=$(icd_of "$1" "$2")
    shift 2
    VK_ICD_FILENAMES=$icd VK_DRIVER_FILES=$icd "$@"
}

for scenario in compute draw features library objects; do
    on 64 "$WPG_DRIVER" plain $scenario-absent "$app_64" $scenario "$WPG_SPIRV"
    [ "$(cat "$work/$scenario-absent.code")" != 77 ] || continue
    on 64 "$WPG_DRIVER" generate $scenario-64 "$app_64" $scenario "$WPG_SPIRV"
    on 32 "$WPG_DRIVER" generate $scenario-32 "$app" $scenario "$WPG_SPIRV"
    same $scenario-absent $scenario-64
    # What a driver tells of itself, such as the size of its binaries, goes by its own width.
    on 32 "$WPG_DRIVER" plain $scenario-absent-32 "$app" $scenario "$WPG_SPIRV"
    same $scenario-absent-32 $scenario-32
    [ "$(count_profiles $scenario-32)" != 0 ] || fail "$scenario: nothing counted in 32 bits: $(tail -n 3 "$work/$scenario-32.err")"
    diff -rq "$work/$scenario-64" "$work/$scenario-32" || fail "$scenario: profiles of 64 and 32 bits differ"
    # Whose profile is used does not matter.
    for width in 64 32; do
        program=$app absent=$scenario-absent-32
        [ $width = 32 ] || program=$app_64 absent=$scenario-absent
        WAVEPGO_CACHE=none WAVEPGO_DUMP=$work/words-$width WAVEPGO_PSEUDO_PROBES=1 \
            on $width "$WPG_DRIVER" use $scenario-use-$width "$work/$scenario-$((96 - width))" "$program" $scenario "$WPG_SPIRV"
        same $absent $scenario-use-$width
    done
done
find "$work/words-32" -name '*.use.spv' | grep -q . || fail "nothing was rewritten in use mode"
diff -rq "$work/words-64" "$work/words-32" || fail "use mode gives other words in 32 bits"

# Merged, they are twice the one.
"$wavepgo" merge --quiet --format text -o "$work/both.text" "$work/compute-64" "$work/compute-32" || fail "merge of both widths"
cp -r "$work/compute-64" "$work/again"
"$wavepgo" merge --quiet --format text -o "$work/twice.text" "$work/compute-64" "$work/again" || fail "merge of one twice"
cmp "$work/both.text" "$work/twice.text" || fail "32 and 64 do not merge to twice 64"
accepted $(profiles compute-32) $(profiles compute-64)

# Words that count hold one address; RADV without hardware leaves it at the same for all.
case $WPG_DRIVER in
new) radv=radv family=navi31 ;;
*) radv=radv-old family=gfx1100 ;;
esac
if [ -n "$(icd_of 32 $radv)" ] && [ -n "$(icd_of 64 $radv)" ]; then
    for width in 64 32; do
        program=$app
        [ $width = 32 ] || program=$app_64
        RADV_FORCE_FAMILY=$family WAVEPGO_CACHE=none WAVEPGO_DUMP=$work/counting-$width \
            on $width $radv generate radv-$width "$program" answers "$WPG_SPIRV"
    done
    find "$work/counting-32" -name '*.generate.spv' 2>/dev/null | grep -q . || fail "nothing was instrumented on RADV: $(tail -n 3 "$work/radv-32.err")"
    diff -rq "$work/counting-64" "$work/counting-32" || fail "generate mode gives other words in 32 bits"
fi

# One launch of a script that starts both.
printf '#!/bin/sh\nVK_ICD_FILENAMES=%s VK_DRIVER_FILES=%s "%s" compute "%s"\nVK_ICD_FILENAMES=%s VK_DRIVER_FILES=%s "%s" draw "%s"\n' \
    "$(icd_of 64 "$WPG_DRIVER")" "$(icd_of 64 "$WPG_DRIVER")" "$app_64" "$WPG_SPIRV" \
    "$(icd_of 32 "$WPG_DRIVER")" "$(icd_of 32 "$WPG_DRIVER")" "$app" "$WPG_SPIRV" >"$work/both.sh"
generate both sh "$work/both.sh"
exited both 0
[ "$(count_profiles both)" = 2 ] || fail "one launch of both widths: $(count_profiles both) profiles"

# Installed for every program, and gone without a trace.
tree() { (cd "$HOME" && find . | LC_ALL=C sort); }
tree >"$work/before"
plain install "$wavepgo" install --user
exited install 0
for width in 64 32; do
    program=$app
    [ $width = 32 ] || program=$app_64
    WAVEPGO_ENABLE=1 WAVEPGO_MODE=generate WAVEPGO_PROFILE_FILE="$work/installed-$width/%b.profraw" \
        on $width "$WPG_DRIVER" plain installed-$width "$program" compute "$WPG_SPIRV"
    same compute-absent installed-$width
    [ "$(count_profiles installed-$width)" = 1 ] || fail "the installed layer counts nothing in $width bits: $(tail -n 3 "$work/installed-$width.err")"
done
on 64 "$WPG_DRIVER" plain doctor "$wavepgo" doctor -- "$app"
exited doctor 0
grep 'for x86 programs' "$work/doctor.out" >/dev/null || fail "doctor does not name the 32-bit layer: $(cat "$work/doctor.out")"
plain uninstall "$wavepgo" uninstall --user
exited uninstall 0
tree >"$work/after"
diff "$work/before" "$work/after" || fail "uninstall leaves or takes something"
finish
