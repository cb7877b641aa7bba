#!/bin/sh
# The family games: SuperTuxKart over Vulkan and over Zink, Warzone 2100 over Vulkan (README.md).
#
#     sh shaders/real/games.sh fetch | list | run GAME,GAME... SECONDS
#     sh shaders/real/games.sh times GAME SECONDS FILE      when each frame is presented (pace.sh)
#
# Debian's games, on a display of Xvfb, in a home of their own. The tests' shim layer notes the frames; then the game is ended.
# Frames go by the clock and by chance, so they are not compared. Exit code 77: something is missing; it says what.
#
# SuperTuxKart drives a race by itself. Warzone 2100 starts a game without a player only at its highest speed, where the
# scene of a second depends on the machine. So fetch has it save such a game at once, and a run loads that. Three of
# its players are AIs; whether they act was not checked.
set -eu
name=games
. "$(dirname "$0")/frames.sh"
. "$(dirname "$0")/running.sh"
PATH=$PATH:/usr/games
command_of() {
    case $1 in
    supertuxkart) echo supertuxkart --render-driver=vulkan $kart ;;
    supertuxkart-zink) echo env MESA_LOADER_DRIVER_OVERRIDE=zink LIBGL_ALWAYS_SOFTWARE=1 supertuxkart $kart ;;
    warzone2100) echo warzone2100 $warzone --loadskirmish=start ;;
    *) echo "games: no game '$1'" >&2; exit 2 ;;
    esac
}
kart='--screensize=640x480 --windowed --no-sound --track=lighthouse --profile-laps=9 --numkarts=2'
# Frames before the time counts, and frames for a second of SECONDS.
frames_of() {
    case $1 in
    warzone2100) first=60 rate=4 ;;
    *) first=40 rate=60 ;;
    esac
}
saved=${WPG_REAL:-}/games/warzone2100
# home: of the games' own, for the display's time.
home() {
    scratch
    start_x
    HOME=$work SDL_AUDIODRIVER=dummy ALSOFT_DRIVERS=null
    warzone="--configdir=$work/warzone2100 --gfxbackend=vulkan --window --resolution=640x480 --nosound"
    export HOME SDL_AUDIODRIVER ALSOFT_DRIVERS
    mkdir -p "$work/warzone2100/savegames/skirmish" "$work/warzone2100/tests"
}
# One player has no name of an AI, and is nobody's once the game is loaded.
save_warzone() {
    [ ! -d "$saved/start" ] || return 0
    home
    cat >"$work/warzone2100/tests/start.json" <<JSON
{"challenge": {"map": "Sk-Rush", "maxPlayers": 4, "scavengers": 0, "alliances": 0, "powerLevel": 1, "bases": 2, "techLevel": 1},
 "player_0": {"team": 0}, "player_1": {"team": 1, "difficulty": "Medium"}, "player_2": {"team": 2, "difficulty": "Medium"},
 "player_3": {"team": 3, "difficulty": "Medium"}}
JSON
    # shellcheck disable=SC2086
    timeout 120 warzone2100 $warzone --autogame --skirmish=start.json --saveandquit=savegames/skirmish/start.gam >"$work/program" 2>&1 || true
    [ -s "$work/warzone2100/savegames/skirmish/start/gam.json" ] || skip "warzone2100 saves no game: $(tail -n 2 "$work/program")"
    mkdir -p "$saved"
    cp -r "$work/warzone2100/savegames/skirmish/start" "$saved"
}
# start_game GAME: $game; its output goes to $work/program, the times of its frames to $times.
start_game() {
    [ "$1" != warzone2100 ] || cp -r "$saved/." "$work/warzone2100/savegames/skirmish"
    : >"$times"
    echo "start $(date +%s.%N)" >>"$times"
    $(command_of "$1") >"$work/program" 2>&1 &
    game=$!
    trap 'end_game; kill $x_server 2>/dev/null; rm -rf "$work"' EXIT
}
ticks() { awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$game/stat" 2>/dev/null; }
case ${1:-} in
fetch)
    needs supertuxkart supertuxkart libgl1-mesa-dri
    needs warzone2100 warzone2100
    needs Xvfb xvfb
    [ -e "$shim" ] || skip "needs the tests' shim layer: build with WPG_BUILD_TESTS"
    save_warzone
    ;;
list) printf '%s\n' supertuxkart supertuxkart-zink warzone2100 ;;
run)
    home
    times=$work/times SHIM_TIMES=$work/times
    export SHIM_TIMES
    use_shim
    for item in $(echo "$2" | tr , ' '); do
        frames_of "$item"
        last=$(awk "BEGIN { n = int($rate * $3); print $first + 10 + n }")
        start_game "$item"
        between $first "$last" && echo "$item $time -" || echo "games: failed: $item: $(tail -n 2 "$work/program")" >&2
        end_game
    done
    ;;
times)
    home
    times=$4 SHIM_TIMES=$4
    export SHIM_TIMES
    use_shim
    start_game "$2"
    until_frame 1 && sleep "$3" && kill -0 $game 2>/dev/null || echo "games: failed: $2: $(tail -n 2 "$work/program")" >&2
    end_game
    ;;
*)
    sed -n '2,12s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
