#!/bin/sh
# The family onnx: operators of ONNX Runtime's WebGPU provider, on Dawn (README.md).
#
#     sh shaders/real/onnx.sh fetch | list | run OP,OP... SECONDS | attainable OP,OP... SECONDS
set -eu
name=onnx
attainable=yes
packages="onnxruntime-web@1.30.0"
. "$(dirname "$0")/dawn.sh"
