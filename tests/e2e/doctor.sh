#!/bin/sh
# wavepgo doctor: every ill that it names is made here and must be named, with exit code 1, and a healthy place must be
# called healthy. Each case runs the real command, the real loader and a driver.
. "$(dirname "$0")/lib.sh"
json=$WPG_PROGRAMS/e2e_json
need_built "$wavepgo" "$layer" "$app" "$json" "$WPG_BUILD/lib/libVkLayer_wavepgo_test_shim.so"
unset XDG_CONFIG_HOME
ours=$WPG_BUILD/share/vulkan/explicit_layer.d
implicit=$HOME/.local/share/vulkan/implicit_layer.d

doctor() { # NAME ARGUMENTS...: text and JSON, which must agree on the verdict
    name=$1
    shift
    "$wavepgo" doctor "$@" >"$work/$name.out" 2>"$work/$name.err"
    code=$?
    "$wavepgo" doctor --json "$@" >"$work/$name.json" 2>>"$work/$name.err"
    [ $? = $code ] || fail "$name: text and JSON give different exit codes"
    [ ! -s "$work/$name.err" ] || fail "$name: $(head -n 3 "$work/$name.err")"
    [ $code = 0 ] && ok=true || ok=false
    "$json" "$work/$name.json" version "ok=$ok" problems notes enabled files >"$work/complaint" || fail "$name: $(cat "$work/complaint")"
}
healthy() { # NAME ARGUMENTS...
    doctor "$@"
    [ $code = 0 ] && grep '^ok ' "$work/$1.out" >/dev/null || {
        fail "$1 is not called healthy (exit code $code)"
        cat "$work/$1.out"
    }
}
sick() { # NAME PATTERN ARGUMENTS...: a problem says PATTERN, and it comes first
    name=$1
    pattern=$2
    shift 2
    doctor "$name" "$@"
    [ $code = 1 ] || fail "$name: exit code $code"
    head -n 1 "$work/$name.out" | grep '^PROBLEM' >/dev/null || fail "$name: the problem is not the first line"
    grep -E "^PROBLEM.*($pattern)" "$work/$name.out" >/dev/null || {
        fail "$name: no problem says '$pattern'"
        cat "$work/$name.out"
    }
}
says() { # NAME PATTERN
    grep -E -e "$2" "$work/$1.out" >/dev/null || {
        fail "$1 does not say '$2'"
        cat "$work/$1.out"
    }
}

# -- In health
healthy plain
says plain "^order .*|$layer_name: Explicit"
says plain "^devices .*$(device_called).*lanes and waves:.* comp"
says plain 'PROGRAM.wavepgo/HASH.profraw'
"$json" "$work/plain.json" devices#1 devices.0.counts=true 'order#1' || fail "plain: the document lacks parts"
mkdir "$work/temporary"
TMPDIR=$work/temporary WAVEPGO_MODE=generate VK_INSTANCE_LAYERS=$layer_name VK_ADD_LAYER_PATH=$ours healthy enabled -- "$app"
says enabled 'e2e_app-HASH.profraw'
says enabled 'program .*e2e_app, x86_64|program .*e2e_app, '
[ -z "$(find "$work" -newer "$work/plain.json" -name '*.profraw')" ] || fail "the trial leaves profiles"
[ -z "$(ls "$work/temporary")" ] || fail "the trial leaves files in the temporary folder"

# -- No Vulkan, no driver, a driver that crashes, one that lacks what is needed
mkdir -p "$work/none"
echo "no library" >"$work/none/libvulkan.so.1"
LD_LIBRARY_PATH=$work/none sick no-loader 'no Vulkan here'
VK_ICD_FILENAMES=/nonexistent VK_DRIVER_FILES=/nonexistent sick no-driver 'no driver|VkResult'
make_shim
below() {
    VK_INSTANCE_LAYERS=$layer_name:VK_LAYER_WAVEPGO_TEST_shim VK_ADD_LAYER_PATH="$ours:$shim_folder" \
        WAVEPGO_MODE=generate "$@"
}
SHIM_REFUSE=device below sick crash "crashes.*$(device_called)"
WAVEPGO_COUNTER_WAY=address SHIM_HIDE=address below sick lacking 'no device here can be counted on'
says lacking 'bufferDeviceAddress'
SHIM_HIDE=stores below healthy partly
says partly 'not counted:.* frag.*StoresAndAtomics'

