# Bundles in, a bundle out: profiles and facts weigh alike; the result replaces an earlier one, never something else.
cp -r $DATA/one.wavepgo two.wavepgo
sed -i -e 's/ 37$/ 99/' two.wavepgo/shaders/*.extremes
sed -i -e 's/^count push.00 0x00000005 .*/count push.00 0x00000008 700/' -e '/push.01/d' two.wavepgo/pipelines/2577*.facts
printf '\003\002#\007words' >two.wavepgo/shaders/0f6ec9d6919ddc11aa560d76cf50eb19.spv
sed -i 's/^is wavepgo/is shaders\/0f6ec9d6919ddc11aa560d76cf50eb19.spv spirv\n&/' two.wavepgo/index.wavepgo
wavepgo merge -o all.bundle $DATA/one.wavepgo || exit
wavepgo merge -o all.bundle $DATA/one.wavepgo --weighted 3,two.wavepgo || exit
find . -type f | LC_ALL=C sort
cat all.bundle/index.wavepgo all.bundle/pipelines/*.facts all.bundle/shaders/*.extremes
cmp all.bundle/shaders/*.spv two.wavepgo/shaders/*.spv || exit
# The same result in the other order, and with the result as input.
wavepgo merge -o other.bundle --weighted 3,two.wavepgo $DATA/one.wavepgo || exit
diff -r all.bundle other.bundle || exit
wavepgo merge -o all.bundle all.bundle && diff -r all.bundle other.bundle || exit
# Its profiles alone, and of the facts the values of push constants.
wavepgo merge -o x.profdata all.bundle && wavepgo show x.profdata | head -n 3
wavepgo merge --format text -o - x.profdata | grep -A 1 '#push'
wavepgo merge --format text -o - --weighted 3,two.wavepgo $DATA/one.wavepgo >y.proftext
wavepgo merge --format text -o - x.profdata | cmp - y.proftext
# Of a bundle whose pipelines were left out while counting: these values alone. Nothing of a bundle without values.
cp -r $DATA/one.wavepgo bare.wavepgo && rm bare.wavepgo/counts.proftext && sed -i '/counts.proftext/d' bare.wavepgo/index.wavepgo
wavepgo merge -o bare.profdata bare.wavepgo && wavepgo show bare.profdata
wavepgo merge -o bare.bundle bare.wavepgo && cmp bare.bundle/pipelines/2577*.facts bare.wavepgo/pipelines/2577*.facts
wavepgo merge --format cspgo-text -o bare.proftext bare.wavepgo; echo "cspgo: $?"
sed -i '/push/d' bare.wavepgo/pipelines/*.facts; wavepgo merge -o bare2.profdata bare.wavepgo; echo "neither: $?"
