# What families of ffmpeg's Vulkan filters share; sourced with $name and $filters set, in place of a main part (README.md).
#
# $filters has a line an item: NAME, frames a second of measuring, format, format of the result, filters. A filter of
# two inputs says [b]. Time is of one uploaded frame that is filtered again and again, so that only filters compute.
# The hash is of three frames of a moving picture.
. "$(dirname "$0")/frames.sh"
known() { echo "$filters" | awk -v have="$(ffmpeg -hide_banner -v error -filters 2>/dev/null | awk '{ printf "%s ", $2 }')" '
    { vulkan = $5; sub(/^.*[,\]]/, "", vulkan); sub(/=.*/, "", vulkan) } NF && index(" " have, " " vulkan " ")'; }
field() { echo "$filters" | awk -v item="$1" -v at="$2" '$1 == item { print $at }'; }

# graph ITEM LOOP: the filters, of one input or two; LOOP repeats the first frame.
graph() {
    upload="format=$(field "$1" 3),hwupload$2"
    case $(field "$1" 5) in
    *\[b\]*) echo "testsrc2=size=640x480:rate=25,$upload[a];testsrc=size=640x480:rate=25,$upload[b];[a]$(field "$1" 5)" ;;
    *) echo "testsrc2=size=640x480:rate=25,$(field "$1" 5 | sed "s/@/$upload/; t; s/^/$upload,/")" ;;
    esac
}
ffmpeg_run() { # GRAPH FRAMES OUTPUT...
    graph=$1 frames=$2
    shift 2
    measured timeout -k 5 120 ffmpeg -hide_banner -nostdin -v error -init_hw_device vulkan=v:0 -filter_hw_device v -filter_complex "$graph" \
        -frames:v "$frames" "$@"
}
draw() { ffmpeg_run "$(graph "$1" ,loop=-1:1:0)" "$2" -f null -; }

case ${1:-} in
fetch)
    needs ffmpeg ffmpeg
    [ -n "$(known)" ] || skip "this ffmpeg has none of the filters"
    ;;
list) known | awk '{ print $1 }' ;;
run)
    scratch
    for filter in $(echo "$2" | tr , ' '); do
        [ -n "$(field "$filter" 1)" ] || { echo "$name: no item '$filter'" >&2; exit 2; }
        timed "$filter" "$(field "$filter" 2)" "$3" || continue
        ffmpeg_run "$(graph "$filter" ""),hwdownload,format=$(field "$filter" 4)" 3 -f md5 - || continue
        echo "$filter $time $(sed 's/^MD5=//' "$work/program" | cut -c 1-12)"
    done
    ;;
*)
    sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
