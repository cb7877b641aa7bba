. "$DATA/lines.sh"
for format in callgrind speedscope chrome-trace folded; do
    echo "-- $format"
    wavepgo export --format $format lines.wavepgo || exit
done
echo "-- without shaders"
wavepgo export --format callgrind $DATA/one.wavepgo && wavepgo export --format folded $DATA/one.wavepgo
