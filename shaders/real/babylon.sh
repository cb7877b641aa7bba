#!/bin/sh
# The family babylon: scenes of Babylon.js on its WebGPU engine, on Dawn (README.md).
#
#     sh shaders/real/babylon.sh fetch | list | run SCENE,SCENE... SECONDS | attainable SCENE,SCENE... SECONDS
set -eu
name=babylon
attainable=yes
packages="@babylonjs/core@9.35.0"
. "$(dirname "$0")/dawn.sh"
