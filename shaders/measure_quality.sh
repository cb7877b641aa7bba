# Sourced by measure.sh: profiles beside ones measured anew (runtime/profile/quality.h).

# remeasured NAME ENVIRONMENT OPTIONS...: another profile of the same; beside `exact` to NAME.quality: "ENTRY.STAGE LANES WAVES", each
# block overlap / weighted relative difference, percent.
remeasured() {
    remeasured_name=$1
    environment=$2
    shift 2
    # shellcheck disable=SC2086
    env $environment wavepgo run --generate "$@" --cache none --summary 0 --log error --profile-file "$work/quality-$remeasured_name/%b.profraw" -- \
        wavepgo-bench $some --size "$size" --binds "${BINDS:-8}" --checksum >/dev/null
    wavepgo verify --json quality-exact --against "quality-$remeasured_name" >"$remeasured_name.against" || true
    sed -n 's/.*"all": {\(.*\)}, "functions".*/all \1/p; s/^{"shader": "[^"]*", "stage": "\([^"]*\)", "entry": "\([^"]*\)", "function": 0, \(.*\)/\2.\1 \3/p' "$remeasured_name.against" | awk '
        function score(kind,    text, o) {
            at = index($0, "\"" kind "\": {\"overlap\": ")
            if (!at) return "-"
            text = substr($0, at)
            match(text, /"overlap": [0-9.]*/); o = substr(text, RSTART + 11, RLENGTH - 11)
            match(text, /"difference": [0-9.]*/)
            return sprintf("%.2f/%.2f", o * 100, substr(text, RSTART + 14, RLENGTH - 14) * 100)
        }
        { print $1, score("lanes"), score("waves") }' >"$remeasured_name.quality"
}

measure_quality() {
    new=$(driver_environment new)
    say "quality"
    # shellcheck disable=SC2086
    env $new wavepgo run --generate --cache none --summary 0 --log error --profile-file "$work/quality-exact/%b.profraw" -- \
        wavepgo-bench $some --size "$size" --checksum >/dev/null
    columns="again on-top sampled"
    remeasured again "$new"
    remeasured on-top "$new" --use "$work/quality-exact" --sample 1/2 --sample-by bind
    remeasured sampled "$new" --sample 1/16
    case " $drivers " in *" old "*)
        remeasured elsewhere "$(driver_environment old)"
        columns="$columns elsewhere"
        ;;
    esac
    echo "Profile quality: an exact profile (new, one execution) beside ones measured anew over ${BINDS:-8} binds: again; on top of use mode by that profile (1/2 of the binds"
    echo "counted); sampled 1/16 by workgroup; on the other driver (old). Block overlap / weighted relative difference, percent:"
    echo
    line="| shader |" rule="|---|"
    for column in $columns; do line="$line $column, lanes | $column, waves |" rule="$rule---|---|"; done
    printf '%s\n%s\n' "$line" "$rule"
    { sed 's/ .*//' again.quality | grep -v '^all$' || true; echo all; } | while read -r shader; do
        line="| $shader |"
        [ "$shader" != all ] || line="| **all** |"
        for column in $columns; do
            found=$(awk -v name="$shader" '$1 == name { print $2 " | " $3; exit }' "$column.quality")
            line="$line ${found:-- | -} |"
        done
        echo "$line"
    done
}
