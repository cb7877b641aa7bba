#!/bin/sh
# Collects SPIR-V modules and checks on each what corpus.c says; has RADV compile what was made of them, which needs no
# hardware (driver.c); then builds the checker with another compiler and sees the same hashes and checksums.
#
#     sh tests/corpus/run.sh [BUILD-FOLDER] [FURTHER FOLDERS OF .spv...]
#
#     WPG_CORPUS=all sh tests/corpus/run.sh ...       several thousand: the tree's for every Vulkan version and in three ways
#                                                     of spirv-opt, all of what others write, not one source of sixteen
#
# Sources: every GLSL file of this tree, as compiled and as optimised by spirv-opt; the shaders that
# SPIRV-Cross and glslang are tested with (compile.sh); what real programs hand to the driver, taken by the layer's dump
# setting: vkcube, vkd3d's demos, OpenGL programs over Zink,
# ffmpeg's Vulkan filters. What is not installed is left out with a message. Nothing is kept in the tree.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
WPG_BUILD=${1:-${WPG_BUILD:-$root/build}}
[ $# -eq 0 ] || shift
further=$*
WPG_SOURCE=$root
real_home=${HOME:-/}
WPG_CASE=corpus
WPG_DRIVER=new
# lib.sh finds its own test by this name.
. "$root/tests/e2e/lib.sh"
checker=$WPG_BUILD/bin/corpus
need_built "$checker"
corpus=$work/corpus
mkdir -p "$corpus"

# -- GLSL of the tree.
add() { # FILE: into the corpus under a name of its contents, once
    [ -s "$1" ] || return 0
    cp "$1" "$corpus/$(sha256sum <"$1" | cut -c1-24).spv"
}
glslang=$(command -v glslangValidator || command -v glslang) || glslang=
own_sources() {
    find "$root/shaders" "$root/tests" "$WPG_BUILD/tests/e2e/wrappers" \
        \( -name '*.comp' -o -name '*.vert' -o -name '*.frag' -o -name '*.geom' -o -name '*.tesc' -o -name '*.tese' \) ! -path '*/oracle/kernels/*' 2>/dev/null
    find "$root/tests" "$root/compiler" -name '*.spvasm'
}
# compile SCRIPT: sources from standard input, on all processors; each module once, under a name of its contents.
compile() {
    rm -rf "$work/made"
    mkdir "$work/made"
    LC_ALL=C sort | tr '\n' '\0' | xargs -0 -r -n 20 -P "$(getconf _NPROCESSORS_ONLN)" sh "$root/tests/corpus/$1" "$work/made"
    (cd "$work/made" && find . -name '*.spv' -size +0 -exec sha256sum {} +) |
        awk -v corpus="$corpus" -v from="$work/made" '{ print "mv -f \"" from "/" $2 "\" \"" corpus "/" substr($1, 1, 24) ".spv\"" }' | sh
}
[ -n "$glslang" ] || echo "note: no glslang here"
export WPG_CORPUS="${WPG_CORPUS:-${WPG_NIGHTLY:+all}}"
own_sources | compile compile_tree.sh
count() { find "$corpus" -name '*.spv' | grep -c . || :; }
echo "GLSL of the tree: $(count) modules"

# -- What others write: the tests of SPIRV-Cross and glslang, as tests/setup.sh fetched their sources.
foreign_sources() {
    find "$root"/.deps/corpus/spirv-cross/*/shaders* "$root"/.deps/corpus/spirv-cross/*/reference/shaders \
        "$root"/.deps/corpus/spirv-cross/*/reference/shaders-no-opt "$root"/.deps/corpus/spirv-cross/*/reference/shaders-hlsl* \
        "$root"/.deps/corpus/spirv-cross/*/reference/opt/shaders "$root"/.deps/corpus/glslang/*/Test -type f \
        ! -path '*/baseResults/*' ! -path '*/baseLegalResults/*' 2>/dev/null | LC_ALL=C sort
}
if [ -n "$glslang" ] && [ -d "$root/.deps/corpus" ]; then
    before=$(count)
    [ "$WPG_CORPUS" = all ] && step=1 || step=16
    foreign_sources | awk -v step=$step 'NR % step == 0' | compile compile.sh
    echo "SPIRV-Cross and glslang, 1 source of $step: $(($(count) - before)) modules"
else
    echo "note: no glslang or no sources of others (sh tests/setup.sh)"
fi

# -- What programs hand to the driver.
collect() { # NAME COMMAND...: under the layer, on each lavapipe; the program may fail, as some do without hardware
    name=$1
    shift
    command -v "$1" >/dev/null 2>&1 || { echo "$name: not installed"; return 0; }
    before=$(count)
    for driver in new old; do
        [ -n "$(driver_icd $driver)" ] || continue
        use_driver $driver
        mkdir -p "$work/dump-$name-$driver"
        WAVEPGO_DUMP=$work/dump-$name-$driver generate $name-$driver timeout 60 "$@"
        for module in "$work/dump-$name-$driver"/*.spv; do
            # As given: <hash>.spv; <hash>.<mode>.spv is what the layer made of it.
            case $(basename "$module") in *.*.spv) ;; *) add "$module" ;; esac
        done
    done
    echo "$name: $(($(count) - before)) modules"
}
if [ -e "$layer" ] && [ -e "$wavepgo" ] && command -v Xvfb >/dev/null 2>&1; then
    start_x
    make_shim
    export VK_ADD_LAYER_PATH="$shim_folder"
    collect vkcube vkcube --c 5 --suppress_popups
    (
        export VK_INSTANCE_LAYERS=VK_LAYER_WAVEPGO_TEST_shim SHIM_EXIT=2
        collect vkd3d-gears vkd3d-gears
        export SHIM_EXIT=1
        collect vkd3d-triangle vkd3d-triangle
    )
    (
        export MESA_LOADER_DRIVER_OVERRIDE=zink LIBGL_ALWAYS_SOFTWARE=1
        collect glxgears timeout 5 glxgears
        scenes=
        for scene in build:use-vbo=false build:use-vbo=true texture:texture-filter=linear texture:texture-filter=mipmap \
            texture:texture-gen=true shading:shading=gouraud shading:shading=blinn-phong-inf shading:shading=phong shading:shading=cel \
            bump:bump-render=high-poly bump:bump-render=normals bump:bump-render=height bump:bump-render=off \
            'effect2d:kernel=0,1,0;1,-4,1;0,1,0;' 'effect2d:kernel=1,1,1,1,1;1,1,1,1,1;1,1,1,1,1;' pulsar:light=true:texture=true \
            desktop:effect=blur desktop:effect=shadow desktop:effect=blur:blur-radius=9:separable=true \
            buffer:update-method=subdata ideas jellyfish terrain shadow refract \
            conditionals:fragment-steps=0:vertex-steps=0 conditionals:fragment-steps=5:vertex-steps=0 conditionals:fragment-steps=0:vertex-steps=5 \
            conditionals:fragment-steps=5:vertex-steps=5:fragment-function=true:vertex-function=true \
            function:fragment-complexity=low:fragment-steps=5 function:fragment-complexity=medium:fragment-steps=5 function:fragment-complexity=high:fragment-steps=3 \
            loop:fragment-loop=false:fragment-steps=5:vertex-steps=5 loop:fragment-steps=5:fragment-uniform=false:vertex-steps=5 loop:fragment-steps=5:fragment-uniform=true:vertex-steps=5; do
            scenes="$scenes -b $scene:duration=0.02"
        done
        # shellcheck disable=SC2086
        collect glmark2 glmark2 --size 100x80 $scenes
    )
    filters="scale_vulkan=64:48 avgblur_vulkan chromaber_vulkan=dist_x=0.2:dist_y=0.2 flip_vulkan gblur_vulkan hflip_vulkan transpose_vulkan vflip_vulkan"
    number=0
    for format in yuv420p nv12 rgba; do
        for filter in $filters; do
            number=$((number + 1))
            collect ffmpeg-$number ffmpeg -hide_banner -loglevel error -init_hw_device vulkan=v:0 -filter_hw_device v -f lavfi \
                -i testsrc=size=96x64:rate=5:duration=0.4 -vf "format=$format,hwupload,$filter,hwdownload,format=$format" -f null -
        done
        for filter in blend_vulkan=all_mode=normal blend_vulkan=all_mode=multiply overlay_vulkan=x=3:y=5; do
            number=$((number + 1))
            collect ffmpeg-$number ffmpeg -hide_banner -loglevel error -init_hw_device vulkan=v:0 -filter_hw_device v -f lavfi \
                -i testsrc=size=96x64:rate=5:duration=0.4 -f lavfi -i testsrc2=size=96x64:rate=5:duration=0.4 -filter_complex \
                "[0:v]format=$format,hwupload[a];[1:v]format=$format,hwupload[b];[a][b]$filter,hwdownload,format=$format" -f null -
        done
    done
else
    echo "note: no layer or no X server here: nothing taken from programs"
fi
for folder in $further; do
    for module in $(find "$folder" -name '*.spv'); do add "$module"; done
done
total=$(count)
least=300
[ ! -d "$root/.deps/corpus" ] || least=700
[ "$WPG_CORPUS" != all ] || least=3000
[ "$total" -ge $least ] || fail "only $total modules"

# -- The checks, and the same with another compiler.
list() { find "$corpus" -name '*.spv' | LC_ALL=C sort; }
mkdir -p "$work/forms"
list | "$checker" --out "$work/forms" - >"$work/check.txt" 2>"$work/check.err" || {
    fail "$(grep -c ^FAIL "$work/check.txt") checks failed; $(tail -n 1 "$work/check.err")"
    grep ^FAIL "$work/check.txt" | head -n 20
}
tail -n 1 "$work/check.txt"

# -- As given, as generate and as use make them, on RADV, which needs no hardware to compile.
if [ -n "$(driver_icd radv)" ] && [ -e "$WPG_BUILD/bin/corpus_driver" ]; then
    (
        use_driver radv
        export RADV_FORCE_FAMILY=navi31
        list | "$WPG_BUILD/bin/corpus_driver" "$work/forms" - >"$work/driver.txt" 2>"$work/driver.err"
    )
    code=$?
    if [ $code = 77 ]; then
        echo "note: RADV here has no shader objects"
    else
        echo "RADV: $(tail -n 1 "$work/driver.txt")"
        [ $code = 0 ] || { fail "rewritten modules do not compile:"; grep ^FAIL "$work/driver.txt" | head -n 20; tail -n 2 "$work/driver.err"; }
        compiled=$(sed -n 's/.* given, \([0-9]*\) of generate.*/\1/p' "$work/driver.txt" | tail -n 1)
        [ "${compiled:-0}" -ge $((total / 2)) ] || fail "only ${compiled:-0} of $total instrumented modules were compiled"
    fi
else
    echo "note: no RADV here"
fi
other=
case $(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$WPG_BUILD/CMakeCache.txt") in
*clang*) other="gcc g++" ;;
*) other="clang clang++" ;;
esac
if command -v ${other% *} >/dev/null 2>&1 && command -v ${other#* } >/dev/null 2>&1; then
    launcher=
    ! command -v ccache >/dev/null 2>&1 || launcher="-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache"
    # shellcheck disable=SC2086
    if env -u XDG_CACHE_HOME -u XDG_CONFIG_HOME HOME="$real_home" cmake -S "$root" -B "$WPG_BUILD/other" -G Ninja -DCMAKE_C_COMPILER=${other% *} -DCMAKE_CXX_COMPILER=${other#* } $launcher >"$work/other.log" 2>&1 &&
        env -u XDG_CACHE_HOME -u XDG_CONFIG_HOME HOME="$real_home" cmake --build "$WPG_BUILD/other" --target corpus >>"$work/other.log" 2>&1; then
        list | "$WPG_BUILD/other/bin/corpus" - >"$work/other.txt" 2>"$work/other.err" || fail "the checker built by ${other% *} fails"
        diff "$work/check.txt" "$work/other.txt" >"$work/diff" || { fail "two builds disagree:"; head -n 10 "$work/diff"; }
        echo "the same built by ${other% *}"
    else
        fail "cannot build the checker with ${other% *}: $(grep -E 'error|FAILED' "$work/other.log" | head -n 3)"
    fi
else
    echo "note: no ${other% *} here: one build only"
fi
finish
