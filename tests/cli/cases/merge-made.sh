# Parts of a fleet, chosen by who made the profiles; two.proftext itself does not say.
made() { # FILE PROGRAM APPLICATION DRIVER
    { cat $DATA/two.proftext; printf '\nmade.%s.%s.Radeon%%20780M.%s.0%%2E1%%2E0#pipelines\n1\n1\n2\n' "$2" "$3" "$4"; } >"$1"
}
made a.proftext game%2Eexe Game%203 radv%20Mesa%2025%2E0
made b.proftext game%2Eexe Game%204 radv%20Mesa%2025%2E1
made c.proftext vkcube '' radv%20Mesa%2025%2E0
wavepgo merge -o all.profdata ?.proftext && wavepgo show --top 1 all.profdata | head -n 5
wavepgo show --json all.profdata | sed -n '/"made"/,/]/p'
part() { # WHAT OPTIONS...: which of a, b, c were merged
    wavepgo merge --quiet --format text -o got "$@" ?.proftext $DATA/two.proftext && sed -n 's/^made\.\(.*\)\.Radeon%20780M\.\(.*\)\.0%2E1%2E0.*/\1 \2/p' got
}
echo 1; part --program 'game.*'
echo 2; part --driver='*Mesa 25.0*'
echo 3; part --application 'Game ?' --driver '*25.1'
echo 4; part --device Radeon\* --wavepgo 0.1.0 --program vkcube
echo 5; part --driver NVIDIA\*
# What is mixed is left out whole, and so is a bundle; nothing is written where nothing is left.
wavepgo merge -o got --program vkcube all.profdata c.proftext && wavepgo merge --format text -o - got | grep -c '^made'
wavepgo merge -o got --program vkcube all.profdata
cp -r $DATA/one.wavepgo one.wavepgo && cat c.proftext >one.wavepgo/counts.proftext
wavepgo merge -o got --program vkcube one.wavepgo && wavepgo merge --format text -o - got | grep -c '^made\|#push$'
wavepgo merge -o got.bundle --program 'game*' one.wavepgo a.proftext && ls got.bundle
wavepgo merge -o got.bundle --program vkcube one.wavepgo a.proftext && ls got.bundle
wavepgo merge -o got --program
