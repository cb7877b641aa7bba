#!/bin/sh
# Every benchmark and oracle shader, instrumented and optimised by their own profile, compiles on drivers of real GPUs that need
# none for that: RADV (RADV_FORCE_FAMILY) and Intel's (intel_device.c). WPG_DRIVER=radv, radv-old or intel; the profile comes from
# lavapipe.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$bench" "$oracle"
case $WPG_DRIVER in
radv) families="navi31 navi21" profiler=new ;;
radv-old) families="gfx1100 navi21" profiler=old ;;
intel) families="9a49 56a0" profiler=new ;; # Tiger Lake; Arc A770, which has memory of its own
*) die "WPG_DRIVER must be radv, radv-old or intel" ;;
esac
# on_gpu FAMILY COMMAND...
on_gpu() {
    if [ "$WPG_DRIVER" = intel ]; then
        on_intel "$@"
        return
    fi
    (family=$1 && shift && export RADV_FORCE_FAMILY="$family" && "$@")
}
[ -n "$(driver_icd $profiler)" ] || skip "no lavapipe to make the profile with"

# Profiles of everything, on lavapipe.
kernels=$(cd "$WPG_SOURCE/tests/e2e/oracle/kernels" && ls)
(
    use_driver $profiler
    generate profile $bench --size small --checksum
    exited profile 0
    for scenario in compute draw record; do
        profile_pattern=$work/profile/%b.profraw generate app "$app" $scenario "$WPG_SPIRV"
    done
    for kernel in $kernels; do
        stage=${kernel##*.}
        case $stage in comp | task | mesh) variant=64 ;; frag) variant=part ;; *) variant=plain ;; esac
        profile_pattern=$work/profile/%b.profraw generate oracle "$oracle" "${kernel%.*}" $stage $variant "$WPG_SPIRV" none
    done
)
"$wavepgo" merge -o "$work/all.profdata" "$work/profile" >"$work/merge.out" 2>&1 || die "merge: $(tail -n 3 "$work/merge.out")"

# The same modules, as generate and use mode rewrite them.
for how in instrumented probed optimised; do
    mkdir -p "$work/$how"
    for module in "$WPG_BUILD"/shaders/*.spv "$WPG_SPIRV"/*.spv; do
        out=$work/$how/$(basename "$module")
        set --
        # The oracle's kernels are run with a workgroup size by specialisation constant.
        case $module in
        "$WPG_SPIRV"/count.comp.spv) ;;
        "$WPG_SPIRV"/push.comp.spv) set -- --spec 3=5 ;; # as the scenario `record` has it
        "$WPG_SPIRV"/plain.mesh.spv) ;;
        "$WPG_SPIRV"/*.comp.spv | "$WPG_SPIRV"/*.task.spv | "$WPG_SPIRV"/*.mesh.spv) set -- --spec 0=64 --spec 1=5 ;;
        esac
        case $how in
        probed) set -- "$@" --probes all ;;
        optimised) set -- "$@" --use "$work/all.profdata" ;;
        esac
        "$wavepgo" instrument "$module" -o "$out" --validate "$@" >"$work/instrument.out" 2>&1 && continue
        # What lavapipe was not asked to run, or cannot (22.3 has no mesh shaders and no ray tracing), has no profile.
        case $module in
        "$WPG_BUILD"/shaders/*) optional=0 ;;
        *.task.spv | *.mesh.spv | *.rgen.spv) optional=1 ;;
        *) optional=$(echo "$kernels" | grep -c -x "$(basename "$module" .spv)" | tr 01 10) ;;
        esac
        if [ $how = optimised ] && [ $optional = 1 ] && grep 'does not know this shader' "$work/instrument.out" >/dev/null; then
            cp "$module" "$out"
        else
            fail "$how $(basename "$module"): $(tail -n 2 "$work/instrument.out")"
        fi
    done
done

for family in $families; do
    export RADV_PERFTEST=rt,ext_ms # what RADV 22.3 has by request
    for how in plain instrumented probed optimised; do
        case $how in
        plain) shaders=$WPG_BUILD/shaders spirv=$WPG_SPIRV ;;
        *) shaders=$work/$how spirv=$work/$how ;;
        esac
        plain bench-$family-$how on_gpu $family "$bench" --compile-only --shaders "$shaders"
        exited bench-$family-$how 0
        for kernel in $kernels; do
            stage=${kernel##*.}
            case $stage in comp | task | mesh) variant=64 ;; frag) variant=part ;; *) variant=plain ;; esac
            plain kernel on_gpu $family "$oracle" "${kernel%.*}" $stage $variant "$spirv" compile
            # Not every driver has mesh shaders and ray tracing.
            case $(cat "$work/kernel.code").$stage in
            0.* | 77.task | 77.mesh | 77.rgen) ;;
            *) fail "$kernel $how on $family: $(tail -n 3 "$work/kernel.err")" ;;
            esac
        done
    done
    # Through the layer: a driver without memory types is a driver to get along with.
    wrapped=$wavepgo
    layered() { on_gpu "$family" "$wrapped" "$@"; }
    wavepgo=layered generate layer-$family "$bench" --compile-only
    exited layer-$family 0
done
finish
