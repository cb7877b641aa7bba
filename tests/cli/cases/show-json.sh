wavepgo show --json $DATA/two.proftext
