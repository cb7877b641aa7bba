#!/bin/sh
# Prepares a Debian machine for building and testing wavepgo:
#
#     sh tests/setup.sh                  everything: build, tests, corpus
#     sh tests/setup.sh --runtime-only   what building and the demo need
#
# Installs Debian packages (as root, or through sudo) and unpacks beside them, without installing, into .deps/ of the
# source tree: on Debian 12 the Mesa drivers of bookworm-backports (the tests compare two versions of the software
# driver) and newer Vulkan headers. Writes .deps/env.sh, which names what was found; sh scripts source it:
#
#     WPG_LVP_ICD       manifest of the newest software driver (lavapipe)
#     WPG_LVP_ICD_OLD   manifest of the oldest supported one (22.3.6 of Debian 12), empty where there is only one
#     WPG_RADV_ICD, WPG_RADV_ICD_OLD   the same for RADV, which compiles without hardware (RADV_FORCE_FAMILY)
#     WPG_INTEL_ICD, WPG_INTEL_SHIM    Mesa's driver for Intel GPUs, and the library to preload behind tests/e2e/intel_device.c
#                                      for a GPU that is none; empty where one of them cannot be had
#     WPG_DRIVER_LIBRARY_PATH          to put in LD_LIBRARY_PATH with the newest drivers; empty where nothing is needed
#     WPG_..._I386                     the same drivers for 32-bit programs, WPG_I386_LIBRARY_PATH what these need; empty
#                                      where the 32-bit layer cannot be built
#     WPG_LVP_ICD_AARCH64, WPG_AARCH64_ROOT   the software driver for aarch64 programs under qemu-user, and the root with
#                                      their libraries; empty where neither can be had
#     WPG_DRM_SHIM                     library to preload for an AMD GPU that is none (Mesa's drm-shim; AMDGPU_GPU_ID)
#     WPG_VULKAN_HEADERS               include folder of Vulkan headers 1.4, empty if there are none
#     LLVM_PROFDATA, LLVM_PROFDATA_14, _19, _22   stock llvm-profdata: the newest, and by version; empty if absent
#
# Safe to run again: it then only checks. What cannot be had is said and left empty; the tests that need it skip.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
deps=$root/.deps
. "$root/tests/archive.sh"

say() { printf 'setup: %s\n' "$*"; }
die() {
    printf 'setup: %s\n' "$*" >&2
    exit 1
}

runtime_only=
for argument in "$@"; do
    case $argument in
    --runtime-only) runtime_only=1 ;;
    *) die "unknown option '$argument' (known: --runtime-only)" ;;
    esac
done

# Packages. `required` must be there; of `optional` those that this Debian does not have are skipped with a message.
required="ca-certificates cmake ninja-build gcc g++ pkg-config libvulkan-dev libvulkan1 glslang-tools spirv-tools
    spirv-headers libcmocka-dev libxxhash-dev libjansson-dev zlib1g-dev mesa-vulkan-drivers"
optional="llvm-22 libspirv-cross-c-shared0"
# The demo fetches one real program by npm. A node from elsewhere brings its own npm and keeps it.
command -v npm >/dev/null 2>&1 || optional="$optional npm"
if [ -z "$runtime_only" ]; then
    required="$required git"
    optional="$optional llvm-22-dev lld-22 llvm-14 llvm-19 ccache clang clang-format clang-tidy libclang-rt-dev vulkan-tools vkd3d-demos
        vulkan-validationlayers xvfb xauth imagemagick x11-apps mesa-utils glmark2-x11 libgl1-mesa-dri ffmpeg
        gfxreconstruct libdrm-dev debootstrap groff-base zsh dpkg-dev file chromium lcov valgrind bubblewrap qemu-user
        parallel slurm-wlm"
fi

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }
known() { apt-cache show --no-all-versions "$1" >/dev/null 2>&1; }

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null 2>&1; then
        if [ -t 0 ]; then sudo "$@"; else sudo -n "$@"; fi
    else
        die "needs root or sudo for: $*"
    fi
}

