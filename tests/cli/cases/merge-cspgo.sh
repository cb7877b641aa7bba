# Without the shaders' SPIR-V every function is a context of its own, and that is said; the unit is chosen.
wavepgo merge --format=cspgo-text -o - $DATA/two.proftext
echo "code $?"
wavepgo merge --format cspgo-text --count=lanes --quiet -o - $DATA/two.proftext
wavepgo merge --format cspgo-text --count waves --shaders=. -o waves.txt $DATA/two.proftext
grep -c '^\[' waves.txt
wavepgo merge --format=cspgo-text --count=odd -o x $DATA/two.proftext; wavepgo merge --count=lanes -o x $DATA/two.proftext
wavepgo merge --format=cspgo-text --shaders
