#!/bin/sh
# The family niivue: views of niivue on volumes and a mesh, in Chromium (README.md).
#
#     sh shaders/real/niivue.sh fetch | list | run VIEW,VIEW... SECONDS
set -eu
name=niivue
packages="@niivue/niivue@0.69.0"
. "$(dirname "$0")/browser.sh"
