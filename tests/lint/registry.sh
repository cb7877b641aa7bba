#!/bin/sh
# The tables of structures that may stand in the chain of VkDeviceCreateInfo, against the registry (vk.xml) by
# the rule that their heads state:
#
#     sh tests/lint/registry.sh
#
# layer/base/chain_structs.inc: every structure whose structextends names VkDeviceCreateInfo in the registry of the oldest headers
# (1.3.239), but those of platforms and beta extensions. layer/base/chain_structs_newer.inc: at least every feature structure (all members
# VkBool32) that the newest headers declare beside these, with the number of its members. Says which lines are missing or not in the registry.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
[ ! -f "$root/.deps/env.sh" ] || . "$root/.deps/env.sh"
old=/usr/share/vulkan/registry/vk.xml
new=${WPG_VULKAN_HEADERS:+${WPG_VULKAN_HEADERS%/include}/share/vulkan/registry/vk.xml}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 looked=0

version() { sed -n 's/.*VK_HEADER_VERSION<\/name> *\([0-9]*\).*/\1/p' "$1" | head -n 1; }
# "STRUCTURE-TYPE NAME MEMBERS-THAT-ARE-VkBool32 OTHER-MEMBERS" of each structure that extends VkDeviceCreateInfo.
extending() {
    awk '
        /<type category="struct"/ {
            name = $0; sub(/.* name="/, "", name); sub(/".*/, "", name)
            inside = /structextends="[^"]*VkDeviceCreateInfo[",]/
            kind = ""; bools = others = 0
        }
        inside && /<member/ {
            if ($0 ~ /values="VK_STRUCTURE_TYPE/) { kind = $0; sub(/.*values="/, "", kind); sub(/".*/, "", kind) }
            else if ($0 ~ /<name>pNext</) next
            else if ($0 ~ /<type>VkBool32<\/type>/) bools++
            else others++
        }
        inside && /<\/type>[ \t]*$/ && !/<member/ { if (kind != "") print kind, name, bools, others; inside = 0 }
    ' "$1" | LC_ALL=C sort -u
}
declared() { # [-I FOLDER]: structure types without a platform's or the beta macro
    echo '#include <vulkan/vulkan.h>' | cc -E "$@" -x c - 2>/dev/null | grep -o 'VK_STRUCTURE_TYPE_[A-Z0-9_]*' | LC_ALL=C sort -u
}
differ() { # WHAT EXPECTED FOUND
    looked=$((looked + 1))
    LC_ALL=C comm -3 "$2" "$3" >"$work/differ"
    [ ! -s "$work/differ" ] || { echo "$1: in the registry only | in the table only:"; cat "$work/differ"; failed=1; }
}
if [ -f "$old" ] && [ "$(version "$old")" = 239 ]; then
    extending "$old" | awk '{ print $1 }' >"$work/all"
    declared >"$work/declared"
    LC_ALL=C sort -u "$work/all" | LC_ALL=C comm -12 - "$work/declared" >"$work/want"
    sed -n 's/^WPG_CHAIN_STRUCT(\([A-Z0-9_]*\),.*/\1/p' "$root/layer/base/chain_structs.inc" | LC_ALL=C sort -u >"$work/have"
    differ chain_structs.inc "$work/want" "$work/have"
fi
if [ -n "$new" ] && [ -f "$new" ] && [ -s "$work/all" ]; then
    declared -I "$WPG_VULKAN_HEADERS" >"$work/declared_newer"
    # Names to numbers, by the compiler: names change when an extension becomes core, numbers stay.
    extending "$new" | awk '$2 ~ /Features/ && $4 == 0 && $3 > 0 { print $1, $3, $2 }' >"$work/newer"
    {
        printf '#include <stdio.h>\n#include <vulkan/vulkan.h>\nint main(void) {\n'
        while read -r kind; do
            grep -qx "$kind" "$work/declared_newer" && printf 'printf("old %%u\\n", (unsigned)%s);\n' "$kind"
        done <"$work/all"
        while read -r kind bools name; do
            grep -qw "$name" "$WPG_VULKAN_HEADERS/vulkan/vulkan_core.h" && grep -qx "$kind" "$work/declared_newer" && printf 'printf("%%u %%u\\n", (unsigned)%s, %su);\n' "$kind" "$bools"
        done <"$work/newer"
        echo 'return 0; }'
    } >"$work/numbers.c"
    if cc -I"$WPG_VULKAN_HEADERS" -o "$work/numbers" "$work/numbers.c" 2>"$work/errors"; then
        "$work/numbers" | awk '$1 == "old" { old[$2] = 1; next } !($1 in old)' | LC_ALL=C sort -u >"$work/want"
        sed -n 's/^WPG_CHAIN_NEWER(\([0-9]*\), *\([0-9]*\)).*/\1 \2/p' "$root/layer/base/chain_structs_newer.inc" | LC_ALL=C sort -u >"$work/have_newer"
        # The table may have more: of beta extensions, and what extends another feature structure. Its name is the registry's.
        LC_ALL=C comm -12 "$work/want" "$work/have_newer" >"$work/both"
        differ chain_structs_newer.inc "$work/want" "$work/both"
        for name in $(sed -n 's/^WPG_CHAIN_NEWER(.*\/\* \(Vk[A-Za-z0-9]*\) \*\/$/\1/p' "$root/layer/base/chain_structs_newer.inc"); do
            grep -q "<type category=\"struct\" name=\"$name\"" "$new" || { echo "chain_structs_newer.inc: $name is not in the registry"; failed=1; }
        done
    else
        head -n 3 "$work/errors"
        failed=1
    fi
fi
[ $looked != 0 ] || { echo "registry: skipped: no vk.xml of Vulkan 1.3.239 (libvulkan-dev of Debian 12)"; exit 77; }
echo "registry: $looked table$([ $looked = 1 ] || echo s), $(cat "$work"/have* | grep -c .) structures, $([ $failed = 0 ] && echo agree || echo differ)"
exit $failed
