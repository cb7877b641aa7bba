#!/bin/sh
# The family filament: glTF materials in Google's Filament, by its uber-shaders, in Chromium (README.md).
#
#     sh shaders/real/filament.sh fetch | list | run MATERIAL,MATERIAL... SECONDS
set -eu
name=filament
packages="filament@1.53.4"
. "$(dirname "$0")/browser.sh"
