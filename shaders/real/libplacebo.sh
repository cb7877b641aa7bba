#!/bin/sh
# The family libplacebo: scaling, tone mapping and debanding of a video player, by ffmpeg's filter libplacebo (README.md).
#
#     sh shaders/real/libplacebo.sh fetch | list | run ITEM,ITEM... SECONDS
#
# Debian's ffmpeg with libplacebo. Exit code 77: something is missing; it says what.
set -eu
name=libplacebo
# @ is the upload. hdr: a picture that says that it is BT.2020, PQ.
hdr=setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc,@
sdr=colorspace=bt709:color_primaries=bt709:color_trc=bt709:range=tv:format=yuv420p
filters="
convert 30 yuv420p rgba libplacebo=format=rgba:dithering=none
bilinear 30 yuv420p yuv420p libplacebo=w=800:h=600:upscaler=bilinear
spline36 20 yuv420p yuv420p libplacebo=w=800:h=600:upscaler=spline36
lanczos-antiring 20 yuv420p yuv420p libplacebo=w=800:h=600:upscaler=lanczos:antiringing=0.8
ewa_lanczos 6 yuv420p yuv420p libplacebo=w=800:h=600:upscaler=ewa_lanczos
downscale 20 yuv420p yuv420p libplacebo=w=320:h=240:downscaler=mitchell
deband 20 yuv420p yuv420p libplacebo=deband=1:deband_iterations=4
equaliser 30 yuv420p yuv420p libplacebo=brightness=0.1:contrast=1.2:saturation=1.3:hue=0.2:gamma=1.1
tonemap-bt2390 20 yuv420p10 yuv420p $hdr,libplacebo=tonemapping=bt.2390:$sdr
tonemap-hable 20 yuv420p10 yuv420p $hdr,libplacebo=tonemapping=hable:peak_detect=0:$sdr
tonemap-clip 20 yuv420p10 yuv420p $hdr,libplacebo=tonemapping=clip:peak_detect=0:gamut_mode=desaturate:$sdr
cones 30 rgba rgba libplacebo=cones=l:dithering=none
"
. "$(dirname "$0")/filters.sh"
