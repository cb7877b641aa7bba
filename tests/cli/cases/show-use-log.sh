wavepgo show --use-log $DATA/use.log
