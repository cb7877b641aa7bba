# Sourced by the families of npm packages on Dawn: npm.sh with Dawn itself. Dawn needs Vulkan 1.3's features: lavapipe 25, not 22.
packages="webgpu@0.6 $packages"
. "$(dirname "$0")/npm.sh"
