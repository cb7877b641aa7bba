# Names of debug information, the program's own name of a pipeline, places of blocks; one shader by a part of its name.
. "$DATA/bundle.sh"
bundle march
wavepgo show --full march.wavepgo
echo
wavepgo show march.wavepgo march
wavepgo show march.wavepgo nothing; echo "code $?"
wavepgo show --json march.wavepgo fd29 | sed -n '1,/shaders/p; s/.*\("places": [^]]*]\).*/\1/p'
# A pipeline by a part of its name or hash: its shaders, and no other.
cp -r $DATA/one.wavepgo .
wavepgo show one.wavepgo 'vert 11111111 + shade' | grep -v '^ *[0-9]* '
wavepgo show --csv one.wavepgo 'vert 11111111 + shade'
wavepgo show --json one.wavepgo 'vert 11111111 + shade' | grep -c '"shader": "22222222'
wavepgo annotate one.wavepgo 'vert 11111111 + shade' | head -1
wavepgo show one.wavepgo 11111111 | head -1
wavepgo show one.wavepgo 'vert 1'  | head -1
wavepgo show one.wavepgo '+'
