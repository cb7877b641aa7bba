#!/bin/sh
# Ray-tracing pipelines (rays.c), every way of making one: what the shaders compute is the same under the layer, and each
# block's lanes are what the shader counts itself. WPG_CASE: plain, deferred, library, many (how it is made), replay (passed through), facts (what is
# recorded, and sampling, which leaves these stages in full), radv (it compiles, counting and optimised).
. "$(dirname "$0")/lib.sh"
rays=$WPG_PROGRAMS/e2e_rays
need_built "$wavepgo" "$layer" "$rays"

can_run() {
    plain absent "$rays" "$@" "$WPG_SPIRV"
    [ "$(cat "$work/absent.code")" != 77 ] || skip "$(cat "$work/absent.out")"
    exited absent 0
}
# exact NAME SCENARIO: counted, with the same results.
exact() {
    generate "$1" "$rays" "$2" "$WPG_SPIRV" "$work/$1"
    same absent "$1"
    grep '^0 disagreements' "$work/$1.err" >/dev/null || fail "$1: $(tail -n 3 "$work/$1.err")"
}
case $WPG_CASE in
plain | deferred | library | many)
    can_run $WPG_CASE
    exact counted $WPG_CASE
    accepted $(profiles counted)
    for strategy in naive lane; do
        WAVEPGO_STRATEGY=$strategy exact $strategy $WPG_CASE
    done
    WAVEPGO_PROBES=all exact probes $WPG_CASE
    case $WPG_CASE in library) files=6 ;; *) files=1 ;; esac
    [ "$(count_profiles counted)" = $files ] || fail "$(count_profiles counted) profiles, expected $files"
    use used "$work/counted" "$rays" $WPG_CASE "$WPG_SPIRV"
    same absent used
    grep '"stage": *"rgen"' "$work/used.uselog" >/dev/null || fail "the use log does not name the raygen stage"
    ;;
replay)
    can_run replay
    generate passed "$rays" replay "$WPG_SPIRV"
    same absent passed
    [ "$(count_profiles passed)" = 0 ] || fail "a pipeline with replayed group handles was changed"
    grep "group handles are captured" "$work/passed.log" >/dev/null || fail "the log does not say why it passed"
    ;;
facts)
    can_run plain
    WAVEPGO_LOG_FILE=$work/bundled.log "$wavepgo" run --generate --bundle "$work/all.wavepgo" -- "$rays" plain "$WPG_SPIRV" \
        >"$work/bundled.out" 2>"$work/bundled.err"
    echo $? >"$work/bundled.code"
    same absent bundled
    for fact in 'sum binds 1' 'sum dispatches 1' 'sum submissions 1'; do
        grep "^$fact\$" "$work"/all.wavepgo/pipelines/*.facts >/dev/null || fail "no fact '$fact'"
    done
    [ "$(grep -c '^is stage\.r' "$work"/all.wavepgo/pipelines/*.facts)" = 6 ] || fail "the facts name not all six stages"
    for by in workgroup bind; do
        WAVEPGO_SAMPLE=1/4 WAVEPGO_SAMPLE_BY=$by exact sampled-$by plain
    done
    ;;
radv)
    case $WPG_DRIVER in radv) RADV_FORCE_FAMILY=navi31 ;; *) RADV_FORCE_FAMILY=gfx1100 ;; esac
    RADV_PERFTEST=rt
    export RADV_FORCE_FAMILY RADV_PERFTEST
    plain absent "$rays" compile "$WPG_SPIRV"
    [ "$(cat "$work/absent.code")" != 77 ] || skip "$(cat "$work/absent.out")"
    exited absent 0
    for strategy in auto lane; do
        mkdir -p "$work/$strategy"
        for module in "$WPG_SPIRV"/rays.*.spv; do
            "$wavepgo" instrument "$module" -o "$work/$strategy/$(basename "$module")" --strategy $strategy --probes all --validate \
                >"$work/instrument.out" 2>&1 || fail "$strategy $(basename "$module"): $(tail -n 2 "$work/instrument.out")"
        done
        plain $strategy "$rays" compile "$work/$strategy"
        exited $strategy 0
    done
    generate layered "$rays" compile "$WPG_SPIRV"
    exited layered 0
    ;;
*) die "unknown case '$WPG_CASE'" ;;
esac
finish
