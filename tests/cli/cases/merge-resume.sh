# A merge that was killed goes on where it stopped, and gives the same bytes.
for i in 1 2 3 4 5 6 7 8 9; do wavepgo merge -o in$i.profdata --weighted $i,$DATA/two.proftext || exit; done
wavepgo merge -o whole.profdata in*.profdata $DATA/two.proftext || exit
# It waits for its last input when it is killed.
mkfifo pipe
wavepgo merge --resume --checkpoint 0 -o out.profdata in*.profdata - <pipe &
victim=$!
exec 9>pipe
tries=0
until grep -q '^# wavepgo merge: checkpoint 1, 9 files' out.profdata.partial 2>/dev/null; do
    tries=$((tries + 1))
    [ $tries -lt 600 ] || { echo "no checkpoint"; kill -9 $victim; exit 1; }
    sleep 0.05
done
kill -9 $victim; wait $victim 2>/dev/null; exec 9>&-
ls out.profdata*
# What the checkpoint has is read no more: damage that file times and sizes do not tell makes no difference.
cp -p in1.profdata kept && printf 'XXXXXXXX' | dd of=in1.profdata conv=notrunc 2>/dev/null && touch -r kept in1.profdata
wavepgo merge --resume -o out.profdata in*.profdata - <$DATA/two.proftext && cmp out.profdata whole.profdata && ls out.profdata*
cp -p kept in1.profdata
# A checkpoint of other inputs is no start, and is not lost.
checkpoint() { # FILES...: of a merge that failed at its last file
    rm -f out.profdata*
    wavepgo merge --quiet --resume --checkpoint 0 -o out.profdata "$@" junk 2>/dev/null
    ls out.profdata*
}
printf 'junk' >junk
checkpoint in1.profdata in2.profdata
wavepgo merge --resume -o out.profdata in2.profdata in1.profdata
wavepgo merge --resume -o out.profdata --weighted 2,in1.profdata in2.profdata
wavepgo merge --resume -o out.profdata in1.profdata
touch -d '2001-02-03' in1.profdata
wavepgo merge --resume -o out.profdata in1.profdata in2.profdata
wavepgo merge --resume --driver '*' -o out.profdata in1.profdata in2.profdata
printf 'something else' >out.profdata.partial
wavepgo merge --resume -o out.profdata in1.profdata in2.profdata
cat out.profdata.partial; echo
wavepgo merge --resume -o out.bundle in1.profdata; wavepgo merge --resume -o - in1.profdata; wavepgo merge --resume --checkpoint soon -o x in1.profdata
