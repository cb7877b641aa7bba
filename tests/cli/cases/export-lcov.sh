# Lanes; waves; with the sources; twice the same; a profile with the bundle as the place of its shaders.
. "$DATA/lines.sh"
wavepgo export --format lcov lines.wavepgo || exit
wavepgo export --format=lcov --count=waves -o - lines.wavepgo || exit
wavepgo export --format lcov --sources sources -o one.info lines.wavepgo || exit
grep SF: one.info
cmp sources/calls.comp $DATA/../../e2e/shaders/lines/calls.comp && ls sources
wavepgo export --format lcov lines.wavepgo lines.wavepgo | grep DA:9,
wavepgo export --format lcov --shaders lines.wavepgo lines.wavepgo/counts.proftext | grep DA:9,
wavepgo export --format lcov $DATA/one.wavepgo lines.wavepgo | grep DA:9,
