#!/bin/sh
# The family paper: effects of Paper Shaders, in Chromium (README.md).
#
#     sh shaders/real/paper.sh fetch | list | run EFFECT,EFFECT... SECONDS
set -eu
name=paper
packages="@paper-design/shaders-react@0.0.80"
. "$(dirname "$0")/browser.sh"
