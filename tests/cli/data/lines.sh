# Sourced by cases: makes the bundle lines.wavepgo here, of tests/e2e/shaders/lines/calls.comp as glslang -g compiled it, and
# its counts of a run on lavapipe (tests/e2e/export.sh). Modules are kept as text.
cp -r "$DATA/lines.wavepgo" . &&
    spirv-as --target-env spv1.3 --preserve-numeric-ids "$DATA/lines.spvasm" -o lines.wavepgo/shaders/73f75c931285d2cf20c666d67e08063b.spv || exit
