# The score of llvm-profdata (tests/cli/overlap.sh compares), and by shader function.
. "$DATA/bundle.sh"
bundle march
bundle edited
wavepgo overlap march.wavepgo edited.wavepgo
wavepgo overlap march.wavepgo march.wavepgo | head -n 1
sed 's/^1900$/2900/; s/^480$/500/' march.wavepgo/counts.proftext >other.proftext
wavepgo overlap march.wavepgo other.proftext
wavepgo overlap --json march.wavepgo other.proftext
wavepgo overlap --csv march.wavepgo other.proftext
