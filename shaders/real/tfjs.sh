#!/bin/sh
# The family tfjs: TensorFlow.js's WebGPU operations, on Dawn (README.md).
#
#     sh shaders/real/tfjs.sh fetch | list | run OP,OP... SECONDS
set -eu
name=tfjs
packages="@tensorflow/tfjs-core@4 @tensorflow/tfjs-backend-cpu@4 @tensorflow/tfjs-backend-webgpu@4"
. "$(dirname "$0")/dawn.sh"
