# Source with counts; the hottest shader without a name; SPIR-V by block where there is no source; where there is no SPIR-V.
. "$DATA/bundle.sh"
bundle march
wavepgo annotate march.wavepgo
echo
wavepgo annotate --context 0 march.wavepgo fd29
echo
wavepgo annotate --spirv march.wavepgo 0c48
echo
wavepgo annotate march.wavepgo/counts.proftext fd29
echo
wavepgo annotate --shaders march.wavepgo --context 1 march.wavepgo/counts.proftext march
