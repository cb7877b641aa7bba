# Sourced by measure.sh and cost.sh with their arguments, once `root`, `here`, `tool` (a name for messages), `known` (families)
# and `help` (the lines of the comment that are its help) are set. Sets `build` and `wanted`, sources start.sh, and selects a driver.
build=$root/build wanted=
while [ $# -gt 0 ]; do
    case $1 in
    --build)
        [ $# -ge 2 ] || { echo "$tool: --build needs a folder" >&2; exit 2; }
        build=$2
        shift
        ;;
    -h | --help) sed -n "${help}s/^# \{0,1\}//p" "$0"; exit 0 ;;
    *)
        case " $known " in *" $1 "*) ;; *) echo "$tool: no family '$1' (known: $known)" >&2; exit 2 ;; esac
        wanted="$wanted $1"
        ;;
    esac
    shift
done
. "$here/start.sh"
case ${DRIVER:-new} in old) VK_DRIVER_FILES=${WPG_LVP_ICD_OLD:-} ;; *) VK_DRIVER_FILES=${WPG_LVP_ICD:-} ;; esac
VK_ICD_FILENAMES=$VK_DRIVER_FILES
export VK_DRIVER_FILES VK_ICD_FILENAMES
[ -n "$VK_DRIVER_FILES" ] || { echo "$tool: no lavapipe here: sh tests/setup.sh" >&2; exit 77; }
