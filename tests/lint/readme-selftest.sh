#!/bin/sh
# Breaks each rule of tests/lint/readme.sh in a small tree and sees it reported; a sound tree passes.
set -u
readme=$(cd "$(dirname "$0")" && pwd)/readme.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failed=0
wide=$(printf '%0101d' 0)

fresh() {
    rm -rf "$tree"
    mkdir -p "$tree/layer" "$tree/tests" "$tree/runtime/base"
    for folder in layer tests runtime/base; do echo "# $folder" >"$tree/$folder/README.md"; done
    {
        printf '# name\n\nA [room](layer/README.md#owns), a [page](https://example.org/x), `[no](link)`, a [reference][here].\n'
        printf '\n| %s |\n\n    %s [no](link)\n\n```\n%s\n[no](link)\n```\n' "$wide" "$wide" "$wide"
        printf '\n- an item\n    [that](tests) goes on\n\n[here]: runtime/base\n'
        printf '%0100d\n' 0 | sed 's/^00/\xc3\xa4\xc3\xb6/'
    } >"$tree/README.md"
}
expect() { # EXIT-CODE TEXT NAME
    output=$(sh "$readme" "$tree" 2>&1)
    code=$?
    if [ $code != "$1" ] || ! printf '%s' "$output" | grep -F -e "$2" >/dev/null; then
        printf 'readme-selftest: %s: exit %s, expected %s and "%s"\n%s\n' "$3" "$code" "$1" "$2" "$output"
        failed=1
    fi
}

fresh
expect 0 "4 Markdown files" "sound tree"
rm "$tree/README.md"
expect 1 "README.md is not there" "no README.md"
fresh
i=0
while [ $i -lt 122 ]; do
    printf '%0100d\n' 0
    i=$((i + 1))
done >>"$tree/README.md"
expect 1 "12288 are allowed" "a long README.md"
fresh
rm "$tree/runtime/base/README.md"
expect 1 "no README.md: runtime/base" "a room without a README.md"
fresh
echo "$wide" >>"$tree/layer/README.md"
expect 1 "layer/README.md:2: 101 columns" "a wide line"
fresh
printf -- '- an item\n    %s\n' "$wide" >>"$tree/layer/README.md"
expect 1 "layer/README.md:3: 105 columns" "a wide line of an item"
fresh
echo 'a [link](../gone.md)' >>"$tree/layer/README.md"
expect 1 "layer/README.md:2: no such file: ../gone.md" "a link to nothing"
fresh
printf '[gone]: gone.md\n' >>"$tree/README.md"
expect 1 "no such file: gone.md" "a reference link to nothing"
fresh
mkdir "$tree/shaders" && echo '# shaders' >"$tree/shaders/README.md"
printf '| [x](gone/) |\n' >"$tree/shaders/record.md"
expect 1 "shaders/record.md:1: no such file: gone/" "a link of a table"
exit $failed
