# Sourced by options.sh and levers.sh once `root` and `build` are set: the environment of their runs, and a folder `work` that goes at the end.
build=$(cd "$build" && pwd)
[ ! -r "$root/.deps/env.sh" ] || . "$root/.deps/env.sh"
WPG_REAL=${WPG_REAL:-$root/.deps/real}
WPG_BUILD=$build
export WPG_REAL WPG_BUILD MESA_SHADER_CACHE_DISABLE=true
for variable in $(env | sed -n 's/^\(WAVEPGO_[A-Z_]*\)=.*/\1/p'); do unset "$variable"; done
export WAVEPGO_COMPILE=blocking # what is measured waits for its words
export WAVEPGO_VARIANT_WAIT=60 # and for variants
export WAVEPGO_COMPILE_LIMIT=0  # what an earlier run took long for is counted the same
PATH=$build/bin:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
