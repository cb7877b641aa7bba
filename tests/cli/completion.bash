# What the completion of bash offers. `bash completion.bash COMPLETION-FILE WAVEPGO-BINARY FOLDER`
set -u
wavepgo=$2
# shellcheck disable=SC1090
source "$1" || exit 1
cd "$3" || exit 1
: >'game one.profdata'
mkdir -p game.wavepgo
refused=0 checks=0
# offers WANTED... --- WORD...: the completions of the last WORD hold each wanted one. "!x": x is not among them. A first "=": there
# are no others.
offers() {
    local wanted=() only='' word got
    while [[ $1 != --- ]]; do
        wanted+=("$1")
        shift
    done
    shift
    [[ ${wanted[0]-} != = ]] || { only=yes wanted=("${wanted[@]:1}"); }
    [[ $only ]] || ((${#wanted[@]})) || { echo "FAIL: wavepgo $*: nothing to look for"; refused=1; }
    COMP_WORDS=(wavepgo "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _wavepgo
    got=$(printf '%s\n' "${COMPREPLY[@]}")
    for word in "${wanted[@]}"; do
        if [[ $word == !* ]]; then
            ! grep -Fqx -e "${word:1}" <<<"$got" || { echo "FAIL: wavepgo $*: ${word:1} is offered"; refused=1; }
        else
            grep -Fqx -e "$word" <<<"$got" || { echo "FAIL: wavepgo $*: $word is not offered, but: ${COMPREPLY[*]}"; refused=1; }
        fi
    done
    if [[ $only ]] && ((${#COMPREPLY[@]} != ${#wanted[@]})); then
        echo "FAIL: wavepgo $*: offered are ${#COMPREPLY[@]}: ${COMPREPLY[*]}"
        refused=1
    fi
    checks=$((checks + 1))
}

complete -p wavepgo | grep -q -- '-F _wavepgo' || { echo "FAIL: the completion is not registered"; refused=1; }
# Commands: all that the overview lists.
# shellcheck disable=SC2046
offers $("$wavepgo" help | sed -n 's/^  wavepgo \([a-z]*\).*/\1/p' | sort -u) --help --- ''
offers = merge --- me
offers = --version --- --v
# Options: all that --help lists.
for command in run merge show instrument verify estimate isa doctor gpu install uninstall clean; do
    # shellcheck disable=SC2046
    offers $("$wavepgo" $command --help | sed -n 's/^  \(-[-a-z0-9]*\).*/\1/p' | sort -u) --- $command -
done
offers = --flush-interval --- run --flu
offers --generate --mode -- '!vkcube' --- run ''
# Settings.
# shellcheck disable=SC2046
offers settings run $("$wavepgo" help settings | sed -n 's/^  \([A-Z_]*\) .*/\1/p') --- help ''
offers = FLUSH_INTERVAL --- help FLU
offers = --- help settings ''
# Values.
offers = off generate use tune --- run --mode ''
offers = generate --- run --mode ge
offers = off generate use tune --- run --mode =
offers = use --- run --mode = us
offers = 0 1 --- run --timestamps ''
offers --mode '!0' --- run --timestamps -
offers = loops --- run --probes lo
offers = branches,loops --- run --probes branches,lo
offers = additive auto --- instrument in.spv --strategy a
offers = --- run --flush-interval ''
offers = hsa pal --- isa x.spv --abi ''
# Files, and what stands after --.
offers = 'game one.profdata' game.wavepgo --- run --use game
offers = 'game one.profdata' game.wavepgo --- show --blocks game
offers = 'game one.profdata' --- show --use-log 'game one'
offers radv 'game one.profdata' --- isa x.spv --driver ''
offers = --- gpu game
offers printf '!--generate' --- run --generate -- printf
offers printf --- doctor -- print
offers = 'game one.profdata' game.wavepgo --- run --generate -- printf game
((refused == 0)) || exit 1
echo "bash: $checks completions"
