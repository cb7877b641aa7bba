# Sourced by shaders/measure.sh and labkit.sh: the ways to run that are measured beside each other, and what of them this
# build's layer knows. `wavepgo` must be in PATH.

# NAME: OPTIONS of `wavepgo run`. The order is the order of the tables' columns.
all_modes='off: --mode off
naive: --mode generate --strategy naive
slots: --mode generate --strategy slots
additive: --mode generate --strategy additive
auto: --mode generate --strategy auto
lane: --mode generate --strategy lane
sampled-workgroup: --mode generate --sample 1/16 --sample-by workgroup
sampled-bind: --mode generate --sample 1/16 --sample-by bind'

mode_title() { # NAME: as a table says it
    case $1 in
    off) echo "off" ;;
    naive) echo "elected-lane atomics" ;;
    slots) echo "256 slots" ;;
    additive) echo "additive" ;;
    auto) echo "derived where possible" ;;
    lane) echo "per lane" ;;
    sampled-workgroup) echo "1/16 by workgroup" ;;
    sampled-bind) echo "1/16 by bind" ;;
    use) echo "use" ;;
    *) echo "$1" ;;
    esac
}

mode_options() { # NAME: its options; nothing for an unknown name
    printf '%s\n' "$all_modes" | sed -n "s/^$1: //p"
}

mode_names() { printf '%s\n' "$all_modes" | sed 's/:.*//'; }

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
