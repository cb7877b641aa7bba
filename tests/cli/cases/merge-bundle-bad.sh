cp -r $DATA/one.wavepgo a.wavepgo
refuse() { echo "refused: $*" >&2; wavepgo merge -o out.bundle "$@"; [ $? = 1 ] || echo "NOT REFUSED"; [ ! -e out.bundle ] || echo WRITTEN; }
bad() { rm -rf bad.wavepgo; cp -r a.wavepgo bad.wavepgo; }
bad; rm bad.wavepgo/pipelines/69*; refuse bad.wavepgo
wavepgo merge -o kept.bundle --keep-going bad.wavepgo; echo "keep-going: $?"; ls kept.bundle
bad; echo 'sum x' >>bad.wavepgo/pipelines/69b97a4b2e9146fcb2b75983d79a8194.facts; refuse bad.wavepgo
bad; sed -i 's/^wavepgo-facts 1 /wavepgo-facts 7 /' bad.wavepgo/index.wavepgo; refuse bad.wavepgo
bad; sed -i 's/^wavepgo-facts 1 pipeline .*/wavepgo-facts 1 pipeline ..\/x/' bad.wavepgo/pipelines/69*; refuse bad.wavepgo
bad; sed -i 's/^is counts.proftext profile/is ..\/..\/x.facts pipeline/' bad.wavepgo/index.wavepgo; refuse bad.wavepgo
bad; head -c 100 a.wavepgo/index.wavepgo >bad.wavepgo/index.wavepgo; refuse bad.wavepgo
# What is in the way is never removed.
mkdir folder out2.bundle; echo mine >folder/file
wavepgo merge -o folder/ a.wavepgo
wavepgo merge -o out2.bundle a.wavepgo && echo mine >out2.bundle/notes && wavepgo merge -o out2.bundle a.wavepgo
wavepgo merge -o out2.bundle/notes --format bundle a.wavepgo
cat folder/file out2.bundle/notes
ls
