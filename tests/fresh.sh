#!/bin/sh
# Does what a stranger does: makes a fresh Debian in a folder, clones this repository there, and runs the README's two commands
# in the README's order, in that one clone:
#
#     sh tests/fresh.sh bookworm|trixie [--short] [--folder FOLDER] [--keep] [-- COMMAND...]
#
# --short: the demo at its smallest size, then the build and the unit tests; some minutes. Without it: the whole demo and the whole suite.
# --folder: where the fresh Debian is made (default: a new folder in TMPDIR). --keep: leave it there; a later run with the
# same --folder uses it again with a new clone. -- COMMAND: run COMMAND in the clone in place of the README's two.
#
# What is cloned is the last commit, not what the working tree holds. The clone lies in root's home, which nobody else may read.
# Needs root, debootstrap and unshare; exits with 77 and says why where one is missing. Mounts are in a mount namespace of
# their own: they end with the command, however it ends.
set -eu

source=$(cd "$(dirname "$0")/.." && pwd)
. "$source/tests/archive.sh"
usage() { sed -n '2,14s/^# \{0,1\}//p' "$0"; }
say() { printf 'fresh: %s\n' "$*"; }
skip() {
    say "skipped: $*"
    exit 77
}

suite= short= folder= keep=
while [ $# -gt 0 ]; do
    case $1 in
    bookworm | trixie) suite=$1 ;;
    --short) short=yes ;;
    --keep) keep=yes ;;
    --folder)
        [ $# -ge 2 ] || { echo "fresh.sh: --folder needs a value" >&2; exit 2; }
        folder=$2
        shift
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    --)
        shift
        break
        ;;
    *)
        echo "fresh.sh: unknown option '$1'" >&2
        usage >&2
        exit 2
        ;;
    esac
    shift
done
[ -n "$suite" ] || { usage >&2; exit 2; }
[ "$(id -u)" = 0 ] || skip "needs root, for debootstrap and chroot"
for tool in debootstrap unshare chroot git; do
    command -v $tool >/dev/null 2>&1 || skip "needs $tool"
done
[ -f "/usr/share/debootstrap/scripts/$suite" ] || skip "this debootstrap does not know $suite"
unshare --mount --pid --fork true 2>/dev/null || skip "this machine allows no mount namespace"
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
archive=$(archive_of_suite "$codename") || skip "no Debian archive among apt's sources"
mirror=${archive##* }
registry=$(npm config get registry 2>/dev/null || :)

made=
if [ -z "$folder" ]; then
    folder=$(mktemp -d "${TMPDIR:-/tmp}/wavepgo-fresh.XXXXXX")
    made=yes
fi
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
if [ "$folder" != / ] && [ ! -f "$folder/fresh.complete" ] && [ -z "$made" ] && [ -n "$(ls -A "$folder")" ]; then
    echo "fresh.sh: $folder holds something else; name an empty folder" >&2
    exit 2
fi
leave() {
    status=$?
    trap - EXIT
    # Nothing is mounted below the folder in this namespace; a mount of somebody else is not entered.
    [ -n "$keep" ] || rm -rf --one-file-system "$folder"
    exit $status
}
trap leave EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

if [ ! -f "$folder/fresh.complete" ]; then
    say "making a fresh $suite in $folder"
    check=
    case $archive in *trusted=yes*) check=--no-check-gpg ;; esac
    debootstrap $check --variant=minbase --include=ca-certificates,git "$suite" "$folder" "$mirror" >"$folder.log" 2>&1 || {
        tail -n 20 "$folder.log" >&2
        rm -f "$folder.log"
        echo "fresh.sh: debootstrap failed" >&2
        exit 1
    }
    rm -f "$folder.log"
    # How this machine reaches its archive: proxies and the like, and its names.
    for part in /etc/apt/apt.conf /etc/apt/apt.conf.d/*; do
        if [ -f "$part" ] && grep -q '^ *Acquire::' "$part"; then cp "$part" "$folder/etc/apt/apt.conf.d/"; fi
    done
    [ ! -f /etc/resolv.conf ] || cp -L /etc/resolv.conf "$folder/etc/resolv.conf"
    cp /etc/hosts "$folder/etc/hosts"
    # The same for npm's registry: certificates that this machine trusts beside Debian's.
    mkdir -p "$folder/usr/local/share/ca-certificates"
    for part in /usr/local/share/ca-certificates/*.crt; do
        [ ! -f "$part" ] || cp "$part" "$folder/usr/local/share/ca-certificates"
    done
    chroot "$folder" update-ca-certificates >/dev/null 2>&1
    {
        echo "deb $archive $suite main"
        [ "$suite" != bookworm ] || echo "deb $archive $suite-updates main"
    } | sed 's/signed-by=[^] ]*//; s/\[ *\]//' >"$folder/etc/apt/sources.list"
    : >"$folder/fresh.complete"
fi

home=$folder/root
chmod 700 "$home"
rm -rf "$home/wavepgo"
git -c safe.directory='*' clone -q "file://$source" "$home/wavepgo"
say "cloned $(git -C "$home/wavepgo" log -1 --format='%h %s')"

# in_root COMMAND: a shell line in the clone, in the fresh Debian, with nothing of this environment.
in_root() {
    say "\$ $1"
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child sh -c '
        set -e
        mount --make-rprivate /
        mount -t proc proc "$0/proc"
        mount --rbind /dev "$0/dev"
        mount -t tmpfs tmpfs "$0/dev/shm" 2>/dev/null || :
        mount -t sysfs -o ro sysfs "$0/sys" 2>/dev/null || mount --rbind /sys "$0/sys" 2>/dev/null || :
        exec env -i ${CI:+CI=$CI} PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \
            NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt ${2:+npm_config_registry=$2} \
            chroot "$0" sh -c '\''HOME=$(getent passwd 0 | cut -d: -f6) && export HOME && cd "$HOME/wavepgo" && eval "$0"'\'' "$1"
    ' "$folder" "$1" "$registry" </dev/null
}

if [ $# -gt 0 ]; then
    in_root "$*"
    exit 0
fi
commands=$(sed -n 's/^    \(sh \(shaders\/demo\|tests\/run\)\.sh\)\( .*\)\{0,1\}$/\1/p' "$source/README.md" | head -n 2)
[ "$(echo "$commands" | sort -u | wc -l)" = 2 ] || { echo "fresh.sh: README.md does not name the two commands" >&2; exit 1; }
echo "$commands" >"$folder/fresh.commands"
while read -r command <&3; do
    case $short.$command in
    yes.*demo.sh) command="$command --size small" ;;
    yes.*run.sh) command="$command --quick" ;;
    esac
    in_root "$command"
done 3<"$folder/fresh.commands"
say "$suite: the README's commands succeeded: $(echo "$commands" | paste -s -d, | sed 's/,/, then /')"