install_packages() {
    command -v apt-get >/dev/null 2>&1 || die "no apt-get here: install by hand: $required $optional"
    missing=
    for package in $required $optional; do
        installed "$package" || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    # A package skipped earlier is asked for again only with fresh lists when something required is missing too.
    wanted=
    for package in $missing; do
        case " $(cat "$deps/skipped-packages" 2>/dev/null | tr '\n' ' ') " in
        *" $package "*) ;;
        *) wanted="$wanted $package" ;;
        esac
    done
    [ -n "$wanted" ] || return 0
    say "installing:$wanted"
    as_root apt-get -q -o DPkg::Lock::Timeout=600 update >"$deps/apt-update.log" 2>&1 ||
        { say "apt-get update failed:"; tail -n 5 "$deps/apt-update.log"; }
    to_install=
    for package in $wanted; do
        if known "$package"; then
            to_install="$to_install $package"
        else
            case " $(echo $required) " in
            *" $package "*) die "package $package is not in this distribution's archive" ;;
            esac
            say "skipping $package: not in this distribution's archive"
            echo "$package" >>"$deps/skipped-packages"
        fi
    done
    [ -n "$to_install" ] || return 0
    # shellcheck disable=SC2086
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=600 --no-install-recommends \
        install $to_install >"$deps/apt-install.log" 2>&1 </dev/null || {
        tail -n 30 "$deps/apt-install.log" >&2
        die "apt-get install failed (whole log: $deps/apt-install.log)"
    }
}

# apt-get with lists and caches of its own under .deps/apt: the machine's configuration is not touched.
private_apt() {
    apt-get -q -o Dir::Etc::sourcelist="$deps/apt/sources.list" -o Dir::Etc::sourceparts="$deps/apt/none" \
        -o Dir::Etc::preferences="$deps/apt/none/p" -o Dir::Etc::preferencesparts="$deps/apt/none" \
        -o Dir::State::lists="$deps/apt/lists" -o Dir::Cache="$deps/apt/cache" \
        -o Dir::Cache::archives="$deps/apt/cache/archives" -o APT::Sandbox::User=root \
        -o Acquire::Retries=3 -o Acquire::Languages=none "$@"
}

