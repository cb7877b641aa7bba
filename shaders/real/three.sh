#!/bin/sh
# The family three: scenes of three.js on its WebGPU renderer, on Dawn (README.md).
#
#     sh shaders/real/three.sh fetch | list | run SCENE,SCENE... SECONDS | attainable SCENE,SCENE... SECONDS
set -eu
name=three
attainable=yes
packages="three@0.187.0"
. "$(dirname "$0")/dawn.sh"
