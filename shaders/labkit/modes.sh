# Sourced by shaders/measure.sh and labkit.sh: the ways to run that are measured beside each other, and what of them this
# build's layer knows. `wavepgo` must be in PATH.

# NAME: OPTIONS of `wavepgo run`. The order is the order of the tables' columns. Ways of counting are compared by blocks
# alone; `default` is generate mode as one gets it, with its probes; sampling samples that.
blocks_only='--probes none --selects none'
wavepgo run $blocks_only --print-environment >/dev/null 2>&1 || blocks_only='--probes none --selects 0' # older builds
wavepgo run --probes none --print-environment >/dev/null 2>&1 || blocks_only='--selects 0'
all_modes="off: --mode off
naive: --mode generate --strategy naive $blocks_only
slots: --mode generate --strategy slots $blocks_only
additive: --mode generate --strategy additive $blocks_only
derived: --mode generate --strategy derived $blocks_only
auto: --mode generate --strategy auto $blocks_only
default: --mode generate
lane: --mode generate --strategy lane $blocks_only
binding: --mode generate --counter-way binding
sampled-workgroup: --mode generate --sample 1/16 --sample-by workgroup
sampled-bind: --mode generate --sample 1/16 --sample-by bind
thin-bind: --mode generate --sample 1/1024 --sample-by bind
thin-process: --mode generate --sample-processes 1/65536"
# A layer that samples in one way only has no setting for it.
if ! wavepgo run --sample-by workgroup --print-environment >/dev/null 2>&1; then
    all_modes=$(printf '%s\n' "$all_modes" | sed '/^sampled-workgroup:/s/ --sample-by workgroup//')
fi

mode_title() { # NAME: as a table says it
    case $1 in
    naive) echo "elected-lane atomics" ;;
    slots) echo "256 slots" ;;
    derived) echo "derived where possible" ;;
    default) echo "auto, with default probes" ;;
    lane) echo "per lane" ;;
    sampled-workgroup) echo "1/16 by workgroup" ;;
    sampled-bind) echo "1/16 by bind" ;;
    thin-bind) echo "1/1024 by bind" ;;
    thin-process) echo "process left out" ;;
    binding) echo "counters by a descriptor set" ;;
    *) echo "$1" ;;
    esac
}

mode_options() { # NAME: its options; nothing for an unknown name
    printf '%s\n' "$all_modes" | sed -n "s/^$1: //p"
}

mode_names() { printf '%s\n' "$all_modes" | sed 's/:.*//'; }

# strategy_options NAME: the same way of counting, of everything that is counted by default.
strategy_options() {
    case $1 in
    default) echo "--mode generate" ;;
    *) echo "--mode generate --strategy $1" ;;
    esac
}

# mode_known NAME: does the layer of this build know every setting and value of it? If not, mode_why says which.
mode_known() {
    # shellcheck disable=SC2046
    mode_why=$(wavepgo run $(mode_options "$1") --print-environment 2>&1 >/dev/null | head -n 1)
    [ -z "$mode_why" ]
}

# mode_environment OPTIONS...: the variables, as `wavepgo-bench --compare` and `env` take them (values in quotes).
mode_environment() {
    wavepgo run "$@" --cache none --summary 0 --print-environment | sed 's/^export //' | tr '\n' ' '
}
