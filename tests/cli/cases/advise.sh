wavepgo advise $DATA/one.wavepgo && wavepgo advise --top 1 -o list $DATA/two.proftext && cat list
wavepgo advise --only shade $DATA/one.wavepgo
wavepgo advise --only 'vert 11111111 + frag' $DATA/one.wavepgo
wavepgo advise --only nothing $DATA/one.wavepgo
wavepgo advise --only
wavepgo advise --skip-passes x $DATA/one.wavepgo
