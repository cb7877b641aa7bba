# Wrong calls, and names that say too little.
. "$DATA/bundle.sh"
bundle march
wavepgo annotate
wavepgo annotate --frob x
wavepgo annotate --context x march.wavepgo
wavepgo annotate --color red march.wavepgo
wavepgo annotate march.wavepgo march more
wavepgo annotate march.wavepgo nothing
wavepgo annotate missing.profdata
wavepgo annotate march.wavepgo m >/dev/null; echo "one has it: $?"
wavepgo annotate $DATA/two.proftext frag
