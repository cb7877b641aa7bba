# For programs: CSV and JSON, of a shader with source and of one without.
. "$DATA/bundle.sh"
bundle march
for shader in march 0c48; do
    wavepgo annotate --spirv --csv march.wavepgo $shader
    wavepgo annotate --spirv --json march.wavepgo $shader
done
