#!/bin/sh
# The family tfjs: TensorFlow.js's WebGPU operations, on Dawn (README.md).
#
#     sh shaders/real/tfjs.sh fetch | list | run OP,OP... SECONDS | attainable OP,OP... SECONDS
#
# attainable: the same operations with what their uniforms held as constants in the WGSL.
set -eu
name=tfjs
attainable=yes
packages="@tensorflow/tfjs-core@4 @tensorflow/tfjs-backend-cpu@4 @tensorflow/tfjs-backend-webgpu@4"
. "$(dirname "$0")/dawn.sh"
