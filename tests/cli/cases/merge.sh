# A merge of a merge, weighted, in every format, says the same.
wavepgo merge -o twice.profdata $DATA/two.proftext $DATA/two.proftext || exit
wavepgo merge -o weighted.profdata --weighted 2,$DATA/two.proftext || exit
cmp twice.profdata weighted.profdata || exit
for format in indexed raw8 raw9 raw10 raw11 text; do
    wavepgo merge -o x.$format --format=$format twice.profdata || exit
    wavepgo merge -o y.proftext --format text x.$format || exit
    cmp x.text y.proftext 2>/dev/null || cmp twice.profdata x.indexed || exit
    wavepgo merge -o back.profdata x.$format && cmp twice.profdata back.profdata || exit
done
cat y.proftext | head -20
