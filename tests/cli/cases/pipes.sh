# "-" and a shell's <(command) are read to their end; a named pipe that nobody writes is refused and not waited for.
cat $DATA/two.proftext | wavepgo show - | head -n 3
wavepgo show --top 0 /dev/fd/3 3<$DATA/two.proftext | tail -n 1
cat $DATA/two.proftext | wavepgo merge --format text -o a.proftext - && wavepgo merge --format text -o b.proftext $DATA/two.proftext
cmp a.proftext b.proftext && echo same
{ cat $DATA/two.proftext | wavepgo merge --format text -o c.proftext --weighted 2,/dev/fd/0 /dev/fd/3 3<$DATA/values.proftext; } && ls
printf junk | wavepgo show -
wavepgo show - </dev/null
mkdir folder; mkfifo folder/p.profraw
timeout 10 wavepgo show folder/p.profraw; timeout 10 wavepgo merge -o x.profdata folder; timeout 10 wavepgo merge -o folder/p.profraw $DATA/two.proftext
(umask 077; wavepgo merge -o private.profdata $DATA/two.proftext; wavepgo merge -o private.wavepgo $DATA/two.proftext; stat -c %a private.profdata private.wavepgo)
