cp -r $DATA/one.wavepgo x.wavepgo; wavepgo top --once x.wavepgo; wavepgo top --once $DATA/two.proftext
