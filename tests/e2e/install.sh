#!/bin/sh
# wavepgo install and uninstall, with the real loader and a home of their own: installed is found and counts, twice is
# once, a foreign file stays, what is uninstalled is gone without a trace, and a changed file is left.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app"
export WAVEPGO_SUMMARY=0
unset XDG_CONFIG_HOME
manifest=$HOME/.local/share/vulkan/implicit_layer.d/$manifest_name

tree() { (cd "$HOME" && find . | LC_ALL=C sort); }
run_wavepgo() { # NAME EXPECTED-CODE COMMAND...
    name=$1
    expected=$2
    shift 2
    plain "$name" "$wavepgo" "$@"
    exited "$name" "$expected"
}

plain absent "$app" compute "$WPG_SPIRV"
tree >"$work/before"
run_wavepgo first 0 install --user
[ -f "$manifest" ] || die "no manifest: $(cat "$work/first.out" "$work/first.err")"
WAVEPGO_ENABLE=1 WAVEPGO_MODE=generate WAVEPGO_PROFILE_FILE="$work/counted/%b.profraw" plain counted "$app" compute "$WPG_SPIRV"
same absent counted
[ "$(count_profiles counted)" = 1 ] || fail "the installed layer counts nothing: $(tail -n 3 "$work/counted.err")"
# Not enabled it is not there.
WAVEPGO_MODE=generate WAVEPGO_PROFILE_FILE="$work/quiet/%b.profraw" plain quiet "$app" compute "$WPG_SPIRV"
[ ! -e "$work/quiet" ] || fail "installed is not the same as enabled"

# Nor is it needed to say more than that it is enabled, where the program has a file of its own.
mkdir -p "$HOME/.config/wavepgo"
printf "mode = generate\nprofile_file = %s/%%b.profraw\n" "$work/by-file" >"$HOME/.config/wavepgo/e2e_app.conf"
WAVEPGO_ENABLE=1 plain by-file "$app" compute "$WPG_SPIRV"
same absent by-file
[ "$(count_profiles by-file)" = 1 ] || fail "the program's own configuration does not count: $(tail -n 3 "$work/by-file.err")"
WAVEPGO_ENABLE=1 "$wavepgo" doctor -- "$app" >"$work/doctor.out" || fail "doctor: $(head -n 3 "$work/doctor.out")"
grep "^mode .*generate" "$work/doctor.out" >/dev/null || fail "doctor does not know the program's own configuration"
rm -r "$HOME/.config"

# Again: nothing is touched.
find "$HOME" -type f -exec ls -l --time-style=full-iso '{}' + >"$work/one"
run_wavepgo second 0 install --user
find "$HOME" -type f -exec ls -l --time-style=full-iso '{}' + >"$work/two"
cmp -s "$work/one" "$work/two" || fail "installing twice changes files"
grep 'already' "$work/second.out" >/dev/null || fail "installing twice is not said: $(cat "$work/second.out")"

# An earlier version's files are replaced: the receipt knows what was written.
library=$(find "$HOME" -name libVkLayer_wavepgo.so)
receipt=$(dirname "$library")/installed
echo "an earlier version" >"$library"
command -v xxhsum >/dev/null 2>&1 && {
    echo "file $(xxhsum -H2 "$library" | cut -d' ' -f1) $library" >>"$receipt"
    run_wavepgo upgrade 0 install --user
    cmp -s "$layer" "$library" || fail "an earlier version is not replaced"
    echo "an earlier version" >"$library"
}
# A changed one is neither replaced nor removed.
echo "changed by hand" >"$library"
run_wavepgo over-changed 1 install --user
run_wavepgo changed 1 uninstall --user
grep "changed by hand" "$library" >/dev/null || fail "a changed file is gone"
cp "$layer" "$library"

# Uninstalled: as before, whatever else the folders hold stays.
run_wavepgo gone 0 uninstall --user
tree >"$work/after"
diff "$work/before" "$work/after" >"$work/diff" || fail "uninstall leaves or takes: $(cat "$work/diff")"
run_wavepgo gone-again 0 uninstall --user
mkdir -p "$(dirname "$manifest")"
echo '{"somebody": "else"}' >"$manifest"
tree >"$work/before"
run_wavepgo foreign 1 install --user
grep somebody "$manifest" >/dev/null || fail "a foreign file was overwritten"
tree >"$work/after"
cmp -s "$work/before" "$work/after" || fail "a refused install wrote something"
rm "$manifest"
echo "{}" >"$(dirname "$manifest")/other.json"
run_wavepgo beside 0 install --user
run_wavepgo beside-gone 0 uninstall --user
[ -f "$(dirname "$manifest")/other.json" ] || fail "another's manifest was removed"
rm "$(dirname "$manifest")/other.json"

# An edited manifest is set aside, where the loader does not read it, and is no obstacle the next time.
run_wavepgo edited 0 install --user
echo '{"edited": "by hand"}' >"$manifest"
run_wavepgo edited-gone 0 uninstall --user
grep 'by hand' "$manifest.edited" >/dev/null || fail "an edited manifest is lost: $(cat "$work/edited-gone.out" "$work/edited-gone.err")"
[ ! -e "$manifest" ] && [ ! -e "$library" ] || fail "uninstall leaves the edited manifest or its library"
run_wavepgo edited-again 0 uninstall --user
grep 'nothing installed' "$work/edited-again.out" >/dev/null || fail "uninstalling twice: $(cat "$work/edited-again.out")"
rm "$manifest.edited"

# Whoever may not write there is told so.
if command -v setpriv >/dev/null 2>&1 && [ "$(id -u)" = 0 ] && mkdir -m 755 "$work/forbidden" && chmod a+rx "$work" &&
    setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$wavepgo"; then
    plain forbidden setpriv --reuid 65534 --regid 65534 --clear-groups "$wavepgo" install --system --prefix "$work/forbidden"
    exited forbidden 1
    grep "forbidden/.*: Permission denied" "$work/forbidden.err" >/dev/null || fail "the wrong reason: $(cat "$work/forbidden.err")"
fi

# A prefix that the loader is told of.
run_wavepgo prefix 0 install --system --prefix "$work/prefix"
grep XDG_DATA_DIRS "$work/prefix.out" >/dev/null || fail "a prefix the loader does not search is not said"
XDG_DATA_DIRS=$work/prefix/share WAVEPGO_ENABLE=1 WAVEPGO_MODE=generate WAVEPGO_PROFILE_FILE="$work/there/%b.profraw" \
    plain there "$app" compute "$WPG_SPIRV"
[ "$(count_profiles there)" = 1 ] || fail "not found in a prefix: $(tail -n 3 "$work/there.err")"
run_wavepgo prefix-gone 0 uninstall --system --prefix "$work/prefix"
[ ! -e "$work/prefix" ] || fail "left in the prefix: $(find "$work/prefix")"
for wrong in "" "--user --system" "--user --prefix /x" "--system --prefix x" "--nonsense"; do
    # shellcheck disable=SC2086
    run_wavepgo wrong 2 install $wrong
done
finish
