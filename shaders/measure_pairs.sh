# Sourced by measure.sh: the section `pairs`. What people gained by changing a shader by hand, and what use mode gains on the shader
# before the change (pairs/README.md). Drivers: DRIVER=new or old; both without it. FORM=other: each shader in its other form.

# value_of FILE CASE LABEL KEY: one number of the JSON lines, or nothing.
value_of() {
    awk -v case_name="$2" -v label="$3" -v key="\"$4\":" '
        index($0, "\"case\":\"" case_name "\"") && index($0, "\"label\":\"" label "\"") && (at = index($0, key)) { print substr($0, at + length(key)) + 0 }' "$1"
}

# The row of a pair. The score is written where the change gains 3 % or more: of less, noise makes any score.
pair_row() { # NAME
    file=pairs-$name.json
    summary=$(wavepgo-pairs --list --case "$1" | awk 'NR == 2 { sub(/^[^ ]+ +[0-9]+ +/, ""); print }')
    for side in before use after; do
        mkdir -p "out-$name-$side"
        environment=
        [ $side = use ] && environment="$use_environment --variant-wait 20 --"
        [ $side = after ] && environment="env WPG_PAIR=after"
        # shellcheck disable=SC2046,SC2086
        env $(driver_environment "$name") $environment wavepgo-pairs $shaders --case "$1" --size "$size" --frames 3 --checksum --dump-image "out-$name-$side" >/dev/null 2>&1 || :
    done
    output=$(cd "out-$name-before" && ls "$1".* 2>/dev/null) || output=none
    results=$(sh "$root/shaders/pairs/difference.sh" "out-$name-before/$output" "out-$name-use/$output") || :
    close=$(sh "$root/shaders/pairs/difference.sh" "out-$name-before/$output" "out-$name-after/$output") || :
    echo "$(value_of "$file" "$1" use b_ms) $(value_of "$file" "$1" use ratio) $(value_of "$file" "$1" use ratio_min) $(value_of "$file" "$1" use ratio_max)" \
        "$(value_of "$file" "$1" after ratio) $(value_of "$file" "$1" after ratio_min) $(value_of "$file" "$1" after ratio_max)" |
        awk -v pair="$1" -v summary="$summary" -v results="${results:-failed}" -v close_="${close:-failed}" '
            NF == 7 {
                score = $5 <= 0.97 ? sprintf("%.2f", (1 - $2) / (1 - $5)) : "-"
                printf "| %s | %s | %.1f | %.2f (%.2f to %.2f) | %.2f (%.2f to %.2f) | %s | %s | %s |\n", pair, summary, $1, $2, $3, $4, $5, $6, $7, score, results, close_
                next
            }
            { printf "| %s | %s | failed | | | | %s | %s |\n", pair, summary, results, close_ }'
}

pairs_on_driver() {
    environment=$(driver_environment "$name")
    # shellcheck disable=SC2086
    env $environment wavepgo run --generate --bundle "$work/pairs-$name.wavepgo" --cache none --summary 0 -- wavepgo-pairs $shaders $some --size "$size" --checksum >/dev/null
    wavepgo merge --quiet -o "pairs-$name.profdata" "pairs-$name.wavepgo"
    use_environment="wavepgo run --use $work/pairs-$name.profdata --use-log $work/pairs-$name.log --cache none --summary 0"
    # A change may have other last bits: that is no failure here, and the table tells.
    # shellcheck disable=SC2086
    env $environment wavepgo-pairs $shaders $some --size "$size" --clock processor --frames "${FRAMES:-20}" --repeat "$repeat" --rounds "$rounds" \
        --compare "use: $(mode_environment --use "$work/pairs-$name.profdata" --log error)" --compare "after: WPG_PAIR=after" --against '' \
        --json "pairs-$name.json" >/dev/null 2>"pairs-$name.err" || grep -v 'checksum' "pairs-$name.err" >&2 || :
    echo "| pair | change | before, ms | use / before | after / before | score | results of use | before beside after |"
    echo "|---|---|---|---|---|---|---|---|"
    : >rows
    for pair in $(cases "pairs-$name"); do pair_row "$pair" >>rows; done
    cat rows
    awk -F ' *[|] *' '
        $7 ~ /^-?[0-9]/ { list[++n] = $7 + 0 }
        END {
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && list[j] < list[j - 1]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
            if (n) printf "\nScores: %d of %d pairs, median %.2f, least %.2f.\n", n, NR, n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2, list[1]
        }' rows
    [ -z "${KEEP:-}" ] || { mkdir -p "$KEEP" && cp "pairs-$name.json" "pairs-$name.log" "pairs-$name.profdata" "$KEEP"; }
}

measure_pairs() {
    shaders=
    [ -z "${FORM:-}" ] || shaders="--shaders $build/shaders/$FORM"
    repeat=${REPEAT:-15}
    for name in ${DRIVER:-$drivers}; do
        say "pairs, $name"
        echo "Pairs, lavapipe $name, processor time; score: (1 - use / before) / (1 - after / before):"
        echo
        pairs_on_driver
        echo
    done
}
