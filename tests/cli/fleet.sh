#!/bin/sh
# A tree merge by GNU parallel and by a Slurm array on this machine (runtime/cli/merge/fleet.sh) gives the bytes of one merge, in
# several levels, with a choice, and going on after a failed step. Exit code 77: the engine is not here.
#     sh tests/cli/fleet.sh WAVEPGO-BINARY parallel|slurm
set -u
binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
engine=$2
here=$(cd "$(dirname "$0")" && pwd)
fleet=$here/../../runtime/cli/merge/fleet.sh
work=$(mktemp -d)
pids=
trap 'for pid in $pids; do kill "$pid" 2>/dev/null; done; rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$binary" "$work/bin/wavepgo"
PATH=$work/bin:$PATH
cd "$work" || exit 1
skip() { echo "skip: $*"; exit 77; }
failed=0
fail() { echo "FAIL: $*"; failed=1; }

# A cluster of one node, ours alone: other ports, no authentication.
start_slurm() {
    for tool in sbatch slurmctld slurmd sinfo; do command -v $tool >/dev/null 2>&1 || skip "$tool is not installed (Debian: slurm-wlm)"; done
    [ "$(id -u)" = 0 ] || skip "slurmd runs jobs as root alone"
    mkdir spool state
    SLURM_CONF=$work/slurm.conf
    export SLURM_CONF
    cat >"$SLURM_CONF" <<CONF
ClusterName=test
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
SlurmctldPort=$((20000 + $$ % 20000))
SlurmdPort=$((20001 + $$ % 20000))
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/linear
SchedulerType=sched/builtin
SchedulerParameters=defer,batch_sched_delay=1,sched_interval=1
ReturnToService=2
MinJobAge=300
NodeName=$(hostname) NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$(hostname) Default=YES State=UP OverSubscribe=FORCE:8
CONF
    slurmctld -D >/dev/null 2>&1 &
    pids=$!
    slurmd -D >/dev/null 2>&1 &
    pids="$pids $!"
    tries=0
    until sinfo -h -o %T 2>/dev/null | grep -q '^idle'; do
        tries=$((tries + 1))
        [ $tries -lt 60 ] || skip "no Slurm cluster starts here: $(tail -n 1 slurmctld.log slurmd.log 2>/dev/null | tr '\n' ' ')"
        sleep 0.5
    done
}
case $engine in
parallel) command -v parallel >/dev/null 2>&1 || skip "parallel is not installed (Debian: parallel)" ;;
slurm) start_slurm ;;
esac

made() { printf '\nmade.game.%s.device.%s.0%%2E1%%2E0#pipelines\n1\n1\n1\n' "$1" "$2"; }
mkdir fleet
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    { cat "$here/data/two.proftext"; made "$((i % 2))" "mesa%20$((i % 3))"; } >"fleet/odd one $i.proftext"
    echo "$i,fleet/odd one $i.proftext"
done >list
printf '# a comment\n\n' >>list
wavepgo merge -o want.profdata -f list || exit 1
wavepgo merge --quiet -o want-part.profdata --application 1 --driver 'mesa [02]' -f list || exit 1
GROUP=2 sh "$fleet" $engine got.profdata list || fail "$engine: exit code $?: $(cat got.profdata.parts/slurm*.log 2>/dev/null)" # 6, 3, 2 parts
cmp want.profdata got.profdata || fail "other bytes than one merge's"
[ ! -e got.profdata.parts ] || fail "parts stay: $(ls got.profdata.parts)"
GROUP=2 sh "$fleet" $engine part.profdata list --application 1 --driver 'mesa [02]' || fail "$engine: a part: exit code $?"
cmp want-part.profdata part.profdata || fail "a part of the fleet: other bytes than one merge's"
# A step that fails ends it; called again it goes on, and steps that are done are not done again.
mv 'fleet/odd one 12.proftext' away
GROUP=3 sh "$fleet" $engine late.profdata list >late.out 2>&1 && fail "a missing profile is no failure"
[ ! -e late.profdata ] || fail "written although a step failed"
[ -e late.profdata.parts/1-000000.proftext ] || fail "no step was done: $(cat late.out)"
mv away 'fleet/odd one 12.proftext'
mv 'fleet/odd one 1.proftext' away
GROUP=3 sh "$fleet" $engine late.profdata list >late.out 2>&1 || fail "going on: exit code $?: $(cat late.out)"
cmp want.profdata late.profdata || fail "going on gives other bytes"
mv away 'fleet/odd one 1.proftext'
# The parts of another list are no start.
mkdir other.profdata.parts && echo x >other.profdata.parts/inputs
sh "$fleet" $engine other.profdata list 2>other.out && fail "parts of another list are taken"
grep -q 'remove it to begin anew' other.out || fail "$(cat other.out)"
# The combiner that an engine pipes lines through (Spark's rdd.pipe): of any partition, empty ones too.
split -l 5 list lines-
for lines in lines-* /dev/null; do
    wavepgo merge --quiet --allow-empty --format text -o - -f - <$lines >"pipe-$(basename "$lines").proftext" || fail "combiner: $lines"
done
wavepgo merge -o piped.profdata pipe-*.proftext && cmp want.profdata piped.profdata || fail "combiner: other bytes"
[ $failed = 0 ] && echo ok
exit $failed