# fetch_unpacked FOLDER SUITE PACKAGES...: the packages of that suite, unpacked into .deps/FOLDER.
fetch_unpacked() {
    folder=$deps/$1
    suite=$2
    shift 2
    archive=$(archive_of_suite "$VERSION_CODENAME") || {
        say "no archive of $VERSION_CODENAME among apt's sources: cannot fetch $* of $suite"
        return 1
    }
    rm -rf "$folder.part" "$deps/apt"
    mkdir -p "$folder.part" "$deps/apt/lists/partial" "$deps/apt/cache/archives/partial" "$deps/apt/none" "$deps/apt/get"
    echo "deb $archive $suite main" >"$deps/apt/sources.list"
    names=
    for package in "$@"; do names="$names $package/$suite"; done
    # shellcheck disable=SC2086
    if ! { private_apt update && cd "$deps/apt/get" && private_apt download $names; } >"$deps/fetch.log" 2>&1 </dev/null; then
        say "could not fetch $* of $suite (network?); see $deps/fetch.log"
        tail -n 3 "$deps/fetch.log"
        rm -rf "$folder.part"
        return 1
    fi
    for archive in "$deps"/apt/get/*.deb; do
        dpkg-deb -x "$archive" "$folder.part" || return 1
    done
    rm -rf "$folder" "$deps/apt"
    mv "$folder.part" "$folder"
}

# In a subshell of its own: the upstream part of one source package, unpacked into a folder.
source_package() ( # FOLDER PACKAGE
    mkdir -p "$1" && cd "$1" && private_apt source --download-only "$2" || exit 1
    for archive in *.orig*.tar.*; do
        case $archive in
        *.asc) ;;
        *) tar xf "$archive" || exit 1 ;;
        esac
    done
    rm -f -- *.tar.* *.dsc *.diff.*
)

# Shader sources for the corpus of foreign modules, into .deps/corpus/<package>: the tests of compilers, as Debian's
# source packages have them. Nothing of them is part of this tree.
corpus_sources() { # PACKAGES...
    [ ! -f "$deps/corpus/complete" ] || return 0
    archive=$(archive_of_suite "$VERSION_CODENAME") || return 1
    say "fetching the sources of $* (shaders for the corpus)"
    rm -rf "$deps/corpus" "$deps/apt"
    mkdir -p "$deps/corpus" "$deps/apt/lists/partial" "$deps/apt/cache/archives/partial" "$deps/apt/none"
    echo "deb-src $archive $VERSION_CODENAME main" >"$deps/apt/sources.list"
    private_apt update >"$deps/fetch.log" 2>&1 </dev/null
    for package in "$@"; do
        source_package "$deps/corpus/$package" "$package" >>"$deps/fetch.log" 2>&1 </dev/null && continue
        say "could not fetch the source of $package (network?); see $deps/fetch.log"
        tail -n 3 "$deps/fetch.log"
        rm -rf "$deps/corpus" "$deps/apt"
        return 1
    done
    rm -rf "$deps/apt"
    : >"$deps/corpus/complete"
}

version_of() { dpkg-query -W -f '${Version}' "$1" 2>/dev/null; }

# The manifest of a driver below a prefix: Debian 12 puts the CPU family into the name, Debian 13 does not.
find_icd() {
    for manifest in "$1/share/vulkan/icd.d/$2_icd.$(uname -m).json" "$1/share/vulkan/icd.d/$2_icd.json"; do
        if [ -f "$manifest" ]; then
            echo "$manifest"
            return 0
        fi
    done
    return 0
}

# Rewrites a manifest of the unpacked Mesa to name its library by absolute path, and prints where it is.
own_icd() {
    manifest=$(find_icd "$deps/mesa/usr" "$1")
    library=$(find "$deps/mesa/usr/lib" -name "libvulkan_$2.so" | head -n 1)
    [ -n "$manifest" ] && [ -n "$library" ] || return 0
    sed "s|\"library_path\": *\"[^\"]*\"|\"library_path\": \"$library\"|" "$manifest" >"$deps/mesa/$1_icd.json"
    echo "$deps/mesa/$1_icd.json"
}

newer_mesa() {
    if [ ! -f "$deps/mesa/complete-3" ]; then
        say "fetching Mesa of $VERSION_CODENAME-backports (the newer software driver)"
        fetch_unpacked mesa "$VERSION_CODENAME-backports" mesa-vulkan-drivers libdrm2 libdrm-amdgpu1 || return 1
        # Only these three drivers are used; the rest would only invite the loader.
        find "$deps/mesa" -name '*.so' ! -name libvulkan_lvp.so ! -name libvulkan_radeon.so ! -name libvulkan_intel.so -exec rm -f {} +
        : >"$deps/mesa/complete-3"
    fi
    WPG_LVP_ICD=$(own_icd lvp lvp)
    WPG_RADV_ICD=$(own_icd radeon radeon)
    WPG_INTEL_ICD=$(own_icd intel intel)
    # The machine's own libdrm serves unless it lacks a symbol.
    library=$(find "$deps/mesa/usr/lib" -name libvulkan_radeon.so | head -n 1)
    if ldd -r "$library" 2>&1 | grep -E 'not found|undefined symbol' >/dev/null; then
        WPG_DRIVER_LIBRARY_PATH=$(dirname "$library")
    fi
    if LD_LIBRARY_PATH=$WPG_DRIVER_LIBRARY_PATH ldd -r "$library" 2>&1 | grep -E 'not found|undefined symbol'; then
        say "the newer Mesa does not load here (see above): only the system's drivers are used"
        return 1
    fi
}

VERSION_CODENAME=unknown
[ -r /etc/os-release ] && . /etc/os-release
mkdir -p "$deps" || die "cannot write $deps"

# One setup at a time in one tree.
if command -v flock >/dev/null 2>&1; then
    exec 9>"$deps/lock"
    flock 9
fi

install_packages

WPG_LVP_ICD=$(find_icd /usr lvp)
WPG_RADV_ICD=$(find_icd /usr radeon)
WPG_INTEL_ICD=
WPG_LVP_ICD_OLD=
WPG_RADV_ICD_OLD=
WPG_DRIVER_LIBRARY_PATH=
if dpkg --compare-versions "$(version_of mesa-vulkan-drivers)" lt 25; then
    system_lvp=$WPG_LVP_ICD
    system_radv=$WPG_RADV_ICD
    if newer_mesa; then
        WPG_LVP_ICD_OLD=$system_lvp
        WPG_RADV_ICD_OLD=$system_radv
    else
        # The one driver there is takes the place of the newest: what compares two versions then skips.
        WPG_LVP_ICD=$system_lvp
        WPG_RADV_ICD=$system_radv
        WPG_INTEL_ICD=
        WPG_DRIVER_LIBRARY_PATH=
    fi
else
    WPG_INTEL_ICD=$(find_icd /usr intel)
fi

# Devices in memory: AMD's for what runtime/gpu asks of one, Nouveau's for Intel's driver. Debian 12 has them in backports, as
# the newer Mesa.
WPG_DRM_SHIM= WPG_INTEL_SHIM=
drm_shim() { # SUITE
    [ -d "$deps/drm-shim" ] || {
        say "fetching mesa-drm-shim of $1"
        fetch_unpacked drm-shim "$1" mesa-drm-shim || return 1
    }
    WPG_DRM_SHIM=$(find "$deps/drm-shim/usr/lib" -name libamdgpu_noop_drm_shim.so | head -n 1)
    WPG_INTEL_SHIM=$(find "$deps/drm-shim/usr/lib" -name libnouveau_noop_drm_shim.so | head -n 1)
}
if [ -z "$runtime_only" ] || [ -d "$deps/drm-shim" ]; then
    suite=$VERSION_CODENAME
    [ -z "$WPG_LVP_ICD_OLD" ] || suite=$suite-backports
    drm_shim "$suite" || say "tests of what runtime/gpu asks of a GPU, and those on Intel's driver, will skip"
fi

WPG_VULKAN_HEADERS=
if dpkg --compare-versions "$(version_of libvulkan-dev)" ge 1.4; then
    WPG_VULKAN_HEADERS=/usr/include
elif [ -z "$runtime_only" ] || [ -d "$deps/vulkan-headers-1.4" ]; then
    if [ ! -f "$deps/vulkan-headers-1.4/usr/include/vulkan/vulkan_core.h" ]; then
        say "fetching Vulkan headers 1.4"
        fetch_unpacked vulkan-headers-1.4 trixie libvulkan-dev
    fi
    if [ -f "$deps/vulkan-headers-1.4/usr/include/vulkan/vulkan_core.h" ]; then
        WPG_VULKAN_HEADERS=$deps/vulkan-headers-1.4/usr/include
    fi
fi


# -- 32 bits beside 64: a compiler from apt, i386 libraries unpacked. No foreign architecture is added to the machine.

# foreign_unpacked ARCHITECTURE FOLDER SUITE KEEP DROP PACKAGES...: the packages and what they depend on, as far as the names
# match the extended regular expression KEEP and not DROP, unpacked into .deps/FOLDER.
foreign_unpacked() {
    foreign=$1
    foreign_folder=$deps/$2
    foreign_suite=$3
    foreign_keep=$4
    foreign_drop=$5
    shift 5
    [ ! -f "$foreign_folder/complete" ] || return 0
    archive=$(archive_of_suite "$VERSION_CODENAME") || return 1
    rm -rf "$foreign_folder.part" "$deps/apt"
    mkdir -p "$foreign_folder.part" "$deps/apt/lists/partial" "$deps/apt/cache/archives/partial" "$deps/apt/none" "$deps/apt/get"
    : >"$deps/apt/status"
    echo "deb $archive $VERSION_CODENAME main" >"$deps/apt/sources.list"
    [ "$foreign_suite" = "$VERSION_CODENAME" ] || echo "deb $archive $foreign_suite main" >>"$deps/apt/sources.list"
    foreign_apt() {
        private_apt -o Dir::State::status="$deps/apt/status" -o APT::Architecture="$foreign" -o APT::Architectures="$foreign" \
            -t "$foreign_suite" "$@"
    }
    say "fetching packages of $foreign_suite for $foreign: $*"
    if ! {
        foreign_apt update && foreign_apt install -s --no-install-recommends "$@" >"$deps/apt/plan" &&
            names=$(sed -n 's/^Inst \([^ ]*\) .*/\1/p' "$deps/apt/plan" | grep -E "$foreign_keep" | grep -v -E "$foreign_drop") &&
            cd "$deps/apt/get" && foreign_apt download $names
    } >"$deps/fetch.log" 2>&1 </dev/null; then
        say "could not fetch them (network?); see $deps/fetch.log"
        tail -n 3 "$deps/fetch.log"
        return 1
    fi
    for archive in "$deps"/apt/get/*.deb; do
        dpkg-deb -x "$archive" "$foreign_folder.part" || return 1
    done
    cd "$deps" || return 1
    rm -rf "$foreign_folder" "$deps/apt" "$foreign_folder.part/usr/share/doc"
    : >"$foreign_folder.part/complete"
    mv "$foreign_folder.part" "$foreign_folder"
}

# Without the C library: the machine's serves (libc6-i386).
i386_unpacked() { # FOLDER SUITE KEEP PACKAGES...
    i386_folder=$1
    i386_suite=$2
    i386_keep=$3
    shift 3
    foreign_unpacked i386 "$i386_folder" "$i386_suite" "$i386_keep" '^(libc6|libc-|libpython|libperl|libnsl|libtirpc)' "$@" &&
        rm -rf "$deps/$i386_folder/usr/bin"
}

i386_works() {
    printf 'int main() { return sizeof(void *) == 4 ? 0 : 1; }\n' >"$deps/m32.cpp"
    g++ -m32 "$deps/m32.cpp" -o "$deps/m32" 2>"$deps/m32.log" && "$deps/m32" 2>>"$deps/m32.log"
}

i386_compiler() {
    i386_works && return 0
    # Debian's g++-multilib excludes cross compilers: never at the price of removing one.
    say "installing: g++-multilib"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=600 --no-install-recommends --no-remove \
        install g++-multilib >"$deps/apt-install-multilib.log" 2>&1 </dev/null && i386_works && return 0
    say "no 32-bit compiler: $(cat "$deps/apt-install-multilib.log" "$deps/m32.log" 2>/dev/null | tail -n 1)"
    return 1
}

# The manifest of a driver below .deps/FOLDER, its library named by absolute path.
foreign_icd() { # TRIPLET FOLDER NAME LIBRARY
    foreign_triplet=$1
    shift
    manifest=$(find "$deps/$1/usr/share/vulkan/icd.d" -name "$2_icd*.json" 2>/dev/null | head -n 1)
    library=$deps/$1/usr/lib/$foreign_triplet/libvulkan_$3.so
    [ -n "$manifest" ] && [ -f "$library" ] || return 0
    sed "s|\"library_path\": *\"[^\"]*\"|\"library_path\": \"$library\"|" "$manifest" >"$deps/$1/$2_icd.json"
    echo "$deps/$1/$2_icd.json"
}

WPG_LVP_ICD_I386= WPG_LVP_ICD_OLD_I386= WPG_RADV_ICD_I386= WPG_RADV_ICD_OLD_I386= WPG_I386_LIBRARY_PATH=
i386_libraries() {
    i386_compiler || return 1
    i386_unpacked i386 "$VERSION_CODENAME" '^(lib|zlib1g|spirv-tools|mesa-vulkan-drivers)' mesa-vulkan-drivers libvulkan1 \
        libvulkan-dev spirv-tools zlib1g-dev libxxhash-dev libjansson-dev libcmocka-dev || return 1
    WPG_I386_LIBRARY_PATH=$deps/i386/usr/lib/i386-linux-gnu:$deps/i386/lib/i386-linux-gnu
    WPG_LVP_ICD_I386=$(foreign_icd i386-linux-gnu i386 lvp lvp)
    WPG_RADV_ICD_I386=$(foreign_icd i386-linux-gnu i386 radeon radeon)
    if [ -n "$WPG_LVP_ICD_OLD" ]; then
        i386_unpacked i386-mesa "$VERSION_CODENAME-backports" '^(mesa-vulkan-drivers|libdrm|libelf1|libwayland-client)' \
            mesa-vulkan-drivers || return 0
        WPG_LVP_ICD_OLD_I386=$WPG_LVP_ICD_I386
        WPG_RADV_ICD_OLD_I386=$WPG_RADV_ICD_I386
        WPG_LVP_ICD_I386=$(foreign_icd i386-linux-gnu i386-mesa lvp lvp)
        WPG_RADV_ICD_I386=$(foreign_icd i386-linux-gnu i386-mesa radeon radeon)
        WPG_I386_LIBRARY_PATH=$deps/i386-mesa/usr/lib/i386-linux-gnu:$WPG_I386_LIBRARY_PATH
    fi
}
if [ -z "$runtime_only" ] && [ "$(dpkg --print-architecture)" = amd64 ]; then
    i386_libraries || say "the 32-bit layer cannot be built here: its tests are skipped"
fi

# -- aarch64: a cross compiler and a root of arm64 libraries, both unpacked. Debian's package of the compiler would remove
# gcc-multilib, which the 32-bit layer needs. qemu-user, from apt, runs what was built.

# Commands that find the libraries of the unpacked binutils, and the root: .deps/aarch64-cross/bin.
aarch64_commands() {
    cross=$deps/aarch64-cross
    mkdir -p "$cross/bin"
    for tool in "$cross"/usr/bin/aarch64-linux-gnu-*; do
        case ${tool##*/} in
        *-gcc | *-g++) root_option=" --sysroot='$deps/aarch64'" ;;
        *) root_option= ;;
        esac
        printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s%s "$@"\n' "'$(dirname "$(find "$cross/usr/lib" -name 'libbfd-*-arm64.so' | head -n 1)")'" \
            "'$tool'" "$root_option" >"$cross/bin/${tool##*/}"
    done
    chmod 755 "$cross"/bin/*
    printf 'int main() { return sizeof(void *) == 8 ? 0 : 1; }\n' >"$deps/aarch64.cpp"
    "$cross/bin/aarch64-linux-gnu-g++" "$deps/aarch64.cpp" -o "$deps/aarch64.out" 2>"$deps/aarch64.log" ||
        { say "the cross compiler does not work: $(tail -n 1 "$deps/aarch64.log")"; return 1; }
}

WPG_LVP_ICD_AARCH64= WPG_AARCH64_ROOT=
aarch64_libraries() {
    foreign_unpacked amd64 aarch64-cross "$VERSION_CODENAME" 'aarch64|arm64-cross' '^(libc6|linux-libc)' g++-aarch64-linux-gnu &&
        foreign_unpacked arm64 aarch64 "$VERSION_CODENAME" '^(lib|linux-libc-dev|zlib1g|spirv-|mesa-vulkan-drivers)' \
            '^(libpython|libperl|libnsl|libtirpc|libx11-data)' mesa-vulkan-drivers libvulkan1 libvulkan-dev spirv-tools zlib1g-dev \
            libxxhash-dev libjansson-dev libcmocka-dev libc6-dev libstdc++6 spirv-headers || return 1
    # Links to absolute paths are of the root.
    find "$deps/aarch64" -type l -lname '/*' | while read -r link; do
        target=$(readlink "$link")
        case $target in
        "$deps"/*) ;;
        *) ln -sfn "$deps/aarch64$target" "$link" ;;
        esac
    done
    aarch64_commands || return 1
    WPG_AARCH64_ROOT=$deps/aarch64
    WPG_LVP_ICD_AARCH64=$(foreign_icd aarch64-linux-gnu aarch64 lvp lvp)
}
if [ -z "$runtime_only" ] && [ "$(dpkg --print-architecture)" = amd64 ]; then
    aarch64_libraries || say "the aarch64 build cannot be made here: its tests are skipped"
fi

# speedscope, whose importer a test asks.
speedscope() {
    [ ! -f "$deps/speedscope/node_modules/speedscope/package.json" ] || return 0
    command -v npm >/dev/null 2>&1 &&
        npm install --no-audit --no-fund --silent --ignore-scripts --prefix "$deps/speedscope" speedscope@1.25.0 >"$deps/npm.log" 2>&1
}
[ -n "$runtime_only" ] || speedscope || say "could not fetch speedscope by npm: the test that asks its importer will skip"
[ -n "$runtime_only" ] || corpus_sources spirv-cross glslang || say "the corpus will be the smaller one"

profdata() { command -v "llvm-profdata-$1" 2>/dev/null || :; }
LLVM_PROFDATA_14=$(profdata 14)
LLVM_PROFDATA_19=$(profdata 19)
LLVM_PROFDATA_22=$(profdata 22)
LLVM_PROFDATA=$LLVM_PROFDATA_22
for other in "$LLVM_PROFDATA_19" "$LLVM_PROFDATA_14" "$(command -v llvm-profdata 2>/dev/null)"; do
    [ -n "$LLVM_PROFDATA" ] || LLVM_PROFDATA=$other
done

{
    echo "# Written by tests/setup.sh; sourced by sh. What is empty was not to be had here."
    for name in WPG_LVP_ICD WPG_LVP_ICD_OLD WPG_RADV_ICD WPG_RADV_ICD_OLD WPG_INTEL_ICD WPG_INTEL_SHIM WPG_DRIVER_LIBRARY_PATH \
        WPG_DRM_SHIM WPG_VULKAN_HEADERS \
        WPG_LVP_ICD_I386 WPG_LVP_ICD_OLD_I386 WPG_RADV_ICD_I386 WPG_RADV_ICD_OLD_I386 WPG_I386_LIBRARY_PATH \
        WPG_LVP_ICD_AARCH64 WPG_AARCH64_ROOT \
        LLVM_PROFDATA LLVM_PROFDATA_14 LLVM_PROFDATA_19 LLVM_PROFDATA_22; do
        eval "value=\$$name"
        echo "$name='$value'"
        echo "export $name"
    done
} >"$deps/env.sh.part" && mv "$deps/env.sh.part" "$deps/env.sh" || die "cannot write $deps/env.sh"
say "ready: $deps/env.sh"
