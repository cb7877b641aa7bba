# Names of debug information, the program's own name of a pipeline, places of blocks; one shader by a part of its name.
. "$DATA/bundle.sh"
bundle march
wavepgo show --full march.wavepgo
echo
wavepgo show march.wavepgo march
wavepgo show march.wavepgo nothing; echo "code $?"
wavepgo show --json march.wavepgo fd29 | sed -n '1,/shaders/p; s/.*\("places": [^]]*]\).*/\1/p'
