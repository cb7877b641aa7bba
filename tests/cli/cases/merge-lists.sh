# Lists of inputs, as for llvm-profdata: -f, --input-files, @LIST, standard input; weights; comments.
cp $DATA/two.proftext a.proftext
mkdir folder && cp a.proftext folder/b.proftext && cp a.proftext @odd
wavepgo merge -o want.profdata a.proftext --weighted 3,a.proftext folder || exit
printf '# a comment\n\n  a.proftext \t\n3,a.proftext\r\nfolder' >list
for how in '-f list' '--input-files list' '--input-files=list' '@list' '-f -'; do
    wavepgo merge -o got.profdata $how <list && cmp want.profdata got.profdata && echo "$how: equal"
done
# Beside other inputs; the profile itself on standard input, named by the list; a file whose name begins with @.
printf '3,-\n' >stdin.list
wavepgo merge -o got.profdata a.proftext folder -f stdin.list <a.proftext && cmp want.profdata got.profdata && echo "stdin: equal"
wavepgo merge -o got.profdata @odd folder --weighted 3,@odd && cmp want.profdata got.profdata && echo "@odd: equal"
# What is wrong is told with the line.
printf 'a.proftext\n0,a.proftext\n' >bad.list; wavepgo merge -o x -f bad.list
printf 'a.proftext\nabsent.proftext\n' >bad.list; wavepgo merge -o x @bad.list
wavepgo merge -o x.profdata --keep-going @bad.list && ls x.profdata
wavepgo merge -o x -f absent.list; wavepgo merge -o x -f /dev/null; wavepgo merge -o x -f; wavepgo merge -o x -f - -
printf -- '-\n' | wavepgo merge -o x -f -
