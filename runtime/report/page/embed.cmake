# cmake -DIN=FILE -DOUT=FILE.c -DNAME=NAME -P embed.cmake: the bytes of a file as the array wpg_NAME (assets.h).
file(READ ${IN} hex HEX)
string(LENGTH "${hex}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "((0x..,){20})" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "#include \"runtime/report/page/assets.h\"\n\nconst unsigned char wpg_${NAME}[] = {\n${bytes}};\nconst size_t wpg_${NAME}_size = ${size};\n")
