wavepgo show --json $DATA/values.proftext
