#!/bin/sh
# The family webgl: scenes of three.js on its WebGLRenderer, in Chromium (README.md).
#
#     sh shaders/real/webgl.sh fetch | list | run SCENE,SCENE... SECONDS
set -eu
name=webgl
packages="three@0.187.0"
. "$(dirname "$0")/browser.sh"
