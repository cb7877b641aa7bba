#!/bin/sh
# The family playcanvas: scenes of the PlayCanvas engine on WebGPU, on Dawn (README.md).
#
#     sh shaders/real/playcanvas.sh fetch | list | run SCENE,SCENE... SECONDS | attainable SCENE,SCENE... SECONDS
set -eu
name=playcanvas
attainable=yes
packages="playcanvas@2.23.3"
. "$(dirname "$0")/dawn.sh"
