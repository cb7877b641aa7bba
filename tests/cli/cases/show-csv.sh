# A row a pipeline's stage, or a row a block; what was not measured is empty.
. "$DATA/bundle.sh"
bundle march
wavepgo show --csv march.wavepgo
wavepgo show --csv --blocks march.wavepgo march
wavepgo show --csv --blocks $DATA/two.proftext
