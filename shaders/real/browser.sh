# Sourced by the families of WebGL 2 programs in Chromium (browser.cjs): npm.sh with Debian's browser.
programs=chromium
. "$(dirname "$0")/npm.sh"
