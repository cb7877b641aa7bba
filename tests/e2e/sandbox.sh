#!/bin/sh
# Containers as Steam's runtime and Flatpak make them, by bubblewrap, which both use: a read-only root, a private /tmp, no
# build tree, processes numbered anew. Each must find the layer, count, and write where the program may write. Sources:
# steam-runtime-tools (pressure-vessel-wrap), freedesktop-sdk (the extension point org.freedesktop.Platform.VulkanLayer).
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app"
need_program bwrap
bwrap --ro-bind / / true 2>/dev/null || skip "no user namespaces here: bwrap makes no container"
unset XDG_CONFIG_HOME XDG_CACHE_HOME
export WAVEPGO_SUMMARY=0 TMPDIR=/tmp
cache=$HOME/.cache/wavepgo

# The driver, as both bring it: elsewhere, and named by a manifest of their own.
mkdir -p "$work/GL"
library=$(sed -n 's/.*"library_path": *"\([^"]*\)".*/\1/p' "$icd")
case $library in
/*) ;;
*) library=$(ldconfig -p | sed -n "s|.*$library.*=> ||p" | head -n 1) ;;
esac
[ -f "$library" ] || skip "the driver's library is not found: $icd"
cp "$library" "$work/GL/driver.so"
sed 's|"library_path": *"[^"]*"|"library_path": "/usr/lib/GL/driver.so"|' "$icd" >"$work/GL/icd.json"

# The options that every container here shares, a line each: the system's programs and libraries at their place, the game.
system_options() {
    printf '%s\n' --unshare-pid --die-with-parent --proc /proc --dev /dev --tmpfs /tmp --ro-bind /etc /etc \
        --symlink usr/bin /bin --symlink usr/lib /lib --ro-bind /usr/bin /usr/bin
    [ ! -e /lib64 ] || printf '%s\n' --symlink usr/lib64 /lib64 --ro-bind /usr/lib64 /usr/lib64
    for entry in /usr/lib/*; do
        printf '%s\n' --ro-bind "$(realpath "$entry")" "$entry"
    done
    printf '%s\n' --ro-bind "$work/GL" /usr/lib/GL --ro-bind "$app" /app/bin/game --ro-bind "$WPG_SPIRV" /app/spirv
    [ -z "${WPG_DRIVER_LIBRARY_PATH:-}" ] || printf '%s\n' --ro-bind "$WPG_DRIVER_LIBRARY_PATH" "$WPG_DRIVER_LIBRARY_PATH"
}
# As run by Steam: `launcher SteamLinuxRuntime_sniper/_v2-entry-point -- COMMAND...`. $container has the options of one kind.
make_launcher() { # PATH
    mkdir -p "$(dirname "$1")"
    {
        echo '#!/bin/sh'
        echo '[ "$1" != -- ] || shift'
        echo "exec bwrap \\"
        { system_options; cat "$work/options"; printf '%s\n' --remount-ro /; } | sed "s/'/'\\\\''/g; s/.*/    '&' \\\\/"
        echo '    "$@"'
    } >"$1"
    chmod 755 "$1"
}
counted() { # NAME FOLDER: the run went as without the layer, and left a profile there
    same absent "$1"
    [ "$(find "$2" -name '*.profraw' 2>/dev/null | wc -l)" = 1 ] || fail "$1: nothing was counted: $(tail -n 3 "$work/$1.err")"
}

