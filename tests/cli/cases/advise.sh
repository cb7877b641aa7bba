wavepgo advise $DATA/one.wavepgo && wavepgo advise --top 1 -o list $DATA/two.proftext && cat list
