#!/bin/sh
# The family anime4k: filters and networks of anime4k-webgpu, on Dawn (README.md).
#
#     sh shaders/real/anime4k.sh fetch | list | run NAME,NAME... SECONDS | attainable NAME,NAME... SECONDS
set -eu
name=anime4k
attainable=yes
packages="anime4k-webgpu@1.0.0"
. "$(dirname "$0")/dawn.sh"
