# A module with lines whose text it does not carry: line numbers with counts, and what is missing is said.
. "$DATA/lines.sh"
awk '/OpSource GLSL/ { print "OpSource GLSL 450 %1"; inside = 1; next } !inside { print } inside && /"$/ { inside = 0 }' \
    "$DATA/lines.spvasm" >untold.spvasm
spirv-as --target-env spv1.3 --preserve-numeric-ids untold.spvasm -o lines.wavepgo/shaders/73f75c931285d2cf20c666d67e08063b.spv || exit
wavepgo annotate lines.wavepgo
wavepgo annotate --json lines.wavepgo | head -c 600; echo
wavepgo export --format lcov --sources sources lines.wavepgo | head -8; ls sources 2>&1
