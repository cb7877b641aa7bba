#!/bin/sh
# What a stranger needs of the READMEs: README.md is at most 12 KiB; every room has a README.md; no line of a README is
# over 100 columns, code blocks and tables apart; every relative link of a Markdown file leads to a file or a folder.
# With a root as argument it looks there (tests/lint/readme-selftest.sh).
set -u
cd "${1:-$(dirname "$0")/../..}" || exit 1
if [ $# -eq 0 ] && git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    files=$(git ls-files --cached --others --exclude-standard -- '*.md')
else
    files=$(find . -name '*.md' -type f ! -path './.deps/*' ! -path './build*' ! -path './.git/*' | sed 's|^\./||')
fi
findings=$(mktemp)
trap 'rm -f "$findings" "$findings.links"' EXIT
: >"$findings"
found() { echo "$*" >>"$findings"; }

size=$(wc -c <README.md 2>/dev/null || echo 0)
[ "$size" -gt 0 ] || found "README.md is not there"
[ "$size" -le 12288 ] || found "README.md has $size bytes: 12288 are allowed"
for room in compiler/* runtime/* layer json shaders tests; do
    [ ! -d "$room" ] || [ -f "$room/README.md" ] || found "no README.md: $room"
done

# Lines: characters, not bytes. Links: those of prose and tables, and the definitions of reference links.
for file in $files; do
    [ -f "$file" ] || continue
    case $file in
    README.md | */README.md | CONTRIBUTING.md) wide=100 ;;
    *) wide=0 ;;
    esac
    LC_ALL=C awk -v file="$file" -v wide=$wide -v links="$findings.links" '
        function link(target) {
            sub(/[ \t].*/, "", target)
            sub(/#.*/, "", target)
            if (target != "" && target !~ /^[a-z]+:/) print file ":" FNR "\t" target > links
        }
        BEGIN { printf "" > links }
        /^ *```/ { fenced = !fenced; indented = 0; next }
        fenced { next }
        { indented = /^    / && (indented || blank); blank = /^ *$/ }
        indented { blank = 1; next }
        {
            text = $0
            gsub(/[\200-\277]/, "", text)
            if (wide && length(text) > wide && text !~ /^ *\|/) print file ":" FNR ": " length(text) " columns: " wide " are allowed"
            gsub(/`[^`]*`/, "", text)
            if (match(text, /^\[[^\]]*\]: */)) link(substr(text, RSTART + RLENGTH))
            while (match(text, /\]\([^)]*\)/)) {
                link(substr(text, RSTART + 2, RLENGTH - 3))
                text = substr(text, RSTART + RLENGTH)
            }
        }' "$file" >>"$findings"
    folder=$(dirname "$file")
    while IFS="$(printf '\t')" read -r place target; do
        [ -e "$folder/$target" ] || found "$place: no such file: $target"
    done <"$findings.links"
done
cat "$findings"
[ ! -s "$findings" ] || exit 1
echo "$(printf "%s\n" $files | wc -l) Markdown files, README.md of $size bytes"
