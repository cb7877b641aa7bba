# Sourced by run.sh and conform.sh: collects SPIR-V modules into $corpus, each once under a name of its contents.
# They have $root, $work, $corpus and lib.sh's names. WPG_CORPUS=all takes all that run.sh says, some what it takes
# by day, few a thirtieth of that or less.
glslang=$(command -v glslangValidator || command -v glslang) || glslang=
[ -n "$glslang" ] || echo "note: no glslang here"
export WPG_CORPUS="${WPG_CORPUS:-${WPG_NIGHTLY:+all}}"
mkdir -p "$corpus"
count() { find "$corpus" -name '*.spv' | grep -c . || :; }

# -- GLSL of the tree.
add() { # FILE: into the corpus under a name of its contents, once
    [ -s "$1" ] || return 0
    cp "$1" "$corpus/$(sha256sum <"$1" | cut -c1-24).spv"
}
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
collect_tree() {
    case $WPG_CORPUS in few) step=28 ;; *) step=1 ;; esac
    own_sources | LC_ALL=C sort | awk -v step=$step 'NR % step == 0' | compile compile_tree.sh
    echo "GLSL of the tree: $(count) modules"
}

# -- What others write: the tests of SPIRV-Cross and glslang, as tests/setup.sh fetched their sources.
foreign_sources() {
    find "$root"/.deps/corpus/spirv-cross/*/shaders* "$root"/.deps/corpus/spirv-cross/*/reference/shaders \
        "$root"/.deps/corpus/spirv-cross/*/reference/shaders-no-opt "$root"/.deps/corpus/spirv-cross/*/reference/shaders-hlsl* \
        "$root"/.deps/corpus/spirv-cross/*/reference/opt/shaders "$root"/.deps/corpus/glslang/*/Test -type f \
        ! -path '*/baseResults/*' ! -path '*/baseLegalResults/*' 2>/dev/null | LC_ALL=C sort
}
collect_foreign() {
    if [ -n "$glslang" ] && [ -d "$root/.deps/corpus" ]; then
        before=$(count)
        case $WPG_CORPUS in all) step=1 ;; few) step=180 ;; *) step=64 ;; esac
        foreign_sources | awk -v step=$step 'NR % step == 0' | compile compile.sh
        echo "SPIRV-Cross and glslang, 1 source of $step: $(($(count) - before)) modules"
    else
        echo "note: no glslang or no sources of others (sh tests/setup.sh)"
    fi
}

# -- What programs hand to the driver.
collect() { # NAME COMMAND...: under the layer, at night on each lavapipe; the program may fail, as some do without hardware
    name=$1
    shift
    command -v "$1" >/dev/null 2>&1 || { echo "$name: not installed"; return 0; }
    before=$(count)
    for driver in new ${WPG_NIGHTLY:+old}; do
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
collect_programs() {
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
}
