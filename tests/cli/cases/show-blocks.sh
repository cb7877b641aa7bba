wavepgo show --blocks --top 2 $DATA/two.proftext
