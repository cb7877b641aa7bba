# For programs: JSON and CSV.
. "$DATA/bundle.sh"
bundle march
bundle edited
wavepgo diff --json --threshold 50 march.wavepgo edited.wavepgo
wavepgo diff --csv march.wavepgo edited.wavepgo
