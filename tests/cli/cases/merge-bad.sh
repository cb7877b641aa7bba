mkdir empty
wavepgo merge -o out.profdata empty
printf 'junk' > junk.profraw
wavepgo merge -o out.profdata $DATA/two.proftext junk.profraw
ls
wavepgo merge --keep-going -o out.profdata $DATA/two.proftext junk.profraw
echo "code $?"
ls
wavepgo merge -o /proc/none/out.profdata $DATA/two.proftext
