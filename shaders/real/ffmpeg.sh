#!/bin/sh
# The family ffmpeg: ffmpeg's Vulkan filters (README.md).
#
#     sh shaders/real/ffmpeg.sh fetch | list | run FILTER,FILTER... SECONDS
#
# Debian's ffmpeg; which filters there are differs by version. Exit code 77: something is missing; it says what.
set -eu
name=ffmpeg
# Two inputs as RGBA alone: ffmpeg 5.1 does not await all planes of the second, so planar frames differ from run to run.
filters='
chromaber 100 yuv420p yuv420p chromaber_vulkan=dist_x=4:dist_y=3
flip 100 rgba rgba flip_vulkan
hflip 100 yuv420p yuv420p hflip_vulkan
vflip 100 yuv420p yuv420p vflip_vulkan
gblur 30 rgba rgba gblur_vulkan=sigma=3
gblur-planar 50 yuv420p yuv420p gblur_vulkan=sigma=3:size=9
overlay 100 rgba rgba [b]overlay_vulkan=x=20:y=30
blend 100 rgba rgba [b]blend_vulkan=c0_mode=multiply:c1_mode=multiply
scale 100 yuv420p yuv420p scale_vulkan=w=800:h=600
transpose 100 rgba rgba transpose_vulkan=dir=clock
xfade 100 rgba rgba [b]xfade_vulkan=duration=0.6:offset=0.2
bwdif 60 yuv420p yuv420p bwdif_vulkan
nlmeans 5 yuv420p yuv420p nlmeans_vulkan=p=3:r=5
'
. "$(dirname "$0")/filters.sh"
