#!/bin/sh
# The Debian package: made from this build, its list of files, installed into an empty root, used there by the real loader, and
# removed without a trace. Nothing of the machine's own package database is touched.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app" "$WPG_BUILD/share/man/man1/wavepgo.1"
for program in cpack dpkg dpkg-deb dpkg-shlibdeps file gzip; do need_program $program; done
[ -f "$WPG_BUILD/CPackConfig.cmake" ] || skip "this build makes no package"
PATH=$PATH:/usr/sbin:/sbin # dpkg looks for ldconfig
export WAVEPGO_SUMMARY=0
unset XDG_CONFIG_HOME

(cd "$WPG_BUILD" && cpack -G DEB -B "$work/made") >"$work/cpack.log" 2>&1 || die "cpack: $(tail -n 5 "$work/cpack.log")"
version=$("$wavepgo" version | sed 's/^wavepgo //')
package=$work/made/wavepgo_${version}_$(dpkg --print-architecture).deb
[ -f "$package" ] || die "no $package but: $(ls "$work/made")"

# What it says of itself.
field() { dpkg-deb --field "$package" "$1"; }
[ "$(field Package) $(field Version)" = "wavepgo $version" ] || fail "is $(field Package) $(field Version)"
field Depends | grep '^libc6 (>= ' >/dev/null || fail "dpkg-shlibdeps found no libc6: $(field Depends)"
field Depends | grep -E 'llvm|stdc|vulkan' && fail "depends on what it can do without"
dpkg-deb --ctrl-tarfile "$package" | tar -t | grep -E 'postinst|prerm|postrm|preinst' && fail "runs scripts"

# What is in it: all that is built, where Debian has it, and nothing else.
family=$(gcc -print-multiarch 2>/dev/null)
{
    echo ./usr/bin/wavepgo
    echo "./usr/lib/$family/wavepgo/libVkLayer_wavepgo.so"
    echo ./usr/share/bash-completion/completions/wavepgo
    echo ./usr/share/doc/wavepgo/copyright
    (cd "$WPG_BUILD/share" && find man -type f | sed 's|.*|./usr/share/&.gz|')
    echo ./usr/share/vulkan/explicit_layer.d/VkLayer_wavepgo.json
    echo ./usr/share/vulkan/implicit_layer.d/VkLayer_wavepgo.json
    echo ./usr/share/zsh/vendor-completions/_wavepgo
} | LC_ALL=C sort >"$work/wanted"
dpkg-deb --fsys-tarfile "$package" | tar -t | grep -v '/$' | LC_ALL=C sort >"$work/files"
diff "$work/wanted" "$work/files" >"$work/diff" || fail "the list of files: $(cat "$work/diff")"
[ "$(wc -l <"$work/files")" -ge 18 ] || fail "only $(wc -l <"$work/files") files"
dpkg-deb --fsys-tarfile "$package" | tar -tv | grep -v ' root/root ' && fail "files that are not root's"

# Installed into an empty root.
root=$work/root
mkdir -p "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/info"
: >"$root/var/lib/dpkg/status"
as_root=
[ "$(id -u)" = 0 ] || { need_program fakeroot; as_root=fakeroot; }
package_tool() { # NAME OPTIONS...
    tool_name=$1
    shift
    $as_root dpkg --root="$root" --log=/dev/null --force-not-root --force-depends "$@" >"$work/$tool_name.out" 2>&1 ||
        die "dpkg $*: $(tail -n 5 "$work/$tool_name.out")"
}
package_tool install --install "$package"
[ "$("$root/usr/bin/wavepgo" --version)" = "wavepgo $version" ] || fail "wavepgo --version: $("$root/usr/bin/wavepgo" --version 2>&1)"

# The command finds its own layer; the loader finds the implicit one.
plain absent "$app" compute "$WPG_SPIRV"
plain explicit "$root/usr/bin/wavepgo" run --generate --profile-file "$work/explicit/%b.profraw" -- "$app" compute "$WPG_SPIRV"
same absent explicit
[ "$(count_profiles explicit)" = 1 ] || fail "wavepgo run counts nothing: $(tail -n 3 "$work/explicit.err")"
XDG_DATA_DIRS=$root/usr/share WAVEPGO_ENABLE=1 WAVEPGO_MODE=generate WAVEPGO_PROFILE_FILE="$work/implicit/%b.profraw" \
    plain implicit "$app" compute "$WPG_SPIRV"
same absent implicit
[ "$(count_profiles implicit)" = 1 ] || fail "the installed layer counts nothing: $(tail -n 3 "$work/implicit.err")"
XDG_DATA_DIRS=$root/usr/share WAVEPGO_MODE=generate WAVEPGO_PROFILE_FILE="$work/quiet/%b.profraw" plain quiet "$app" compute "$WPG_SPIRV"
[ ! -e "$work/quiet" ] || fail "installed is not the same as enabled"
gzip -dc "$root/usr/share/man/man1/wavepgo-run.1.gz" | grep '^\.SH OPTIONS$' >/dev/null || fail "the man page of run is none"

# Removed: no file and no folder but dpkg's own.
package_tool purge --purge wavepgo
find "$root" ! -path "$root" ! -path "$root/var" ! -path "$root/var/lib" ! -path "$root/var/lib/dpkg*" >"$work/left"
[ ! -s "$work/left" ] || fail "left behind: $(cat "$work/left")"
finish
