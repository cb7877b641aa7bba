wavepgo show --top 1 $DATA/one.wavepgo && wavepgo show --json $DATA/one.wavepgo/
