#!/bin/sh
# Packs the labkit: everything that measures and checks on a machine that has a Vulkan driver and nothing else, in one archive.
#
#     sh shaders/labkit/pack.sh BUILD-FOLDER OUT.tar.gz VERSION [LIBVULKAN]
#
# `cmake --build build --target labkit` builds what it takes and calls this. LIBVULKAN is the loader that goes along for machines
# without one. Equal inputs give an equal archive. Fails above 60 MiB.
set -eu

source=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
out=$2
version=$3
libvulkan=${4:-}
limit=$((60 * 1024 * 1024))
name=wavepgo-labkit-$version-x86_64
staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT
kit=$staging/$name
mkdir -p "$kit/bin" "$kit/lib" "$kit/shaders" "$kit/exactness" "$kit/licences" "$kit/share/vulkan/explicit_layer.d"

# binary FROM TO: without debug information.
binary() {
    strip --strip-unneeded -o "$kit/$2" "$1"
    chmod 755 "$kit/$2"
}
binary "$build/bin/wavepgo" bin/wavepgo
binary "$build/bin/wavepgo-bench" bin/wavepgo-bench
binary "$build/bin/e2e_oracle" bin/wavepgo-exactness
binary "$build/bin/e2e_random" bin/wavepgo-random
binary "$build/lib/libVkLayer_wavepgo.so" lib/libVkLayer_wavepgo.so
cp "$build/share/vulkan/explicit_layer.d/VkLayer_wavepgo.json" "$kit/share/vulkan/explicit_layer.d/"
cp "$build"/shaders/*.spv "$kit/shaders/"

# The oracle's kernels, those that its program knows, and the stages around them.
(cd "$source/tests/e2e/oracle/kernels" && ls) | LC_ALL=C sort >"$kit/exactness/kernels"
for module in $(cat "$kit/exactness/kernels") triangle.vert plain.frag plain.tesc plain.tese plain.mesh plain.rmiss plain.rchit; do
    cp "$build/tests/e2e/spirv/$module.spv" "$kit/exactness/"
done

if [ -n "$libvulkan" ]; then
    mkdir "$kit/lib/loader"
    cp -L "$libvulkan" "$kit/lib/loader/libvulkan.so.1"
    chmod 755 "$kit/lib/loader/libvulkan.so.1"
fi
cp "$source/LICENSE" "$kit/licences/wavepgo"
# What is linked in or goes along, by the notices of the packages it came from.
for package in libvulkan1 libvulkan-dev spirv-tools libxxhash-dev zlib1g-dev libjansson-dev libstdc++-12-dev; do
    [ ! -r "/usr/share/doc/$package/copyright" ] || cp "/usr/share/doc/$package/copyright" "$kit/licences/$package"
done
if [ -n "$libvulkan" ] && [ ! -e "$kit/licences/libvulkan1" ] && [ ! -e "$kit/licences/libvulkan-dev" ]; then
    echo "labkit: the loader's licence is not on this machine: it does not go along" >&2
    rm -rf "$kit/lib/loader"
fi
cp "$source/shaders/labkit/labkit.sh" "$source/shaders/labkit/modes.sh" "$kit/"
cp "$source/shaders/labkit/README.txt" "$kit/"

# The oldest C library that every packed binary starts with.
glibc=
for file in "$kit"/bin/* "$kit/lib/libVkLayer_wavepgo.so" "$kit"/lib/loader/*; do
    [ ! -f "$file" ] || objdump -T "$file"
done | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -Vu | tail -n 1 >"$staging/glibc"
read -r glibc <"$staging/glibc"
commit=$(git -C "$source" rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
printf '{"version":"%s","commit":"%s","oldest_glibc":"%s"}\n' "$version" "$commit" "$glibc" >"$kit/KIT.json"

chmod -R u=rwX,go=rX "$kit"
tar -C "$staging" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -cf - "$name" | gzip -9n >"$out.part"
size=$(wc -c <"$out.part")
if [ "$size" -gt $limit ]; then
    rm -f "$out.part"
    echo "labkit: $size bytes, more than the limit of $limit" >&2
    exit 1
fi
mv "$out.part" "$out"
echo "labkit: $out, $size bytes, for glibc $glibc or later"
