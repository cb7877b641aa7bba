# The program's exit code is ours; a program that is not there is 127, one that cannot run 126.
wavepgo run --generate -- sh -c 'exit 7'; echo $?
wavepgo run --generate no-such-program; echo $?
: > plain; wavepgo run -- ./plain; echo $?
wavepgo run --generate --flush-interval=2 --validate --log info -- sh -c 'env | grep -E "^(WAVEPGO|VK_INSTANCE)" | sort'
VK_INSTANCE_LAYERS=VK_LAYER_a wavepgo run --use $DATA/two.proftext --profile-file x/%b.profraw -- sh -c 'env | grep -E "^(WAVEPGO|VK_INSTANCE)" | sort'