plain absent "$app" compute "$WPG_SPIRV"
case $WPG_CASE in
steam)
    # pressure-vessel resolves what a user installed, and stages manifest and library in a folder of its own. The home is the
    # player's. It searches there first by XDG_DATA_DIRS; later versions pin both search paths.
    "$wavepgo" install --user >/dev/null || fail "install"
    installed=$HOME/.local/share/vulkan/implicit_layer.d/$manifest_name
    overrides=$work/overrides
    staged=lib/x86_64-linux-gnu/vulkan_imp_layer/0/libVkLayer_wavepgo.so
    mkdir -p "$overrides/share/vulkan/implicit_layer.d" "$overrides/share/vulkan/explicit_layer.d" "$(dirname "$overrides/$staged")"
    cp "$(find "$HOME" -name libVkLayer_wavepgo.so)" "$overrides/$staged"
    sed "s|\"library_path\": *\"[^\"]*\"|\"library_path\": \"/usr/lib/pressure-vessel/overrides/$staged\"|" "$installed" \
        >"$overrides/share/vulkan/implicit_layer.d/0-x86_64-linux-gnu.json"
    game=$HOME/games/some
    mkdir -p "$game"
    options() {
        printf '%s\n' --ro-bind "$overrides" /usr/lib/pressure-vessel/overrides --bind "$HOME" "$HOME" --chdir "$game" \
            --setenv VK_DRIVER_FILES /usr/lib/GL/icd.json --setenv VK_ICD_FILENAMES /usr/lib/GL/icd.json --unsetenv VK_LAYER_PATH
    }
    path=$HOME/steamapps/common/SteamLinuxRuntime_sniper/_v2-entry-point
    share=/usr/lib/pressure-vessel/overrides/share
    for how in dirs pinned; do
        options >"$work/options"
        if [ $how = dirs ]; then
            printf '%s\n' --setenv XDG_DATA_DIRS "$share:/usr/share" >>"$work/options"
        else
            printf '%s\n' --setenv VK_IMPLICIT_LAYER_PATH "$share/vulkan/implicit_layer.d" \
                --setenv VK_LAYER_PATH "$share/vulkan/explicit_layer.d" --setenv XDG_DATA_DIRS "$share:/usr/share" >>"$work/options"
        fi
        make_launcher "$path"
        # The two launch options of layer/README.md.
        WAVEPGO_ENABLE=1 WAVEPGO_MODE=generate WAVEPGO_PROFILE_FILE=$HOME/$how/%e/%b.profraw \
            plain "variables-$how" "$path" -- /app/bin/game compute /app/spirv
        counted "variables-$how" "$HOME/$how/game"
        rm -rf "$game"/*
        # Paths are of the folder that `run` was called in: Steam starts a game in the game's.
        cd "$game" && plain "run-$how" "$wavepgo" run --generate -- "$path" -- /app/bin/game compute /app/spirv
        counted "run-$how" "$game/game.wavepgo"
        [ ! -s "$work/run-$how.err" ] || fail "run-$how says $(head -n 3 "$work/run-$how.err")"
        "$wavepgo" merge --quiet -o "$game/game.profdata" "$game/game.wavepgo" || fail "merge"
        plain "use-$how" "$wavepgo" run --use game.profdata --use-log "$game/use.json" -- "$path" -- /app/bin/game compute /app/spirv
        same absent "use-$how"
        grep '"pipeline"' "$game/use.json" >/dev/null || fail "use-$how: nothing was done: $(tail -n 3 "$work/use-$how.err")"
        cd "$work" || die "cannot enter $work"
    done
    "$wavepgo" doctor -- "$path" >"$work/doctor.out"
    grep 'note .*starts the program in a container' "$work/doctor.out" >/dev/null || fail "doctor: $(head -n 5 "$work/doctor.out")"
    # Not installed it is not there, and one line says what to do.
    "$wavepgo" uninstall --user >/dev/null
    rm -rf "$overrides/share/vulkan/implicit_layer.d"/* "$game"/*
    cd "$game" && plain missing "$wavepgo" run --generate -- "$path" -- /app/bin/game compute /app/spirv
    cd "$work" || die "cannot enter $work"
    same absent missing
    [ "$(grep -c . "$work/missing.err")" = 1 ] && grep 'wavepgo install --user' "$work/missing.err" >/dev/null ||
        fail "what is missing is not said in one line: $(head -n 5 "$work/missing.err")"
    "$wavepgo" doctor -- "$path" >"$work/doctor.out" && fail "doctor finds nothing missing"
    grep 'PROBLEM.*installed' "$work/doctor.out" >/dev/null || fail "doctor: $(head -n 5 "$work/doctor.out")"
    ;;
flatpak)
    # Another home and read-only extensions. An extension's manifests are linked into one folder, which the loader searches.
    data=$HOME/.var/app/org.example.Game
    mkdir -p "$data/data" "$data/config" "$data/cache"
    options() {
        printf '%s\n' --bind "$data" "$data" --chdir "$data" --setenv XDG_DATA_HOME "$data/data" --setenv XDG_CONFIG_HOME "$data/config" \
            --setenv XDG_CACHE_HOME "$data/cache" --setenv VK_DRIVER_FILES /usr/lib/GL/icd.json --setenv VK_ICD_FILENAMES /usr/lib/GL/icd.json
    }
    launch=$work/flatpak
    # In the program's own data.
    XDG_DATA_HOME=$data/data "$wavepgo" install --user >/dev/null || fail "install"
    options >"$work/options"
    make_launcher "$launch"
    WAVEPGO_ENABLE=1 WAVEPGO_MODE=generate WAVEPGO_PROFILE_FILE=$data/own/%b.profraw plain own "$launch" /app/bin/game compute /app/spirv
    counted own "$data/own"
    XDG_DATA_HOME=$data/data "$wavepgo" uninstall --user >/dev/null
    # As an extension, built where it will stand, as flatpak-builder does.
    extension=/usr/lib/extensions/vulkan/wavepgo
    manifests=share/vulkan/implicit_layer.d
    mkdir -p "$work/extension" "$work/merged/vulkan/implicit_layer.d"
    {
        printf '%s\n' --bind "$work/extension" $extension
        for part in bin lib share; do printf '%s\n' --ro-bind "$WPG_BUILD/$part" "/run/build/$part"; done
    } >"$work/options"
    make_launcher "$launch"
    "$launch" /run/build/bin/wavepgo install --system --prefix $extension >"$work/build.out" 2>&1 || fail "$(cat "$work/build.out")"
    ln -s "../../../wavepgo/$manifests/$manifest_name" "$work/merged/vulkan/implicit_layer.d/$manifest_name"
    {
        options
        printf '%s\n' --ro-bind "$work/extension" $extension --ro-bind "$work/merged" /usr/lib/extensions/vulkan/share \
            --setenv XDG_DATA_DIRS /app/share:/usr/lib/extensions/vulkan/share:/usr/share
    } >"$work/options"
    make_launcher "$launch"
    export WAVEPGO_ENABLE=1 WAVEPGO_MODE=generate
    WAVEPGO_PROFILE_FILE=$data/extension/%b.profraw plain extension "$launch" /app/bin/game compute /app/spirv
    counted extension "$data/extension"
    # Every container's first process has the same number. What a killed one left the next makes profiles of.
    export WAVEPGO_PROFILE_FILE=$data/killed/%b.profraw
    plain killed "$launch" /app/bin/game cut /app/spirv KILL
    [ "$(find "$data/killed" -name '*.live' | wc -l)" = 1 ] || fail "a killed run leaves no journal: $(ls "$data/killed")"
    plain after "$launch" /app/bin/game compute /app/spirv
    counted after "$data/killed"
    [ "$(find "$data/killed" -name '*.live*' | wc -l)" = 0 ] || fail "what was killed stays: $(ls "$data/killed")"
    ;;
unwritable)
    # Nothing may be written but /tmp, which is private. One line says so; the program is as ever.
    "$wavepgo" install --user >/dev/null || fail "install"
    printf '%s\n' --ro-bind "$HOME" "$HOME" --chdir "$HOME" --setenv VK_DRIVER_FILES /usr/lib/GL/icd.json \
        --setenv VK_ICD_FILENAMES /usr/lib/GL/icd.json >"$work/options"
    launch=$work/readonly
    plain crowd "$app" crowd "$WPG_SPIRV" 20
    make_launcher "$launch"
    export WAVEPGO_ENABLE=1 WAVEPGO_MODE=generate
    for how in plain bundle; do
        [ $how = plain ] || export WAVEPGO_BUNDLE=%e.wavepgo
        plain $how "$launch" /app/bin/game crowd /app/spirv 20
        same crowd $how
        grep -v -e 'the cache of rewritten shaders' -e '^crowd ' "$work/$how.err" >"$work/$how.lines"
        [ "$(grep -c . "$work/$how.lines")" = 1 ] && grep 'Read-only file system.*PROFILE_FILE' "$work/$how.lines" >/dev/null ||
            fail "$how: one line should say what to do: $(head -n 5 "$work/$how.err")"
    done
    ;;
esac
finish
