wavepgo show --values $DATA/values.proftext
