# An edited shader, a loop of more trips, a branch that turned, more invocations (no change by themselves); nothing; one shader
# that only one profile has; counts as they are.
. "$DATA/bundle.sh"
bundle march
bundle edited
wavepgo diff march.wavepgo edited.wavepgo
echo
wavepgo diff --threshold 50 --raw march.wavepgo edited.wavepgo | sed -n '/^march/,$p'
echo
wavepgo diff march.wavepgo march.wavepgo
echo
wavepgo diff march.wavepgo/counts.proftext $DATA/two.proftext
echo
# Twice the program: every count doubles, and nothing changed.
wavepgo merge --quiet -o twice.profdata --weighted 2,march.wavepgo/counts.proftext
wavepgo diff --threshold 0 march.wavepgo/counts.proftext twice.profdata
