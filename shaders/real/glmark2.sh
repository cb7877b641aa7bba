#!/bin/sh
# The family glmark2: OpenGL scenes over Zink (README.md).
#
#     sh shaders/real/glmark2.sh fetch | list | run SCENE,SCENE... SECONDS
#
# Debian's glmark2, on a display of Xvfb. Exit code 77: something is missing; it says what.
set -eu
name=glmark2
. "$(dirname "$0")/frames.sh"
# NAME: frames a second of measuring, glmark2's benchmark.
scenes='
build 200 build:use-vbo=true
gouraud 100 shading:shading=gouraud
blinn-phong 100 shading:shading=blinn-phong-inf
phong 100 shading:shading=phong
bump-normals 150 bump:bump-render=normals
bump-height 150 bump:bump-render=height
texture 150 texture:texture-filter=mipmap
conditionals 100 conditionals:vertex-steps=5:fragment-steps=20
loop 100 loop:fragment-steps=20:fragment-loop=true:fragment-uniform=true
blur3x3 60 effect2d:kernel=1,1,1;1,1,1;1,1,1;
blur5x5 30 effect2d:kernel=1,1,1,1,1;1,1,1,1,1;1,1,1,1,1;1,1,1,1,1;1,1,1,1,1;
jellyfish 60 jellyfish
refract 15 refract
shadow 60 shadow
pulsar 100 pulsar:quads=20:light=true
desktop 40 desktop:effect=blur:blur-radius=5:passes=1:separable=true:windows=4
ideas 60 ideas
terrain 6 terrain
'
draw() {
    measured timeout -k 5 120 $by_clock MESA_LOADER_DRIVER_OVERRIDE=zink LIBGL_ALWAYS_SOFTWARE=1 glmark2 -s 800x600 -b "$benchmark:nframes=$2"
}
case ${1:-} in
fetch)
    needs glmark2 glmark2-x11 libgl1-mesa-dri
    needs Xvfb xvfb
    ;;
list) echo "$scenes" | awk 'NF { print $1 }' ;;
run)
    scratch
    start_x
    for scene in $(echo "$2" | tr , ' '); do
        rate=$(echo "$scenes" | awk -v scene="$scene" '$1 == scene { print $2 }')
        benchmark=$(echo "$scenes" | awk -v scene="$scene" '$1 == scene { print $3 }')
        [ -n "$rate" ] || { echo "glmark2: no scene '$scene'" >&2; exit 2; }
        item "$scene" "$rate" "$3"
    done
    ;;
*)
    sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
