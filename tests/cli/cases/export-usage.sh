wavepgo export; echo $?
wavepgo export --format lcov; echo $?
wavepgo export --format nonsense x; echo $?
wavepgo export --format; echo $?
wavepgo export --nonsense x; echo $?
wavepgo export x; echo $?
wavepgo export --format lcov --count half x; echo $?
wavepgo export --format callgrind --count waves x; echo $?
wavepgo export --format folded --sources there x; echo $?
wavepgo export --format raw10 --shaders there x; echo $?
wavepgo export --format lcov -o; echo $?
wavepgo export --format lcov missing.wavepgo; echo $?
wavepgo export --format raw10 missing.wavepgo; echo $?
wavepgo export --format lcov -o out.info $DATA/one.wavepgo; echo $?
ls
