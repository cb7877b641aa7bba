# Sourced by setup.sh and fresh.sh: where this machine's own Debian archive is.

# Prints "OPTIONS URI" of the machine's own Debian archive: the first entry of its apt sources that serves `suite`, so
# that whatever mirror, keyring and proxy this machine uses is used here too.
archive_of_suite() {
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ -f "$list" ] || continue
        sed -n 's/^[[:space:]]*deb[[:space:]]\{1,\}//p' "$list" | awk -v suite="$1" '{
            options = ""
            if ($1 ~ /^\[/) {
                do { options = options " " $1; closed = ($1 ~ /\]$/); $1 = ""; $0 = $0; sub(/^ +/, "") } while (!closed && NF)
            }
            if ($2 == suite && / main( |$)/) print options, $1
        }'
    done | head -n 1 | grep . && return 0
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.sources; do
        [ -f "$list" ] || continue
        grep -v '^#' "$list" | awk -v suite="$1" 'BEGIN { RS = ""; FS = "\n" } {
            uri = signed = trusted = ""; found = deb = 0
            for (i = 1; i <= NF; i++) {
                key = value = $i; sub(/:.*/, "", key); sub(/^[^:]*:[ \t]*/, "", value)
                key = tolower(key)
                if (key == "uris") { split(value, u, /[ \t]+/); uri = u[1] }
                if (key == "types" && (" " value " ") ~ / deb /) deb = 1
                if (key == "suites" && index(" " value " ", " " suite " ")) found = 1
                if (key == "signed-by" && value ~ /^\//) signed = " signed-by=" value
                if (key == "trusted") trusted = " trusted=" value
            }
            if (deb && found && uri != "") {
                options = signed trusted
                if (options != "") options = "[" substr(options, 2) "]"
                print options, uri
            }
        }'
    done | head -n 1 | grep .
}
