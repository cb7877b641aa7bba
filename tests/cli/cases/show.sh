wavepgo show $DATA/two.proftext
