# A terminal's width: names are cut, then columns are left out; numbers are never cut. Piped, lines are as long as they are.
. "$DATA/bundle.sh"
bundle march
sed -i 's/is name.0 .*/is name.0 a pass with a name that no narrow terminal has the room for/' march.wavepgo/pipelines/a001*.facts
for columns in 90 70 50; do
    TERM=dumb script -qec "stty cols $columns; wavepgo show march.wavepgo" out </dev/null >/dev/null
    tr -d '\r' <out | sed -n '/STAGE/,/^$/p' | sed -n '1,/^$/p'
done
wavepgo show march.wavepgo | sed -n '/STAGE/,/^$/p' | sed -n '1,/^$/p'
