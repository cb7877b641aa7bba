# As merge writes them.
. "$DATA/lines.sh"
for format in indexed text raw8 raw9 raw10 raw11 cspgo-text; do
    wavepgo merge --quiet --format $format -o merged lines.wavepgo || exit
    wavepgo export --quiet --format $format -o exported lines.wavepgo && cmp merged exported || exit
    wavepgo export --quiet --format $format lines.wavepgo | cmp - merged && echo "$format" || exit
done
wavepgo export --format cspgo-text --count lanes lines.wavepgo | head -3