# -- Installed, or not
WAVEPGO_ENABLE=1 WAVEPGO_MODE=generate sick absent 'not installed'
"$wavepgo" install --user >/dev/null || fail "install"
WAVEPGO_ENABLE=1 WAVEPGO_MODE=generate healthy implicit
says implicit "$layer_name: Implicit"
WAVEPGO_ENABLE=1 sick idle 'MODE is off'
WAVEPGO_ENABLE=yes WAVEPGO_MODE=generate sick spelled 'wants exactly 1'
WAVEPGO_ENABLE=1 WAVEPGO_DISABLE=1 WAVEPGO_MODE=generate sick disabled 'WAVEPGO_DISABLE is set'
VK_LOADER_LAYERS_DISABLE='~implicit~' WAVEPGO_ENABLE=1 WAVEPGO_MODE=generate sick filtered 'VK_LOADER_LAYERS_DISABLE'
WAVEPGO_MODE=sideways sick setting 'setting ignored: MODE'
WAVEPGO_MODE=use sick no-profile 'names no profile'
echo "no profile" >"$work/bad.profdata"
WAVEPGO_MODE=use WAVEPGO_PROFILE_USE=$work/bad.profdata sick bad-profile 'profile cannot be used'

# A capture tool below us would see our shaders: its place is what counts, not what it does.
cp "$WPG_BUILD/lib/libVkLayer_wavepgo_test_shim.so" "$shim_folder/libVkLayer_gfxreconstruct.so"
sed -e 's/VK_LAYER_WAVEPGO_TEST_shim/VK_LAYER_LUNARG_gfxreconstruct/' -e "s|\"library_path\": *\"[^\"]*\"|\"library_path\": \"$shim_folder/libVkLayer_gfxreconstruct.so\"|" \
    "$shim_folder/shim.json" >"$work/shim/capture.json"
rm "$shim_folder/shim.json"
VK_INSTANCE_LAYERS=VK_LAYER_LUNARG_gfxreconstruct VK_ADD_LAYER_PATH=$shim_folder WAVEPGO_ENABLE=1 WAVEPGO_MODE=generate \
    sick capture 'gfxreconstruct is below this layer'

# -- Manifests
library=$(find "$HOME" -name libVkLayer_wavepgo.so)
cp "$library" "$work/good.so"
echo "other bytes" >>"$library"
WAVEPGO_ENABLE=1 WAVEPGO_MODE=generate sick other-build 'another build'
printf '\363\000' | dd of="$library" bs=1 seek=18 conv=notrunc 2>/dev/null # e_machine: EM_RISCV
sick family 'is for riscv64 programs'
echo "text" >"$library"
sick no-library 'is no shared library'
rm "$library"
sick missing 'cannot read .*libVkLayer_wavepgo.so'
echo '{"file_format_version": "1.1.2", "layer": {' >"$implicit/$manifest_name"
sick malformed 'no JSON'
rm -r "$HOME/.local"
mkdir -p "$implicit"
echo 'not ours' >"$implicit/other.json"
sick foreign 'other.json: no JSON.*refuse every Vulkan program'
rm -r "$HOME/.local"

# -- Programs
sick no-program 'no program is called' -- no-such-program
echo 'exec true' | sed '1i #!/bin/sh' >"$work/script"
chmod +x "$work/script"
healthy script -- "$work/script"
says script 'a script'
cp "$app" "$work/raised"
chmod 4755 "$work/raised"
sick raised 'raised rights' -- "$work/raised"
cp "$app" "$work/other"
printf '\363\000' | dd of="$work/other" bs=1 seek=18 conv=notrunc 2>/dev/null
sick other-family 'a program for riscv64' -- "$work/other"
[ ! -x /sbin/ldconfig ] || head -c 2 /sbin/ldconfig | grep '#!' >/dev/null || sick static 'linked statically' -- /sbin/ldconfig
printf 'MZ' >"$work/game.exe"
chmod +x "$work/game.exe"
healthy windows -- "$work/game.exe"
says windows 'Wine'

# -- Where files go
if [ "$(id -u)" != 0 ] || setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$wavepgo" 2>/dev/null; then
    mkdir -p "$work/locked"
    chmod 0555 "$work/locked"
    run=
    [ "$(id -u)" != 0 ] || run="setpriv --reuid 65534 --regid 65534 --clear-groups"
    WAVEPGO_PROFILE_FILE=$work/locked/%b.profraw XDG_CACHE_HOME=$work/locked HOME=/nonexistent $run "$wavepgo" doctor >"$work/locked.out" 2>&1
    says locked 'PROBLEM.*locked is not writable'
fi
"$wavepgo" doctor --nonsense >/dev/null 2>&1
[ $? = 2 ] || fail "wrong usage is not said"
finish
