#!/bin/sh
# Merges more profiles than one process should: a tree of merges, spread by GNU parallel or by Slurm.
#
#     sh fleet.sh parallel|slurm OUT LIST [OPTIONS of `wavepgo merge`...]
#
# LIST names profiles or bundles as `wavepgo merge -f` takes them: FILE or N,FILE, a line each. Each step merges GROUP of them
# (200) into a text profile, which keeps everything; steps of steps follow, and OUT. The result is that of one merge, to the bit.
# Called again after a failure it goes on: steps that are done lie in OUT.parts, which goes when OUT is written.
#
# JOBS (parallel: all processors; slurm: no limit): steps at once. SBATCH_OPTIONS: of every job, such as "--time=10 --mem=2G".
# Slurm: LIST, OUT and the profiles are on a file system that all nodes see, wavepgo is in PATH there, and no array has more
# than 1,000 tasks: GROUP grows with LIST.
set -eu
usage() { sed -n '2,13s/^# \{0,1\}//p' "$0" >&2; exit 2; }
fail() { echo "fleet: $*" >&2; exit 1; }

# step PART: PART.list becomes PART.proftext, whole or not at all. Options are in a file, a line each.
step() {
    [ ! -e "$1.proftext" ] || return 0
    part=$1
    set --
    while IFS= read -r option; do set -- "$@" "$option"; done <"$(dirname "$part")/options"
    # Options that choose profiles leave nothing of some groups.
    wavepgo merge --quiet --allow-empty --format text -o "$part.proftext" -f "$part.list" "$@"
}
case ${1:-} in
step)
    step "$2${SLURM_ARRAY_TASK_ID:+$(printf %06d "$SLURM_ARRAY_TASK_ID")}"
    exit
    ;;
parallel | slurm) [ $# -ge 3 ] || usage ;;
*) usage ;;
esac
engine=$1 out=$2 list=$3
shift 3
case $engine in parallel) program=parallel ;; slurm) program=sbatch ;; esac
command -v "$program" >/dev/null 2>&1 || fail "$program is not installed (Debian: parallel, slurm-wlm)"
self=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
parts=$out.parts

# The plan: each level's lists. The names of parts are known before there are any, so all levels are.
mkdir -p "$parts"
grep -v '^[[:space:]]*\(#\|$\)' "$list" >"$parts/inputs.new" || fail "$list names no profile"
group=${GROUP:-200}
[ $(($(wc -l <"$parts/inputs.new") / 1000)) -lt "$group" ] || group=$(($(wc -l <"$parts/inputs.new") / 1000 + 1))
for option in "$@"; do printf '%s\n' "$option"; done >"$parts/options.new"
echo "$group" >"$parts/group.new"
for what in inputs options group; do
    [ ! -e "$parts/$what" ] || cmp -s "$parts/$what" "$parts/$what.new" ||
        fail "$parts is of a merge with other $what: remove it to begin anew"
    mv "$parts/$what.new" "$parts/$what"
done
level=1
names=$parts/inputs
while :; do
    split -d -a 6 -l "$group" --additional-suffix=.list "$names" "$parts/$level-"
    ls "$parts" | sed -n "s|^\($level-[0-9]*\)\.list\$|$parts/\1.proftext|p" >"$parts/names-$level"
    [ "$(wc -l <"$parts/names-$level")" -gt "$group" ] || break
    names=$parts/names-$level
    level=$((level + 1))
done

case $engine in
parallel)
    for at in $(seq "$level"); do
        sed 's/\.proftext$//' "$parts/names-$at" | parallel --will-cite ${JOBS:+--jobs "$JOBS"} --halt now,fail=1 sh "$self" step {}
    done
    ;;
slurm)
    after=
    for at in $(seq "$level"); do
        last=$(($(wc -l <"$parts/names-$at") - 1))
        wait=
        [ "$at" != "$level" ] || wait=--wait
        # shellcheck disable=SC2086
        after=--dependency=afterok:$(sbatch --parsable --kill-on-invalid-dep=yes $after $wait ${SBATCH_OPTIONS:-} --job-name=wavepgo-merge \
            --output="$parts/slurm-%A-%a.log" --array="0-$last${JOBS:+%$JOBS}" --wrap "sh '$self' step '$parts/$at-'") || fail "a job failed: $parts/slurm-*.log"
    done
    ;;
esac
wavepgo merge --quiet -o "$out" -f "$parts/names-$level"
rm -rf "$parts"
